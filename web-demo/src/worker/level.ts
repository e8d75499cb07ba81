// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What the page needs to draw a level, relative to an origin near its middle.
import type { NavMeshView } from 'crowdreel';
import type { LevelData, Vec3 } from '../messages';

interface Soup {
  positions: Float64Array;
  indices: Uint32Array;
}

function middleOf(min: Vec3, max: Vec3): Vec3 {
  return [0, 1, 2].map((axis) => Math.round((min[axis]! + max[axis]!) / 2)) as Vec3;
}

function relative(positions: ArrayLike<number>, origin: Vec3): Float32Array {
  const out = new Float32Array(positions.length);
  for (let i = 0; i < out.length; i++) out[i] = positions[i]! - origin[i % 3]!;
  return out;
}

function unindexed({ positions, indices }: Soup, origin: Vec3): Float32Array {
  const out = new Float32Array(indices.length * 3);
  for (let i = 0; i < indices.length; i++) {
    for (let axis = 0; axis < 3; axis++) out[i * 3 + axis] = positions[indices[i]! * 3 + axis]! - origin[axis]!;
  }
  return out;
}

function polygonEdges(mesh: NavMeshView, origin: Vec3): Float32Array {
  const { positions, counts } = mesh.polygonOutlines();
  const out: number[] = [];
  let first = 0;
  for (const count of counts) {
    for (let i = 0; i < count; i++) {
      for (const corner of [first + i, first + ((i + 1) % count)]) {
        for (let axis = 0; axis < 3; axis++) out.push(positions[corner * 3 + axis]! - origin[axis]!);
      }
    }
    first += count;
  }
  return Float32Array.from(out);
}

/** Smallest and largest coordinate per axis, relative to the origin, of all that is drawn. */
function extent(parts: Float32Array[]): { min: Vec3; max: Vec3 } {
  const min: Vec3 = [Infinity, Infinity, Infinity];
  const max: Vec3 = [-Infinity, -Infinity, -Infinity];
  for (const part of parts) {
    for (let i = 0; i < part.length; i++) {
      const axis = i % 3;
      min[axis] = Math.min(min[axis]!, part[i]!);
      max[axis] = Math.max(max[axis]!, part[i]!);
    }
  }
  return min[0] > max[0] ? { min: [-5, 0, -5], max: [5, 0, 5] } : { min, max };
}

/** The corners of a box, drawn in a little: what lies in the very corners matters least. */
function cornersOf({ min, max }: { min: Vec3; max: Vec3 }): Float32Array {
  const SHARE = 0.9;
  const middle = [0, 1, 2].map((axis) => (min[axis]! + max[axis]!) / 2);
  const corners = Array.from({ length: 8 }, (_, corner) =>
    middle.map((m, axis) => m + ((corner >> axis) & 1 ? 1 : -1) * ((max[axis]! - min[axis]!) / 2) * SHARE),
  );
  return Float32Array.from(corners.flat());
}

/** `soup` and `places` (where agents start and go) are those of a scene; a file has neither. */
export function describeLevel(mesh: NavMeshView, soup: Soup | null, places: Vec3[]): LevelData {
  const bounds = mesh.bounds();
  const origin = bounds ? middleOf(bounds.min, bounds.max) : ([0, 0, 0] satisfies Vec3);
  const ground = relative(mesh.triangles().positions, origin);
  const solid = soup && unindexed(soup, origin);
  const box = extent(solid ? [ground, solid] : [ground]);
  const focus = places.length > 0 ? relative(places.flat(), origin) : cornersOf(box);
  return { origin, ...box, focus, ground, edges: polygonEdges(mesh, origin), solid };
}
