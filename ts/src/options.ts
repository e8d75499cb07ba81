// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Every option of the engine: meaning, unit, range and default; and how options cross to the engine.
import { cellCount, records, type RecordLayout } from './abi.js';
import { badArgument } from './errors.js';
import type { QueryFilter } from './filter.js';
import type { Native } from './native.js';
import { describe } from './describe.js';
import {
  COORD_LIMIT,
  finiteVec3,
  optionsObject,
  unknownName,
  type NameHint,
  type PointLike,
  type Vec3,
} from './values.js';

/** How regions are cut during a build. */
export const Partition = {
  /** Grown from the ridges of the distance field: few, well-shaped regions. */
  Watershed: 0,
  /** Swept row by row: fastest, long thin regions. */
  Monotone: 1,
  /** Swept and joined to layers, none above itself: few regions, fast. Good for tiles. */
  Layers: 2,
} as const;
export type Partition = (typeof Partition)[keyof typeof Partition];

/** What a node of a path search is. */
export const NodeModel = {
  /** A polygon, costed from centre to centre of the portals crossed: fast. */
  Polygon: 0,
  /** A crossing of one edge or link, at the point nearest the straight way on: shorter routes. */
  Crossing: 1,
  /** A part of a portal seen from one point: the shortest route there is, where all areas cost the same. Not for crowds. */
  Exact: 2,
} as const;
export type NodeModel = (typeof NodeModel)[keyof typeof NodeModel];

/** How carefully an agent avoids others. */
export const Quality = {
  /** No avoidance. */
  Off: 0,
  /** 4 neighbours, looking 1.5 s ahead. */
  Low: 1,
  /** 8 neighbours, looking 2 s ahead. */
  Medium: 2,
  /** 12 neighbours, looking 2.5 s ahead. */
  High: 3,
} as const;
export type Quality = (typeof Quality)[keyof typeof Quality];

/** Who moves an agent across an off-mesh link. */
export const OffMeshMode = {
  /** The agent crosses by itself. */
  Automatic: 0,
  /** The agent waits for the host. */
  Host: 1,
} as const;
export type OffMeshMode = (typeof OffMeshMode)[keyof typeof OffMeshMode];

/** Settings of a mesh build. Lengths are in world units, areas of regions in cells. */
export interface BuildSettings {
  /** The surface is shrunk by this much away from walls. 0 or more; default 0.6. */
  agentRadius: number;
  /** Headroom needed to stand. Above 0; default 2. */
  agentHeight: number;
  /** Highest step that can be climbed. 0 or more; default 0.9. */
  walkableClimb: number;
  /** Steepest walkable slope in degrees. 0 up to, not including, 90; default 45. */
  maxSlope: number;
  /** Side of a voxel in the ground plane: smaller follows the geometry closer and takes longer. Above 0; default 0.3. */
  cellSize: number;
  /** Height of a voxel. Above 0; default 0.2. */
  cellHeight: number;
  /**
   * How far a simplified outline may be from the raw one: so much nearer than `agentRadius` it may come to walls. 0 or more. Default:
   * 1.3 cells; and at most half the radius when the radius is above 0 and `cellSize` or `agentRadius` is given. With neither given 0.39.
   */
  contourMaxError: number;
  /** Outline edges longer than this are split. 0 or more, 0: never; default 12. */
  maxEdgeLength: number;
  /** Spacing of height samples inside polygons. 0 or more, below 0.9 cells: none; default 6 cells: 1.8. */
  detailSampleDistance: number;
  /** How far the detail surface may be from the height samples. 0 or more; default `cellHeight`: 0.2. */
  detailMaxError: number;
  /** Isolated regions smaller than this many cells are dropped. 0 or more; default 64. */
  minRegionArea: number;
  /** Regions smaller than this many cells are merged into a neighbour. 0 or more; default 400. */
  mergeRegionArea: number;
  /** Most vertices of a polygon. 3 to 12; default 6. */
  maxVertsPerPoly: number;
  /** How regions are cut; default `Partition.Watershed`. */
  partition: Partition;
  /** Side of a tile in cells, at least 8; 0: the whole level is one tile. Default 0. */
  tileCells: number;
}

/**
 * The build settings when none are given: those of a person-sized agent. Three follow others when those are given and they are not:
 *
 * * `contourMaxError` is 1.3 x `cellSize`; when `cellSize` or `agentRadius` is given (even if it is the value here) and the radius is above 0,
 *   it is at most `agentRadius` / 2;
 * * `detailSampleDistance` is 6 x `cellSize`;
 * * `detailMaxError` is `cellHeight`.
 *
 * Products are rounded to 15 digits, so that 6 x 0.3 is 1.8. A setting that is `undefined` is not given. Spreading this table gives all of
 * them: `{ ...BuildDefaults, cellSize: 0.1 }` keeps the three at the values here.
 */
export const BuildDefaults: Readonly<BuildSettings> = Object.freeze({
  agentRadius: 0.6,
  agentHeight: 2,
  walkableClimb: 0.9,
  maxSlope: 45,
  cellSize: 0.3,
  cellHeight: 0.2,
  contourMaxError: 0.39,
  maxEdgeLength: 12,
  detailSampleDistance: 1.8,
  detailMaxError: 0.2,
  minRegionArea: 64,
  mergeRegionArea: 400,
  maxVertsPerPoly: 6,
  partition: Partition.Watershed,
  tileCells: 0,
});

/** Options of a query object. */
export interface QueryOptions {
  /** Nodes a search may use: memory, taken when the query is made. 16 to 2^20; default 16384. */
  maxNodes: number;
  /** What a node is; default `NodeModel.Polygon`. */
  nodeModel: NodeModel;
  /**
   * Long searches go from tile to tile first: far quicker on large meshes of many tiles, by routes a little longer. Not with
   * `NodeModel.Exact`. Default false.
   */
  hierarchical: boolean;
}

/** The default query options. */
export const QueryDefaults: Readonly<QueryOptions> = Object.freeze({
  maxNodes: 16384,
  nodeModel: NodeModel.Polygon,
  hierarchical: false,
});

/** Options of a crowd, fixed for its life. */
export interface CrowdOptions {
  /** Most agents at one time. 1 to 65536; default 65536. */
  maxAgents: number;
  /** Nodes of the crowd's path searches. 16 to 2^20; default 16384. */
  queryNodes: number;
  /** What a node of those searches is; default `NodeModel.Polygon`. */
  queryNodeModel: NodeModel;
  /** Wall pieces an agent remembers. 1 to 255; default 48. */
  maxWallsPerAgent: number;
  /** An agent looks for walls again after moving this far, in world units. Above 0; default 1. */
  wallRefreshDistance: number;
  /** Walls an agent avoids at a time, nearest first. 0 to `maxWallsPerAgent`; default 8. */
  maxWallsAvoided: number;
  /** Keep what constrained each agent in the last step, for inspection. Default false. */
  recordConstraints: boolean;
  /** Threads of a step, which change none of its results. 1 to the engine's `threads`; default 1. Not part of recordings. */
  maxThreads: number;
}

/** The default crowd options. */
export const CrowdDefaults: Readonly<CrowdOptions> = Object.freeze({
  maxAgents: 65536,
  queryNodes: 16384,
  queryNodeModel: NodeModel.Polygon,
  maxWallsPerAgent: 48,
  wallRefreshDistance: 1,
  maxWallsAvoided: 8,
  recordConstraints: false,
  maxThreads: 1,
});

/** Options of a player. */
export interface PlayerOptions {
  /** Bytes of keyframes kept to make seeking fast. 0 to 2^32 - 1, 0: only the start; default 64 MiB. */
  keyframeBudget: number;
  /** First spacing of keyframes in steps; it doubles whenever the budget is full. 1 or more; default 60. */
  keyframeSpacing: number;
}

/** The default player options. */
export const PlayerDefaults: Readonly<PlayerOptions> = Object.freeze({
  keyframeBudget: 64 * 1024 * 1024,
  keyframeSpacing: 60,
});

/**
 * How an agent follows its path: tuning that rarely needs a change. Speed, acceleration and arrival radius are the agent's, and
 * the distance it keeps from corners follows from its wall clearance.
 */
export interface FollowerOptions {
  /** Distance to the goal at which it begins to slow down, world units. 0 or more, 0: never. Default 1. */
  slowRadius: number;
  /** Slowest speed while slowing down, units/s. 0 or more; default 0.25. */
  arrivalMinSpeed: number;
  /** Corners looked at ahead. 3 to 256; default 8. Cannot change while the agent lives. */
  maxCorners: number;
  /** Polygons of the corridor checked each step. 1 or more; default 8. */
  validateLookAhead: number;
  /** Steps between attempts to see past corners. 0 or more, 0: never; default 4. */
  optimizeInterval: number;
  /** How far such an attempt looks, world units. 0 or more; default 10. */
  optimizeRange: number;
  /** Polygons such an attempt may cross. 2 or more; default 16. */
  optimizeBudget: number;
  /** Steps between local searches for a shorter way. 0 or more, 0: never; default 16. */
  topologyInterval: number;
  /** Nodes of such a search. 1 or more; default 32. */
  topologyBudget: number;
  /** Nodes of one round of replanning. 1 or more; default 2048. */
  replanBudget: number;
  /** Rounds before a replan gives up. 1 or more; default 16. */
  maxReplanRounds: number;
  /** Seconds without progress that count as stuck. 0 or more, 0: off. Default 0: a crowd stands in queues. */
  stuckWindow: number;
  /** Share of the possible way that counts as progress. 0 to 1; default 0.1. */
  stuckProgress: number;
  /** Replans tried when stuck before giving up. 0 or more; default 2. */
  maxStuckRecoveries: number;
  /** Who crosses off-mesh links; default `OffMeshMode.Automatic`. */
  offMeshMode: OffMeshMode;
  /** Speed across off-mesh links, units/s. Above 0; default 3.5. */
  offMeshSpeed: number;
  /**
   * Distance from a link's start at which the crossing begins, world units. 0 or more; default 0.05. Never less than the agent's
   * diameter.
   */
  offMeshTriggerRadius: number;
  /** Half size of the box in which the mesh is looked for around positions and goals. Each 0 or more; default 2, 4, 2. */
  searchExtents: PointLike;
  /** Polygons of the route kept at a time. 2 to 4096; default 64. Cannot change while the agent lives. */
  corridorCapacity: number;
  /** Nodes of the search that refines a new route. 0 or more, 0: off; default 128. */
  refineBudget: number;
}

/** How a character of its own walks: all the tuning of a path follower. Lengths in world units, speeds in units/s. */
export interface PathFollowerOptions extends FollowerOptions {
  /** Above 0; humanoid 3.5, small 2.5. */
  maxSpeed: number;
  /** Units/s². Above 0; humanoid 8, small 6. */
  maxAcceleration: number;
  /** Distance to the goal that counts as there. 0 or more; default 0.01. */
  arrivalRadius: number;
  /** Distance to the goal at which it begins to slow down, world units. 0 or more, 0: never. Humanoid 1, small 0.5. */
  slowRadius: number;
  /** Speed across off-mesh links, units/s. Above 0; humanoid 3.5, small 2.5. */
  offMeshSpeed: number;
  /** Distance from a link's start at which the crossing begins, world units. 0 or more; default 0.05. */
  offMeshTriggerRadius: number;
  /** Seconds without progress that count as stuck. 0 or more, 0: off. Default 1. */
  stuckWindow: number;
  /** Polygons of the route kept at a time. 2 to 4096; default 256. Cannot change while the follower lives. */
  corridorCapacity: number;
  /** Corners looked at ahead. 3 to 256; default 8. Cannot change while the follower lives. */
  maxCorners: number;
}

/** What a path follower is made with, beside its tuning, and keeps for its life. */
export interface PathFollowerSetup {
  /** Nodes of its path searches: memory, taken when it is made. 16 to 2^20; default 16384. */
  queryNodes: number;
  /** What a node of those searches is; default `NodeModel.Polygon`. Not `NodeModel.Exact`. */
  queryNodeModel: NodeModel;
  /** Where it may walk; null: everywhere, at cost 1. */
  filter: QueryFilter | null;
}

/** Options of an agent. Lengths in world units, speeds in units/s. */
export interface AgentOptions {
  /** Above 0; humanoid 0.6, small 0.3, large 1.5. */
  radius: number;
  /** Above 0; humanoid 3.5, small 2.5, large 3. */
  maxSpeed: number;
  /** Units/s². Above 0; humanoid 8, small 6, large 5. */
  maxAcceleration: number;
  /** Distance to the goal that counts as there. 0 or more; humanoid 0.25, small 0.3, large 0.6. */
  arrivalRadius: number;
  /** A weight: an agent with a higher one gives way less. Above 0; default 1. */
  priority: number;
  /** Distance kept from walls beyond the radius. 0 or more; default 0.05. */
  wallClearance: number;
  /** Distance within which agents drift apart. 0 or more, 0: off; default 0. */
  separationDistance: number;
  /** How strongly. 0 or more; default 0.3. */
  separationWeight: number;
  /** A slight turn that settles head-on meetings: above 0 to the agent's left, below 0 to its right. -1 to 1; default 0.05. */
  sidePreference: number;
  /** How carefully it avoids others; default `Quality.Medium`. */
  quality: Quality;
  /** Path-following tuning; fields left out keep their default. Null: the default throughout. */
  path: Partial<FollowerOptions> | null;
}

const humanoid: Readonly<AgentOptions> = Object.freeze({
  radius: 0.6,
  maxSpeed: 3.5,
  maxAcceleration: 8,
  arrivalRadius: 0.25,
  priority: 1,
  wallClearance: 0.05,
  separationDistance: 0,
  separationWeight: 0.3,
  sidePreference: 0.05,
  quality: Quality.Medium,
  path: null,
});

/** Ready-made agents. Humanoid is the default of every agent added. */
export const AgentPresets: Readonly<Record<'humanoid' | 'small' | 'large', Readonly<AgentOptions>>> = Object.freeze({
  humanoid,
  small: Object.freeze({ ...humanoid, radius: 0.3, maxSpeed: 2.5, maxAcceleration: 6, arrivalRadius: 0.3 }),
  large: Object.freeze({ ...humanoid, radius: 1.5, maxSpeed: 3, maxAcceleration: 5, arrivalRadius: 0.6 }),
});

/** How an agent follows its path when its options say nothing. */
export const FollowerDefaults: Readonly<Omit<FollowerOptions, 'searchExtents'> & { searchExtents: Readonly<Vec3> }> =
  Object.freeze({
    slowRadius: 1,
    arrivalMinSpeed: 0.25,
    maxCorners: 8,
    validateLookAhead: 8,
    optimizeInterval: 4,
    optimizeRange: 10,
    optimizeBudget: 16,
    topologyInterval: 16,
    topologyBudget: 32,
    replanBudget: 2048,
    maxReplanRounds: 16,
    stuckWindow: 0,
    stuckProgress: 0.1,
    maxStuckRecoveries: 2,
    offMeshMode: OffMeshMode.Automatic,
    offMeshSpeed: 3.5,
    offMeshTriggerRadius: 0.05,
    searchExtents: Object.freeze([2, 4, 2]) as unknown as Readonly<Vec3>,
    corridorCapacity: 64,
    refineBudget: 128,
  });

const lone: Readonly<PathFollowerOptions> = Object.freeze({
  maxSpeed: 3.5,
  maxAcceleration: 8,
  arrivalRadius: 0.01,
  ...FollowerDefaults,
  stuckWindow: 1,
  corridorCapacity: 256,
});

/** Ready-made tuning of path followers. Humanoid is the default. */
export const PathFollowerPresets: Readonly<Record<'humanoid' | 'small', Readonly<PathFollowerOptions>>> = Object.freeze(
  {
    humanoid: lone,
    small: Object.freeze({ ...lone, maxSpeed: 2.5, maxAcceleration: 6, slowRadius: 0.5, offMeshSpeed: 2.5 }),
  },
);

/** What path followers are made with when nothing is said. */
export const PathFollowerSetupDefaults: Readonly<PathFollowerSetup> = Object.freeze({
  queryNodes: QueryDefaults.maxNodes,
  queryNodeModel: QueryDefaults.nodeModel,
  filter: null,
});

// --- To the engine ----------------------------------------------------------------------------------------------------

// Where options are that a caller looks for elsewhere: the first that has the name.
const homes: readonly [options: object, home: string][] = [
  [AgentPresets.humanoid, 'agents: pass it to crowd.add'],
  [FollowerDefaults, 'agents: pass it to crowd.add, in path'],
  [CrowdDefaults, 'crowds: pass it to createCrowd'],
  [QueryDefaults, 'queries: pass it to createQuery'],
  [PlayerDefaults, 'players: pass it to createPlayer'],
  [BuildDefaults, 'builds: pass it in the settings of buildNavMesh'],
];
// What one and the same is called by queries, and by what has a query of its own.
const otherNames: Readonly<Record<string, string>> = { maxNodes: 'queryNodes', nodeModel: 'queryNodeModel' };

/** Says of a name that is none of those known where it is one. */
function elsewhere(field: string, name: string, known: readonly string[]): string | null {
  if (!field.startsWith('options')) return null;
  const meant = (other: string) => `is not an option: did you mean ${other}?`;
  if (known.includes('path') && Object.hasOwn(FollowerDefaults, name)) return meant(`${field}.path.${name}`);
  if (field === 'options.path' && Object.hasOwn(AgentPresets.humanoid, name)) return meant(`options.${name}`);
  const other = Object.hasOwn(otherNames, name) ? otherNames[name] : undefined;
  if (other !== undefined && known.includes(other)) return meant(other);
  const home = homes.find(([options]) => Object.hasOwn(options, name));
  return home ? `is an option of ${home[1]}` : null;
}

/** Defaults overridden by what the caller gave. Names the engine does not know are refused: they are typing mistakes. */
export function merged<T extends object>(defaults: Readonly<T>, options: unknown, field: string, hint?: NameHint): T {
  const given = optionsObject(options, field);
  const out: Record<string, unknown> = { ...defaults };
  for (const [name, value] of Object.entries(given)) {
    if (!(name in defaults)) {
      const known = Object.keys(defaults);
      throw unknownName(field, name, known, () => hint?.(name) ?? elsewhere(field, name, known));
    }
    if (value !== undefined) out[name] = value;
  }
  return out as T;
}

/** All build settings from those a caller gave: the rest are defaults, of which three follow the others. */
export function buildSettings(given: unknown): BuildSettings {
  const unset = { contourMaxError: undefined, detailSampleDistance: undefined, detailMaxError: undefined };
  const settings = merged<Record<string, unknown>>({ ...BuildDefaults, ...unset }, given, 'settings');
  checkChoice(settings.partition, 'settings.partition', 'Partition', Partition);
  const { cellSize, agentRadius } = (given ?? {}) as Partial<BuildSettings>;
  const radius = cellSize === undefined && agentRadius === undefined ? 0 : length(settings.agentRadius, 0);
  const cell = length(settings.cellSize, BuildDefaults.cellSize);
  const followers: Record<keyof typeof unset, number> = {
    contourMaxError: Math.min(timesCells(1.3, cell), radius > 0 ? radius / 2 : Infinity),
    detailSampleDistance: timesCells(6, cell),
    detailMaxError: length(settings.cellHeight, BuildDefaults.cellHeight),
  };
  for (const [name, value] of Object.entries(followers)) if (settings[name] === undefined) settings[name] = value;
  return settings as unknown as BuildSettings;
}

// What the engine refuses by name must not be refused by the name of a setting that follows it.
function length(value: unknown, otherwise: number): number {
  return typeof value === 'number' && value > 0 && value <= COORD_LIMIT ? value : otherwise;
}

function timesCells(factor: number, cell: number): number {
  return Math.min(Number((factor * cell).toPrecision(15)), COORD_LIMIT);
}

/** Writes a record of options to the argument block, `cells` cells in, and returns its address. */
export function writeOptions(native: Native, layout: RecordLayout, values: object, field: string, cells = 0): number {
  const address = native.arguments + cells * 8;
  native.memory.writeRecord(address, layout, values as Record<string, unknown>, field);
  native.given.set(field, values as Record<string, unknown>);
  return address;
}

/** Says what to pass instead of the name of a preset. */
export function refusePresetName(options: unknown, presets: object, table: string): void {
  if (typeof options !== 'string' || !Object.hasOwn(presets, options)) return;
  throw badArgument('options', `must be an object, not "${options}": pass ${table}.${options}`);
}

/** Writes an agent's options and its path options to the argument block and returns their address. */
export function writeAgentOptions(native: Native, base: Readonly<AgentOptions>, options: unknown): number {
  refusePresetName(options, AgentPresets, 'AgentPresets');
  const { path, ...own } = merged(base, options, 'options');
  const follower = merged({ ...FollowerDefaults, ...base.path }, path, 'options.path');
  checkChoice(own.quality, 'options.quality', 'Quality', Quality);
  checkChoice(follower.offMeshMode, 'options.path.offMeshMode', 'OffMeshMode', OffMeshMode);
  const { maxSpeed, maxAcceleration, arrivalRadius } = own;
  // The engine works out what follows from the agent itself; these cells only have to be valid.
  const address = writeOptions(native, records.agentOptions, { ...own, hasPath: path !== null }, 'options');
  const tuned = { ...follower, maxSpeed, maxAcceleration, arrivalRadius, cornerClearance: 0 };
  writeOptions(native, records.followerOptions, tuned, 'options.path', cellCount(records.agentOptions));
  return address;
}

/** Writes a path follower's options to the argument block and returns their address. */
export function writePathFollowerOptions(native: Native, options: PathFollowerOptions): number {
  checkChoice(options.offMeshMode, 'options.offMeshMode', 'OffMeshMode', OffMeshMode);
  // Corners are aimed past only where others push: in a crowd.
  return writeOptions(native, records.followerOptions, { ...options, cornerClearance: 0 }, 'options');
}

/** Writes the options of its query behind a path follower's options. */
export function writeQueryOptions(native: Native, options: QueryOptions): void {
  writeOptions(native, records.queryOptions, options, 'options', cellCount(records.followerOptions));
}

/** A path follower's options as the engine has them. */
export function readPathFollowerOptions(native: Native): PathFollowerOptions {
  return picked(native.record(records.followerOptions), PathFollowerPresets.humanoid);
}

/** The members of a record that a table of options has. */
function picked<T extends object>(record: Readonly<Record<string, unknown>>, table: Readonly<T>): T {
  return Object.fromEntries(Object.keys(table).map((name) => [name, record[name]])) as T;
}

/** An agent's options as the engine has them, `cells` cells into the record block. */
export function readAgentOptions(native: Native, cells = 0): AgentOptions {
  const { hasPath, quality, ...own } = native.record(records.agentOptions, cells);
  return { ...own, quality: quality as Quality, path: hasPath ? readPath(native, cells) : null };
}

function readPath(native: Native, cells: number): FollowerOptions {
  const record = native.record(records.followerOptions, cells + cellCount(records.agentOptions));
  return picked<FollowerOptions>(record, FollowerDefaults as FollowerOptions);
}

/** The box a nearest-polygon search looks in when the caller gives none. */
export function defaultExtents(): Vec3 {
  return finiteVec3(FollowerDefaults.searchExtents, 'extents');
}

/** Refuses a node model after `last`. */
export function checkNodeModel(value: unknown, field: string, last: NodeModel): void {
  checkChoice(value, field, 'NodeModel', NodeModel, last);
}

type Choices = Readonly<Record<string, number>>;

/** Refuses what is none of the values in a table, or comes after `last`. */
function checkChoice(value: unknown, field: string, table: string, values: Choices, last = Infinity): void {
  const choices = Object.entries(values).filter(([, choice]) => choice <= last);
  if (choices.some(([, choice]) => choice === value)) return;
  const list = choices.map(([name, choice]) => `${table}.${name} (${choice})`).join(', ');
  throw badArgument(field, `must be one of ${list}, not ${describe(value)}`, { limit: choices.length - 1 });
}
