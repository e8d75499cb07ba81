// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Reading and writing files, and telling formats apart. What goes wrong with a file is said with its name.
import { accessSync, constants, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Stopped } from './stop.js';

/** A failure and the file it is about. */
export class FileError extends Error {
  override name = 'FileError';
  readonly file: string;
  /** The message without the file. */
  readonly problem: string;

  constructor(file: string, cause: unknown) {
    const problem = problemOf(cause);
    super(`${file}: ${problem}`, { cause });
    this.file = file;
    this.problem = problem;
  }
}

const systemProblems: Readonly<Record<string, string>> = {
  ENOENT: 'There is no such file.',
  EISDIR: 'It is a folder, not a file.',
  ENOTDIR: 'Part of its path is a file, not a folder.',
  EACCES: 'Permission denied.',
  EROFS: 'It is on a read-only file system.',
  ENOSPC: 'No space is left.',
};

function problemOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const { code } = cause as NodeJS.ErrnoException;
  return (code && systemProblems[code]) ?? cause.message;
}

/** Does what is to be done with a file. A failure is thrown on with the file's name. */
export function inFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof FileError ? error : new FileError(file, error);
  }
}

/** As `inFile`, for work that takes its time. */
export async function inFileAsync<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof FileError || error instanceof Stopped ? error : new FileError(file, error);
  }
}

export function readFile(path: string): Uint8Array {
  return inFile(path, () => readFileSync(path));
}

export function writeFile(path: string, bytes: Uint8Array): void {
  inFile(path, () => {
    writeFileSync(path, bytes);
  });
}

/** Throws when nothing can be written there: better now than after minutes of work. */
export function checkWritable(path: string): void {
  const folder = dirname(path);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new FileError(path, 'It is a folder, not a file.');
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new FileError(path, `There is no folder ${folder}.`);
  }
  inFile(path, () => accessSync(folder, constants.W_OK));
}

/** Whether a navigation mesh is a referenced snapshot: without the bytes of its tiles. */
export function isReferenced(mesh: Uint8Array): boolean {
  return mesh[5] === 2;
}
