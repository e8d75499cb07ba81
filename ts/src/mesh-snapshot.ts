// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Mesh snapshots on their way out and in, alone or in the state of a crowd: full, or with the tiles they refer to beside them.
import { badArgument } from './errors.js';
import { describe } from './describe.js';
import { explainCrowdState, explainFormat } from './formats.js';
import { InputBlock } from './input-block.js';
import type { Explain, Native } from './native.js';
import { merged } from './options.js';
import { byteArray, type BytesLike } from './values.js';

/** How a mesh is saved. In mode `'referenced'` the bytes of its tiles are left out, and must be given again where it is loaded. */
export interface SnapshotOptions {
  mode?: 'full' | 'referenced';
}

/** What a referenced snapshot needs besides itself. */
export interface SnapshotTiles {
  /** The bytes of its tiles, in any order; they are known by their content. */
  tiles?: readonly BytesLike[];
}

/** 1 for a snapshot that is to be referenced, 0 for a full one. */
export function referencedMode(options: unknown): number {
  const mode: unknown = merged<{ mode: unknown }>({ mode: 'full' }, options, 'options').mode;
  if (mode === 'full' || mode === 'referenced') return mode === 'referenced' ? 1 : 0;
  throw badArgument('options.mode', `must be 'full' or 'referenced', not ${describe(mode)}`);
}

/** Hands bytes with a snapshot in them, and the tiles it needs, to a call; returns what that does. */
export function callWithSnapshot(
  native: Native,
  bytes: unknown,
  options: unknown,
  call: (data: number, size: number, tiles: number, tileCount: number) => number,
): number {
  const data = byteArray(bytes, 'bytes');
  const list: unknown = merged<{ tiles: unknown }>({ tiles: [] }, options, 'options').tiles;
  if (!Array.isArray(list)) throw badArgument('options.tiles', `must be an array, not ${describe(list)}`);
  const tiles = list.map((tile, i) => byteArray(tile, `options.tiles[${i}]`));
  const block = new InputBlock(native);
  const at = block.bytes(data);
  const rows = tiles.map((tile) => block.bytes(tile));
  const table = block.add(tiles.length * 8, (address) => {
    native.memory.writeU32(
      address,
      rows.flatMap((row, i) => [row.address, (tiles[i] as Uint8Array).length]),
    );
  });
  const size = block.place();
  const result = call(at.address, data.length, table.address, tiles.length);
  native.call(result, { tiles: 'options.tiles' }, explainSnapshot(data, tiles));
  native.trim(size);
  return result;
}

// An index is of `options.tiles` in errors about tiles, and the field then one of the tile's bytes.
function explainSnapshot(bytes: Uint8Array, tiles: readonly Uint8Array[]): Explain {
  return (detail, engineField) => {
    const { field, index } = detail;
    if (index === null) return explainCrowdState(bytes)(detail, engineField);
    if (field === 'mesh.tiles') return `no bytes were given for tile ${index} of the snapshot`;
    const kind = explainFormat(tiles[index] ?? bytes)(detail, engineField);
    return `options.tiles[${index}]${kind ? `: ${kind}` : ''}`;
  };
}
