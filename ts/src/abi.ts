// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The WebAssembly interface as this package knows it (docs/formats/wasm-abi.md): exports and record layouts. Both are
// checked against the module when it is loaded.

/** The interface version this package speaks. */
export const ABI_VERSION = 4;

/** How one field of a record lies in its 8-byte cells. `VEC3` takes three cells, `COSTS` and `CORNERS` 64, all others one. */
export type CellKind = 'F64' | 'I32' | 'I64' | 'U8' | 'U16' | 'U32' | 'U64' | 'BOOL' | 'VEC3' | 'COSTS' | 'CORNERS';

/** Fields in the order of their cells. */
export type RecordLayout = Readonly<Record<string, CellKind>>;

interface CellTypes {
  F64: number;
  I32: number;
  I64: number;
  U8: number;
  U16: number;
  U32: number;
  U64: bigint;
  BOOL: boolean;
  VEC3: [x: number, y: number, z: number];
  COSTS: Float64Array;
  CORNERS: Float64Array;
}

/** The object a layout describes. */
export type RecordOf<L extends RecordLayout> = { -readonly [K in keyof L]: CellTypes[L[K]] };

const followerOptions = {
  maxSpeed: 'F64',
  maxAcceleration: 'F64',
  slowRadius: 'F64',
  arrivalMinSpeed: 'F64',
  arrivalRadius: 'F64',
  maxCorners: 'I32',
  validateLookAhead: 'I32',
  optimizeInterval: 'I32',
  optimizeRange: 'F64',
  optimizeBudget: 'I32',
  topologyInterval: 'I32',
  topologyBudget: 'I32',
  replanBudget: 'I32',
  maxReplanRounds: 'I32',
  stuckWindow: 'F64',
  stuckProgress: 'F64',
  maxStuckRecoveries: 'I32',
  offMeshMode: 'U8',
  offMeshSpeed: 'F64',
  offMeshTriggerRadius: 'F64',
  searchExtents: 'VEC3',
  corridorCapacity: 'I32',
  refineBudget: 'I32',
  cornerClearance: 'F64',
} as const satisfies RecordLayout;

/** Every record, in the order of its number in the module. */
export const records = {
  error: { status: 'I32', format: 'I32', field: 'U32', offset: 'F64', index: 'F64', limit: 'F64' },
  buildSettings: {
    agentRadius: 'F64',
    agentHeight: 'F64',
    walkableClimb: 'F64',
    maxSlope: 'F64',
    cellSize: 'F64',
    cellHeight: 'F64',
    contourMaxError: 'F64',
    maxEdgeLength: 'F64',
    detailSampleDistance: 'F64',
    detailMaxError: 'F64',
    minRegionArea: 'I32',
    mergeRegionArea: 'I32',
    maxVertsPerPoly: 'I32',
    partition: 'I32',
    tileCells: 'I32',
  },
  buildReport: {
    trianglesUsed: 'U32',
    trianglesDegenerate: 'U32',
    trianglesDuplicate: 'U32',
    trianglesSteep: 'U32',
    trianglesDownward: 'U32',
    firstDegenerate: 'I64',
    firstDuplicate: 'I64',
    firstSteep: 'I64',
    firstDownward: 'I64',
    offMeshOutside: 'U32',
    firstOffMeshOutside: 'I64',
    spans: 'I64',
    regions: 'U32',
    contours: 'U32',
    polygons: 'U32',
    vertices: 'U32',
    detailTriangles: 'U32',
    tilesBuilt: 'U32',
    tilesEmpty: 'U32',
  },
  navmeshParams: {
    originX: 'F64',
    originZ: 'F64',
    tileSize: 'F64',
    climb: 'F64',
    agentRadius: 'F64',
    agentHeight: 'F64',
  },
  navmeshInfo: {
    editCount: 'U64',
    slotCount: 'U32',
    tileCount: 'U32',
    polygonCount: 'U32',
    hasBounds: 'BOOL',
    min: 'VEC3',
    max: 'VEC3',
  },
  queryOptions: { maxNodes: 'I32', nodeModel: 'I32', hierarchical: 'BOOL' },
  queryFilter: { includeFlags: 'U16', excludeFlags: 'U16', areaCost: 'COSTS' },
  nearestPoly: { ref: 'U64', point: 'VEC3', over: 'BOOL' },
  pathResult: { outcome: 'I32', outOfNodes: 'BOOL', truncated: 'BOOL', count: 'I32', iterations: 'I64', end: 'VEC3' },
  corner: { point: 'VEC3', ref: 'U64', pathIndex: 'I32', flags: 'U8' },
  moveResult: { point: 'VEC3', count: 'I32', truncated: 'BOOL', blocked: 'BOOL' },
  raycastResult: {
    hit: 'BOOL',
    truncated: 'BOOL',
    t: 'F64',
    point: 'VEC3',
    normalX: 'F64',
    normalZ: 'F64',
    hitRef: 'U64',
    hitEdge: 'I32',
    cost: 'F64',
    count: 'I32',
  },
  wallPiece: { ref: 'U64', edge: 'U8', part: 'U8', a: 'VEC3', b: 'VEC3', distance: 'F64' },
  crowdOptions: {
    maxAgents: 'I32',
    queryNodes: 'I32',
    queryNodeModel: 'U8',
    maxWallsPerAgent: 'I32',
    wallRefreshDistance: 'F64',
    maxWallsAvoided: 'I32',
    recordConstraints: 'BOOL',
    maxThreads: 'I32',
  },
  crowdInfo: { stepCount: 'I64', agentCount: 'I32', slotCount: 'I32', nextId: 'I64' },
  followerOptions,
  agentOptions: {
    radius: 'F64',
    maxSpeed: 'F64',
    maxAcceleration: 'F64',
    arrivalRadius: 'F64',
    priority: 'F64',
    wallClearance: 'F64',
    separationDistance: 'F64',
    separationWeight: 'F64',
    sidePreference: 'F64',
    quality: 'U8',
    hasPath: 'BOOL',
  },
  agentInfo: {
    id: 'I64',
    slot: 'I32',
    wantedX: 'F64',
    wantedZ: 'F64',
    velocityControlled: 'BOOL',
    priority: 'F64',
    wallCount: 'I32',
  },
  followerInfo: {
    state: 'I32',
    reachedTarget: 'BOOL',
    position: 'VEC3',
    velocity: 'VEC3',
    destination: 'VEC3',
    remainingDistance: 'F64',
    stepCount: 'I64',
    replanRounds: 'I32',
    stuckRecoveries: 'I32',
    complete: 'BOOL',
    needsReplan: 'BOOL',
    corridorCount: 'I32',
  },
  corridorInfo: {
    position: 'VEC3',
    target: 'VEC3',
    targetRef: 'U64',
    complete: 'BOOL',
    needsReplan: 'BOOL',
    count: 'I32',
    cornerCount: 'I32',
    outcome: 'I32',
  },
  recorderInfo: { stepCount: 'I32', byteSize: 'I64', lastHash: 'U64' },
  replayInfo: {
    dt: 'F64',
    startStep: 'I64',
    stepCount: 'I32',
    fileSize: 'I64',
    setupSize: 'I64',
    meshSize: 'I64',
    stateSize: 'I64',
    operationCount: 'I64',
    agentsAtStart: 'I32',
    meshTiles: 'U32',
    meshPolygons: 'U32',
    addCount: 'I64',
    removeCount: 'I64',
    setDestinationCount: 'I64',
    stopCount: 'I64',
    teleportCount: 'I64',
  },
  operation: { kind: 'I32', agentId: 'I64', position: 'VEC3', offset: 'I64', size: 'I64' },
  replayStep: { hash: 'U64', size: 'I64' },
  playerOptions: { keyframeBudget: 'U32', keyframeSpacing: 'I32' },
  playerInfo: {
    position: 'I32',
    firstMismatch: 'I32',
    checkedSteps: 'I32',
    keyframeCount: 'I32',
    keyframeBytes: 'I64',
  },
  buildInput: {
    vertices: 'U32',
    vertexCount: 'U32',
    triangles: 'U32',
    triangleCount: 'U32',
    areas: 'U32',
    volumes: 'U32',
    volumeCount: 'U32',
    obstacles: 'U32',
    obstacleCount: 'U32',
    offMeshLinks: 'U32',
    offMeshCount: 'U32',
    areaFlags: 'U32',
  },
  volume: {
    shape: 'I32',
    area: 'U8',
    minY: 'F64',
    maxY: 'F64',
    centerX: 'F64',
    centerZ: 'F64',
    halfX: 'F64',
    halfZ: 'F64',
    axisX: 'F64',
    axisZ: 'F64',
    radius: 'F64',
    cornerCount: 'U32',
    corners: 'CORNERS',
  },
  offMeshLink: {
    start: 'VEC3',
    end: 'VEC3',
    radius: 'F64',
    userId: 'U32',
    flags: 'U16',
    area: 'U8',
    bidirectional: 'BOOL',
  },
  offMeshInfo: { connected: 'BOOL', startRef: 'U64', endRef: 'U64', startPoint: 'VEC3', endPoint: 'VEC3' },
  polygonSoup: {
    positions: 'U32',
    positionCount: 'U32',
    cornerCounts: 'U32',
    corners: 'U32',
    polygonCount: 'U32',
    areas: 'U32',
    flags: 'U32',
    offMeshLinks: 'U32',
    offMeshCount: 'U32',
    climb: 'F64',
    agentRadius: 'F64',
    agentHeight: 'F64',
  },
  tileDescription: {
    x: 'I32',
    z: 'I32',
    layer: 'I32',
    vertexCount: 'U32',
    polygonCount: 'U32',
    vertices: 'U32',
    polygonVertexCounts: 'U32',
    polygonVertices: 'U32',
    polygonNeighbours: 'U32',
    polygonAreas: 'U32',
    polygonFlags: 'U32',
    detailVertexCounts: 'U32',
    detailTriangleCounts: 'U32',
    detailVertices: 'U32',
    detailTriangles: 'U32',
    offMeshLinks: 'U32',
    offMeshCount: 'U32',
  },
  tileInfo: {
    x: 'I32',
    z: 'I32',
    layer: 'I32',
    salt: 'U32',
    vertexCount: 'U32',
    polygonCount: 'U32',
    linkCount: 'U32',
    offMeshCount: 'U32',
    contentHash: 'U64',
  },
  tileNeed: { slot: 'U32', x: 'I32', z: 'I32', layer: 'I32', size: 'I64', contentHash: 'U64' },
  gridView: {
    width: 'I32',
    depth: 'I32',
    border: 'I32',
    cellX: 'I32',
    cellZ: 'I32',
    originX: 'F64',
    originY: 'F64',
    originZ: 'F64',
    cellSize: 'F64',
    cellHeight: 'F64',
  },
  tileCacheInfo: {
    tilesX: 'I32',
    tilesZ: 'I32',
    tileCount: 'U32',
    layerCount: 'U32',
    spanCount: 'I64',
    packedSize: 'I64',
    touchCount: 'I64',
  },
  wallDistance: { found: 'BOOL', distance: 'F64', point: 'VEC3', normalX: 'F64', normalZ: 'F64' },
  aroundPolygon: { ref: 'U64', parent: 'U64', cost: 'F64' },
  aroundResult: { count: 'I32', truncated: 'BOOL' },
  followerEvent: { kind: 'U8', reachedTarget: 'BOOL', outcome: 'U8', linkUserId: 'U32' },
  crowdEvent: { id: 'I64', slot: 'I32' },
  followerDebug: {
    state: 'I32',
    position: 'VEC3',
    velocity: 'VEC3',
    destination: 'VEC3',
    outlineCount: 'I32',
    vertexCount: 'I32',
    cornerCount: 'I32',
    seenCount: 'I32',
    broken: 'BOOL',
    crossing: 'BOOL',
    offMeshStart: 'VEC3',
    offMeshEnd: 'VEC3',
    offMeshElapsed: 'F64',
    offMeshDuration: 'F64',
    offMeshExit: 'U64',
  },
  crowdDebug: {
    agentCount: 'U32',
    outlineCount: 'U32',
    vertexCount: 'U32',
    cornerCount: 'U32',
    wallCount: 'U32',
    constraintCount: 'U32',
  },
  agentDebug: {
    id: 'I64',
    slot: 'I32',
    radius: 'F64',
    wantedX: 'F64',
    wantedZ: 'F64',
    wallCount: 'I32',
    constraintCount: 'I32',
    wallConstraintCount: 'I32',
  },
  agentWall: { ref: 'U64', edge: 'U8', part: 'U8', a: 'VEC3', b: 'VEC3' },
  constraint: { pointX: 'F64', pointZ: 'F64', normalX: 'F64', normalZ: 'F64' },
} as const satisfies Readonly<Record<string, RecordLayout>>;

/** Cells one field takes. */
export function cellWidth(kind: CellKind): number {
  return kind === 'VEC3' ? 3 : kind === 'COSTS' || kind === 'CORNERS' ? 64 : 1;
}

/** Cells a record takes. */
export function cellCount(layout: RecordLayout): number {
  return Object.values(layout).reduce((sum, kind) => sum + cellWidth(kind), 0);
}

/** Where each field of a record stands, in bytes from its beginning; `size` is that of the whole. */
export function offsets<L extends RecordLayout>(layout: L): { readonly [K in keyof L | 'size']: number } {
  const at: Record<string, number> = {};
  let cell = 0;
  for (const [name, kind] of Object.entries(layout)) {
    at[name] = cell * 8;
    cell += cellWidth(kind);
  }
  at.size = cell * 8;
  return at as { [K in keyof L | 'size']: number };
}

/** A layout as the module spells it: `"KIND name,"` for each field. */
export function layoutText(layout: RecordLayout): string {
  return Object.entries(layout)
    .map(([name, kind]) => `${kind} ${snakeCase(name)},`)
    .join('');
}

/** `maxSpeed` to `max_speed`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** `options.max_speed` to `options.maxSpeed`: the engine's field names as this package spells them. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * The module's exported functions with their parameters: `i` an i32 (handle, address, count), `f` an f64, `l` an i64 (a
 * bigint). Each returns an i32: 0 or more, or minus a status.
 */
export const exportParameters = {
  crw_abi_version: '',
  crw_arguments: '',
  crw_build_input_read: 'ii',
  crw_build_input_write: 'ii',
  crw_builder_create: 'ii',
  crw_builder_report: 'i',
  crw_builder_skip_tile: 'iii',
  crw_cache_maker_create: 'i',
  crw_cache_maker_finish: 'i',
  crw_cache_maker_keep: 'ii',
  crw_crowd_add: 'ifffi',
  crw_crowd_agent: 'if',
  crw_crowd_agent_options: 'if',
  crw_crowd_complete_off_mesh: 'if',
  crw_crowd_corridor: 'ifi',
  crw_crowd_create: 'iii',
  crw_crowd_crossing: 'if',
  crw_crowd_debug: 'ifi',
  crw_crowd_events: 'i',
  crw_crowd_has_agent: 'if',
  crw_crowd_info: 'i',
  crw_crowd_read_agents: 'ii',
  crw_crowd_remove: 'if',
  crw_crowd_restore_state: 'iii',
  crw_crowd_restore_state_with_mesh: 'iiiiii',
  crw_crowd_save_state: 'i',
  crw_crowd_save_state_with_mesh: 'ii',
  crw_crowd_set_destination: 'iffff',
  crw_crowd_set_options: 'ifi',
  crw_crowd_set_priority: 'iff',
  crw_crowd_set_velocity: 'iffff',
  crw_crowd_state_hash: 'i',
  crw_crowd_state_needs: 'ii',
  crw_crowd_state_size: 'i',
  crw_crowd_step: 'if',
  crw_crowd_stop: 'if',
  crw_crowd_teleport: 'iffff',
  crw_defaults: 'i',
  crw_error: '',
  crw_follower_complete_off_mesh: 'i',
  crw_follower_corridor: 'ii',
  crw_follower_create: 'iii',
  crw_follower_debug: 'ii',
  crw_follower_events: 'i',
  crw_follower_info: 'i',
  crw_follower_options: 'i',
  crw_follower_place: 'i',
  crw_follower_restore_state: 'iii',
  crw_follower_save_state: 'i',
  crw_follower_set_destination: 'i',
  crw_follower_set_options: 'ii',
  crw_follower_step: 'if',
  crw_follower_stop: 'i',
  crw_handle_count: '',
  crw_handle_dispose: 'i',
  crw_handle_object_count: '',
  crw_input: 'i',
  crw_layout: 'i',
  crw_navmesh_add_tile: 'iii',
  crw_navmesh_create: 'i',
  crw_navmesh_find_tile: 'iiii',
  crw_navmesh_from_polygons: 'i',
  crw_navmesh_info: 'i',
  crw_navmesh_is_valid_ref: 'il',
  crw_navmesh_load: 'iiii',
  crw_navmesh_off_mesh_links: 'ii',
  crw_navmesh_outlines: 'i',
  crw_navmesh_polygon: 'il',
  crw_navmesh_remove_tile: 'iiii',
  crw_navmesh_replace_tile: 'iii',
  crw_navmesh_save: 'ii',
  crw_navmesh_set_area: 'ili',
  crw_navmesh_set_flags: 'ili',
  crw_navmesh_snapshot_needs: 'ii',
  crw_navmesh_tile_bytes: 'ii',
  crw_navmesh_tiles: 'i',
  crw_navmesh_triangles: 'i',
  crw_player_create: 'ii',
  crw_player_info: 'i',
  crw_player_keyframes: 'i',
  crw_player_seek: 'ii',
  crw_player_seek_slice: 'iii',
  crw_player_step: 'i',
  crw_query_begin_path: 'illi',
  crw_query_closest_point: 'il',
  crw_query_compute_path: 'iiii',
  crw_query_create: 'ii',
  crw_query_distance_to_wall: 'ili',
  crw_query_find_path: 'illii',
  crw_query_find_paths: 'iiiiii',
  crw_query_find_walls: 'ilii',
  crw_query_finish_path: 'ii',
  crw_query_height: 'il',
  crw_query_move_along_surface: 'ilii',
  crw_query_nearest: 'ii',
  crw_query_nearest_polys: 'iiii',
  crw_query_polygons_around_circle: 'ilii',
  crw_query_polygons_around_shape: 'iliiii',
  crw_query_random_point: 'ili',
  crw_query_random_point_around: 'illi',
  crw_query_raycast: 'ilii',
  crw_query_straight_path: 'iiiiii',
  crw_query_update_path: 'ii',
  crw_query_wall_piece: 'iliii',
  crw_record: '',
  crw_recorder_add: 'ifffi',
  crw_recorder_create: 'if',
  crw_recorder_info: 'i',
  crw_recorder_remove: 'if',
  crw_recorder_save: 'i',
  crw_recorder_set_destination: 'iffff',
  crw_recorder_step: 'i',
  crw_recorder_stop: 'if',
  crw_recorder_teleport: 'iffff',
  crw_recorder_write_snapshot: 'i',
  crw_replay_find_mismatch: 'i',
  crw_replay_info: 'i',
  crw_replay_operation: 'iii',
  crw_replay_read: 'ii',
  crw_replay_step: 'ii',
  crw_replay_write: 'i',
  crw_result: '',
  crw_result_size: '',
  crw_status_text: 'i',
  crw_tile_build_add: 'ii',
  crw_tile_build_contours: 'ii',
  crw_tile_build_create: 'iii',
  crw_tile_build_detail: 'i',
  crw_tile_build_grid: 'i',
  crw_tile_build_open_spans: 'i',
  crw_tile_build_polygons: 'i',
  crw_tile_build_report: 'i',
  crw_tile_build_run: 'ii',
  crw_tile_build_solid_spans: 'i',
  crw_tile_build_take_bytes: 'i',
  crw_tile_cache_add_obstacle: 'ii',
  crw_tile_cache_info: 'i',
  crw_tile_cache_load: 'ii',
  crw_tile_cache_obstacles: 'i',
  crw_tile_cache_remove_obstacle: 'if',
  crw_tile_cache_save: 'i',
  crw_tile_cache_touch_all: 'i',
  crw_tile_cache_update: 'iif',
  crw_tile_content_hash: 'ii',
  crw_tile_encode: 'ii',
  crw_trim: '',
  crw_version: '',
  crw_world_add_crowd: 'iiii',
  crw_world_create: '',
  crw_world_step: 'if',
} as const satisfies Readonly<Record<string, string>>;

type Parameter<C extends string> = C extends 'l' ? bigint : number;
type Parameters<S extends string> = S extends `${infer C}${infer Rest}` ? [Parameter<C>, ...Parameters<Rest>] : [];

/** The exported functions as TypeScript sees them. */
export type Exports = {
  readonly [K in keyof typeof exportParameters]: (...values: Parameters<(typeof exportParameters)[K]>) => number;
};
