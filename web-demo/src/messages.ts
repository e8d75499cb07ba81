// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What the page and the simulation worker say to each other. A position p on the timeline is "after p recorded steps".
// Commands that move the picture carry an epoch; frames carry the epoch they answer, and the page drops older ones.

export type Vec3 = [number, number, number];

/** live: the running present; past: the recorded past of the live run; replay: an opened file. */
export type ViewKind = 'live' | 'past' | 'replay';

export type SendScope = 'agent' | 'group' | 'all';

export interface SceneEntry {
  name: string;
  title: string;
  about: string;
  agents: number;
}

export interface RunInfo {
  kind: 'live' | 'replay';
  /** Scene name, or the name of the file. */
  name: string;
  title: string;
  about: string;
  /** Seconds per step. */
  dt: number;
  /** Steps at opening: 0 for a live run. */
  total: number;
}

/** Geometry to draw; every position is relative to `origin`, so that float32 does for levels far from zero. */
export interface LevelData {
  origin: Vec3;
  min: Vec3;
  max: Vec3;
  /** Points that the first view shows: where agents start and go; the corners of the level for a file. */
  focus: Float32Array;
  /** Triangles of the navigation mesh, 9 numbers each. */
  ground: Float32Array;
  /** Edges of its polygons, 6 numbers each. */
  edges: Float32Array;
  /** Triangles of the scene's own geometry; null for a file, which carries the mesh alone. */
  solid: Float32Array | null;
}

/** Everything the inspector shows of one agent. */
export interface AgentDetails {
  id: number;
  group: number;
  state: number;
  radius: number;
  maxSpeed: number;
  speed: number;
  position: Vec3;
  destination: Vec3 | null;
  /** Infinity when the way is not known to the end. */
  remaining: number;
  corridorPolygons: number;
  replanRounds: number;
  stuckRecoveries: number;
  reachedTarget: boolean;
  /** Moved by its host, not by a way of its own. */
  velocityControlled: boolean;
  /** Next corners of its way, 3 numbers each, relative to the level's origin. */
  corners: Float32Array;
}

/** Agents after `step` steps, packed in `buffer` as frame-layout.ts says. */
export interface FrameEvent {
  type: 'frame';
  epoch: number;
  view: ViewKind;
  step: number;
  /** Steps on the timeline: of the file, or of the live recording so far. */
  total: number;
  count: number;
  capacity: number;
  buffer: ArrayBuffer;
  /** True for every frame but those on the way of a seek. */
  settled: boolean;
  /** State hash as 16 hex digits; given when settled by a seek or a single step. */
  hash: string | null;
  agent: AgentDetails | null;
}

export interface Problem {
  /** What was being done: decides the card's title. */
  during: 'start' | 'scene' | 'file' | 'playing' | 'running' | 'saving';
  message: string;
  status: string | null;
  field: string | null;
  offset: number | null;
  fileName: string | null;
}

export type Command =
  | { type: 'openScene'; epoch: number; name: string }
  | { type: 'openReplay'; epoch: number; name: string; bytes: ArrayBuffer }
  /** Plays on to position `to`; when the past is on the screen, the live run goes on by `live` steps meanwhile. */
  | { type: 'advance'; epoch: number; to: number; live: number }
  | { type: 'seek'; epoch: number; step: number }
  | { type: 'goLive'; epoch: number }
  | { type: 'send'; scope: SendScope; id: number | null; point: Vec3 }
  | { type: 'pick'; epoch: number; id: number | null }
  | { type: 'save' }
  | { type: 'recycle'; buffer: ArrayBuffer };

export type Event =
  | { type: 'ready'; version: string; scenes: SceneEntry[] }
  | { type: 'opened'; epoch: number; run: RunInfo; level: LevelData }
  | FrameEvent
  /** How far the replay on the screen, a file or the recorded past, is checked; `mismatch` is the first step whose hash differs, or -1. */
  | { type: 'check'; checked: number; total: number; mismatch: number }
  /** Operations per step of a file, for the timeline's ticks: step and kind (crowdreel's OperationKind) of each. */
  | { type: 'operations'; steps: Int32Array; kinds: Uint8Array }
  | { type: 'sent'; count: number; point: Vec3; step: number }
  | { type: 'saved'; name: string; bytes: ArrayBuffer; steps: number }
  /** The live recording has reached its limit and is not stepped any more. */
  | { type: 'full'; total: number }
  | { type: 'failed'; problem: Problem };
