// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Reading and writing files, and telling formats apart.
import { readFileSync, writeFileSync } from 'node:fs';
import { CrowdreelError } from '../errors.js';
import type { Engine } from '../engine.js';
import type { NavMesh } from '../nav-mesh.js';
import { parseObj } from '../obj.js';
import type { BuildSettings } from '../options.js';

export function readFile(path: string): Uint8Array {
  return readFileSync(path);
}

export function writeFile(path: string, bytes: Uint8Array): void {
  writeFileSync(path, bytes);
}

/** The four letters a binary file begins with. */
export function magicOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.subarray(0, 4));
}

/** A mesh from a level: an OBJ file is built, a build input file too (with its own settings), a saved mesh is loaded. */
export function meshFromLevel(engine: Engine, path: string, settings: Partial<BuildSettings>): NavMesh {
  const bytes = readFile(path);
  switch (magicOf(bytes)) {
    case 'CRNM':
      return engine.loadNavMesh(bytes);
    case 'OPBI': {
      const input = engine.readBuildInput(bytes);
      return engine.buildNavMesh(input, input.settings).mesh;
    }
    default:
      return engine.buildNavMesh(parseLevel(path, bytes), settings).mesh;
  }
}

/** The geometry of an OBJ file, which must have some. */
export function parseLevel(path: string, bytes: Uint8Array) {
  const geometry = parseObj(new TextDecoder().decode(bytes));
  if (geometry.indices.length > 0) return geometry;
  throw new CrowdreelError(`${path} has no faces: it is not an OBJ file with a level in it.`, {
    status: 'BadMagic',
    field: 'faces',
  });
}
