// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Wavefront OBJ files: the vertices and faces, which is all a level needs.

/** Geometry of an OBJ file, as `Engine.buildNavMesh` takes it. */
export interface ObjGeometry {
  /** x, y, z of every vertex. */
  positions: Float64Array<ArrayBuffer>;
  /** Three vertex numbers for each triangle; polygons are cut into fans. */
  indices: Uint32Array<ArrayBuffer>;
}

/** An OBJ file that cannot be read: `line` tells where. */
export class ObjError extends Error {
  override name = 'ObjError';
  /** Line number, from 1. */
  readonly line: number;

  constructor(problem: string, line: number) {
    super(`OBJ line ${line}: ${problem}.`);
    this.line = line;
  }
}

/**
 * Reads the vertices (`v`) and faces (`f`) of an OBJ text; everything else is skipped. Vertex numbers may be negative (counted
 * back from the last vertex), faces may have any number of corners, and lines may go on after a backslash. Throws
 * `ObjError`.
 */
export function parseObj(text: string): ObjGeometry {
  const positions: number[] = [];
  const indices: number[] = [];
  const lines = text.split('\n');
  for (let i = 0; i < lines.length; i++) {
    const number = i + 1;
    let line = (lines[i] as string).trimEnd();
    while (line.endsWith('\\') && i + 1 < lines.length)
      line = line.slice(0, -1) + ' ' + (lines[++i] as string).trimEnd();
    const [keyword, ...words] = (line.split('#', 1)[0] as string).trim().split(/\s+/);
    if (keyword === 'v') readVertex(words, positions, number);
    else if (keyword === 'f') readFace(words, positions.length / 3, indices, number);
  }
  return { positions: new Float64Array(positions), indices: new Uint32Array(indices) };
}

// A fourth value is a weight and colours may follow: neither moves the vertex.
function readVertex(words: readonly string[], positions: number[], line: number): void {
  if (words.length < 3) throw new ObjError('a vertex needs three coordinates', line);
  for (const word of words.slice(0, 3)) {
    const value = Number(word);
    if (!Number.isFinite(value)) throw new ObjError(`"${word}" is not a number`, line);
    positions.push(value);
  }
}

function readFace(words: readonly string[], vertexCount: number, indices: number[], line: number): void {
  if (words.length < 3) throw new ObjError('a face needs at least three corners', line);
  const corners = words.map((word) => vertexIndex(word, vertexCount, line));
  const first = corners[0] as number;
  for (let k = 2; k < corners.length; k++) indices.push(first, corners[k - 1] as number, corners[k] as number);
}

// "7", "7/1", "7//3" and "7/1/3": the first number is the vertex.
function vertexIndex(word: string, vertexCount: number, line: number): number {
  const written = word.split('/', 1)[0] as string;
  const number = /^-?\d+$/.test(written) ? Number(written) : NaN;
  if (Number.isNaN(number) || number === 0) throw new ObjError(`"${word}" is not a vertex number`, line);
  const index = number > 0 ? number - 1 : vertexCount + number;
  if (index >= 0 && index < vertexCount) return index;
  throw new ObjError(`vertex ${number} does not exist: there are ${vertexCount} so far`, line);
}
