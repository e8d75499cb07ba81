// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Runs a fuzz target on files, without a fuzzer: `fuzz_<name> FILE|FOLDER...`. So every compiler runs the inputs that were ever
// found (tests/data/fuzz/<name>), and an input can be looked at in a debugger. Files of a folder go in the order of their names.
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzzkit.h"

static int files_run;

static bool run_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    fprintf(stderr, "%s: cannot be opened\n", path);
    return false;
  }
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  // Exactly as large as the file, so that a read past the end is seen.
  uint8_t *data = size >= 0 ? malloc(size > 0 ? (size_t)size : 1) : NULL;
  bool ok = data && fread(data, 1, (size_t)size, file) == (size_t)size;
  fclose(file);
  if (ok) {
    fprintf(stderr, "%s\n", path);  // the last one named is the one that stopped the program
    LLVMFuzzerTestOneInput(data, (size_t)size);
    files_run++;
  }
  free(data);
  return ok;
}

static int not_hidden(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static bool run_folder(const char *path, struct dirent **entries, int count) {
  bool ok = true;
  for (int i = 0; i < count; i++) {
    size_t size = strlen(path) + strlen(entries[i]->d_name) + 2;
    char *name = malloc(size);
    if (!name) abort();
    snprintf(name, size, "%s/%s", path, entries[i]->d_name);
    ok = run_file(name) && ok;
    free(name);
    free(entries[i]);
  }
  free(entries);
  return ok;
}

int main(int argc, char **argv) {
  bool ok = argc > 1;
  for (int i = 1; i < argc; i++) {
    struct dirent **entries;
    int count = scandir(argv[i], &entries, not_hidden, alphasort);
    ok = (count < 0 ? run_file(argv[i]) : run_folder(argv[i], entries, count)) && ok;
  }
  printf("%d inputs\n", files_run);
  return ok && files_run > 0 ? 0 : 1;
}
