// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Values in messages.

/** A short name of a value for messages. */
export function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'string') return value.length < 40 ? JSON.stringify(value) : 'a long string';
  if (Array.isArray(value) && value.length === 3) return `(${value.join(', ')})`;
  if (Array.isArray(value)) return `an array of ${value.length}`;
  return typeof value === 'object' ? objectKind(value) : `a ${typeof value}`;
}

/** `a Float32Array`, `a Map`; `an object` for all without a kind of their own. */
function objectKind(value: object): string {
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1);
  if (kind === 'Object') return 'an object';
  return `${/^[AEIO]/.test(kind) ? 'an' : 'a'} ${kind}`;
}
