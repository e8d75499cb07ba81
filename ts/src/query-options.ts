// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The options of queries, and how they are checked without making anything.
import { badArgument } from './errors.js';
import type { QueryFilter } from './filter.js';
import { defaultExtents } from './options.js';
import { checkMembers, finite, integer, optionsObject, type PointLike } from './values.js';

/** What most queries take besides their points. */
export interface SearchOptions {
  /** Polygons that may be used; default: all, at cost 1. `prepareFilter` makes one that is quick to use. */
  filter?: QueryFilter | null;
}

/** Options of queries that give a list of polygons. */
export interface PolygonListOptions extends SearchOptions {
  /** Most polygons given. 1 to 1048576; default 4096. */
  maxPolygons?: number;
}

/** Which crossings of polygon borders a straight path lists besides its corners. */
export const Crossings = {
  /** None. */
  None: 0,
  /** Where the area changes. */
  Area: 1,
  /** All. */
  All: 2,
} as const;
export type Crossings = (typeof Crossings)[keyof typeof Crossings];

/** Options of queries that give corners. */
export interface CornerOptions extends SearchOptions {
  /** Most corners given. 2 to 65536; default 1024. */
  maxCorners?: number;
}

/** Options of a straight path. */
export interface StraightPathOptions extends CornerOptions {
  /** Crossings listed beside the corners; default `Crossings.None`. */
  crossings?: Crossings;
}

/** Options of a search by box. */
export interface NearestOptions extends SearchOptions {
  /** Half size of the box looked in, world units, each 0 or more; default 2, 4, 2. */
  extents?: PointLike;
}

/** Options of `computePath`. */
export interface ComputePathOptions extends NearestOptions, PolygonListOptions, CornerOptions {}

/** Options of `findWalls`. */
export interface WallOptions extends SearchOptions {
  /** Most pieces given. 1 to 65536; default 256. */
  maxPieces?: number;
}

const MAX_POLYGONS = 1 << 20;
const MAX_CORNERS = 1 << 16;
const MAX_TOTAL = 1 << 24;

/** Options of `findPaths`. */
export interface FindPathsOptions extends PolygonListOptions {
  /** Most polygons of all routes together. 1 to 16777216; default 1048576. */
  maxTotal?: number;
}

const noOptions = Object.freeze({});
/** The box looked in unless told otherwise. */
export const EXTENTS: PointLike = Object.freeze(defaultExtents());

export const searchMembers = { filter: true };
export const listMembers = { filter: true, maxPolygons: true };
export const cornerMembers = { filter: true, maxCorners: true, crossings: true };
export const nearestMembers = { filter: true, extents: true };
export const wayMembers = { filter: true, extents: true, maxPolygons: true, maxCorners: true };
export const wallMembers = { filter: true, maxPieces: true };
export const batchMembers = { filter: true, maxPolygons: true, maxTotal: true };
export const finishMembers = { maxPolygons: true };

/** The options given, of which none is unknown. */
export function given<T extends object>(options: T | null | undefined, members: Readonly<Record<keyof T, boolean>>): T {
  if (options === undefined || options === null) return noOptions as T;
  checkMembers(optionsObject(options, 'options'), members, 'options');
  return options;
}

export function polygonLimit(value: number | undefined): number {
  return value === undefined ? 4096 : integer(value, 'options.maxPolygons', 1, MAX_POLYGONS);
}

export function cornerLimit(value: number | undefined): number {
  return value === undefined ? 1024 : integer(value, 'options.maxCorners', 2, MAX_CORNERS);
}

export function pieceLimit(value: number | undefined): number {
  return value === undefined ? 256 : integer(value, 'options.maxPieces', 1, MAX_CORNERS);
}

export function totalLimit(value: number | undefined): number {
  return value === undefined ? MAX_POLYGONS : integer(value, 'options.maxTotal', 1, MAX_TOTAL);
}

/** A radius above 0. */
export function radiusAbove0(value: unknown): number {
  const v = finite(value, 'radius');
  if (v > 0) return v;
  throw badArgument('radius', `must be above 0, not ${v}`);
}

/** A distance of 0 or more. */
export function distance(value: unknown, field: string): number {
  const v = finite(value, field);
  if (v < 0) throw badArgument(field, `must not be negative, but is ${v}`, { limit: 0 });
  return v;
}
