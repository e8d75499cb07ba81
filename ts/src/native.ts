// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// One instance of the module: checks on loading that both sides agree, turns failures into errors, and lends out the
// memory blocks through which arguments and results pass.
import {
  ABI_VERSION,
  camelCase,
  cellCount,
  exportParameters,
  layoutText,
  records,
  type Exports,
  type RecordLayout,
  type RecordOf,
} from './abi.js';
import { ArgumentError, CrowdreelError, engineError, statusName, type ErrorDetail } from './errors.js';
import { explainFormat } from './formats.js';
import { Memory, type MemoryGrowth, type NumberArray } from './memory.js';
import { componentsOf } from './values.js';

/** Names the caller knows for fields the engine calls otherwise. */
export type FieldNames = Readonly<Record<string, string>>;

/** What completes "<subject> ..." about a failure, instead of the engine's own words. */
export interface Explanation {
  /** What it is about, when that is not the engine's field; in the message `subject` stands for it. */
  field?: string;
  subject?: string;
  problem: string;
}

/** What bytes are called, where the engine's format covers more, and a note behind its words. */
export interface BytesNote {
  noun: string;
  note: string | null;
}

/** The whole message. */
export interface Message {
  message: string;
}

/** What to say about a failure: a note behind the engine's words, other words, or null to leave it at those. */
export type Explain = (
  detail: Required<ErrorDetail> & { value: unknown },
  engineField: string | null,
) => string | Explanation | BytesNote | Message | null;

const sameNames: FieldNames = {};

/** Blocks larger than this are given back after the call that needed them. */
const KEPT_BLOCK_SIZE = 4 << 20;

/** The error for a module that is not the one this package came with. */
export function wrongModule(problem: string): CrowdreelError {
  return new CrowdreelError(`The WebAssembly module does not belong to this package: ${problem}.`, {
    status: 'BadVersion',
    field: 'wasm',
  });
}

export class Native {
  readonly exports: Exports;
  readonly memory: Memory;
  readonly version: string;
  /** Address of the argument block: 128 cells for options and filters. */
  readonly arguments: number;
  /** Options as they were last handed over, by name: what a message about one of them quotes. */
  readonly given = new Map<string, Readonly<Record<string, unknown>>>();
  /** Address of the record block: small results. */
  readonly recordAt: number;

  constructor(exports: Readonly<Record<string, unknown>>, growth?: MemoryGrowth) {
    for (const name of Object.keys(exportParameters)) {
      if (typeof exports[name] !== 'function') throw wrongModule(`it has no ${name}`);
    }
    if (!(exports.memory instanceof WebAssembly.Memory)) throw wrongModule('it has no memory');
    this.exports = exports as unknown as Exports;
    this.memory = new Memory(exports.memory, growth);
    if (typeof exports._initialize === 'function') exports._initialize();
    this.#checkLayouts();
    this.version = this.memory.text(this.exports.crw_version());
    this.arguments = this.exports.crw_arguments();
    this.recordAt = this.exports.crw_record();
  }

  #checkLayouts(): void {
    const version = this.exports.crw_abi_version();
    if (version !== ABI_VERSION) throw wrongModule(`interface version ${version} instead of ${ABI_VERSION}`);
    for (const [number, [name, layout]] of Object.entries(records).entries()) {
      const address = this.exports.crw_layout(number);
      if (address < 0 || this.memory.text(address) !== layoutText(layout)) throw wrongModule(`record ${name} differs`);
    }
  }

  /** Passes a result on, or throws the error behind a negative one. */
  call(result: number, names: FieldNames = sameNames, explain?: Explain): number {
    if (result < 0) throw this.#failure(names, explain);
    return result;
  }

  #failure(names: FieldNames, explain: Explain | undefined): CrowdreelError {
    const { status, format, field, offset, index, limit } = this.memory.record(this.exports.crw_error(), records.error);
    const name = field === 0 ? null : camelCase(this.memory.text(field));
    const detail = {
      status: statusName(status),
      field: name === null ? null : (names[name] ?? name),
      value: name === null ? undefined : this.#givenValue(name),
      offset: offset < 0 ? null : offset,
      index: index < 0 ? null : index,
      limit: limit === 0 ? null : limit,
    };
    const words = explain?.(detail, name) ?? null;
    if (words !== null && typeof words === 'object' && 'problem' in words) {
      const { field = detail.field, subject = field, problem } = words;
      return new ArgumentError(`${subject} ${problem}.`, { ...detail, field });
    }
    const said = typeof words === 'object' ? words : { note: words };
    return engineError(
      { ...detail, note: null, ...said },
      format,
      this.memory.text(this.exports.crw_status_text(status)),
    );
  }

  #givenValue(field: string): unknown {
    const dot = field.lastIndexOf('.');
    const owner = field.slice(0, Math.max(dot, 0));
    const name = field.slice(dot + 1);
    const options = this.given.get(owner);
    if (options || !owner.includes('.')) return options?.[name];
    return componentsOf(this.#givenValue(owner))?.['xyz'.indexOf(name)];
  }

  // --- Results ------------------------------------------------------------------------------------------------------

  /** The record `cells` cells into the record block. */
  record<L extends RecordLayout>(layout: L, cells = 0): RecordOf<L> {
    return this.memory.record(this.recordAt + cells * 8, layout);
  }

  /** A record behind another one. */
  recordAfter<L extends RecordLayout>(first: RecordLayout, layout: L): RecordOf<L> {
    return this.record(layout, cellCount(first));
  }

  recordNumber(cell = 0): number {
    return this.memory.f64(this.recordAt + cell * 8);
  }

  recordBits(cell = 0): bigint {
    return this.memory.u64(this.recordAt + cell * 8);
  }

  /** Address of the bulk result. */
  get result(): number {
    return this.exports.crw_result();
  }

  /** A copy of the whole bulk result. */
  resultBytes(): Uint8Array<ArrayBuffer> {
    const size = this.exports.crw_result_size();
    const bytes = this.memory.bytes(this.result, size);
    this.trim(size);
    return bytes;
  }

  // --- Bulk input ---------------------------------------------------------------------------------------------------

  /** Copies bytes to the input block and returns its address. */
  input(bytes: NumberArray): number {
    const address = this.call(this.exports.crw_input(bytes.length));
    this.memory.writeBytes(address, bytes);
    return address;
  }

  /** A call on bytes alone. Its failure says what they are when they are of another format of ours. */
  callOnBytes(call: (address: number, size: number) => number, bytes: Uint8Array): number {
    return this.call(call(this.input(bytes), bytes.length), {}, explainFormat(bytes));
  }

  /** Gives the blocks back when a call of this size has blown them up. */
  trim(size: number): void {
    if (size > KEPT_BLOCK_SIZE) this.exports.crw_trim();
  }
}
