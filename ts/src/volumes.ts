// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Volumes and obstacles: upright shapes that give the ground inside them an area, or block it.
import { records, type RecordOf } from './abi.js';
import { describe } from './describe.js';
import type { Memory } from './memory.js';
import { Subject } from './subject.js';
import type { PointLike, Vec3 } from './values.js';

/** A direction or place in the ground plane. */
export type Vec2 = [x: number, z: number];

/** What ground inside a volume becomes: an area from 0 to 63, or not walkable. */
export interface VolumeArea {
  area?: number | 'blocked';
}

/** A box, turned about the vertical or not. */
export interface BoxVolume extends VolumeArea {
  shape: 'box';
  center: PointLike;
  /** Full length of its sides along its own x axis, upwards, and along its own z axis. The sides above 0, the height 0 or more. */
  size: PointLike;
  /**
   * Direction of its own x axis in the ground plane, of any length; default `[1, 0]`. A direction, not an angle: sines differ between
   * platforms.
   */
  axis?: Readonly<Vec2>;
}

/** An upright cylinder. */
export interface CylinderVolume extends VolumeArea {
  shape: 'cylinder';
  /** Middle of its lower end. */
  base: PointLike;
  /** Above 0. */
  radius: number;
  /** 0 or more. */
  height: number;
}

/** An upright prism over a convex polygon. */
export interface ConvexVolume extends VolumeArea {
  shape: 'convex';
  /** Its 3 to 32 corners in order, either way round. */
  corners: readonly Readonly<Vec2>[];
  minY: number;
  maxY: number;
}

/** Part of the world. */
export type Volume = BoxVolume | CylinderVolume | ConvexVolume;

/** A volume that marks the ground of a level: it says with what. */
export type AreaVolume = Volume & { area: number | 'blocked' };

const BLOCKED = 255;
const MAX_CORNERS = 32;

const shapes = ['box', 'cylinder', 'convex'] as const;

const members = {
  box: ['shape', 'area', 'center', 'size', 'axis'],
  cylinder: ['shape', 'area', 'base', 'radius', 'height'],
  convex: ['shape', 'area', 'corners', 'minY', 'maxY'],
} as const;

type VolumeCells = RecordOf<typeof records.volume>;

function areaOf(value: unknown, subject: Subject, byDefault: 'blocked' | undefined): number {
  const area = value ?? byDefault;
  if (area === 'blocked') return BLOCKED;
  if (area === undefined) throw subject.error('area', "is missing: 0 to 63, or 'blocked'");
  if (typeof area !== 'number') throw subject.error('area', `must be 0 to 63 or 'blocked', not ${describe(area)}`);
  return subject.integer(area, 'area', 0, 63);
}

function boxCells(volume: Readonly<Record<string, unknown>>, subject: Subject): Partial<VolumeCells> {
  const [x, y, z] = subject.point(volume.center, 'center');
  const [sizeX, sizeY, sizeZ] = subject.sizes(volume.size, 'size');
  const [axisX, axisZ] = volume.axis === undefined ? [1, 0] : subject.pair(volume.axis, 'axis');
  if (axisX === 0 && axisZ === 0) throw subject.error('axis', 'must not be [0, 0]');
  const minY = subject.coordinate(y - sizeY / 2, 'size.y');
  const maxY = subject.coordinate(y + sizeY / 2, 'size.y');
  return { minY, maxY, centerX: x, centerZ: z, halfX: sizeX / 2, halfZ: sizeZ / 2, axisX, axisZ };
}

function cylinderCells(volume: Readonly<Record<string, unknown>>, subject: Subject): Partial<VolumeCells> {
  const [centerX, minY, centerZ] = subject.point(volume.base, 'base');
  const radius = subject.length(volume.radius, 'radius');
  const maxY = subject.coordinate(minY + subject.length(volume.height, 'height', true), 'height');
  return { minY, maxY, centerX, centerZ, radius };
}

function convexCells(volume: Readonly<Record<string, unknown>>, subject: Subject): Partial<VolumeCells> {
  const minY = subject.coordinate(volume.minY, 'minY');
  const maxY = subject.coordinate(volume.maxY, 'maxY');
  if (minY > maxY) throw subject.error('minY', `must not be above maxY, but is ${minY}, and maxY is ${maxY}`);
  const list: unknown = volume.corners;
  if (!Array.isArray(list)) throw subject.error('corners', `must be an array of [x, z], not ${describe(list)}`);
  if (list.length < 3 || list.length > MAX_CORNERS) {
    const limit = list.length < 3 ? 3 : MAX_CORNERS;
    throw subject.error('corners', `must be 3 to ${MAX_CORNERS}, not ${list.length}`, { limit });
  }
  const corners = new Float64Array(2 * MAX_CORNERS);
  for (const [k, corner] of list.entries()) {
    const pair = subject.pair(corner, `corners[${k}]`);
    for (const v of pair) subject.coordinate(v, `corners[${k}]`);
    corners.set(pair, 2 * k);
  }
  return { minY, maxY, cornerCount: list.length, corners };
}

const blank: VolumeCells = {
  shape: 0,
  area: 0,
  minY: 0,
  maxY: 0,
  centerX: 0,
  centerZ: 0,
  halfX: 0,
  halfZ: 0,
  axisX: 0,
  axisZ: 0,
  radius: 0,
  cornerCount: 0,
  corners: new Float64Array(2 * MAX_CORNERS),
};

/** A volume as the engine takes it. All but the convexity of corners is checked. */
export function volumeCells(value: unknown, subject: Subject, byDefault?: 'blocked'): VolumeCells {
  const given: unknown = typeof value === 'object' && value !== null ? (value as { shape?: unknown }).shape : undefined;
  const shape = shapes.find((name) => name === given);
  if (!shape) {
    if (typeof value !== 'object' || value === null)
      throw subject.error('', `must be an object, not ${describe(value)}`);
    throw subject.error('shape', `must be 'box', 'cylinder' or 'convex', not ${describe(given)}`);
  }
  const volume = subject.object(value, members[shape]);
  const read = { box: boxCells, cylinder: cylinderCells, convex: convexCells }[shape];
  const area = areaOf(volume.area, subject, byDefault);
  return { ...blank, ...read(volume, subject), shape: shapes.indexOf(shape), area };
}

/** Writes volumes at an address, one record after the other. */
export function writeVolumes(memory: Memory, address: number, volumes: readonly VolumeCells[]): void {
  let at = address;
  for (const volume of volumes) at = memory.writeRecord(at, records.volume, volume, 'volume');
}

/** A volume as the engine has it. */
export function readVolume(cells: VolumeCells): Volume {
  const { minY, maxY, centerX: x, centerZ: z } = cells;
  const area = cells.area === BLOCKED ? 'blocked' : cells.area;
  switch (shapes[cells.shape]) {
    case 'box': {
      const center: Vec3 = [x, (minY + maxY) / 2, z];
      const size: Vec3 = [2 * cells.halfX, maxY - minY, 2 * cells.halfZ];
      return { shape: 'box', center, size, axis: [cells.axisX, cells.axisZ], area };
    }
    case 'cylinder':
      return { shape: 'cylinder', base: [x, minY, z], radius: cells.radius, height: maxY - minY, area };
    default: {
      const corners = Array.from({ length: cells.cornerCount }, (_, k): Vec2 => {
        return [cells.corners[2 * k] as number, cells.corners[2 * k + 1] as number];
      });
      return { shape: 'convex', corners, minY, maxY, area };
    }
  }
}
