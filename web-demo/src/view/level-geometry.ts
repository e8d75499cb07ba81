// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Sorts and dresses triangle soups for drawing.
import { BufferAttribute, type BufferGeometry } from 'three';

/** Triangles whose normal points up at least this much are ground. */
const GROUND_NORMAL = 0.64;

/** Walls this high, in units, are fully lit at the top. */
const FOOT_SHADE_HEIGHT = 3;
const STOREY_HEIGHT = 4;

function upwardness(soup: Float32Array, first: number): number {
  const at = (corner: number, axis: number) => soup[first + corner * 3 + axis]!;
  const u = [0, 1, 2].map((axis) => at(1, axis) - at(0, axis));
  const v = [0, 1, 2].map((axis) => at(2, axis) - at(0, axis));
  const x = u[1]! * v[2]! - u[2]! * v[1]!;
  const y = u[2]! * v[0]! - u[0]! * v[2]!;
  const z = u[0]! * v[1]! - u[1]! * v[0]!;
  const size = Math.hypot(x, y, z);
  return size > 0 ? y / size : 0;
}

/** Ground faces up; everything else (sides, undersides, tops nobody can stand on) is wall. */
export function splitBySlope(soup: Float32Array): { floors: Float32Array; walls: Float32Array } {
  const floors: number[] = [];
  const walls: number[] = [];
  for (let first = 0; first < soup.length; first += 9) {
    const side = upwardness(soup, first) >= GROUND_NORMAL ? floors : walls;
    for (let i = 0; i < 9; i++) side.push(soup[first + i]!);
  }
  return { floors: Float32Array.from(floors), walls: Float32Array.from(walls) };
}

/** The outer edges of a surface: those that belong to one triangle only. Offsets of their two ends. */
function outerEdges(soup: Float32Array): [number, number][] {
  const edges = new Map<string, [number, number] | null>();
  const name = (at: number) => [0, 1, 2].map((axis) => Math.round(soup[at + axis]! * 1024)).join(',');
  for (let first = 0; first < soup.length; first += 9) {
    for (let corner = 0; corner < 3; corner++) {
      const [a, b] = [first + corner * 3, first + ((corner + 1) % 3) * 3];
      const [na, nb] = [name(a), name(b)];
      const key = na < nb ? `${na}|${nb}` : `${nb}|${na}`;
      edges.set(key, edges.has(key) ? null : [a, b]);
    }
  }
  return [...edges.values()].filter((edge) => edge !== null);
}

/** Vertical bands below the outer edges of a surface, which make a slab of it. */
export function skirts(soup: Float32Array, depth: number): Float32Array {
  const out: number[] = [];
  for (const edge of outerEdges(soup)) pushBand(out, soup, edge, depth);
  return Float32Array.from(out);
}

/** The outer edges of a surface as line segments. */
export function outline(soup: Float32Array): Float32Array {
  const RAISED = 0.02;
  const end = (at: number) => [soup[at]!, soup[at + 1]! + RAISED, soup[at + 2]!];
  return Float32Array.from(outerEdges(soup).flatMap(([a, b]) => [...end(a), ...end(b)]));
}

function pushBand(out: number[], soup: Float32Array, [a, b]: [number, number], depth: number): void {
  const corner = (at: number, down: number) => [soup[at]!, soup[at + 1]! - down, soup[at + 2]!];
  const [p, q, r, s] = [corner(a, 0), corner(b, 0), corner(b, depth), corner(a, depth)];
  out.push(...p, ...r, ...q, ...p, ...s, ...r);
}

/** Darkens the foot of walls: a cheap stand-in for the light that does not reach corners. */
export function withFootShade(geometry: BufferGeometry): BufferGeometry {
  return shadedByHeight(geometry, 0.74, FOOT_SHADE_HEIGHT);
}

/** Darkens lower floors a little, which tells storeys apart. */
export function withStoreyShade(geometry: BufferGeometry): BufferGeometry {
  return shadedByHeight(geometry, 0.93, STOREY_HEIGHT);
}

function shadedByHeight(geometry: BufferGeometry, darkest: number, full: number): BufferGeometry {
  const position = geometry.getAttribute('position');
  geometry.computeBoundingBox();
  const foot = geometry.boundingBox?.min.y ?? 0;
  const colours = new Float32Array(position.count * 3);
  for (let i = 0; i < position.count; i++) {
    const height = Math.min(1, (position.getY(i) - foot) / full);
    colours.fill(darkest + (1 - darkest) * height, i * 3, i * 3 + 3);
  }
  geometry.setAttribute('color', new BufferAttribute(colours, 3));
  return geometry;
}
