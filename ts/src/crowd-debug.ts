// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What there is to draw of the agents of a crowd: one as objects, all as arrays.
import { cellCount, offsets, records, type RecordOf } from './abi.js';
import { crossingOf, geometryOf, type DebugGeometry, type OffMeshCrossing } from './follower.js';
import type { Memory, NumberTarget } from './memory.js';
import type { Native } from './native.js';
import type { Vec3 } from './values.js';

/** A piece of wall an agent keeps away from. The walkable side is on the right of the way from `a` to `b`, seen from above. */
export interface AgentWall {
  /** Its polygon. */
  ref: bigint;
  /** Its edge of that polygon. */
  edge: number;
  /** Which piece of that edge. */
  part: number;
  a: Vec3;
  b: Vec3;
}

/** A half-plane of velocities (x and z, units/s) an agent had to keep to: those v with (v - point) . normal not below 0. */
export interface AgentConstraint {
  point: [x: number, z: number];
  /** Of length 1. */
  normal: [x: number, z: number];
  /** Against a wall, which is kept to whatever happens; else against another agent. */
  wall: boolean;
}

/** What there is to draw of an agent. */
export interface AgentDebugGeometry extends DebugGeometry {
  id: number;
  /** Its place in the crowd's order. */
  slot: number;
  radius: number;
  /** The velocity it wanted in its last step, before avoiding others (x and z, units/s). */
  wantedVelocity: [x: number, z: number];
  /** The wall pieces it remembers, nearest first as seen from where it looked; none when it must look again. */
  walls: AgentWall[];
  /** The half-planes of its last step, walls first. None unless the crowd has `recordConstraints`, nor where it did not avoid. */
  constraints: AgentConstraint[];
}

/**
 * What there is to draw of all agents, in slot order. Some lists have so many numbers for each agent; the others hold the
 * items of all agents one behind the other: those of agent i are the ones from `first[i]` on up to, but without, `first[i + 1]`.
 */
export interface CrowdDebugGeometry {
  /** Agents. */
  count: number;
  ids: Float64Array<ArrayBuffer>;
  slots: Int32Array<ArrayBuffer>;
  radii: Float64Array<ArrayBuffer>;
  /** 1 `FollowerState` for each agent. */
  states: Uint8Array<ArrayBuffer>;
  /** 3 numbers for each agent. */
  positions: Float64Array<ArrayBuffer>;
  /** 3 numbers for each agent, units/s. */
  velocities: Float64Array<ArrayBuffer>;
  /** 3 numbers for each agent. */
  destinations: Float64Array<ArrayBuffer>;
  /** 2 numbers for each agent: x and z, as wanted in the last step before avoiding others, units/s. */
  wantedVelocities: Float64Array<ArrayBuffer>;
  /** How many of its corners each agent looks at now. */
  seenCounts: Int32Array<ArrayBuffer>;
  /** 1 for agents whose corridor is broken and not repaired yet, else 0. */
  broken: Uint8Array<ArrayBuffer>;
  /** The polygons of all corridors. */
  polygons: {
    first: Uint32Array<ArrayBuffer>;
    refs: BigUint64Array<ArrayBuffer>;
    /** How many outline corners each polygon has. */
    counts: Uint8Array<ArrayBuffer>;
    /** For each agent, where its outline corners begin in `positions`, counted in corners. */
    firstVertex: Uint32Array<ArrayBuffer>;
    /** x, y, z of every outline corner, polygon after polygon. */
    positions: Float64Array<ArrayBuffer>;
  };
  /** The corners of all ways. */
  corners: {
    first: Uint32Array<ArrayBuffer>;
    /** 3 numbers for each corner. */
    points: Float64Array<ArrayBuffer>;
    /** The polygon entered there. */
    refs: BigUint64Array<ArrayBuffer>;
    /** Where in the agent's corridor that polygon stands. */
    pathIndices: Int32Array<ArrayBuffer>;
    /** `CornerFlag` bits of each. */
    flags: Uint8Array<ArrayBuffer>;
  };
  /** The off-mesh links being crossed; `agent` is the agent's place in the lists. */
  crossings: (OffMeshCrossing & { agent: number })[];
  /** The wall pieces all agents remember. */
  walls: {
    first: Uint32Array<ArrayBuffer>;
    /** 6 numbers for each piece: both ends; the walkable side is on the right of the way from the first to the second, seen from above. */
    ends: Float64Array<ArrayBuffer>;
    refs: BigUint64Array<ArrayBuffer>;
    edges: Uint8Array<ArrayBuffer>;
    parts: Uint8Array<ArrayBuffer>;
  };
  /** The half-planes of the last step, of each agent those against walls first. None unless the crowd has `recordConstraints`. */
  constraints: {
    first: Uint32Array<ArrayBuffer>;
    /** How many of each agent's are against walls. */
    wallCounts: Int32Array<ArrayBuffer>;
    /** 4 numbers for each: x and z of a point of its edge, x and z of the normal, which points to what is allowed. */
    planes: Float64Array<ArrayBuffer>;
  };
}

const agentAt = offsets(records.agentDebug);
const followerAt = offsets(records.followerDebug);
const wallAt = offsets(records.agentWall);
const cornerAt = offsets(records.corner);
const PLANE_SIZE = cellCount(records.constraint) * 8;
const ROW = agentAt.size + followerAt.size;

type Counts = RecordOf<typeof records.crowdDebug>;

/** Where the lists of the bulk result stand. */
function placesOf(agents: number, counts: Counts) {
  const refs = agents + counts.agentCount * ROW;
  const positions = refs + counts.outlineCount * 8;
  const corners = positions + counts.vertexCount * 24;
  const walls = corners + counts.cornerCount * cornerAt.size;
  const planes = walls + counts.wallCount * wallAt.size;
  return { refs, positions, corners, walls, planes, counts: planes + counts.constraintCount * PLANE_SIZE };
}

function readWall(memory: Memory, at: number): AgentWall {
  return memory.record(at, records.agentWall);
}

function readConstraint(memory: Memory, at: number, wall: boolean): AgentConstraint {
  const { pointX, pointZ, normalX, normalZ } = memory.record(at, records.constraint);
  return { point: [pointX, pointZ], normal: [normalX, normalZ], wall };
}

/** The geometry of one agent, which a call has just put into the result block. */
export function readAgentDebug(native: Native): AgentDebugGeometry {
  const { memory, result } = native;
  const at = placesOf(result, native.record(records.crowdDebug));
  const agent = memory.record(result, records.agentDebug);
  const follower = memory.record(result + agentAt.size, records.followerDebug);
  const hard = agent.wallConstraintCount;
  return {
    ...{ id: agent.id, slot: agent.slot, radius: agent.radius, wantedVelocity: [agent.wantedX, agent.wantedZ] },
    ...geometryOf(memory, follower, at),
    walls: Array.from({ length: agent.wallCount }, (_, k) => readWall(memory, at.walls + k * wallAt.size)),
    constraints: Array.from({ length: agent.constraintCount }, (_, k) =>
      readConstraint(memory, at.planes + k * PLANE_SIZE, k < hard),
    ),
  };
}

/** Rows of cells in the engine's memory, of which columns are taken. */
class Rows {
  constructor(
    readonly memory: Memory,
    readonly address: number,
    readonly count: number,
    readonly size: number,
  ) {}

  /** `width` numbers of each row, from an offset in it on. */
  take<T extends NumberTarget>(target: T, offset: number, width = 1): T {
    this.memory.copyRows(this.address + offset, this.count, target, this.size, width);
    return target;
  }

  bytes(offset: number): Uint8Array<ArrayBuffer> {
    return this.take(new Uint8Array(this.count), offset);
  }

  integers(offset: number): Int32Array<ArrayBuffer> {
    return this.take(new Int32Array(this.count), offset);
  }

  doubles(offset: number, width = 1): Float64Array<ArrayBuffer> {
    return this.take(new Float64Array(this.count * width), offset, width);
  }

  refs(offset: number): BigUint64Array<ArrayBuffer> {
    const target = new BigUint64Array(this.count);
    this.memory.copyRefs(this.address + offset, this.count, target, this.size);
    return target;
  }

  /** Where the items of each row begin when rows have as many as their cell at `offset` says; last, where all end. */
  first(offset: number): Uint32Array<ArrayBuffer> {
    const first = new Uint32Array(this.count + 1);
    this.take(first.subarray(1), offset);
    for (let i = 1; i < first.length; i++) first[i]! += first[i - 1]!;
    return first;
  }
}

function crossingsIn(rows: Rows): (OffMeshCrossing & { agent: number })[] {
  const crossings: (OffMeshCrossing & { agent: number })[] = [];
  for (let agent = 0; agent < rows.count; agent++) {
    const at = rows.address + agent * rows.size + agentAt.size;
    if (!rows.memory.flag(at + followerAt.crossing)) continue;
    const crossing = crossingOf(rows.memory.record(at, records.followerDebug));
    if (crossing) crossings.push({ agent, ...crossing });
  }
  return crossings;
}

/** The geometry of all agents, which a call has just put into the result block. */
export function readCrowdDebug(native: Native): CrowdDebugGeometry {
  const { memory, result } = native;
  const counts = native.record(records.crowdDebug);
  const at = placesOf(result, counts);
  const agents = new Rows(memory, result, counts.agentCount, ROW);
  const corners = new Rows(memory, at.corners, counts.cornerCount, cornerAt.size);
  const walls = new Rows(memory, at.walls, counts.wallCount, wallAt.size);
  const follower = (name: keyof typeof followerAt) => agentAt.size + followerAt[name];
  const all = {
    count: counts.agentCount,
    ids: agents.doubles(agentAt.id),
    slots: agents.integers(agentAt.slot),
    radii: agents.doubles(agentAt.radius),
    states: agents.bytes(follower('state')),
    positions: agents.doubles(follower('position'), 3),
    velocities: agents.doubles(follower('velocity'), 3),
    destinations: agents.doubles(follower('destination'), 3),
    wantedVelocities: agents.doubles(agentAt.wantedX, 2),
    seenCounts: agents.integers(follower('seenCount')),
    broken: agents.bytes(follower('broken')),
    polygons: {
      first: agents.first(follower('outlineCount')),
      refs: memory.refs(at.refs, counts.outlineCount),
      counts: memory.bytes(at.counts, counts.outlineCount),
      firstVertex: agents.first(follower('vertexCount')),
      positions: memory.doubles(at.positions, counts.vertexCount * 3),
    },
    corners: {
      first: agents.first(follower('cornerCount')),
      points: corners.doubles(cornerAt.point, 3),
      refs: corners.refs(cornerAt.ref),
      pathIndices: corners.integers(cornerAt.pathIndex),
      flags: corners.bytes(cornerAt.flags),
    },
    crossings: crossingsIn(agents),
    walls: {
      first: agents.first(agentAt.wallCount),
      ends: walls.doubles(wallAt.a, 6),
      refs: walls.refs(wallAt.ref),
      edges: walls.bytes(wallAt.edge),
      parts: walls.bytes(wallAt.part),
    },
    constraints: {
      first: agents.first(agentAt.constraintCount),
      wallCounts: agents.integers(agentAt.wallConstraintCount),
      planes: memory.doubles(at.planes, counts.constraintCount * 4),
    },
  };
  native.trim(at.counts + counts.outlineCount - result);
  return all;
}
