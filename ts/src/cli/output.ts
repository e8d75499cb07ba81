// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What the commands print, and the codes they end with.
import cliProgress from 'cli-progress';
import { CrowdreelError } from '../errors.js';
import { ObjError } from '../obj.js';
import { FileError } from './files.js';
import { Stopped } from './stop.js';
import { withFlags } from './settings.js';

export const Exit = { Done: 0, Failed: 1, Diverged: 2, Stopped: 130 } as const;

/** One line of JSON. Hashes and other bigints become hexadecimal strings. */
export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, (_, v: unknown) => (typeof v === 'bigint' ? hex(v) : v)));
}

/** A 64-bit hash as people compare them. */
export function hex(value: bigint): string {
  return `0x${value.toString(16).padStart(16, '0')}`;
}

/** A line of a table: name and value. */
export type Row = readonly [string, string];

/** Rows of names and values, values lined up. */
export function printRows(rows: readonly Row[]): void {
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, value] of rows) console.log(`  ${name.padEnd(width)}  ${value}`.trimEnd());
}

/** 1234567 as 1,234,567. */
export function count(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 2 });
}

/** A number and what is counted: 1 tile, 2 tiles. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** A length as people write it: 14.4 for what floating point makes of 48 cells of 0.3. */
export function length(value: number): string {
  return String(Number(value.toPrecision(12)));
}

/** A byte count with a fitting unit. */
export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const [value, unit] = bytes < 1 << 20 ? [bytes / 1024, 'KiB'] : [bytes / (1 << 20), 'MiB'];
  return `${value.toFixed(1)} ${unit} (${count(bytes)} bytes)`;
}

/** What is known about a failure, for JSON. Settings are called by their flags in the message. */
export function failureDetail(error: unknown): Record<string, unknown> {
  if (error instanceof FileError) return { ...failureDetail(error.cause), message: messageOf(error), file: error.file };
  const message = messageOf(error);
  if (error instanceof Stopped) return { message, status: 'Cancelled' };
  if (error instanceof ObjError) return { message, line: error.line };
  if (!(error instanceof CrowdreelError)) return { message };
  const { status, field, offset, index, limit } = error;
  return { message, status, field, offset, index, limit };
}

// An error with a byte offset speaks of fields of a file, others of settings given.
function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const cause = error instanceof FileError ? error.cause : error;
  return cause instanceof CrowdreelError && cause.offset === null ? withFlags(message) : message;
}

/** Says on standard error (or as JSON) why a command failed. */
export function reportFailure(error: unknown, json: boolean): void {
  const detail = failureDetail(error);
  if (error instanceof Stopped) console.error(error.message);
  if (json) printJson({ error: detail });
  else if (!(error instanceof Stopped)) console.error(`crowdreel: ${String(detail.message)}`);
}

/**
 * Progress of long work: a bar on a terminal, nothing elsewhere. Cursor and line wrapping of the terminal stay as they are, so that
 * Ctrl-C leaves all in order also where it ends the process at once.
 */
export class Progress {
  readonly #bar: cliProgress.SingleBar | null;
  readonly #spacing: number;
  #shown = 0;

  /** `unit` is what is counted; without one only the share is shown. */
  constructor(label: string, total: number, json: boolean, unit = 'steps') {
    this.#spacing = total / 500;
    this.#bar = json || !process.stderr.isTTY || total === 0 ? null : createBar(label, unit);
    this.#bar?.start(total, 0);
  }

  /** Cheap enough to be called for every step. */
  update(value: number): void {
    if (!this.#bar || value - this.#shown < this.#spacing) return;
    this.#shown = value;
    this.#bar.update(value);
  }

  stop(): void {
    this.#bar?.stop();
  }
}

function createBar(label: string, unit: string): cliProgress.SingleBar {
  const counts = unit && ` | {value}/{total} ${unit}`;
  const format = `${label} {bar} {percentage}%${counts} | {eta} s left`;
  return new cliProgress.SingleBar({
    format,
    stream: process.stderr,
    clearOnComplete: true,
    linewrap: true,
    barsize: 30,
  });
}
