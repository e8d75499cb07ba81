// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Off-mesh links: jumps, ladders, teleports.
import { cellCount, records, type RecordOf } from './abi.js';
import type { Memory } from './memory.js';
import type { Native } from './native.js';
import { subjects, type Subject } from './subject.js';
import type { PointLike, Vec3 } from './values.js';

/** A way between two points that no surface joins. */
export interface OffMeshLink {
  start: PointLike;
  end: PointLike;
  /** How far either end may be from the mesh, seen from above. Above 0, at most the side of a tile. */
  radius: number;
  /** Whether it can be used both ways; default true. */
  bidirectional?: boolean;
  /** Area of the link itself, 0 to 63; default 0. */
  area?: number;
  /** Flags of the link itself, 0 to 65535; default 1. */
  flags?: number;
  /** A number of your own, 0 to 2^32 - 1; default 0. */
  userId?: number;
}

/** An off-mesh link of a mesh, and where it joined it. */
export interface OffMeshLinkInfo {
  /** Slot of the tile it belongs to: the one that holds its start. */
  slot: number;
  /** Its number in that tile. */
  index: number;
  start: Vec3;
  end: Vec3;
  radius: number;
  bidirectional: boolean;
  area: number;
  flags: number;
  userId: number;
  /** Whether both ends found a polygon: else nobody can use it. */
  connected: boolean;
  /** The polygon and the point on it that each end found, or null. */
  ends: { start: OffMeshEnd | null; end: OffMeshEnd | null };
}

/** Where an end of an off-mesh link stands on the mesh. */
export interface OffMeshEnd {
  ref: bigint;
  point: Vec3;
}

type LinkCells = RecordOf<typeof records.offMeshLink>;

const members = ['start', 'end', 'radius', 'bidirectional', 'area', 'flags', 'userId'];

function linkCells(value: unknown, subject: Subject): LinkCells {
  const link = subject.object(value, members);
  return {
    start: subject.point(link.start, 'start'),
    end: subject.point(link.end, 'end'),
    radius: subject.length(link.radius, 'radius'),
    userId: subject.integer(link.userId ?? 0, 'userId', 0, 0xffffffff),
    flags: subject.integer(link.flags ?? 1, 'flags', 0, 0xffff),
    area: subject.integer(link.area ?? 0, 'area', 0, 63),
    bidirectional: subject.flag(link.bidirectional ?? true, 'bidirectional'),
  };
}

/** Links as the engine takes them. All but the upper limit of the radius is checked. */
export function allLinkCells(list: unknown, field: string): LinkCells[] {
  return subjects(list, field).map(([value, subject]) => linkCells(value, subject));
}

/** Writes links at an address, one record after the other. */
export function writeLinks(memory: Memory, address: number, links: readonly LinkCells[]): void {
  let at = address;
  for (const link of links) at = memory.writeRecord(at, records.offMeshLink, link, 'link');
}

const ROW = { slot: 'U32', index: 'U32' } as const;

/** The links in the bulk result. */
export function readLinks(native: Native, count: number): OffMeshLinkInfo[] {
  const linkAt = cellCount(ROW) * 8;
  const infoAt = linkAt + cellCount(records.offMeshLink) * 8;
  const size = infoAt + cellCount(records.offMeshInfo) * 8;
  const first = native.result;
  const links = Array.from({ length: count }, (_, i): OffMeshLinkInfo => {
    const at = first + i * size;
    const { connected, startRef, endRef, startPoint, endPoint } = native.memory.record(
      at + infoAt,
      records.offMeshInfo,
    );
    const ends = { start: endOf(startRef, startPoint), end: endOf(endRef, endPoint) };
    return {
      ...native.memory.record(at, ROW),
      ...native.memory.record(at + linkAt, records.offMeshLink),
      connected,
      ends,
    };
  });
  native.trim(count * size);
  return links;
}

function endOf(ref: bigint, point: Vec3): OffMeshEnd | null {
  return ref === 0n ? null : { ref, point };
}
