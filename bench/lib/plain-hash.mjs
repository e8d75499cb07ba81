// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// FNV-1a by its definition, byte by byte, as a WebAssembly module of its own: what hashing is measured against.

function leb(value) {
  const bytes = [];
  for (let rest = BigInt.asIntN(64, value); ;) {
    const byte = Number(rest & 0x7fn);
    rest >>= 7n;
    const last = (rest === 0n && !(byte & 0x40)) || (rest === -1n && byte & 0x40);
    bytes.push(last ? byte : byte | 0x80);
    if (last) return bytes;
  }
}

const section = (id, ...bytes) => [id, ...leb(BigInt(bytes.length)).slice(0, bytes.length < 64 ? 1 : 2), ...bytes];

// (func (param $size i32) (result i64) (local $hash i64) (local $at i32) ...)
const CODE = [
  ...[2, 1, 0x7e, 1, 0x7f],
  ...[0x42, ...leb(0xcbf29ce484222325n), 0x21, 1],
  ...[0x03, 0x40], // loop
  ...[0x20, 1, 0x20, 2, 0x31, 0, 0, 0x85], // hash ^ load8_u(at)
  ...[0x42, ...leb(0x100000001b3n), 0x7e, 0x21, 1],
  ...[0x20, 2, 0x41, 1, 0x6a, 0x22, 2, 0x20, 0, 0x49, 0x0d, 0],
  ...[0x0b, 0x20, 1, 0x0b],
];

/** A function that hashes these bytes. */
export function plainHash(data) {
  const pages = leb(BigInt(Math.ceil(data.length / 65536) + 1));
  const module = new globalThis.WebAssembly.Module(
    Uint8Array.from([
      ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      ...section(1, 1, 0x60, 1, 0x7f, 1, 0x7e),
      ...section(3, 1, 0),
      ...section(5, 1, 0, ...pages),
      ...section(7, 2, 1, 0x6d, 2, 0, 1, 0x68, 0, 0),
      ...section(10, 1, CODE.length, ...CODE),
    ]),
  );
  const { m, h } = new globalThis.WebAssembly.Instance(module).exports;
  new Uint8Array(m.buffer).set(data);
  return () => BigInt.asUintN(64, h(data.length));
}
