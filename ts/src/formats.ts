// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The formats of bytes this package writes, told apart by their first four letters.
import type { Explain } from './native.js';

const kinds: Readonly<Record<string, string>> = {
  OPRP: 'a replay',
  OPRS: 'a setup block',
  CRNM: 'a navigation mesh',
  CRTL: 'a tile',
  CRCS: 'a crowd state',
  OPBI: 'build input',
  CRTC: 'a tile cache',
};

/** Most polygons of a corridor. */
const MAX_CAPACITY = 4096;

/** The four letters binary data begins with. */
export function magicOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.subarray(0, 4));
}

/** What bytes of ours are, by their first letters; null for others. */
export function kindOf(bytes: Uint8Array): string | null {
  const magic = magicOf(bytes);
  return Object.hasOwn(kinds, magic) ? (kinds[magic] as string) : null;
}

const KIND_OFFSET = 5;
/** Crowd states by their kind. */
const stateKinds: Readonly<Record<number, string>> = {
  1: 'it is a crowd state without a mesh, for restoreState',
  2: 'it is a crowd state with its mesh, for restoreStateWithMesh',
};

/** Says of bytes that are of another format than was to be read which one that is, if it is one of ours. */
export function explainFormat(bytes: Uint8Array): Explain {
  return ({ status, field, offset }) => {
    if (field === 'kind' && offset === KIND_OFFSET) return stateKinds[bytes[KIND_OFFSET] as number] ?? null;
    const kind = status === 'BadMagic' && offset === 0 ? kindOf(bytes) : null;
    return kind && `it is ${kind}`;
  };
}

/** The same for a crowd's state; and of one of a crowd with more agents than this one may have, how many. */
export function explainCrowdState(bytes: Uint8Array): Explain {
  return (detail, engineField) => {
    const { status, field, offset, limit } = detail;
    if (status === 'BadValue' && field === 'slotCount' && offset !== null && limit !== null) {
      const saved = new DataView(bytes.buffer, bytes.byteOffset).getInt32(offset, true);
      if (saved > limit) {
        return `it has places for ${saved} agents, the crowd it is restored into has maxAgents ${limit}`;
      }
    }
    return explainFormat(bytes)(detail, engineField);
  };
}

/** The same for bytes of a follower's state, which begin with a version instead of letters; and of another capacity, what it is. */
export function explainState(bytes: Uint8Array): Explain {
  return ({ status, field, offset, limit }) => {
    if (status === 'BadValue' && field === 'corridor.capacity' && offset !== null) {
      const saved = new DataView(bytes.buffer, bytes.byteOffset).getInt32(offset, true);
      const message = `The saved follower has corridorCapacity ${saved}, this one was made with ${limit}.`;
      if (saved >= 2 && saved <= MAX_CAPACITY) return { message };
    }
    const kind = status === 'BadVersion' && offset === 0 ? kindOf(bytes) : null;
    return { noun: 'follower state', note: kind && `it is ${kind}` };
  };
}
