// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Every public method given something wrong: the right error, naming the argument, and nothing changed.
import {
  ArgumentError,
  BuildInputError,
  Crowd,
  CrowdreelError,
  CrowdReplayError,
  CrowdStateError,
  MeshBuild,
  NavMesh,
  NavMeshFormatError,
  NavMeshQuery,
  NodeModel,
  PathFollower,
  Player,
  Recorder,
  Replay,
  TileCache,
  type Resource,
  type StatusName,
} from 'crowdreel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addWalkers, createWorld, level, recordRun, type World } from './support.js';

let world: World;
let foreign: World;
let mesh: NavMesh;
let query: NavMeshQuery;
let crowd: Crowd;
let follower: PathFollower;
let recorder: Recorder;
let replay: Replay;
let player: Player;
let id: number;
let ref: bigint;

beforeAll(async () => {
  world = await createWorld();
  foreign = await createWorld();
  mesh = world.mesh;
  query = world.engine.createQuery(mesh);
  crowd = world.engine.createCrowd(mesh, { maxAgents: 20 });
  recorder = world.engine.createRecorder(crowd, { dt: 0.1 });
  id = addWalkers(recorder)[0]!;
  recorder.step();
  replay = world.engine.openReplay(recordRun(world, 5).bytes);
  player = world.engine.createPlayer(replay);
  player.seek(3);
  ref = query.nearest([0, 0, 5])!.ref;
  follower = world.engine.createPathFollower(mesh);
  follower.place([0, 0, 5]);
  follower.setDestination([0, 0, -5]);
});
afterAll(() => {
  for (const resource of [player, replay, recorder, crowd, query, follower]) resource.dispose();
});

/** Everything a failed call could have changed. */
const fingerprint = () => [
  crowd.stateHash(),
  crowd.agentCount,
  follower.saveState(),
  follower.options,
  recorder.save(),
  player.position,
  player.crowd.stateHash(),
  mesh.save(),
  world.engine.liveHandles,
];

const bothBytes = () => crowd.saveStateWithMesh();
const playerCrowd = () => player.crowd as Crowd;

/** A crowd on the mesh of a player, for one call. */
function onPlayersMesh(call: (other: Crowd) => unknown): unknown {
  using other = world.engine.createCrowd(player.mesh);
  return call(other);
}

// What a test may pass that the types forbid.
const wrong = (value: unknown) => value as never;

type Case = [call: string, run: () => unknown, field: string, status?: StatusName];

const badPoints: [string, unknown][] = [
  ['NaN', [0, NaN, 0]],
  ['infinity', { x: Infinity, y: 0, z: 0 }],
  ['too far', [0, 0, 2097152]],
  ['two numbers', [1, 2]],
  ['four numbers', new Float64Array(4)],
  ['text', ['1', '2', '3']],
  ['nothing', undefined],
  ['null', null],
  ['a number', 7],
];

function pointCases(call: string, field: string, run: (point: never) => unknown): Case[] {
  return badPoints.map(([name, point]) => [`${call}: ${name}`, () => run(wrong(point)), field]);
}

const badIds: [string, unknown, StatusName][] = [
  ['an id of nobody', 12345, 'NoSuchAgent'],
  ['-1', -1, 'NoSuchAgent'],
  ['NaN', NaN, 'Argument'],
  ['1.5', 1.5, 'Argument'],
  ['2^53', 2 ** 53, 'Argument'],
  ['a bigint', 1n, 'Argument'],
  ['nothing', undefined, 'Argument'],
];

function idCases(call: string, run: (id: never) => unknown): Case[] {
  return badIds.map(([name, value, status]) => [`${call}: ${name}`, () => run(wrong(value)), 'id', status]);
}

function refCases(call: string, field: string, run: (ref: never) => unknown): Case[] {
  return [
    [`${call}: a number`, () => run(wrong(5)), field],
    [`${call}: negative`, () => run(wrong(-1n)), field],
    [`${call}: above 64 bits`, () => run(wrong(1n << 64n)), field],
  ];
}

function staleRefCases(call: string, field: string, run: (ref: never) => unknown): Case[] {
  return [
    [`${call}: zero`, () => run(wrong(0n)), field, 'StaleRef'],
    [`${call}: forged`, () => run(wrong(0xffff_ffff_ffff_ffffn)), field, 'StaleRef'],
  ];
}

function filterCases(call: string, run: (filter: never) => unknown): Case[] {
  const field = 'options.filter';
  return [
    [`${call}: filter is text`, () => run(wrong('all')), field],
    [`${call}: unknown filter field`, () => run(wrong({ flags: 1 })), `${field}.flags`],
    [`${call}: flags too large`, () => run(wrong({ includeFlags: 65536 })), `${field}.includeFlags`],
    [`${call}: flags negative`, () => run(wrong({ excludeFlags: -1 })), `${field}.excludeFlags`],
    [`${call}: cost zero`, () => run(wrong({ areaCost: { 3: 0 } })), `${field}.areaCost`],
    [`${call}: cost NaN`, () => run(wrong({ areaCost: [1, NaN] })), `${field}.areaCost`],
    [`${call}: area 64`, () => run(wrong({ areaCost: { 64: 1 } })), `${field}.areaCost.64`],
  ];
}

/** A number option: not a number, out of range both ways. */
function numberCases(call: string, field: string, run: (value: never) => unknown, bad: readonly unknown[]): Case[] {
  return [NaN, '1', ...bad].map((value) => [`${call}: ${field} ${String(value)}`, () => run(wrong(value)), field]);
}

const agentOptionCases = (call: string, run: (options: never) => unknown): Case[] => [
  [`${call}: options are a number`, () => run(wrong(7)), 'options'],
  [`${call}: unknown option`, () => run(wrong({ speed: 3 })), 'options.speed'],
  ...numberCases(call, 'options.radius', (radius) => run(wrong({ radius })), [0, -1, Infinity]),
  ...numberCases(call, 'options.maxSpeed', (maxSpeed) => run(wrong({ maxSpeed })), [0, -1, Infinity]),
  ...numberCases(call, 'options.maxAcceleration', (maxAcceleration) => run(wrong({ maxAcceleration })), [0, -1]),
  ...numberCases(call, 'options.arrivalRadius', (arrivalRadius) => run(wrong({ arrivalRadius })), [-1]),
  ...numberCases(call, 'options.priority', (priority) => run(wrong({ priority })), [0, -1]),
  ...numberCases(call, 'options.wallClearance', (wallClearance) => run(wrong({ wallClearance })), [-1]),
  ...numberCases(call, 'options.separationDistance', (separationDistance) => run(wrong({ separationDistance })), [-1]),
  ...numberCases(call, 'options.separationWeight', (separationWeight) => run(wrong({ separationWeight })), [-1]),
  ...numberCases(call, 'options.sidePreference', (sidePreference) => run(wrong({ sidePreference })), [-1.1, 1.1]),
  ...numberCases(call, 'options.quality', (quality) => run(wrong({ quality })), [4, 1.5, 256]),
  [`${call}: path is a number`, () => run(wrong({ path: 7 })), 'options.path'],
  [`${call}: unknown path option`, () => run(wrong({ path: { speed: 1 } })), 'options.path.speed'],
  ...numberCases(
    call,
    'options.path.maxCorners',
    (maxCorners) => run(wrong({ path: { maxCorners } })),
    [2, 257, 3.5, 1e12],
  ),
  ...numberCases(call, 'options.path.stuckProgress', (v) => run(wrong({ path: { stuckProgress: v } })), [-0.1, 1.1]),
  ...numberCases(
    call,
    'options.path.corridorCapacity',
    (v) => run(wrong({ path: { corridorCapacity: v } })),
    [1, 4097],
  ),
  ...numberCases(call, 'options.path.offMeshMode', (v) => run(wrong({ path: { offMeshMode: v } })), [2]),
  [`${call}: searchExtents`, () => run(wrong({ path: { searchExtents: [1, -1, 1] } })), 'options.path.searchExtents.y'],
  [`${call}: searchExtents`, () => run(wrong({ path: { searchExtents: [1, NaN, 1] } })), 'options.path.searchExtents'],
];

const followerOptionCases = (call: string, run: (options: never) => unknown): Case[] => [
  [`${call}: options are a number`, () => run(wrong(7)), 'options'],
  [`${call}: the name of a preset`, () => run(wrong('small')), 'options'],
  [`${call}: unknown option`, () => run(wrong({ radius: 3 })), 'options.radius'],
  ...numberCases(call, 'options.maxSpeed', (maxSpeed) => run(wrong({ maxSpeed })), [0, -1, Infinity, 1e7, null]),
  ...numberCases(call, 'options.maxAcceleration', (maxAcceleration) => run(wrong({ maxAcceleration })), [0, -1]),
  ...['slowRadius', 'arrivalMinSpeed', 'arrivalRadius', 'optimizeRange', 'stuckWindow', 'offMeshTriggerRadius'].flatMap(
    (name) => numberCases(call, `options.${name}`, (value) => run(wrong({ [name]: value })), [-1, Infinity, 1e7]),
  ),
  ...numberCases(call, 'options.stuckProgress', (stuckProgress) => run(wrong({ stuckProgress })), [-0.1, 1.1]),
  ...numberCases(call, 'options.offMeshSpeed', (offMeshSpeed) => run(wrong({ offMeshSpeed })), [0, -1]),
  ...numberCases(call, 'options.offMeshMode', (offMeshMode) => run(wrong({ offMeshMode })), [2, 0.5]),
  ...numberCases(call, 'options.maxCorners', (maxCorners) => run(wrong({ maxCorners })), [2, 257, 3.5]),
  ...numberCases(call, 'options.corridorCapacity', (value) => run(wrong({ corridorCapacity: value })), [1, 4097]),
  ...[
    ['validateLookAhead', 1],
    ['optimizeInterval', 0],
    ['optimizeBudget', 2],
    ['topologyInterval', 0],
    ['topologyBudget', 1],
    ['replanBudget', 1],
    ['maxReplanRounds', 1],
    ['maxStuckRecoveries', 0],
    ['refineBudget', 0],
  ].flatMap(([name, least]) =>
    numberCases(call, `options.${name}`, (v) => run(wrong({ [name as string]: v })), [
      (least as number) - 1,
      2 ** 31,
      1.5,
    ]),
  ),
  [`${call}: searchExtents`, () => run(wrong({ searchExtents: [1, -1, 1] })), 'options.searchExtents.y'],
  [`${call}: searchExtents`, () => run(wrong({ searchExtents: [1, NaN, 1] })), 'options.searchExtents'],
];

const followerCases = (): Case[] => [
  ...resourceCases(
    'createPathFollower',
    'mesh',
    () => foreign.mesh,
    () => query,
    (value) => world.engine.createPathFollower(value),
  ),
  ...followerOptionCases('createPathFollower', (options) => world.engine.createPathFollower(mesh, options)),
  ...numberCases(
    'createPathFollower',
    'options.queryNodes',
    (queryNodes) => world.engine.createPathFollower(mesh, { queryNodes }),
    [15, 2 ** 20 + 1, 99.5],
  ),
  ...numberCases(
    'createPathFollower',
    'options.queryNodeModel',
    (queryNodeModel) => world.engine.createPathFollower(mesh, { queryNodeModel }),
    [2, -1, 0.5],
  ),
  ...filterCases('createPathFollower', (filter) => world.engine.createPathFollower(mesh, { filter })),
  ...pointCases('follower.place', 'position', (point) => follower.place(point)),
  ...pointCases('follower.tryPlace', 'position', (point) => follower.tryPlace(point)),
  ...pointCases('follower.setDestination', 'destination', (point) => follower.setDestination(point)),
  ...numberCases('follower.step', 'dt', (dt) => follower.step(dt), [0, -1, 3600.5, Infinity, undefined]),
  ...followerOptionCases('follower.setOptions', (options) => follower.setOptions(options)),
  ['follower.setOptions: a thing for life', () => follower.setOptions(wrong({ filter: null })), 'options.filter'],
  [
    'follower.setOptions: another capacity',
    () => follower.setOptions({ corridorCapacity: 99 }),
    'options.corridorCapacity',
  ],
  ['follower.setOptions: other corners', () => follower.setOptions({ maxCorners: 99 }), 'options.maxCorners'],
  ...numberCases('follower.corridor', 'maxCorners', (value) => follower.corridor(value), [1, 1025, 2.5]),
  ['follower.info: out is a number', () => follower.info(wrong(7)), 'out'],
  ['follower.info: out is frozen', () => follower.info(Object.freeze({})), 'out'],
  ['follower.info: a point in it is none', () => follower.info({ destination: wrong('here') }), 'out.destination'],
  ...bytesCases('follower.restoreState', (bytes) => follower.restoreState(bytes)),
];

const settingsCases = (call: string, run: (settings: never) => unknown): Case[] => [
  [`${call}: settings are text`, () => run(wrong('fine')), 'settings'],
  [`${call}: unknown setting`, () => run(wrong({ cellsize: 1 })), 'settings.cellsize'],
  ...numberCases(call, 'settings.cellSize', (cellSize) => run(wrong({ cellSize })), [0, -1, Infinity]),
  ...numberCases(call, 'settings.cellHeight', (cellHeight) => run(wrong({ cellHeight })), [0, -1]),
  ...numberCases(call, 'settings.agentRadius', (agentRadius) => run(wrong({ agentRadius })), [-1]),
  ...numberCases(call, 'settings.agentHeight', (agentHeight) => run(wrong({ agentHeight })), [0]),
  ...numberCases(call, 'settings.walkableClimb', (walkableClimb) => run(wrong({ walkableClimb })), [-1]),
  ...numberCases(call, 'settings.maxSlope', (maxSlope) => run(wrong({ maxSlope })), [-1, 90]),
  ...numberCases(call, 'settings.maxVertsPerPoly', (maxVertsPerPoly) => run(wrong({ maxVertsPerPoly })), [2, 13, 3.5]),
  ...numberCases(call, 'settings.partition', (partition) => run(wrong({ partition })), [-1, 99]),
];

const inputCases = (call: string, run: (input: never) => unknown): Case[] => [
  [`${call}: no input`, () => run(wrong(undefined)), 'input'],
  [`${call}: an unknown member`, () => run(wrong({ ...level, volume: [] })), 'input.volume'],
  [`${call}: settings in the input`, () => run(wrong({ ...level, settings: {} })), 'input.settings'],
  [`${call}: no positions`, () => run(wrong({ indices: [] })), 'input.positions'],
  [`${call}: positions not threes`, () => run(wrong({ ...level, positions: [1, 2] })), 'input.positions'],
  [
    `${call}: a NaN position`,
    () => run(wrong({ ...level, positions: [...level.positions.slice(0, -1), NaN] })),
    'input.positions',
  ],
  [
    `${call}: a far position`,
    () => run(wrong({ ...level, positions: [...level.positions.slice(0, -1), 1e7] })),
    'input.positions',
  ],
  [`${call}: indices not threes`, () => run(wrong({ ...level, indices: [0, 1] })), 'input.indices'],
  [`${call}: an index beyond`, () => run(wrong({ ...level, indices: [0, 1, 999] })), 'input.indices'],
  [`${call}: a negative index`, () => run(wrong({ ...level, indices: [0, 1, -1] })), 'input.indices'],
  [`${call}: half an index`, () => run(wrong({ ...level, indices: [0, 1, 1.5] })), 'input.indices'],
];

const bytesCases = (call: string, run: (bytes: never) => unknown): Case[] => [
  [`${call}: nothing`, () => run(wrong(undefined)), 'bytes'],
  [`${call}: a list`, () => run(wrong([1, 2, 3])), 'bytes'],
  [`${call}: floats`, () => run(wrong(new Float64Array(3))), 'bytes'],
];

function resourceCases(
  call: string,
  field: string,
  kind: () => Resource,
  other: () => Resource,
  run: (value: never) => unknown,
): Case[] {
  return [
    [`${call}: nothing`, () => run(wrong(undefined)), field],
    [`${call}: a plain object`, () => run(wrong({})), field],
    [`${call}: another class`, () => run(wrong(other())), field],
    [`${call}: of another engine`, () => run(wrong(kind())), field],
  ];
}

const from: [number, number, number] = [0, 0, 5];

const batch = (changed: object) =>
  wrong({
    startRefs: [ref, ref],
    starts: [0, 0, 5, 0, 0, 5],
    endRefs: [ref, ref],
    ends: [0, 0, 5, 1, 0, 5],
    ...changed,
  });

const square: [number, number, number][] = [
  [-1, 0, 4],
  [-1, 0, 6],
  [1, 0, 6],
  [1, 0, 4],
];

// An `out` that is no object, and arrays in it that are wrong or too short for anything.
function outCases(
  call: string,
  run: (out: never) => unknown,
  arrays: Record<string, [kind: 'wide' | 'refs', length: number]>,
): Case[] {
  const all = Object.entries(arrays).flatMap(([name, [kind, length]]): Case[] => [
    [`${call}: out.${name} is a list`, () => run(wrong({ [name]: [1, 2, 3, 4, 5, 6] })), `out.${name}`],
    [
      `${call}: out.${name} of another kind`,
      () => run(wrong({ [name]: kind === 'refs' ? new Float64Array(9) : new BigUint64Array(9) })),
      `out.${name}`,
    ],
    ...(length > 0
      ? [
          [
            `${call}: out.${name} is short`,
            () => run(wrong({ [name]: shortArray(name, length) })),
            `out.${name}`,
          ] as Case,
        ]
      : []),
  ]);
  return [
    [`${call}: out is a number`, () => run(wrong(7)), 'out'],
    [`${call}: out is text`, () => run(wrong('out')), 'out'],
    ...all,
  ];
}

const arrayKinds: Record<string, (length: number) => unknown> = {
  ...Object.fromEntries(
    ['polygons', 'refs', 'visited', 'parents'].map((name) => [name, (n: number) => new BigUint64Array(n)]),
  ),
  ...Object.fromEntries(
    ['points', 'ends', 'distances', 'costs', 'iterations'].map((name) => [name, (n: number) => new Float64Array(n)]),
  ),
  ...Object.fromEntries(
    ['flags', 'edges', 'parts', 'over', 'outOfNodes', 'truncated'].map((name) => [
      name,
      (n: number) => new Uint8Array(n),
    ]),
  ),
  ...Object.fromEntries(['firsts', 'counts', 'pathIndices'].map((name) => [name, (n: number) => new Uint32Array(n)])),
};
const shortArray = (name: string, length: number) => arrayKinds[name]!(length - 1);

const queryCases = (): Case[] => [
  ...pointCases('beginPath', 'start', (point) => query.beginPath(ref, point, ref, from)),
  ...pointCases('beginPath', 'end', (point) => query.beginPath(ref, from, ref, point)),
  ...refCases('beginPath', 'startRef', (value) => query.beginPath(value, from, ref, from)),
  ...refCases('beginPath', 'endRef', (value) => query.beginPath(ref, from, value, from)),
  ...staleRefCases('beginPath', 'startRef', (value) => query.beginPath(value, from, ref, from)),
  ...staleRefCases('beginPath', 'endRef', (value) => query.beginPath(ref, from, value, from)),
  ...filterCases('beginPath', (filter) => query.beginPath(ref, from, ref, from, { filter })),
  ...numberCases('updatePath', 'maxNodes', (v) => query.updatePath(v), [0, -1, 0.5, 2 ** 31, undefined]),
  ...numberCases('finishPath', 'options.maxPolygons', (v) => query.finishPath({ maxPolygons: v }), [0, 2 ** 20 + 1]),
  ['finishPath: unknown option', () => query.finishPath(wrong({ filter: null })), 'options.filter'],
  ...numberCases(
    'straightPath',
    'options.crossings',
    (v) => query.straightPath(from, from, [ref], { crossings: v }),
    [-1, 3, 0.5],
  ),
  ['computePath: negative extents', () => query.computePath(from, from, { extents: [1, -1, 1] }), 'options.extents'],
  ...numberCases('computePath', 'options.maxPolygons', (v) => query.computePath(from, from, { maxPolygons: v }), [0]),
  ...numberCases('computePath', 'options.maxCorners', (v) => query.computePath(from, from, { maxCorners: v }), [1]),
  ['computePath: unknown option', () => query.computePath(from, from, wrong({ crossings: 1 })), 'options.crossings'],

  ['nearestMany: nothing', () => query.nearestMany(wrong(undefined)), 'points'],
  ['nearestMany: not threes', () => query.nearestMany([1, 2]), 'points'],
  ['nearestMany: text', () => query.nearestMany(wrong([0, '0', 5])), 'points'],
  ['nearestMany: NaN', () => query.nearestMany([0, 0, 5, 0, NaN, 5]), 'points'],
  ['nearestMany: too far', () => query.nearestMany(Float64Array.of(0, 0, 2097152)), 'points'],
  ['nearestMany: extents', () => query.nearestMany([0, 0, 5], { extents: [1, NaN, 1] }), 'options.extents'],
  ...filterCases('nearestMany', (filter) => query.nearestMany([0, 0, 5], { filter })),
  ...outCases('nearestMany', (out) => query.nearestMany([0, 0, 5, 1, 0, 5], undefined, out), {
    refs: ['refs', 2],
    points: ['wide', 6],
    over: ['wide', 2],
  }),
  ['findPaths: nothing', () => query.findPaths(wrong(undefined)), 'requests'],
  ['findPaths: unknown member', () => query.findPaths(batch({ start: [] })), 'requests.start'],
  ['findPaths: no starts', () => query.findPaths(batch({ starts: undefined })), 'requests.starts'],
  ['findPaths: fewer ends', () => query.findPaths(batch({ ends: [0, 0, 5] })), 'requests.ends'],
  ['findPaths: fewer references', () => query.findPaths(batch({ endRefs: [ref] })), 'requests.endRefs'],
  ['findPaths: a number among references', () => query.findPaths(batch({ startRefs: [ref, 1] })), 'requests.startRefs'],
  [
    'findPaths: a stale reference',
    () => query.findPaths(batch({ startRefs: [ref, 0n] })),
    'requests.startRefs',
    'StaleRef',
  ],
  [
    'findPaths: a forged reference',
    () => query.findPaths(batch({ endRefs: [ref, ~0n & 0xffffn] })),
    'requests.endRefs',
    'StaleRef',
  ],
  ['findPaths: a NaN', () => query.findPaths(batch({ starts: [0, 0, 5, 0, NaN, 5] })), 'requests.starts'],
  ['findPaths: too far', () => query.findPaths(batch({ ends: [0, 0, 5, 0, 0, 1e9] })), 'requests.ends'],
  ...filterCases('findPaths', (filter) => query.findPaths(batch({}), { filter })),
  ...numberCases('findPaths', 'options.maxPolygons', (v) => query.findPaths(batch({}), { maxPolygons: v }), [0]),
  ...numberCases('findPaths', 'options.maxTotal', (v) => query.findPaths(batch({}), { maxTotal: v }), [0, 2 ** 24 + 1]),
  ...outCases('findPaths', (out) => query.findPaths(batch({}), undefined, out), {
    polygons: ['refs', 1],
    firsts: ['wide', 2],
    counts: ['wide', 2],
    ends: ['wide', 6],
    outOfNodes: ['wide', 2],
    truncated: ['wide', 2],
    iterations: ['wide', 2],
  }),
  [
    'findPaths: outcomes',
    () => query.findPaths(batch({}), undefined, wrong({ outcomes: new Uint8Array(2) })),
    'out.outcomes',
  ],

  ...refCases('randomPointAround', 'ref', (value) => query.randomPointAround(value, from, 1, 1n)),
  ...staleRefCases('randomPointAround', 'ref', (value) => query.randomPointAround(value, from, 1, 1n)),
  ...pointCases('randomPointAround', 'center', (point) => query.randomPointAround(ref, point, 1, 1n)),
  ...numberCases('randomPointAround', 'radius', (v) => query.randomPointAround(ref, from, v, 1n), [0, -1, Infinity]),
  ...refCases('randomPointAround', 'seed', (seed) => query.randomPointAround(ref, from, 1, seed)),
  ...filterCases('randomPointAround', (filter) => query.randomPointAround(ref, from, 1, 1n, { filter })),
  ...refCases('wallPiece', 'ref', (value) => query.wallPiece(value, 0, 0)),
  ...staleRefCases('wallPiece', 'ref', (value) => query.wallPiece(value, 0, 0)),
  ...numberCases('wallPiece', 'edge', (v) => query.wallPiece(ref, v, 0), [-1, 256, 0.5]),
  ...numberCases('wallPiece', 'part', (v) => query.wallPiece(ref, 0, v), [-1, 256, 0.5]),
  ...filterCases('wallPiece', (filter) => query.wallPiece(ref, 0, 0, { filter })),
  ...refCases('distanceToWall', 'ref', (value) => query.distanceToWall(value, from, 1)),
  ...staleRefCases('distanceToWall', 'ref', (value) => query.distanceToWall(value, from, 1)),
  ...pointCases('distanceToWall', 'center', (point) => query.distanceToWall(ref, point, 1)),
  ...numberCases('distanceToWall', 'maxRadius', (v) => query.distanceToWall(ref, from, v), [-1, Infinity]),
  ...filterCases('distanceToWall', (filter) => query.distanceToWall(ref, from, 1, { filter })),
  ...refCases('polygonsAroundCircle', 'ref', (value) => query.polygonsAroundCircle(value, from, 1)),
  ...staleRefCases('polygonsAroundCircle', 'ref', (value) => query.polygonsAroundCircle(value, from, 1)),
  ...pointCases('polygonsAroundCircle', 'center', (point) => query.polygonsAroundCircle(ref, point, 1)),
  ...numberCases('polygonsAroundCircle', 'radius', (v) => query.polygonsAroundCircle(ref, from, v), [-1, Infinity]),
  ...numberCases(
    'polygonsAroundCircle',
    'options.maxPolygons',
    (v) => query.polygonsAroundCircle(ref, from, 1, { maxPolygons: v }),
    [0],
  ),
  ...filterCases('polygonsAroundCircle', (filter) => query.polygonsAroundCircle(ref, from, 1, { filter })),
  ...refCases('polygonsAroundShape', 'ref', (value) => query.polygonsAroundShape(value, square)),
  ...staleRefCases('polygonsAroundShape', 'ref', (value) => query.polygonsAroundShape(value, square)),
  ['polygonsAroundShape: nothing', () => query.polygonsAroundShape(ref, wrong(undefined)), 'vertices'],
  ['polygonsAroundShape: two', () => query.polygonsAroundShape(ref, square.slice(2)), 'vertices'],
  [
    'polygonsAroundShape: 33',
    () =>
      query.polygonsAroundShape(
        ref,
        Array.from({ length: 33 }, () => from),
      ),
    'vertices',
  ],
  ['polygonsAroundShape: a NaN', () => query.polygonsAroundShape(ref, [[0, NaN, 0], ...square]), 'vertices[0]'],
  ['polygonsAroundShape: a dent', () => query.polygonsAroundShape(ref, [...square, [0, 0, 5]]), 'vertices'],
  ...filterCases('polygonsAroundShape', (filter) => query.polygonsAroundShape(ref, square, { filter })),

  ...[
    ['nearest', (out: never) => query.nearest(from, undefined, out)] as const,
    ['closestPoint', (out: never) => query.closestPoint(ref, from, out)] as const,
    ['randomPoint', (out: never) => query.randomPoint(1n, undefined, out)] as const,
    ['randomPointAround', (out: never) => query.randomPointAround(ref, from, 1, 1n, undefined, out)] as const,
    ['wallPiece', (out: never) => query.wallPiece(ref, 0, 0, undefined, out)] as const,
    ['distanceToWall', (out: never) => query.distanceToWall(ref, from, 1, undefined, out)] as const,
  ].flatMap(([call, run]) => outCases(call, run, {})),
  ...outCases('findPath', (out) => query.findPath(ref, from, ref, from, undefined, out), { polygons: ['refs', 1] }),
  ...outCases('finishPath', (out) => query.finishPath(undefined, out), { polygons: ['refs', 1] }),
  ...outCases('raycast', (out) => query.raycast(ref, from, from, undefined, out), { polygons: ['refs', 1] }),
  ...outCases('moveAlongSurface', (out) => query.moveAlongSurface(ref, from, from, undefined, out), {
    visited: ['refs', 1],
  }),
  ...outCases('straightPath', (out) => query.straightPath(from, from, [ref], undefined, out), {
    points: ['wide', 6],
    refs: ['refs', 2],
    pathIndices: ['wide', 2],
    flags: ['wide', 2],
  }),
  ...outCases('computePath', (out) => query.computePath(from, from, undefined, out), {
    polygons: ['refs', 1],
    points: ['wide', 6],
    refs: ['refs', 2],
    pathIndices: ['wide', 2],
    flags: ['wide', 2],
  }),
  ...outCases('findWalls', (out) => query.findWalls(ref, from, 1, undefined, out), {
    refs: ['refs', 1],
    edges: ['wide', 1],
    parts: ['wide', 1],
    ends: ['wide', 6],
    distances: ['wide', 1],
  }),
  ...outCases('polygonsAroundCircle', (out) => query.polygonsAroundCircle(ref, from, 1, undefined, out), {
    refs: ['refs', 1],
    parents: ['refs', 1],
    costs: ['wide', 1],
  }),
];

const cases = (): Case[] => [
  ...settingsCases('buildNavMesh', (settings) => world.engine.buildNavMesh(level, settings)),
  ...inputCases('buildNavMesh', (input) => world.engine.buildNavMesh(input)),
  ['buildNavMesh: areas too few', () => world.engine.buildNavMesh({ ...level, areas: [1] }), 'input.areas'],
  [
    'buildNavMesh: an area of 64',
    () => world.engine.buildNavMesh({ ...level, areas: level.indices.filter((_, i) => i % 3 === 0).map(() => 64) }),
    'input.areas',
  ],
  [
    'buildNavMesh: an area of 255 in bytes',
    () => world.engine.buildNavMesh({ ...level, areas: new Uint8Array(level.indices.length / 3).fill(255) }),
    'input.areas',
  ],
  ...numberCases(
    'buildNavMesh',
    'settings.tileCells',
    (v) => world.engine.buildNavMesh(level, { tileCells: v }),
    [7, -1],
  ),
  ...settingsCases('writeBuildInput', (settings) => world.engine.writeBuildInput(level, settings)),
  ...inputCases('writeBuildInput', (input) => world.engine.writeBuildInput(input)),
  ...bytesCases('loadNavMesh', (bytes) => world.engine.loadNavMesh(bytes)),
  ...bytesCases('readBuildInput', (bytes) => world.engine.readBuildInput(bytes)),
  ...bytesCases('openReplay', (bytes) => world.engine.openReplay(bytes)),
  ...bytesCases('restoreState', (bytes) => crowd.restoreState(bytes)),
  ...bytesCases('restoreStateWithMesh', (bytes) => crowd.restoreStateWithMesh(bytes)),
  [
    'restoreStateWithMesh: no list',
    () => crowd.restoreStateWithMesh(bothBytes(), { tiles: wrong(5) }),
    'options.tiles',
  ],
  [
    'restoreStateWithMesh: a number as a tile',
    () => crowd.restoreStateWithMesh(bothBytes(), { tiles: [new Uint8Array(1), wrong(5)] }),
    'options.tiles[1]',
  ],
  [
    'restoreStateWithMesh: a mode',
    () => crowd.restoreStateWithMesh(bothBytes(), wrong({ mode: 'full' })),
    'options.mode',
  ],
  ['restoreStateWithMesh: of a player', () => playerCrowd().restoreStateWithMesh(bothBytes()), 'crowd'],
  [
    'restoreStateWithMesh: on the mesh of a player',
    () => onPlayersMesh((other) => other.restoreStateWithMesh(bothBytes())),
    'mesh',
  ],
  ['saveStateWithMesh: a mode', () => crowd.saveStateWithMesh({ mode: wrong('whole') }), 'options.mode'],
  ['saveStateWithMesh: tiles', () => crowd.saveStateWithMesh(wrong({ tiles: [] })), 'options.tiles'],
  ['trySaveState: nothing', () => crowd.trySaveState(wrong(undefined)), 'out'],
  ['trySaveState: words', () => crowd.trySaveState(wrong(new Uint16Array(1 << 16))), 'out'],
  ...resourceCases(
    'createQuery',
    'mesh',
    () => foreign.mesh,
    () => crowd,
    (value) => world.engine.createQuery(value),
  ),
  ...resourceCases(
    'createCrowd',
    'mesh',
    () => foreign.mesh,
    () => query,
    (value) => world.engine.createCrowd(value),
  ),
  ...resourceCases(
    'createRecorder',
    'crowd',
    () => foreign.engine.createCrowd(foreign.mesh),
    () => mesh,
    (value) => world.engine.createRecorder(value, { dt: 1 }),
  ),
  ...resourceCases(
    'createPlayer',
    'replay',
    () => foreign.engine.openReplay(recordRun(foreign, 1).bytes),
    () => player,
    (value) => world.engine.createPlayer(value),
  ),
  ['createQuery: unknown option', () => world.engine.createQuery(mesh, wrong({ nodes: 1 })), 'options.nodes'],
  ...numberCases('createQuery', 'options.maxNodes', (maxNodes) => world.engine.createQuery(mesh, { maxNodes }), [
    15,
    2 ** 20 + 1,
    100.5,
  ]),
  ...numberCases(
    'createQuery',
    'options.nodeModel',
    (nodeModel) => world.engine.createQuery(mesh, { nodeModel }),
    [-1, 9],
  ),
  [
    'createQuery: hierarchical',
    () => world.engine.createQuery(mesh, wrong({ hierarchical: 1 })),
    'options.hierarchical',
  ],
  ['createCrowd: unknown option', () => world.engine.createCrowd(mesh, wrong({ agents: 1 })), 'options.agents'],
  [
    'createQuery: exact and hierarchical',
    () => world.engine.createQuery(mesh, { nodeModel: NodeModel.Exact, hierarchical: true }),
    'options.hierarchical',
  ],
  ...numberCases(
    'createCrowd',
    'options.maxAgents',
    (maxAgents) => world.engine.createCrowd(mesh, { maxAgents }),
    [0, 65537],
  ),
  ...numberCases('createCrowd', 'options.queryNodes', (queryNodes) => world.engine.createCrowd(mesh, { queryNodes }), [
    15,
    2 ** 21,
  ]),
  ...numberCases(
    'createCrowd',
    'options.queryNodeModel',
    (v) => world.engine.createCrowd(mesh, { queryNodeModel: v }),
    [-1, 2, 9],
  ),
  ...numberCases(
    'createCrowd',
    'options.maxWallsPerAgent',
    (v) => world.engine.createCrowd(mesh, { maxWallsPerAgent: v }),
    [0, 256],
  ),
  ...numberCases(
    'createCrowd',
    'options.wallRefreshDistance',
    (v) => world.engine.createCrowd(mesh, { wallRefreshDistance: v }),
    [0, -1],
  ),
  ...numberCases(
    'createCrowd',
    'options.maxWallsAvoided',
    (v) => world.engine.createCrowd(mesh, { maxWallsAvoided: v }),
    [-1, 49],
  ),
  [
    'createCrowd: recordConstraints',
    () => world.engine.createCrowd(mesh, wrong({ recordConstraints: 1 })),
    'options.recordConstraints',
  ],
  ...filterCases('createCrowd', (filter) => world.engine.createCrowd(mesh, { filter })),
  ...numberCases('createRecorder', 'options.dt', (dt) => world.engine.createRecorder(crowd, { dt }), [
    0,
    -1,
    3601,
    undefined,
  ]),
  ['createRecorder: no options', () => world.engine.createRecorder(crowd, wrong(undefined)), 'options.dt'],
  ['createPlayer: unknown option', () => world.engine.createPlayer(replay, wrong({ budget: 1 })), 'options.budget'],
  ...numberCases(
    'createPlayer',
    'options.keyframeBudget',
    (v) => world.engine.createPlayer(replay, { keyframeBudget: v }),
    [-1, 2 ** 32, 0.5],
  ),
  ...numberCases(
    'createPlayer',
    'options.keyframeSpacing',
    (v) => world.engine.createPlayer(replay, { keyframeSpacing: v }),
    [0, -1],
  ),

  ...refCases('isValidRef', 'ref', (value) => mesh.isValidRef(value)),
  ...refCases('polygon', 'ref', (value) => mesh.polygon(value)),
  ...staleRefCases('polygon', 'ref', (value) => mesh.polygon(value)),

  ...pointCases('nearest', 'point', (point) => query.nearest(point)),
  ['nearest: unknown option', () => query.nearest(from, wrong({ extent: 1 })), 'options.extent'],
  ['nearest: negative extents', () => query.nearest(from, { extents: [1, -1, 1] }), 'options.extents'],
  ['nearest: NaN extents', () => query.nearest(from, { extents: [1, NaN, 1] }), 'options.extents'],
  ...filterCases('nearest', (filter) => query.nearest(from, { filter })),
  ...pointCases('closestPoint', 'point', (point) => query.closestPoint(ref, point)),
  ...refCases('closestPoint', 'ref', (value) => query.closestPoint(value, from)),
  ...staleRefCases('closestPoint', 'ref', (value) => query.closestPoint(value, from)),
  ...refCases('height', 'ref', (value) => query.height(value, 0, 5)),
  ...staleRefCases('height', 'ref', (value) => query.height(value, 0, 5)),
  ['height: NaN', () => query.height(ref, NaN, 0), 'x'],
  ['height: text', () => query.height(ref, 0, wrong('0')), 'z'],
  ['height: too far', () => query.height(ref, 0, 1e9), 'z'],
  ...refCases('randomPoint', 'seed', (seed) => query.randomPoint(seed)),
  ...filterCases('randomPoint', (filter) => query.randomPoint(1n, { filter })),
  ...pointCases('findPath', 'start', (point) => query.findPath(ref, point, ref, from)),
  ...pointCases('findPath', 'end', (point) => query.findPath(ref, from, ref, point)),
  ...refCases('findPath', 'startRef', (value) => query.findPath(value, from, ref, from)),
  ...refCases('findPath', 'endRef', (value) => query.findPath(ref, from, value, from)),
  ...staleRefCases('findPath', 'startRef', (value) => query.findPath(value, from, ref, from)),
  ...staleRefCases('findPath', 'endRef', (value) => query.findPath(ref, from, value, from)),
  ...numberCases('findPath', 'options.maxPolygons', (v) => query.findPath(ref, from, ref, from, { maxPolygons: v }), [
    0,
    2 ** 20 + 1,
    1.5,
  ]),
  ...filterCases('findPath', (filter) => query.findPath(ref, from, ref, from, { filter })),
  ...pointCases('straightPath', 'start', (point) => query.straightPath(point, from, [ref])),
  ...pointCases('straightPath', 'end', (point) => query.straightPath(from, point, [ref])),
  ['straightPath: no list', () => query.straightPath(from, from, wrong(ref)), 'polygons'],
  ['straightPath: a number in it', () => query.straightPath(from, from, wrong([ref, 1])), 'polygons[1]'],
  ...numberCases(
    'straightPath',
    'options.maxCorners',
    (v) => query.straightPath(from, from, [ref], { maxCorners: v }),
    [1, 65537],
  ),
  ...pointCases('computePath', 'start', (point) => query.computePath(point, from)),
  ...pointCases('computePath', 'end', (point) => query.computePath(from, point)),
  ...filterCases('computePath', (filter) => query.computePath(from, from, { filter })),
  ...pointCases('moveAlongSurface', 'start', (point) => query.moveAlongSurface(ref, point, from)),
  ...pointCases('moveAlongSurface', 'to', (point) => query.moveAlongSurface(ref, from, point)),
  ...refCases('moveAlongSurface', 'startRef', (value) => query.moveAlongSurface(value, from, from)),
  ...staleRefCases('moveAlongSurface', 'startRef', (value) => query.moveAlongSurface(value, from, from)),
  ...pointCases('raycast', 'start', (point) => query.raycast(ref, point, from)),
  ...pointCases('raycast', 'end', (point) => query.raycast(ref, from, point)),
  ...refCases('raycast', 'startRef', (value) => query.raycast(value, from, from)),
  ...staleRefCases('raycast', 'startRef', (value) => query.raycast(value, from, from)),
  ...pointCases('findWalls', 'center', (point) => query.findWalls(ref, point, 1)),
  ...queryCases(),
  ...refCases('findWalls', 'ref', (value) => query.findWalls(value, from, 1)),
  ...staleRefCases('findWalls', 'ref', (value) => query.findWalls(value, from, 1)),
  ...numberCases('findWalls', 'radius', (radius) => query.findWalls(ref, from, radius), [-1, Infinity]),

  ...pointCases('crowd.add', 'position', (point) => crowd.add(point)),
  ...agentOptionCases('crowd.add', (options) => crowd.add(from, options)),
  ...pointCases('crowd.tryAdd', 'position', (point) => crowd.tryAdd(point)),
  ...agentOptionCases('crowd.tryAdd', (options) => crowd.tryAdd(from, options)),
  ...agentOptionCases('crowd.setOptions', (options) => crowd.setOptions(id, options)),
  [
    'crowd.setOptions: another capacity',
    () => crowd.setOptions(id, { path: { corridorCapacity: 99 } }),
    'options.path.corridorCapacity',
  ],
  [
    'crowd.setOptions: other corners',
    () => crowd.setOptions(id, { path: { maxCorners: 99 } }),
    'options.path.maxCorners',
  ],
  ...idCases('crowd.remove', (value) => crowd.remove(value)),
  ...idCases('crowd.stop', (value) => crowd.stop(value)),
  ...idCases('crowd.setDestination', (value) => crowd.setDestination(value, from)),
  ...pointCases('crowd.setDestination', 'destination', (point) => crowd.setDestination(id, point)),
  ...idCases('crowd.teleport', (value) => crowd.teleport(value, from)),
  ...pointCases('crowd.teleport', 'position', (point) => crowd.teleport(id, point)),
  ...idCases('crowd.setOptions', (value) => crowd.setOptions(value, {})),
  ...idCases('crowd.setPriority', (value) => crowd.setPriority(value, 1)),
  ...idCases('crowd.setVelocity', (value) => crowd.setVelocity(value, from)),
  ...pointCases('crowd.setVelocity', 'velocity', (point) => crowd.setVelocity(id, point)),
  ...numberCases('crowd.setPriority', 'priority', (priority) => crowd.setPriority(id, priority), [0, -1, Infinity]),
  ...numberCases('crowd.step', 'dt', (dt) => crowd.step(dt), [0, -1, 3600.5, Infinity]),
  ...idCases('crowd.agent', (value) => crowd.agent(value)),
  ...idCases('crowd.agentOptions', (value) => crowd.agentOptions(value)),
  ...idCases('crowd.corridor', (value) => crowd.corridor(value)),
  ...idCases('crowd.debugGeometry', (value) => crowd.debugGeometry(value)),
  ...idCases('crowd.crossing', (value) => crowd.crossing(value)),
  ...idCases('crowd.completeOffMeshLink', (value) => crowd.completeOffMeshLink(value)),
  ...followerCases(),
  ...numberCases('crowd.corridor', 'maxCorners', (value) => crowd.corridor(id, value), [1, 1025, 2.5]),
  ['crowd.has: text', () => crowd.has(wrong('1')), 'id'],
  ['crowd.readAgents: nothing', () => crowd.readAgents(wrong(undefined)), 'out'],
  [
    'crowd.readAgents: unknown array',
    () => crowd.readAgents(wrong({ position: new Float64Array(60) })),
    'out.position',
  ],
  ['crowd.readAgents: short', () => crowd.readAgents({ ids: new Float64Array(1) }), 'out.ids'],
  [
    'crowd.readAgents: room for one number an agent',
    () => crowd.readAgents({ wantedVelocities: new Float64Array(23) }),
    'out.wantedVelocities',
  ],

  ...pointCases('recorder.add', 'position', (point) => recorder.add(point)),
  ...agentOptionCases('recorder.add', (options) => recorder.add(from, options)),
  ...pointCases('recorder.tryAdd', 'position', (point) => recorder.tryAdd(point)),
  ...idCases('recorder.remove', (value) => recorder.remove(value)),
  ...idCases('recorder.stop', (value) => recorder.stop(value)),
  ...idCases('recorder.setDestination', (value) => recorder.setDestination(value, from)),
  ...pointCases('recorder.setDestination', 'destination', (point) => recorder.setDestination(id, point)),
  ...idCases('recorder.teleport', (value) => recorder.teleport(value, from)),
  ...pointCases('recorder.teleport', 'position', (point) => recorder.teleport(id, point)),

  ...numberCases('replay.step', 'index', (index) => replay.step(index), [-1, 5, 0.5]),
  ...numberCases('player.seek', 'position', (position) => player.seek(position), [-1, 6, 0.5]),
  ...numberCases('player.seekSlice', 'position', (position) => player.seekSlice(position, 1), [-1, 6]),
  ...numberCases('player.seekSlice', 'maxSteps', (maxSteps) => player.seekSlice(2, maxSteps), [0, -1, 0.5]),
];

function problemOf(run: () => unknown, field: string, status: StatusName): string | null {
  try {
    run();
    return 'was accepted';
  } catch (error) {
    if (!(error instanceof ArgumentError)) return `threw ${String(error)}`;
    const { message } = error;
    const right = error.field === field && error.status === status && message.includes(field);
    return right ? null : `threw ${error.status} of ${error.field}: ${message}`;
  }
}

describe('a wrong argument', () => {
  it('is an ArgumentError that names it, for every public method', { timeout: 120_000 }, () => {
    const all = cases();
    const before = fingerprint();
    const failures = all.flatMap(([call, run, field, status = 'Argument']) => {
      const problem = problemOf(run, field, status);
      return problem === null ? [] : [`${call}: ${problem}`];
    });
    expect(failures).toEqual([]);
    expect(fingerprint()).toEqual(before);
    console.log(`${all.length} calls with a wrong argument`);
  });
});

describe('messages', () => {
  const messages: [string, () => unknown, string][] = [
    [
      'of the engine quote the value',
      () => world.engine.buildNavMesh(level, { cellSize: -1 }),
      'settings.cellSize is out of range (it is -1, it must be above 0).',
    ],
    [
      'of the engine know open bounds',
      () => world.engine.buildNavMesh(level, { maxSlope: 100 }),
      'settings.maxSlope is out of range (it is 100, it must be below 90).',
    ],
    [
      'of the engine know closed bounds',
      () => world.engine.buildNavMesh(level, { agentRadius: -1 }),
      'settings.agentRadius is out of range (it is -1, it must not be negative).',
    ],
    [
      'of agents know open bounds',
      () => crowd.setPriority(id, -1),
      'priority is out of range (it is -1, it must be above 0).',
    ],
    [
      'of too many cells tell the cure',
      () => world.engine.buildNavMesh(level, { cellSize: 0.01, agentRadius: 0 }),
      'settings.cellSize exceeds a limit (it is 0.01, at most 4000000 cells are possible in one tile: ' +
        'give tileCells, for example 64, or larger cells).',
    ],
    [
      'of too large a level do not name tiles',
      () => world.engine.buildNavMesh(level, { cellSize: 1e-9, agentRadius: 0 }),
      'settings.cellSize exceeds a limit (it is 1e-9, at most 1073741824 cells are possible).',
    ],
    [
      'of partitions list them',
      () => world.engine.buildNavMesh(level, { partition: 3 as never }),
      'settings.partition must be one of Partition.Watershed (0), Partition.Monotone (1), Partition.Layers (2), not 3.',
    ],
    [
      'of node models list them',
      () => world.engine.createQuery(mesh, { nodeModel: 7 as never }),
      'options.nodeModel must be one of NodeModel.Polygon (0), NodeModel.Crossing (1), NodeModel.Exact (2), not 7.',
    ],
    [
      'of node models of crowds list those for crowds',
      () => world.engine.createCrowd(mesh, { queryNodeModel: 2 }),
      'options.queryNodeModel must be one of NodeModel.Polygon (0), NodeModel.Crossing (1), not 2.',
    ],
    [
      'of batches name the request: a miss',
      () => query.findPaths(batch({ startRefs: [ref, 0n] })),
      'requests.startRefs[1] is 0n: there is no polygon, so there is no way.',
    ],
    [
      'of batches name the request: a stale reference',
      () => query.findPaths(batch({ endRefs: [ref, 12345n] })),
      'requests.endRefs[1] names no polygon of this mesh (any more).',
    ],
    [
      'of batches name the request: a point',
      () => query.findPaths(batch({ starts: [0, 0, 5, 0, NaN, 5] })),
      'requests.starts[1] must be finite, but y is NaN.',
    ],
    [
      'of batches name the point',
      () => query.nearestMany([0, 0, 5, 0, 0, 2097152]),
      'points[1] is too far out: z is 2097152, not below 2097152.',
    ],
    [
      'of batches say what requests are',
      () => query.findPaths(wrong([[0, 0, 5]]), wrong([[1, 0, 5]])),
      'requests must be an object with startRefs, starts, endRefs and ends, not an array of 1.',
    ],
    [
      'of shapes say convex',
      () => query.polygonsAroundShape(ref, [...square, [0, 0, 5]]),
      'vertices must be the corners of a convex shape, in order around it, no two in one place.',
    ],
    ['of radii say above 0', () => query.randomPointAround(ref, from, 0, 1n), 'radius must be above 0, not 0.'],
    [
      'of arrays name the kind given',
      () => query.straightPath(from, from, [ref], undefined, wrong({ points: new Float32Array(9) })),
      'out.points must be a Float64Array, not a Float32Array.',
    ],
    [
      'of a frozen out say so',
      () => query.nearest(from, undefined, Object.freeze({})),
      'out is frozen: nothing can be written to it.',
    ],
    [
      'of an out say what its points are',
      () => query.nearest(from, undefined, wrong({ point: { x: 0, y: 0, z: 0 } })),
      'out.point must be an array [x, y, z], not an object.',
    ],
    [
      'of a list as an out',
      () => query.nearest(from, undefined, wrong(new Float64Array(3))),
      'out must be an object, not a Float64Array.',
    ],
    [
      'of a route that is too short',
      () => query.straightPath(from, from, { polygons: [ref], polygonCount: 2 }),
      'polygons.polygonCount must be at most 1, the number of polygons, not 2.',
    ],
    [
      'of lengths say what a row is',
      () => world.engine.buildNavMesh({ ...level, positions: new Float64Array(14) }),
      'input.positions is incomplete: its length must be a multiple of 3 (x, y, z): it is 14.',
    ],
    [
      'of indices too',
      () => world.engine.buildNavMesh({ ...level, indices: [0, 1] }),
      'input.indices is incomplete: its length must be a multiple of 3 (the corners of a triangle): it is 2.',
    ],
    [
      'of text among numbers name its place',
      () => world.engine.buildNavMesh({ positions: [0, 0, 0, 0, wrong('0'), 9, 9, 0, 9], indices: [0, 1, 2] }),
      'input.positions must hold numbers, but y of row 1 is "0".',
    ],
    [
      'of text among the positions of polygons too',
      () =>
        world.engine.navMeshFromPolygons({ positions: [0, 0, 0, 0, 0, 6, 8, 0, wrong(null)], polygons: [[0, 1, 2]] }),
      'polygons.positions must hold numbers, but z of row 2 is null.',
    ],

    [
      'of the engine name the limit',
      () => crowd.step(4000),
      'dt is out of range (it is 4000, it must be at most 3600).',
    ],
    ['of the engine say what zero lacks', () => crowd.step(0), 'dt is out of range (it is 0, it must be above 0).'],
    [
      'of places off the mesh say so',
      () => crowd.add([900, 0, 1]),
      'No walkable polygon is near position (900, 0, 1).',
    ],
    [
      'of agents list qualities',
      () => crowd.add(from, { quality: wrong('High') }),
      'options.quality must be one of Quality.Off (0), Quality.Low (1), Quality.Medium (2), Quality.High (3), not "High".',
    ],
    [
      'of agents list modes of off-mesh links',
      () => crowd.setOptions(id, { path: { offMeshMode: wrong(2) } }),
      'options.path.offMeshMode must be one of OffMeshMode.Automatic (0), OffMeshMode.Host (1), not 2.',
    ],
    [
      'of the engine quote one number of a point',
      () => crowd.add(from, { path: { searchExtents: [1, 1, -2] } }),
      'options.path.searchExtents.z is out of range (it is -2, it must not be negative).',
    ],
    [
      'of extents quote it too',
      () => query.nearest(from, { extents: [1, -1, 1] }),
      'options.extents must not be negative, but y is -1.',
    ],
    [
      'of points say what is given',
      () => crowd.add(wrong([1, 2])),
      'position must be [x, y, z] or { x, y, z }, not an array of 2.',
    ],
    [
      'of settings among the input say where they belong',
      () => world.engine.buildNavMesh(wrong({ ...level, cellSize: 1 })),
      'input.cellSize is a setting: pass it in the second argument.',
    ],
    [
      'of what holds the object meant say so',
      () => world.engine.createPathFollower(wrong({ mesh, report: {} })),
      'mesh must be a NavMesh, not an object: pass its mesh.',
    ],
    ...(
      [
        ['maxspeed', 'maxSpeed', () => crowd.add(from, wrong({ maxspeed: 1 }))],
        ['path.maxCorner', 'maxCorners', () => crowd.add(from, wrong({ path: { maxCorner: 9 } }))],
        ['maxPolygon', 'maxPolygons', () => query.computePath(from, from, wrong({ maxPolygon: 9 }))],
        ['fliter', 'filter', () => query.nearest(from, wrong({ fliter: null }))],
        ['filter.areaCosts', 'areaCost', () => query.nearest(from, wrong({ filter: { areaCosts: [] } }))],
      ] as const
    ).map(([name, meant, run]): [string, () => unknown, string] => [
      `of typing mistakes say what was meant: ${name}`,
      run,
      `options.${name} is not an option: did you mean ${meant}?`,
    ]),
    [
      'of typing mistakes in lists too',
      () => world.engine.buildNavMesh({ ...level, offMeshLinks: [wrong({ stert: [0, 0, 0] })] }),
      'input.offMeshLinks[0].stert is not an option: did you mean start?',
    ],
    [
      'of names unlike any leave it at that',
      () => crowd.add(from, wrong({ speed: 1 })),
      'options.speed is not an option.',
    ],
    [
      'of bytes say what they may be',
      () => world.engine.loadNavMesh(wrong('mesh')),
      'bytes must be a Uint8Array or an ArrayBuffer, not "mesh".',
    ],
    ['name an agent', () => crowd.stop(12345), 'id 12345 names no agent in the crowd.'],
    ['name one that cannot be', () => crowd.corridor(-1), 'id -1 names no agent in the crowd.'],
    ['name an agent to a recorder', () => recorder.remove(12345), 'id 12345 names no agent in the crowd.'],
    [
      'of options for life say so',
      () => crowd.setOptions(id, { path: { corridorCapacity: 128 } }),
      'options.path.corridorCapacity cannot change for an agent that exists: it is 64, not 128.',
    ],
    [
      'of corners too',
      () => crowd.setOptions(id, { path: { maxCorners: 9 } }),
      'options.path.maxCorners cannot change for an agent that exists: it is 8, not 9.',
    ],
    [
      'of numbers such an option can never be say that first',
      () => crowd.setOptions(id, { path: { corridorCapacity: 1 } }),
      'options.path.corridorCapacity is out of range (it is 1, it must be at least 2).',
    ],
    ...(
      [
        [
          () => crowd.add(from, wrong({ stuckWindow: 1 })),
          'stuckWindow is not an option: did you mean options.path.stuckWindow?',
        ],
        [
          () => crowd.add(from, wrong({ path: { radius: 1 } })),
          'path.radius is not an option: did you mean options.radius?',
        ],
        [() => crowd.add(from, wrong({ maxAgents: 1 })), 'maxAgents is an option of crowds: pass it to createCrowd.'],
        [
          () => world.engine.createCrowd(mesh, wrong({ radius: 1 })),
          'radius is an option of agents: pass it to crowd.add.',
        ],
        [
          () => world.engine.createCrowd(mesh, wrong({ stuckWindow: 1 })),
          'stuckWindow is an option of agents: pass it to crowd.add, in path.',
        ],
        [
          () => world.engine.createCrowd(mesh, wrong({ maxNodes: 64 })),
          'maxNodes is not an option: did you mean queryNodes?',
        ],
        [
          () => world.engine.createQuery(mesh, wrong({ keyframeBudget: 64 })),
          'keyframeBudget is an option of players: pass it to createPlayer.',
        ],
        [
          () => world.engine.buildNavMesh(level, {}, wrong({ cellSize: 1 })),
          'cellSize is an option of builds: pass it in the settings of buildNavMesh.',
        ],
      ] as const
    ).map(([run, text]): [string, () => unknown, string] => [`of options elsewhere: ${text}`, run, `options.${text}`]),
    [
      'of settings name no option that is none there',
      () => world.engine.buildNavMesh(level, wrong({ radius: 1 })),
      'settings.radius is not an option.',
    ],
    [
      'of arrays of 32 bits tell who fills them',
      () => crowd.readAgents({ positions: wrong(new Float32Array(99)) }),
      'out.positions must be a Float64Array, not a Float32Array: CrowdInterpolation.readAgents fills either, for drawing.',
    ],
    [
      'of other arrays only what they are',
      () => crowd.readAgents({ ids: wrong(new Float32Array(99)) }),
      'out.ids must be a Float64Array, not a Float32Array.',
    ],
    [
      'of states too',
      () => crowd.readAgents({ states: wrong([1]) }),
      'out.states must be a Uint8Array, not an array of 1.',
    ],
    ['of points name the axis', () => crowd.add([0, NaN, 0]), 'position must be finite, but y is NaN.'],
  ];
  it('of a state that is cut off speak of its bytes alone', () => {
    using other = world.engine.createCrowd(mesh);
    other.add(from, { separationDistance: 0 });
    const bytes = other.saveState();
    const messages = new Set<string>();
    for (let size = 0; size < bytes.length; size++) {
      try {
        other.restoreState(bytes.subarray(0, size));
      } catch (error) {
        messages.add((error as Error).message);
      }
    }
    expect([...messages]).toContain(
      'crowd state: options.separationDistance at byte 93 is missing: the bytes end too early.',
    );
    for (const message of messages)
      expect(message).toMatch(/^crowd state: [^()]+ is missing: the bytes end too early\.$/);
  });

  it('of a state with more agents than there may be name maxAgents', () => {
    using many = world.engine.createCrowd(mesh);
    using few = world.engine.createCrowd(mesh, { maxAgents: 2 });
    for (let i = 0; i < 3; i++) many.add(from);
    const problem =
      'holds a value the format forbids (it has places for 3 agents, the crowd it is restored into has maxAgents 2).';
    expect(() => few.restoreState(many.saveState())).toThrow(
      expect.objectContaining({ message: `crowd state: slotCount at byte 8 ${problem}`, limit: 2 }) as Error,
    );
    const both = many.saveStateWithMesh();
    expect(() => few.restoreStateWithMesh(both)).toThrow(problem);
  });

  it('of a checksum that does not fit say that the file is damaged', () => {
    const { engine } = world;
    using cache = engine.buildTileCache(level, { tileCells: 48 }).cache;
    for (const [bytes, read, noun] of [
      [mesh.save(), (bytes: Uint8Array) => engine.loadNavMesh(bytes), 'navigation mesh: mesh'],
      [cache.save(), (bytes: Uint8Array) => engine.loadTileCache(bytes), 'tile cache: cache'],
    ] as const) {
      bytes[bytes.length - 1]! ^= 1;
      expect(() => read(bytes)).toThrow(
        new RegExp(`^${noun}\\.hash at byte \\d+ contradicts an earlier part \\(the file is damaged\\)\\.$`),
      );
    }
  });

  it.each([
    ['openReplay', (bytes: Uint8Array) => world.engine.openReplay(bytes), 'OPRP'],
    ['loadNavMesh', (bytes: Uint8Array) => world.engine.loadNavMesh(bytes), 'CRNM'],
    ['snapshotTiles', (bytes: Uint8Array) => world.engine.snapshotTiles(bytes), 'CRNM CRCS'],
    ['loadTileCache', (bytes: Uint8Array) => world.engine.loadTileCache(bytes), 'CRTC'],
    ['readBuildInput', (bytes: Uint8Array) => world.engine.readBuildInput(bytes), 'OPBI'],
    ['tileContentHash', (bytes: Uint8Array) => world.engine.tileContentHash(bytes), 'CRTL'],
    ['addTile', (bytes: Uint8Array) => mesh.addTile(bytes), 'CRTL'],
    ['replaceTile', (bytes: Uint8Array) => mesh.replaceTile(bytes), 'CRTL'],
    ['restoreState', (bytes: Uint8Array) => crowd.restoreState(bytes), 'CRCS'],
    ['restoreStateWithMesh', (bytes: Uint8Array) => crowd.restoreStateWithMesh(bytes), 'CRCS'],
  ])('of %s name the format that was found', (_, read, own) => {
    const all = {
      'a replay': replay.write(),
      'a navigation mesh': mesh.save(),
      'a tile': mesh.tileBytes(0),
      'a crowd state': crowd.saveState(),
      'build input': world.engine.writeBuildInput(level),
    };
    for (const [kind, bytes] of Object.entries(all)) {
      if (own.includes(new TextDecoder().decode(bytes.subarray(0, 4)))) continue;
      expect(() => read(bytes), kind).toThrow(
        expect.objectContaining({
          status: 'BadMagic',
          message: expect.stringContaining(`(it is ${kind}).`) as string,
        }) as Error,
      );
    }
    expect(() => read(new TextEncoder().encode('GIF89a, and more'))).toThrow(/is of another format\.$/);
  });

  it.each(messages)('%s', (_, run, message) => {
    expect(run).toThrow(expect.objectContaining({ message }) as Error);
  });
});

describe('a constructor', () => {
  const classes = { NavMesh, MeshBuild, TileCache, NavMeshQuery, Crowd, PathFollower, Recorder, Replay, Player };
  it.each(Object.entries(classes))('of %s says what to use instead of it', (_, type) => {
    const construct = type as unknown as new (...values: unknown[]) => Resource;
    for (const values of [[], [mesh], [mesh, {}]]) {
      expect(() => new construct(...values)).toThrow(/^Use engine\.\w+\(.*\) instead of new\.$/);
      expect(() => new construct(...values)).toThrow(ArgumentError);
    }
  });
});

describe('bytes in an ArrayBuffer', () => {
  it('are as good as in a Uint8Array', () => {
    using loaded = world.engine.loadNavMesh(mesh.save().buffer);
    expect(loaded.save()).toEqual(mesh.save());
    using opened = world.engine.openReplay(replay.write().buffer);
    expect(opened.write()).toEqual(replay.write());
  });
});

describe('bytes that are none of ours', () => {
  const garbage = [
    new Uint8Array(0),
    new Uint8Array(3),
    new Uint8Array(100),
    Uint8Array.from({ length: 300 }, (_, i) => i * 7),
  ];
  const readers: [string, (bytes: Uint8Array) => unknown, new (...args: never[]) => CrowdreelError][] = [
    ['loadNavMesh', (bytes) => world.engine.loadNavMesh(bytes), NavMeshFormatError],
    ['openReplay', (bytes) => world.engine.openReplay(bytes), CrowdReplayError],
    ['readBuildInput', (bytes) => world.engine.readBuildInput(bytes), BuildInputError],
    ['restoreState', (bytes) => crowd.restoreState(bytes), CrowdStateError],
    ['restoreStateWithMesh', (bytes) => crowd.restoreStateWithMesh(bytes), CrowdStateError],
  ];
  it.each(readers)('%s', (_, read, kind) => {
    const before = fingerprint();
    for (const bytes of garbage) {
      try {
        read(bytes);
        expect.unreachable();
      } catch (error) {
        expect(error).toBeInstanceOf(kind);
        expect(error).toMatchObject({ field: 'magic', offset: 0 });
      }
    }
    expect(fingerprint()).toEqual(before);
  });
});

describe('a disposed object', () => {
  it('refuses every call by its name, and can be disposed of again', () => {
    const own = world.engine.loadNavMesh(mesh.save());
    const made = {
      query: world.engine.createQuery(own),
      crowd: world.engine.createCrowd(own),
      follower: world.engine.createPathFollower(own),
      replay: world.engine.openReplay(replay.write()),
    };
    const late = {
      recorder: world.engine.createRecorder(made.crowd, { dt: 1 }),
      player: world.engine.createPlayer(made.replay),
    };
    const all: Record<string, Resource> = { mesh: own, ...made, ...late };
    const handles = world.engine.liveHandles;
    for (const resource of Object.values(all)) {
      expect(resource.disposed).toBe(false);
      resource.dispose();
      resource.dispose();
      expect(resource.disposed).toBe(true);
    }
    expect(world.engine.liveHandles).toBe(handles - 7);
    const calls: [string, () => unknown][] = [
      ['mesh', () => own.polygonCount],
      ['mesh', () => own.params],
      ['mesh', () => own.bounds()],
      ['mesh', () => own.triangles()],
      ['mesh', () => own.polygonOutlines()],
      ['mesh', () => own.isValidRef(1n)],
      ['mesh', () => own.polygon(1n)],
      ['mesh', () => own.save()],
      ['mesh', () => world.engine.createCrowd(own)],
      ['mesh', () => world.engine.createQuery(own)],
      ['query', () => made.query.nearest(from)],
      ['query', () => made.query.closestPoint(ref, from)],
      ['query', () => made.query.height(ref, 0, 5)],
      ['query', () => made.query.randomPoint(1n)],
      ['query', () => made.query.findPath(ref, from, ref, from)],
      ['query', () => made.query.straightPath(from, from, [ref])],
      ['query', () => made.query.computePath(from, from)],
      ['query', () => made.query.moveAlongSurface(ref, from, from)],
      ['query', () => made.query.raycast(ref, from, from)],
      ['query', () => made.query.findWalls(ref, from, 1)],
      ['query', () => made.query.nearestMany([0, 0, 5])],
      ['query', () => made.query.randomPointAround(ref, from, 1, 1n)],
      ['query', () => made.query.beginPath(ref, from, ref, from)],
      ['query', () => made.query.updatePath(1)],
      ['query', () => made.query.finishPath()],
      ['query', () => made.query.findPaths(batch({}))],
      ['query', () => made.query.wallPiece(ref, 0, 0)],
      ['query', () => made.query.distanceToWall(ref, from, 1)],
      ['query', () => made.query.polygonsAroundCircle(ref, from, 1)],
      ['query', () => made.query.polygonsAroundShape(ref, square)],
      ['crowd', () => made.crowd.add(from)],
      ['crowd', () => made.crowd.tryAdd(from)],
      ['crowd', () => made.crowd.remove(0)],
      ['crowd', () => made.crowd.setDestination(0, from)],
      ['crowd', () => made.crowd.stop(0)],
      ['crowd', () => made.crowd.teleport(0, from)],
      ['crowd', () => made.crowd.setOptions(0, {})],
      ['crowd', () => made.crowd.setPriority(0, 1)],
      ['crowd', () => made.crowd.setVelocity(0, from)],
      ['crowd', () => made.crowd.step(1)],
      ['crowd', () => made.crowd.has(0)],
      ['crowd', () => made.crowd.agent(0)],
      ['crowd', () => made.crowd.agentOptions(0)],
      ['crowd', () => made.crowd.corridor(0)],
      ['crowd', () => made.crowd.debugGeometry(0)],
      ['crowd', () => made.crowd.debugGeometryOfAll()],
      ['crowd', () => made.crowd.crossing(0)],
      ['crowd', () => made.crowd.completeOffMeshLink(0)],
      ['crowd', () => made.crowd.events()],
      ['mesh', () => world.engine.createPathFollower(own)],
      ['follower', () => made.follower.place(from)],
      ['follower', () => made.follower.tryPlace(from)],
      ['follower', () => made.follower.setDestination(from)],
      ['follower', () => made.follower.stop()],
      ['follower', () => made.follower.step(1)],
      ['follower', () => made.follower.completeOffMeshLink()],
      ['follower', () => made.follower.setOptions({})],
      ['follower', () => made.follower.options],
      ['follower', () => made.follower.info()],
      ['follower', () => made.follower.info({})],
      ['follower', () => made.follower.corridor()],
      ['follower', () => made.follower.crossing()],
      ['follower', () => made.follower.events()],
      ['follower', () => made.follower.debugGeometry()],
      ['follower', () => made.follower.saveState()],
      ['follower', () => made.follower.restoreState(new Uint8Array(1))],
      ['crowd', () => made.crowd.readAgents({})],
      ['crowd', () => made.crowd.saveState()],
      ['crowd', () => made.crowd.restoreState(new Uint8Array(1))],
      ['crowd', () => made.crowd.stateHash()],
      ['crowd', () => made.crowd.stateSize()],
      ['crowd', () => made.crowd.trySaveState(new Uint8Array(1))],
      ['crowd', () => made.crowd.saveStateWithMesh()],
      ['crowd', () => made.crowd.restoreStateWithMesh(new Uint8Array(1))],
      ['crowd', () => made.crowd.agentCount],
      ['crowd', () => made.crowd.options],
      ['crowd', () => world.engine.createRecorder(made.crowd, { dt: 1 })],
      ['recorder', () => late.recorder.add(from)],
      ['recorder', () => late.recorder.tryAdd(from)],
      ['recorder', () => late.recorder.remove(0)],
      ['recorder', () => late.recorder.setDestination(0, from)],
      ['recorder', () => late.recorder.stop(0)],
      ['recorder', () => late.recorder.teleport(0, from)],
      ['recorder', () => late.recorder.step()],
      ['recorder', () => late.recorder.stepCount],
      ['recorder', () => late.recorder.byteSize],
      ['recorder', () => late.recorder.save()],
      ['recorder', () => late.recorder.writeSnapshot()],
      ['replay', () => made.replay.step(0)],
      ['replay', () => made.replay.write()],
      ['replay', () => made.replay.findMismatch()],
      ['replay', () => world.engine.createPlayer(made.replay)],
      ['player', () => late.player.step()],
      ['player', () => late.player.seek(0)],
      ['player', () => late.player.seekSlice(0, 1)],
      ['player', () => late.player.position],
      ['player', () => late.player.firstMismatch],
      ['player', () => late.player.keyframes()],
      ['crowd', () => late.player.crowd.agentCount],
      ['mesh', () => late.player.mesh.polygonCount],
    ];
    for (const [field, call] of calls) {
      expect(call, String(call)).toThrow(ArgumentError);
      expect(call, String(call)).toThrow(expect.objectContaining({ status: 'StaleHandle', field }) as Error);
    }
  });
});

describe('the first wrong argument', () => {
  // Methods whose arguments are all wrong: references, points, radii, options and out.
  it.each([
    ['nearest', 'point options out'],
    ['nearestMany', 'points options out'],
    ['closestPoint', 'ref point out'],
    ['height', 'ref x z'],
    ['randomPoint', 'seed options out'],
    ['randomPointAround', 'ref center radius seed options out'],
    ['moveAlongSurface', 'startRef start to options out'],
    ['raycast', 'startRef start end options out'],
    ['findWalls', 'ref center radius options out'],
    ['wallPiece', 'ref edge part options out'],
    ['distanceToWall', 'ref center maxRadius options out'],
    ['polygonsAroundCircle', 'ref center radius options out'],
    ['polygonsAroundShape', 'ref vertices options out'],
    ['findPath', 'startRef start endRef end options out'],
    ['findPaths', 'requests options out'],
    ['beginPath', 'startRef start endRef end options'],
    ['finishPath', 'options out'],
    ['straightPath', 'start end polygons options out'],
    ['computePath', 'start end options out'],
  ] as const)('is the one named: %s', (method, names) => {
    const good: Record<string, unknown> = {
      ...{ ref, startRef: ref, endRef: ref, point: from, start: from, end: from, to: from, center: from },
      ...{ x: 0, z: 5, seed: 1n, radius: 1, maxRadius: 1, edge: 0, part: 0, polygons: [ref], vertices: square },
      ...{ points: [0, 0, 5], requests: batch({}), options: undefined },
    };
    const fields = names.split(' ');
    const call = query[method] as (...values: unknown[]) => unknown;
    for (const [i, field] of fields.entries()) {
      const values = fields.map((name, k) => (k < i ? good[name] : 'wrong'));
      expect(() => call.apply(query, values)).toThrow(expect.objectContaining({ field }) as Error);
    }
  });
});
