// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Why a level has hardly any ground: which way its triangles face.
import type { BuildInput } from '../build.js';
import type { MeshTriangles } from '../nav-mesh.js';

/** Areas of triangles by the direction they face, those too far from each left out. */
export interface Facing {
  up: number;
  down: number;
  /** Along z or -z, whichever is more: ground of levels in which z is up. */
  z: number;
}

// Halls and canyons have tall walls, too: below this share of what faces another way there is hardly any ground.
const HARDLY = 0.1;

type Triple = readonly [number, number, number];

function crossProduct(positions: ArrayLike<number>, [a, b, c]: Triple): Triple {
  const at = (corner: number, axis: number) => positions[3 * corner + axis] as number;
  const side = (corner: number, axis: number) => at(corner, axis) - at(a, axis);
  return [
    side(b, 1) * side(c, 2) - side(b, 2) * side(c, 1),
    side(b, 2) * side(c, 0) - side(b, 0) * side(c, 2),
    side(b, 0) * side(c, 1) - side(b, 1) * side(c, 0),
  ];
}

/** Which way the triangles of a level face, within `maxSlope` degrees. */
export function facingOf({ positions, indices }: BuildInput, maxSlope: number): Facing {
  const steepest = Math.cos((maxSlope * Math.PI) / 180);
  const areas = { up: 0, down: 0, z: 0, minusZ: 0 };
  for (let i = 0; i < indices.length; i += 3) {
    const corners = [indices[i] as number, indices[i + 1] as number, indices[i + 2] as number] as const;
    const [x, y, z] = crossProduct(positions, corners);
    const length = Math.sqrt(x * x + y * y + z * z);
    if (!(length > 0)) continue;
    if (Math.abs(y) >= steepest * length) areas[y > 0 ? 'up' : 'down'] += Math.abs(y) / 2;
    if (Math.abs(z) >= steepest * length) areas[z > 0 ? 'z' : 'minusZ'] += Math.abs(z) / 2;
  }
  return { up: areas.up, down: areas.down, z: Math.max(areas.z, areas.minusZ) };
}

/** The area of a surface, seen from above. */
export function groundArea({ positions }: MeshTriangles): number {
  let area = 0;
  for (let i = 0; i < positions.length / 3; i += 3) area += Math.abs(crossProduct(positions, [i, i + 1, i + 2])[1]) / 2;
  return area;
}

/** What is likely wrong with a level that has hardly any ground, or null. */
export function groundHint(ground: number, { up, down, z }: Facing): string | null {
  const most = Math.max(up, down, z);
  if (most === 0 || most === up || ground >= HARDLY * most) return null;
  const few = `facing up ${text(up)}, facing`;
  const why =
    most === down
      ? `the winding looks reversed (${few} down ${text(down)})`
      : `y must be up, and it looks as if z were (${few} along z ${text(z)})`;
  return `There is hardly any ground: ${why}, in square units.`;
}

function text(area: number): string {
  return String(Number(area.toPrecision(3)));
}
