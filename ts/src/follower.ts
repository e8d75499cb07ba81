// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What is known of one that walks, on its own or in a crowd: state, route, what happened, what there is to draw.
import { cellCount, offsets, records, type RecordOf } from './abi.js';
import { badArgument } from './errors.js';
import { describe } from './describe.js';
import type { Memory } from './memory.js';
import type { Explain, Native } from './native.js';
import { readCorners, type Corner } from './query-results.js';
import type { Vec3 } from './values.js';

/** What an agent is doing. */
export const FollowerState = {
  /** Standing without a goal. */
  Idle: 0,
  /** On its way. */
  Moving: 1,
  /** Crossing an off-mesh link. */
  OffMeshLink: 2,
  /** At the end of its way; `reachedTarget` tells whether that is the goal. */
  Arrived: 3,
  /**
   * No polygon near the goal, or none near the agent since its ground changed, or it was never placed, or the search took too long:
   * `setDestination` tries again.
   */
  NoPath: 4,
  /** Given up: no progress. */
  Stuck: 5,
  /** Not on the mesh yet. */
  Unplaced: 6,
} as const;
export type FollowerState = (typeof FollowerState)[keyof typeof FollowerState];

/** How one that walks is doing at the present step. */
export interface FollowerInfo {
  state: FollowerState;
  /** Whether it stands at its goal; for a goal off the mesh, at the nearest point on it. */
  reachedTarget: boolean;
  position: Vec3;
  /** Units/s. */
  velocity: Vec3;
  /** The goal as it was given; without one where it stands. */
  destination: Vec3;
  /**
   * Length of the way ahead in world units. Infinity while not known: before the first step to a new goal, during a crossing and until the
   * step after it, in `NoPath` and `Stuck`, and when the goal is not among the `maxCorners` corners it looks at.
   */
  remainingDistance: number;
  /** Steps since it was placed. */
  stepCount: number;
  /** Replans for this goal that ended without a result. */
  replanRounds: number;
  /** Times it made no progress on its way to this goal: a replan each, but for the one above `maxStuckRecoveries`, with which it is `Stuck`. */
  stuckRecoveries: number;
  /** Whether the corridor leads to the goal. */
  complete: boolean;
  /** Whether it waits for a new route. */
  needsReplan: boolean;
  /** Polygons of its corridor. */
  corridorCount: number;
}

/** The route one is following. */
export interface Corridor {
  position: Vec3;
  target: Vec3;
  /** The polygon of the target, 0n when not known. */
  targetRef: bigint;
  /** Whether it leads to the target. */
  complete: boolean;
  needsReplan: boolean;
  /** References, the one it stands on first. */
  polygons: bigint[];
  /**
   * The corners it will walk, first its position, last the end of the corridor. None when polygons of the route are gone since the last
   * step, or it was never placed.
   */
  corners: Corner[];
  /** There are more corners than were asked for. */
  truncated: boolean;
}

/** Where an off-mesh link is being crossed. */
export interface OffMeshCrossing {
  /** Where it began. */
  start: Vec3;
  /** Where it leads. */
  end: Vec3;
  /** Seconds since it began; 0 with `OffMeshMode.Host`. */
  elapsed: number;
  /** Seconds it takes at `offMeshSpeed`. */
  duration: number;
  /** The polygon it leads to. */
  exitRef: bigint;
}

/** What there is to draw of one that walks. */
export interface DebugGeometry {
  state: FollowerState;
  position: Vec3;
  velocity: Vec3;
  destination: Vec3;
  /** Polygons of the corridor, the one it stands on first. One that an edit has taken away has no outline. */
  polygons: {
    refs: bigint[];
    /** x, y, z of every outline corner, polygon after polygon. */
    positions: Float64Array<ArrayBuffer>;
    /** How many corners each polygon has. */
    counts: Uint8Array<ArrayBuffer>;
  };
  /** The whole way to the end of the corridor, the position first. None while `broken`. */
  corners: Corner[];
  /** How many of the corners it looks at now: at most `maxCorners` of its options. */
  seenCount: number;
  /** Polygons of the corridor are gone or no longer touch, and no step has repaired it yet. */
  broken: boolean;
  /** The off-mesh link it is crossing, or null. */
  crossing: OffMeshCrossing | null;
}

/** What can happen to one that walks: the `kind` of an event. Several of one step are listed in this order. */
export const FollowerEventKind = {
  /** A crossing ended: it stands at the exit of an off-mesh link. */
  LinkLeft: 'LinkLeft',
  /** An edit of the mesh took polygons of its corridor, or the ground it stood on. */
  PathChanged: 'PathChanged',
  /** A search for a way ended. */
  Replanned: 'Replanned',
  /** A crossing of an off-mesh link began. */
  LinkEntered: 'LinkEntered',
  /** It gave up: no progress. */
  Stuck: 'Stuck',
  /** It gave up: no way. */
  NoPath: 'NoPath',
  /** It came to the end of its way. */
  Arrived: 'Arrived',
} as const;
export type FollowerEventKind = keyof typeof FollowerEventKind;

/** One thing that happened. */
export type FollowerEvent =
  | { kind: 'LinkLeft' | 'PathChanged' | 'Stuck' | 'NoPath' }
  /** `'partial'`: the goal cannot be reached, the way leads as near as can be. */
  | { kind: 'Replanned'; outcome: 'success' | 'partial' }
  /** `userId` is that of the link. */
  | { kind: 'LinkEntered'; userId: number }
  /** `reachedTarget` is false where the goal cannot be reached: it then stands as near as can be. */
  | { kind: 'Arrived'; reachedTarget: boolean };

/** One thing that happened to an agent of a crowd. */
export type CrowdEvent = FollowerEvent & {
  /** The agent. */
  id: number;
  /** Its place in the crowd's order. */
  slot: number;
};

const infoAt = offsets(records.followerInfo);

/** Fills in the FOLLOWER_INFO record in the record block. */
export function readFollowerInfo<T extends Partial<FollowerInfo>>(native: Native, out: T): T & FollowerInfo {
  const { memory, recordAt: at } = native;
  out.state = memory.f64(at + infoAt.state) as FollowerState;
  out.reachedTarget = memory.flag(at + infoAt.reachedTarget);
  out.position = memory.vec3(at + infoAt.position, out.position);
  out.velocity = memory.vec3(at + infoAt.velocity, out.velocity);
  out.destination = memory.vec3(at + infoAt.destination, out.destination);
  out.remainingDistance = memory.f64(at + infoAt.remainingDistance);
  out.stepCount = memory.f64(at + infoAt.stepCount);
  out.replanRounds = memory.f64(at + infoAt.replanRounds);
  out.stuckRecoveries = memory.f64(at + infoAt.stuckRecoveries);
  out.complete = memory.flag(at + infoAt.complete);
  out.needsReplan = memory.flag(at + infoAt.needsReplan);
  out.corridorCount = memory.f64(at + infoAt.corridorCount);
  return out as T & FollowerInfo;
}

/** Most corners of a route that can be asked for. */
const MAX_CORNERS = 1024;

export function cornerCapacity(value: unknown): number {
  if (Number.isInteger(value) && (value as number) >= 2 && (value as number) <= MAX_CORNERS) return value as number;
  throw badArgument('maxCorners', `must be a whole number from 2 to ${MAX_CORNERS}, not ${describe(value)}`);
}

/** The route a call has just put into the record and result blocks. */
export function readCorridor(native: Native): Corridor {
  const { count, cornerCount, outcome, ...info } = native.record(records.corridorInfo);
  const address = native.result;
  const polygons = native.memory.refList(address, count);
  const corners = readCorners(native.memory, address + count * 8, cornerCount);
  return { ...info, polygons, corners, truncated: outcome === 1 };
}

/** A FOLLOWER_DEBUG record. */
export type FollowerDebug = RecordOf<typeof records.followerDebug>;

/** The crossing a FOLLOWER_DEBUG record tells of. */
export function crossingOf(debug: FollowerDebug): OffMeshCrossing | null {
  if (!debug.crossing) return null;
  return {
    start: debug.offMeshStart,
    end: debug.offMeshEnd,
    elapsed: debug.offMeshElapsed,
    duration: debug.offMeshDuration,
    exitRef: debug.offMeshExit,
  };
}

/** The crossing in the FOLLOWER_DEBUG record in the record block. */
export function readCrossing(native: Native): OffMeshCrossing | null {
  return crossingOf(native.record(records.followerDebug));
}

/** Says of one that is not crossing a link that it is not. `subject` is what it is called. */
export function explainCrossing(subject: string): Explain {
  return ({ status }) => (status === 'NotFound' ? { message: `${subject} is crossing no off-mesh link.` } : null);
}

/** Where the lists of debug geometry stand. */
export interface DebugLists {
  refs: number;
  positions: number;
  corners: number;
  /** Vertices of each outline. */
  counts: number;
}

/** What a FOLLOWER_DEBUG record tells of, with its lists. */
export function geometryOf(memory: Memory, debug: FollowerDebug, at: DebugLists): DebugGeometry {
  const { state, position, velocity, destination } = debug;
  return {
    ...{ state: state as FollowerState, position, velocity, destination },
    polygons: {
      refs: memory.refList(at.refs, debug.outlineCount),
      positions: memory.doubles(at.positions, debug.vertexCount * 3),
      counts: memory.bytes(at.counts, debug.outlineCount),
    },
    corners: readCorners(memory, at.corners, debug.cornerCount),
    seenCount: debug.seenCount,
    broken: debug.broken,
    crossing: crossingOf(debug),
  };
}

/** The debug geometry of a follower that a call has just put into the record and result blocks. */
export function readDebugGeometry(native: Native): DebugGeometry {
  const debug = native.record(records.followerDebug);
  const refs = native.result;
  const positions = refs + debug.outlineCount * 8;
  const corners = positions + debug.vertexCount * 24;
  const counts = corners + debug.cornerCount * cellCount(records.corner) * 8;
  return geometryOf(native.memory, debug, { refs, positions, corners, counts });
}

/** As the engine numbers them. */
const eventKinds = Object.values(FollowerEventKind);
const eventAt = offsets(records.followerEvent);
const crowdEventAt = offsets(records.crowdEvent);
/** As the engine numbers the outcomes of replans. */
const REPLAN_SUCCESS = 2;

/** Bytes one event of a path follower takes. */
export const EVENT_SIZE = eventAt.size;
/** Bytes one event of a crowd takes. */
export const CROWD_EVENT_SIZE = crowdEventAt.size + eventAt.size;

/** The event at an address. */
export function readEvent(memory: Memory, at: number): FollowerEvent {
  const kind = eventKinds[memory.f64(at + eventAt.kind)] as FollowerEventKind;
  switch (kind) {
    case 'Replanned':
      return { kind, outcome: memory.f64(at + eventAt.outcome) === REPLAN_SUCCESS ? 'success' : 'partial' };
    case 'LinkEntered':
      return { kind, userId: memory.f64(at + eventAt.linkUserId) };
    case 'Arrived':
      return { kind, reachedTarget: memory.flag(at + eventAt.reachedTarget) };
    default:
      return { kind };
  }
}

/** The event of a crowd at an address. */
export function readCrowdEvent(memory: Memory, at: number): CrowdEvent {
  const id = memory.f64(at + crowdEventAt.id);
  const slot = memory.f64(at + crowdEventAt.slot);
  return { ...readEvent(memory, at + crowdEventAt.size), id, slot };
}
