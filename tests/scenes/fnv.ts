// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors

/** FNV-1a, 64 bit, in 16-bit limbs (no bigint per byte: files here are megabytes). */
export function fnv1a(bytes: Uint8Array): bigint {
  let [h0, h1, h2, h3] = [0x2325, 0x8422, 0x9ce4, 0xcbf2];
  for (const byte of bytes) {
    h0 ^= byte;
    // times 0x100000001b3: the low part 0x1b3, and 2^40 = limb 2 shifted by 8
    const a0 = h0 * 0x1b3;
    const a1 = h1 * 0x1b3 + Math.floor(a0 / 65536);
    const a2 = h2 * 0x1b3 + h0 * 256 + Math.floor(a1 / 65536);
    const a3 = h3 * 0x1b3 + h1 * 256 + Math.floor(a2 / 65536);
    h0 = a0 & 0xffff;
    h1 = a1 & 0xffff;
    h2 = a2 & 0xffff;
    h3 = a3 & 0xffff;
  }
  return (BigInt(h3) << 48n) | (BigInt(h2) << 32n) | (BigInt(h1) << 16n) | BigInt(h0);
}

export const hex = (hash: bigint): string => hash.toString(16).padStart(16, '0');
