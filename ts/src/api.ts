// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Everything public except loading, which differs between the entry points.
export {
  ArgumentError,
  BuildInputError,
  CrowdreelError,
  CrowdReplayError,
  CrowdStateError,
  NavMeshFormatError,
  Status,
  TileCacheError,
  type ErrorDetail,
  type StatusName,
} from './errors.js';
export { COORD_LIMIT, type BytesLike, type PointLike, type Vec3 } from './values.js';
export {
  AgentPresets,
  BuildDefaults,
  CrowdDefaults,
  FollowerDefaults,
  NodeModel,
  OffMeshMode,
  Partition,
  PathFollowerPresets,
  PathFollowerSetupDefaults,
  PlayerDefaults,
  Quality,
  QueryDefaults,
  type AgentOptions,
  type BuildSettings,
  type CrowdOptions,
  type FollowerOptions,
  type PathFollowerOptions,
  type PathFollowerSetup,
  type PlayerOptions,
  type QueryOptions,
} from './options.js';
export { Resource } from './resource.js';
export { BuildStages, type BuildInput, type BuildInputFile, type BuildReport, type BuildStage } from './build.js';
export type { AreaVolume, BoxVolume, ConvexVolume, CylinderVolume, Vec2, Volume, VolumeArea } from './volumes.js';
export type { OffMeshEnd, OffMeshLink, OffMeshLinkInfo } from './off-mesh.js';
export {
  MeshBuild,
  TileBuild,
  type BuildOptions,
  type Contours,
  type OpenSpans,
  type SolidSpans,
  type TileDetail,
  type TileGrid,
  type TilePolygons,
} from './mesh-build.js';
export type { PolygonSoup, SnapshotTile, TileDescription, TileDescriptionDetail, TileInfo } from './tiles.js';
export { TileCache, type Obstacle, type TileCacheInfo } from './tile-cache.js';
export {
  NavMesh,
  type Bounds,
  type MeshTriangles,
  type NavMeshParams,
  type NavMeshView,
  type Polygon,
  type PolygonOutlines,
} from './nav-mesh.js';
export { PreparedFilter, prepareFilter, type QueryFilter } from './filter.js';
export { NavMeshQuery } from './query.js';
export {
  Crossings,
  type ComputePathOptions,
  type CornerOptions,
  type FindPathsOptions,
  type NearestOptions,
  type PolygonListOptions,
  type SearchOptions,
  type StraightPathOptions,
  type WallOptions,
} from './query-options.js';
export {
  CornerFlag,
  type ComputedPath,
  type ComputedPathArrays,
  type ComputedPathSummary,
  type Corner,
  type CornerArrays,
  type MoveArrays,
  type MoveResult,
  type MoveSummary,
  type PathArrays,
  type PathOutcome,
  type PathResult,
  type PathSummary,
  type RandomPoint,
  type RaycastResult,
  type RaycastSummary,
  type Route,
  type StraightPath,
  type StraightPathOutcome,
  type StraightPathSummary,
  type SurfacePoint,
  type WallArrays,
  type WallPiece,
} from './query-results.js';
export type { AroundArrays, AroundPolygon, AroundSummary, PolygonsAround, WallDistance } from './query-around.js';
export type { NearestArrays, NearestMany, PathBatch, PathBatchArrays, PathRequests } from './query-batch.js';
export {
  FollowerEventKind,
  FollowerState,
  type Corridor,
  type CrowdEvent,
  type DebugGeometry,
  type FollowerEvent,
  type FollowerInfo,
  type OffMeshCrossing,
} from './follower.js';
export type { AgentConstraint, AgentDebugGeometry, AgentWall, CrowdDebugGeometry } from './crowd-debug.js';
export type { SnapshotOptions, SnapshotTiles } from './mesh-snapshot.js';
export { PathFollower } from './path-follower.js';
export { Agent } from './agent.js';
export { Crowd, type AgentArrays, type AgentInfo, type CrowdActions, type CrowdView } from './crowd.js';
export { CrowdInterpolation, type CrowdInterpolationOptions, type InterpolatedArrays } from './interpolation.js';
export { FixedStep, type FixedStepOptions } from './fixed-step.js';
export { Recorder } from './recorder.js';
export {
  OperationKind,
  Replay,
  type Operation,
  type OperationName,
  type ReplayInfo,
  type ReplayStep,
} from './replay.js';
export { Player } from './player.js';
export { World } from './world.js';
export type { CrowdSetup } from './crowd-setup.js';
export { Engine, type MeshParams } from './engine.js';
export type { WasmSource } from './instantiate.js';
export { ObjError, parseObj, type ObjGeometry } from './obj.js';
