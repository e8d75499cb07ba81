// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The only file that touches the module's memory. Views are made anew whenever the memory has grown, and nothing that
// points into it ever leaves this file: everything is copied in and out.
import { cellWidth, type CellKind, type RecordLayout, type RecordOf } from './abi.js';
import { badArgument } from './errors.js';
import { describe } from './describe.js';
import { finiteVec3, integer, type Vec3 } from './values.js';

/** A number array of the caller's, copied element by element. */
export type NumberArray = ArrayLike<number>;

/** An array of numbers to write to. */
export type NumberTarget = Float64Array | Uint8Array | Int32Array | Uint32Array;

const CELL = 8;
const CELL_SHIFT = 3; // addresses are below 2^31
const COPIED_WHOLE = 4096;

/** A `WebAssembly.Memory`, without asking the reader's project for the types of the web. */
export interface WasmMemory {
  readonly buffer: ArrayBufferLike;
}

/** Whether memory has grown since its views were made: said by the module's notice. */
export interface MemoryGrowth {
  grew: boolean;
}

export class Memory {
  readonly #memory: WasmMemory;
  readonly #growth: MemoryGrowth;
  #f64: Float64Array<ArrayBuffer>;
  #u64: BigUint64Array<ArrayBuffer>;
  #u32: Uint32Array<ArrayBuffer>;
  #u8: Uint8Array<ArrayBuffer>;

  constructor(memory: WasmMemory, growth: MemoryGrowth = { grew: false }) {
    this.#memory = memory;
    this.#growth = growth;
    const buffer = memory.buffer as ArrayBuffer;
    this.#f64 = new Float64Array(buffer);
    this.#u64 = new BigUint64Array(buffer);
    this.#u32 = new Uint32Array(buffer);
    this.#u8 = new Uint8Array(buffer);
  }

  /** Bytes of memory the module has taken so far. It grows with use and never shrinks. */
  get size(): number {
    return this.#memory.buffer.byteLength;
  }

  // Growing detaches the old buffer, whose views are then empty, so every access starts here. (Asking the memory for its buffer
  // each time would cost more than most accesses.) Shared buffers are not detached but stay as small as they were, so there the notice counts.
  // Only the thread that calls the engine makes its memory grow.
  #refresh(): void {
    if (this.#u8.length !== 0 && !this.#growth.grew) return;
    this.#growth.grew = false;
    const buffer = this.#memory.buffer as ArrayBuffer;
    this.#f64 = new Float64Array(buffer);
    this.#u64 = new BigUint64Array(buffer);
    this.#u32 = new Uint32Array(buffer);
    this.#u8 = new Uint8Array(buffer);
  }

  // --- Single values ------------------------------------------------------------------------------------------------

  f64(address: number): number {
    this.#refresh();
    return this.#f64[address >>> CELL_SHIFT] as number;
  }

  u64(address: number): bigint {
    this.#refresh();
    return this.#u64[address >>> CELL_SHIFT] as bigint;
  }

  flag(address: number): boolean {
    return this.f64(address) !== 0;
  }

  /** Three doubles, in a list of the caller's or in one of their own. */
  vec3(address: number, target?: Vec3): Vec3 {
    this.#refresh();
    const cell = address >>> CELL_SHIFT;
    const x = this.#f64[cell] as number;
    const y = this.#f64[cell + 1] as number;
    const z = this.#f64[cell + 2] as number;
    if (target === undefined) return [x, y, z];
    target[0] = x;
    target[1] = y;
    target[2] = z;
    return target;
  }

  /** The zero-terminated string at an address. Strings of the module are ASCII. */
  text(address: number): string {
    this.#refresh();
    const end = this.#u8.indexOf(0, address);
    return String.fromCharCode(...this.#u8.subarray(address, end));
  }

  setPoint(address: number, x: number, y: number, z: number): void {
    this.#refresh();
    const cell = address >>> CELL_SHIFT;
    this.#f64[cell] = x;
    this.#f64[cell + 1] = y;
    this.#f64[cell + 2] = z;
  }

  // --- Arrays in ----------------------------------------------------------------------------------------------------

  writeBytes(address: number, values: NumberArray): void {
    this.#refresh();
    this.#u8.set(values, address);
  }

  writeU16(address: number, values: NumberArray): void {
    this.#refresh();
    new Uint16Array(this.#u8.buffer).set(values, address / 2);
  }

  writeU32(address: number, values: NumberArray): void {
    this.#refresh();
    this.#u32.set(values, address / 4);
  }

  writeF64(address: number, values: NumberArray): void {
    this.#refresh();
    this.#f64.set(values, address / CELL);
  }

  /** The first `count` of a list, in room for all of them. */
  writeRefs(address: number, refs: ArrayLike<bigint>, count: number): void {
    this.#refresh();
    const u64 = this.#u64;
    const cell = address >>> CELL_SHIFT;
    if (refs instanceof BigUint64Array) {
      // A view costs more than copying what is not needed, and elements one by one may be garbage.
      u64.set(refs.length <= COPIED_WHOLE ? refs : refs.subarray(0, count), cell);
      return;
    }
    for (let i = 0; i < count; i++) u64[cell + i] = refs[i] as bigint;
  }

  // --- Arrays out ---------------------------------------------------------------------------------------------------

  bytes(address: number, size: number): Uint8Array<ArrayBuffer> {
    this.#refresh();
    return this.#u8.slice(address, address + size);
  }

  doubles(address: number, count: number): Float64Array<ArrayBuffer> {
    this.#refresh();
    return this.#f64.slice(address / CELL, address / CELL + count);
  }

  words(address: number, count: number): Uint32Array<ArrayBuffer> {
    this.#refresh();
    return this.#u32.slice(address / 4, address / 4 + count);
  }

  integers(address: number, count: number): Int32Array<ArrayBuffer> {
    this.#refresh();
    return new Int32Array(this.#u8.buffer, address, count).slice();
  }

  halves(address: number, count: number): Uint16Array<ArrayBuffer> {
    this.#refresh();
    return new Uint16Array(this.#u8.buffer, address, count).slice();
  }

  refs(address: number, count: number): BigUint64Array<ArrayBuffer> {
    this.#refresh();
    return this.#u64.slice(address / CELL, address / CELL + count);
  }

  /** References as a list: for a few this is far quicker than a typed array, whose memory lies outside the heap. */
  refList(address: number, count: number): bigint[] {
    this.#refresh();
    const cell = address >>> CELL_SHIFT;
    const list = new Array<bigint>(count);
    for (let i = 0; i < count; i++) list[i] = this.#u64[cell + i] as bigint;
    return list;
  }

  // Elements are copied one by one where lists are mostly short: a subarray costs more than they do.

  /** References that stand `stride` bytes apart. */
  copyRefs(address: number, count: number, target: BigUint64Array, stride = CELL): void {
    this.#refresh();
    const u64 = this.#u64;
    const step = stride >>> CELL_SHIFT;
    let cell = address >>> CELL_SHIFT;
    for (let i = 0; i < count; i++, cell += step) target[i] = u64[cell] as bigint;
  }

  /** `width` doubles from each of `count` rows of `stride` bytes. */
  copyRows(address: number, count: number, target: NumberTarget, stride: number, width = 1): void {
    this.#refresh();
    const f64 = this.#f64;
    const step = stride >>> CELL_SHIFT;
    let cell = address >>> CELL_SHIFT;
    let at = 0;
    for (let i = 0; i < count; i++, cell += step) {
      for (let k = 0; k < width; k++) target[at++] = f64[cell + k] as number;
    }
  }

  /** Copies into an array of the caller's, which must be long enough. */
  copyDoubles(address: number, count: number, target: Float64Array): void {
    this.#refresh();
    target.set(this.#f64.subarray(address / CELL, address / CELL + count));
  }

  copyBytes(address: number, count: number, target: Uint8Array): void {
    this.#refresh();
    target.set(this.#u8.subarray(address, address + count));
  }

  // --- Records ------------------------------------------------------------------------------------------------------

  /** The record at an address. The next one stands `cellCount(layout)` cells further. */
  record<L extends RecordLayout>(address: number, layout: L): RecordOf<L> {
    this.#refresh();
    const out: Record<string, unknown> = {};
    let cell = address / CELL;
    for (const name in layout) {
      const kind = layout[name] as CellKind;
      out[name] = this.#readField(cell, kind);
      cell += cellWidth(kind);
    }
    return out as RecordOf<L>;
  }

  #readField(cell: number, kind: CellKind): unknown {
    const f64 = this.#f64;
    if (kind === 'U64') return this.#u64[cell];
    if (kind === 'BOOL') return f64[cell] !== 0;
    if (kind === 'VEC3') return [f64[cell], f64[cell + 1], f64[cell + 2]];
    if (kind === 'COSTS' || kind === 'CORNERS') return f64.slice(cell, cell + 64);
    return f64[cell];
  }

  /**
   * Writes a record and returns the address behind it. Values are checked for kind only; ranges are the engine's to check.
   * Errors name `<prefix>.<field>`.
   */
  writeRecord(
    address: number,
    layout: RecordLayout,
    values: Readonly<Record<string, unknown>>,
    prefix: string,
  ): number {
    this.#refresh();
    let cell = address / CELL;
    for (const name in layout) {
      const kind = layout[name] as CellKind;
      this.#writeField(cell, kind, values[name], `${prefix}.${name}`);
      cell += cellWidth(kind);
    }
    return cell * CELL;
  }

  #writeField(cell: number, kind: CellKind, value: unknown, field: string): void {
    if (kind === 'VEC3') this.#f64.set(finiteVec3(value, field), cell);
    else if (kind === 'COSTS' || kind === 'CORNERS') this.#f64.set(value as Float64Array, cell);
    else this.#f64[cell] = scalar(kind, value, field);
  }
}

const integerRanges: Partial<Record<CellKind, readonly [number, number]>> = {
  I32: [-2147483648, 2147483647],
  U8: [0, 255],
  U16: [0, 65535],
  U32: [0, 4294967295],
};

function scalar(kind: CellKind, value: unknown, field: string): number {
  const range = integerRanges[kind];
  if (range) return integer(value, field, ...range);
  if (kind === 'BOOL') {
    if (typeof value === 'boolean') return value ? 1 : 0;
    throw badArgument(field, `must be true or false, not ${describe(value)}`);
  }
  // NaN and infinity go through: the engine refuses them and names the field.
  if (typeof value === 'number') return value;
  throw badArgument(field, `must be a number, not ${describe(value)}`);
}
