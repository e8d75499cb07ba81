// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Triangles of a surface, for drawing.

/**
 * Turns triangles, nine numbers each, that the engine lists clockwise seen from above (docs/behaviour/navmesh.md, "Polygons and their
 * surface") the other way round. Those a caller's tile lists counter-clockwise already stay as they are.
 */
export function turnUp(positions: Float64Array): void {
  for (let i = 0; i < positions.length; i += 9) if (!facesUp(positions, i)) swapLast(positions, i);
}

function facesUp(p: Float64Array, i: number): boolean {
  const [x, z] = [p[i] as number, p[i + 2] as number];
  const [bx, bz] = [(p[i + 3] as number) - x, (p[i + 5] as number) - z];
  const [cx, cz] = [(p[i + 6] as number) - x, (p[i + 8] as number) - z];
  return bz * cx - bx * cz > 0;
}

function swapLast(p: Float64Array, i: number): void {
  for (let k = i + 3; k < i + 6; k++) {
    const second = p[k] as number;
    p[k] = p[k + 3] as number;
    p[k + 3] = second;
  }
}
