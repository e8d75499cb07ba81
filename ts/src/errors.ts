// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What can go wrong, as typed errors. Every error names the argument or the field it is about.

import { describe } from './describe.js';

/** Status numbers of the engine, by name. They never change meaning. */
export const Status = {
  Ok: 0,
  /** An argument is out of range, not finite, or of the wrong shape. */
  Argument: 1,
  /** The engine's memory could not grow. Nothing changed. */
  OutOfMemory: 2,
  /** The bytes end before the field. */
  Truncated: 3,
  /** The bytes are of another format. */
  BadMagic: 4,
  /** The bytes are of a version this engine does not read. */
  BadVersion: 5,
  /** The field holds a value the format forbids. */
  BadValue: 6,
  /** Bytes go on after the format's end. */
  TrailingBytes: 7,
  /** A documented limit would be exceeded. */
  Limit: 8,
  /** A polygon reference does not name a polygon of this mesh (any more). */
  StaleRef: 9,
  /** Nothing answers the question: for example no polygon near a position. */
  NotFound: 10,
  /** The crowd holds as many agents as it may. */
  Full: 11,
  /** The mesh changed while a recording was under way. */
  MeshEdited: 12,
  /** The caller asked to stop. */
  Cancelled: 13,
  /** An agent id names no agent in the crowd. */
  NoSuchAgent: 14,
  /** The object was disposed of. */
  StaleHandle: 15,
  /** Two parts of the bytes contradict each other. */
  Mismatch: 16,
  /** A tile already stands there. */
  Occupied: 17,
  /** Recordings have no operation for it. */
  NotRecordable: 18,
} as const;

/** Name of a status, for example `'Argument'` or `'BadValue'`. */
export type StatusName = keyof typeof Status;

const names = Object.keys(Status) as StatusName[];

/** The name of a status number. */
export function statusName(status: number): StatusName {
  return names.find((name) => Status[name] === status) ?? 'Argument';
}

/** Where and why a call failed. */
export interface ErrorDetail {
  status: StatusName;
  field?: string | null;
  offset?: number | null;
  index?: number | null;
  limit?: number | null;
}

/**
 * Base class of everything this package throws. A failed call has changed nothing.
 */
export class CrowdreelError extends Error {
  override name = 'CrowdreelError';
  /** What kind of failure it is. */
  readonly status: StatusName;
  /** The argument (`'options.maxSpeed'`) or format field (`'setup.dt'`) it is about, or null. */
  readonly field: string | null;
  /** Byte offset of the field in the bytes passed in, or null. */
  readonly offset: number | null;
  /** The element it is about (vertex, triangle, volume, tile, step, agent id), or null. */
  readonly index: number | null;
  /** The bound that was exceeded, or null. */
  readonly limit: number | null;

  constructor(message: string, detail: ErrorDetail) {
    super(message);
    this.status = detail.status;
    this.field = detail.field ?? null;
    this.offset = detail.offset ?? null;
    this.index = detail.index ?? null;
    this.limit = detail.limit ?? null;
  }
}

/** An argument is wrong: `field` names it. */
export class ArgumentError extends CrowdreelError {
  override name = 'ArgumentError';
}

/** Bytes that cannot be a navigation mesh: `field` and `offset` say where. */
export class NavMeshFormatError extends CrowdreelError {
  override name = 'NavMeshFormatError';
}

/** Bytes that cannot be the state of this crowd or path follower: `field` and `offset` say where. */
export class CrowdStateError extends CrowdreelError {
  override name = 'CrowdStateError';
}

/** Bytes that cannot be a replay, or a replay cannot be played on: `field` and `offset` say where. */
export class CrowdReplayError extends CrowdreelError {
  override name = 'CrowdReplayError';
}

/** Bytes that cannot be a build input file: `field` and `offset` say where. */
export class BuildInputError extends CrowdreelError {
  override name = 'BuildInputError';
}

/** Bytes that cannot be a tile cache: `field` and `offset` say where. */
export class TileCacheError extends CrowdreelError {
  override name = 'TileCacheError';
}

/** A text with its full stop; a question has its mark. */
export function sentence(text: string): string {
  return text.endsWith('?') ? text : `${text}.`;
}

/** An argument error raised on this side of the border. `problem` completes "<field> ...". */
export function badArgument(field: string, problem: string, detail: Partial<ErrorDetail> = {}): ArgumentError {
  return new ArgumentError(sentence(`${field} ${problem}`), { status: 'Argument', field, ...detail });
}

/** The error for an id of nobody. */
export function noSuchAgent(id: number): ArgumentError {
  return new ArgumentError(`id ${id} names no agent in the crowd.`, { status: 'NoSuchAgent', field: 'id', index: id });
}

const formatClasses = [
  null,
  NavMeshFormatError,
  CrowdStateError,
  CrowdReplayError,
  BuildInputError,
  TileCacheError,
] as const;
const formatNouns = ['', 'navigation mesh', 'crowd state', 'replay', 'build input', 'tile cache'] as const;

const argumentStatuses: readonly StatusName[] = ['Argument', 'StaleRef', 'NoSuchAgent', 'StaleHandle'];

/** Numbers that must be above 0, or below 90: the bound itself is out of range too. */
const above0: ReadonlySet<string> = new Set([
  ...['cellSize', 'cellHeight', 'agentHeight'].map((name) => `settings.${name}`),
  ...['radius', 'maxSpeed', 'maxAcceleration', 'priority', 'wallRefreshDistance', 'dt'].map(
    (name) => `options.${name}`,
  ),
  'options.offMeshSpeed',
  'options.path.offMeshSpeed',
  'dt',
  'priority',
]);
const below90: ReadonlySet<string> = new Set(['settings.maxSlope']);

/** Cells of one tile; `settings.cellSize` has another limit, in cells along a side of the level, which tiles do not cure. */
const MAX_COLUMNS = 4000000;

function limitNote(field: string | null | undefined, limit: number): string {
  if (field === 'settings.cellSize' && limit === MAX_COLUMNS) {
    return `at most ${limit} cells are possible in one tile: give tileCells, for example 64, or larger cells`;
  }
  return `at most ${limit}${field?.startsWith('settings.') ? ' cells' : ''} are possible`;
}

/** What the value should have been, as far as the engine says or the value shows. */
function boundNote({ status, limit, value, field }: ErrorDetail & { value: unknown }): string | null {
  if (status === 'Limit' && typeof limit === 'number') return limitNote(field, limit);
  if (typeof value !== 'number') return typeof limit === 'number' ? `limit ${limit}` : null;
  if (!Number.isFinite(value)) return 'it must be a finite number';
  if (value <= 0 && above0.has(field ?? '')) return 'it must be above 0';
  if (value >= 90 && below90.has(field ?? '')) return 'it must be below 90';
  if (typeof limit === 'number' && value !== limit) return `it must be at ${value < limit ? 'least' : 'most'} ${limit}`;
  if (value < 0) return 'it must not be negative';
  return value === 0 ? 'it must be above 0' : null;
}

// What was given as an argument says nothing of the fields of bytes, though they may have the same names.
function ownNotes(detail: Required<ErrorDetail> & { value: unknown }, format: number): string[] {
  if (format !== 0) detail = { ...detail, value: undefined };
  const notes = [];
  if (detail.value !== undefined) notes.push(`it is ${describe(detail.value)}`);
  if (detail.index !== null) notes.push(`${detail.status === 'NoSuchAgent' ? 'agent' : 'index'} ${detail.index}`);
  if (detail.status === 'Mismatch' && detail.field?.endsWith('hash')) notes.push('the file is damaged');
  const bound = boundNote(detail);
  return bound ? [...notes, bound] : notes;
}

type EngineDetail = Required<ErrorDetail> & { value: unknown; note: string | null; noun?: string; message?: string };

/** The error for a failure the engine reported. `text` is the engine's own text for the status. */
export function engineError(detail: EngineDetail, format: number, text: string): CrowdreelError {
  if (detail.status === 'NotFound' && detail.field === 'position') {
    const where = detail.value === undefined ? 'the position' : `position ${describe(detail.value)}`;
    return new CrowdreelError(`No walkable polygon is near ${where}.`, detail);
  }
  const message = detail.message ?? engineMessage(detail, format, text);
  const formatClass = formatClasses[format];
  if (formatClass) return new formatClass(message, detail);
  return new (argumentStatuses.includes(detail.status) ? ArgumentError : CrowdreelError)(message, detail);
}

function engineMessage(detail: EngineDetail, format: number, text: string): string {
  const noun = detail.noun ?? formatNouns[format] ?? '';
  const subject = detail.field ?? (detail.status === 'OutOfMemory' ? 'the call' : 'the call or its bytes');
  const place = detail.offset === null ? '' : ` at byte ${detail.offset}`;
  const notes = detail.note === null ? ownNotes(detail, format) : [detail.note];
  const note = notes.length ? ` (${notes.join(', ')})` : '';
  return `${noun ? `${noun}: ` : ''}${subject}${place} ${text}${note}.`;
}
