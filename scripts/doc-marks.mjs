// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The documents mark rules with the tests that pin them, as `test_file: one, another` or `test_file`. `node scripts/doc-marks.mjs`
// (part of `npm run lint`) fails when a test named there does not exist.
import { readFileSync, readdirSync } from 'node:fs';
import { root } from './lib.mjs';

/** Names of the tests of each native test file. */
function nativeTests() {
  const tests = new Map();
  for (const path of readdirSync(`${root}tests/native`, { recursive: true })) {
    const file = /(?:^|\/)(test_\w+)\.c$/.exec(path)?.[1];
    if (!file) continue;
    const text = readFileSync(`${root}tests/native/${path}`, 'utf8');
    tests.set(file, new Set([...text.matchAll(/^TEST\((\w+)\)/gm)].map((match) => match[1])));
  }
  return tests;
}

/** Every mark in a page: a file and the tests named with it (marks may run over a line's end). */
function marks(page) {
  const text = readFileSync(`${root}docs/${page}`, 'utf8').replace(/\s+/g, ' ');
  return [...text.matchAll(/`(test_\w+)(?:: ([\w, ]+))?`/g)].map(([, file, names = '']) => ({
    file,
    names: names.split(',').flatMap((name) => name.trim() || []),
  }));
}

const tests = nativeTests();
for (const page of readdirSync(`${root}docs`, { recursive: true }).filter((name) => name.endsWith('.md'))) {
  for (const { file, names } of marks(page)) {
    const known = tests.get(file);
    for (const missing of known ? names.filter((name) => !known.has(name)) : ['(the file)']) {
      console.error(`docs/${page}: no test ${file}: ${missing}`);
      process.exitCode = 1;
    }
  }
}
