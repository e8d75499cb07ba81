// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Navigation meshes.
import { records } from './abi.js';
import type { Native } from './native.js';
import { Resource } from './resource.js';
import { uint64, type Vec3 } from './values.js';

/** Fixed properties of a mesh. Lengths in world units. */
export interface NavMeshParams {
  /** Corner of tile (0, 0). */
  originX: number;
  /** Corner of tile (0, 0). */
  originZ: number;
  /** Side of a tile. */
  tileSize: number;
  /** Largest height difference that joins tiles. */
  climb: number;
  /** The radius the surface was shrunk by. */
  agentRadius: number;
  /** The headroom the surface was cleared for. */
  agentHeight: number;
}

/** A box around a mesh. */
export interface Bounds {
  min: Vec3;
  max: Vec3;
}

/** The surface of a mesh as triangles. */
export interface MeshTriangles {
  /** Nine numbers for each triangle: x, y, z of its three corners, counter-clockwise seen from above. */
  positions: Float64Array<ArrayBuffer>;
  /** The area of each triangle. */
  areas: Uint8Array<ArrayBuffer>;
}

/** The outlines of all polygons of a mesh. */
export interface PolygonOutlines {
  /** x, y, z of every outline corner, polygon after polygon. */
  positions: Float64Array<ArrayBuffer>;
  /** How many corners each polygon has. */
  counts: Uint8Array<ArrayBuffer>;
  /** The area of each polygon. */
  areas: Uint8Array<ArrayBuffer>;
  /** The reference of each polygon. */
  refs: BigUint64Array<ArrayBuffer>;
}

/** One polygon of a mesh. */
export interface Polygon {
  area: number;
  flags: number;
  /** Its outline; the interior is on the left of every edge seen along x to the right and z down. */
  vertices: Vec3[];
}

/** What can be read from a mesh, whoever owns it. */
export interface NavMeshView {
  /** Its fixed properties. */
  readonly params: NavMeshParams;
  /** Polygons over all tiles. */
  readonly polygonCount: number;
  /** Tiles of the mesh. */
  readonly tileCount: number;
  /** Edits since the mesh was made, saves and loads included. */
  readonly editCount: bigint;
  /** Whether it can no longer be used. */
  readonly disposed: boolean;
  /** The smallest box around it, or null when it has no polygons. */
  bounds(): Bounds | null;
  /** A copy of its surface, for drawing. */
  triangles(): MeshTriangles;
  /** A copy of its polygon outlines, for drawing. */
  polygonOutlines(): PolygonOutlines;
  /** Whether a reference names a polygon of this mesh. */
  isValidRef(ref: bigint): boolean;
  /** One polygon. Throws `ArgumentError` with status `'StaleRef'` when the reference names none. */
  polygon(ref: bigint): Polygon;
  /** The mesh as bytes: `Engine.loadNavMesh` gives an equal mesh with equal references. */
  save(): Uint8Array<ArrayBuffer>;
}

/** A navigation mesh, made by `Engine.buildNavMesh` or `Engine.loadNavMesh`. */
export class NavMesh extends Resource implements NavMeshView {
  private constructor(native: Native, handle: number, owner: Resource | null) {
    super(native, handle, 'mesh', owner);
  }

  /** @internal */
  static wrap(native: Native, handle: number, owner: Resource | null = null): NavMesh {
    return new NavMesh(native, handle, owner);
  }

  get params(): NavMeshParams {
    this.#info();
    return this.native.recordAfter(records.navmeshInfo, records.navmeshParams);
  }

  get polygonCount(): number {
    return this.#info().polygonCount;
  }

  get tileCount(): number {
    return this.#info().tileCount;
  }

  get editCount(): bigint {
    return this.#info().editCount;
  }

  bounds(): Bounds | null {
    const { hasBounds, min, max } = this.#info();
    return hasBounds ? { min, max } : null;
  }

  triangles(): MeshTriangles {
    const { native } = this;
    const count = native.call(native.exports.crw_navmesh_triangles(this.handle()));
    const address = native.result;
    const positions = native.memory.doubles(address, count * 9);
    const areas = native.memory.bytes(address + count * 72, count);
    native.trim(count * 73);
    return { positions, areas };
  }

  polygonOutlines(): PolygonOutlines {
    const { native } = this;
    const polygons = this.polygonCount;
    const vertices = native.call(native.exports.crw_navmesh_outlines(this.handle()));
    const address = native.result;
    const positionsAt = address + polygons * 8;
    const countsAt = positionsAt + vertices * 24;
    const refs = native.memory.refs(address, polygons);
    const positions = native.memory.doubles(positionsAt, vertices * 3);
    const counts = native.memory.bytes(countsAt, polygons);
    const areas = native.memory.bytes(countsAt + polygons, polygons);
    native.trim(polygons * 10 + vertices * 24);
    return { positions, counts, areas, refs };
  }

  isValidRef(ref: bigint): boolean {
    return this.native.call(this.native.exports.crw_navmesh_is_valid_ref(this.handle(), uint64(ref, 'ref'))) === 1;
  }

  polygon(ref: bigint): Polygon {
    const { native } = this;
    const count = native.call(native.exports.crw_navmesh_polygon(this.handle(), uint64(ref, 'ref')));
    const vertices = Array.from({ length: count }, (_, k) => native.record({ point: 'VEC3' }, 2 + k * 3).point);
    return { area: native.recordNumber(0), flags: native.recordNumber(1), vertices };
  }

  save(): Uint8Array<ArrayBuffer> {
    const { native } = this;
    native.call(native.exports.crw_navmesh_save(this.handle()));
    return native.resultBytes();
  }

  #info() {
    this.native.call(this.native.exports.crw_navmesh_info(this.handle()));
    return this.native.record(records.navmeshInfo);
  }
}
