// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What the commands print, and the codes they end with.
import cliProgress from 'cli-progress';
import { CrowdreelError } from '../errors.js';
import { ObjError } from '../obj.js';

export const Exit = { Done: 0, Failed: 1, Diverged: 2 } as const;

/** One line of JSON. Hashes and other bigints become hexadecimal strings. */
export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, (_, v: unknown) => (typeof v === 'bigint' ? hex(v) : v)));
}

/** A 64-bit hash as people compare them. */
export function hex(value: bigint): string {
  return `0x${value.toString(16).padStart(16, '0')}`;
}

/** Rows of names and values, values lined up. */
export function printRows(rows: readonly (readonly [string, string])[]): void {
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, value] of rows) console.log(`  ${name.padEnd(width)}  ${value}`);
}

/** 1234567 as 1,234,567. */
export function count(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 2 });
}

/** A byte count with a fitting unit. */
export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const [value, unit] = bytes < 1 << 20 ? [bytes / 1024, 'KiB'] : [bytes / (1 << 20), 'MiB'];
  return `${value.toFixed(1)} ${unit} (${count(bytes)} bytes)`;
}

/** What is known about a failure, for JSON. */
export function failureDetail(error: unknown): Record<string, unknown> {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ObjError) return { message, line: error.line };
  if (!(error instanceof CrowdreelError)) return { message };
  const { status, field, offset, index } = error;
  return { message, status, field, offset, index };
}

/** Says on standard error (or as JSON) why a command failed. */
export function reportFailure(error: unknown, json: boolean): void {
  const detail = failureDetail(error);
  if (json) printJson({ error: detail });
  else console.error(`crowdreel: ${String(detail.message)}`);
}

/** Progress of long work: a bar on a terminal, nothing elsewhere. */
export class Progress {
  readonly #bar: cliProgress.SingleBar | null;
  #shown = 0;

  constructor(label: string, total: number, json: boolean) {
    this.#bar = json || !process.stderr.isTTY || total === 0 ? null : createBar(label);
    this.#bar?.start(total, 0);
  }

  /** Cheap enough to be called for every step. */
  update(value: number): void {
    if (!this.#bar || value - this.#shown < 16) return;
    this.#shown = value;
    this.#bar.update(value);
  }

  stop(): void {
    this.#bar?.stop();
  }
}

function createBar(label: string): cliProgress.SingleBar {
  const format = `${label} {bar} {percentage}% | {value}/{total} steps | {eta} s left`;
  return new cliProgress.SingleBar({ format, stream: process.stderr, clearOnComplete: true, hideCursor: true });
}
