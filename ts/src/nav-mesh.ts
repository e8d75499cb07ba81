// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Navigation meshes.
import { cellCount, records } from './abi.js';
import { badArgument, Status } from './errors.js';
import { explainFormat } from './formats.js';
import { referencedMode, type SnapshotOptions } from './mesh-snapshot.js';
import type { Native } from './native.js';
import { readLinks, type OffMeshLinkInfo } from './off-mesh.js';
import { Resource } from './resource.js';
import { turnUp } from './surface.js';
import { readRows, type TileInfo } from './tiles.js';
import { byteArray, integer, uint64, type BytesLike, type Vec3 } from './values.js';

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

/** The surface of a mesh as triangles, facing up: as Three.js draws them and as a build takes them. */
export interface MeshTriangles {
  /** Nine numbers for each triangle: x, y, z of its three corners, counter-clockwise seen from above. */
  positions: Float64Array<ArrayBuffer>;
  /** The area of each triangle. */
  areas: Uint8Array<ArrayBuffer>;
}

/** The outlines of all polygons of a mesh, each clockwise seen from above. */
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
  /** Its outline, clockwise seen from above. */
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
  /** Its tiles, by slot. */
  tiles(): TileInfo[];
  /** The slot of a tile, or null when none stands there. */
  findTile(x: number, z: number, layer?: number): number | null;
  /** A tile as it is now, edited areas and flags included, for `NavMesh.addTile`. Throws `ArgumentError` for an empty slot. */
  tileBytes(slot: number): Uint8Array<ArrayBuffer>;
  /** Its off-mesh links, by slot. */
  offMeshLinks(): OffMeshLinkInfo[];
  /** Those of its off-mesh links that are not connected: an end of theirs found no polygon. */
  openLinks(): OffMeshLinkInfo[];
  /**
   * The mesh as bytes: `Engine.loadNavMesh` gives an equal mesh with equal references. In mode `'referenced'` the bytes of its tiles are
   * left out: they must then be given to `Engine.loadNavMesh`.
   */
  save(options?: SnapshotOptions): Uint8Array<ArrayBuffer>;
}

// The engine speaks of the tile that the bytes are.
const tileNames = { tile: 'bytes' };
const NOT_FOUND = Status.NotFound;
const MAX_SLOT = (1 << 24) - 1;

/**
 * A navigation mesh, made by `Engine.buildNavMesh`, `Engine.loadNavMesh` and their like. What is on it copes with changes: agents plan anew,
 * references to polygons that are gone are refused. A crowd that is being recorded cannot be stepped after one. The mesh of a player
 * belongs to its replay: changing it throws `ArgumentError`.
 */
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
    turnUp(positions);
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

  tiles(): TileInfo[] {
    const { native } = this;
    const count = native.call(native.exports.crw_navmesh_tiles(this.handle()));
    return readRows(native, count, 1 + cellCount(records.tileInfo), (at) => {
      return { slot: native.memory.f64(at), ...native.memory.record(at + 8, records.tileInfo) };
    });
  }

  findTile(x: number, z: number, layer = 0): number | null {
    const handle = this.handle();
    const place = [integer(x, 'x'), integer(z, 'z'), integer(layer, 'layer')] as const;
    const slot = this.native.exports.crw_navmesh_find_tile(handle, ...place);
    return slot === -NOT_FOUND ? null : this.native.call(slot);
  }

  tileBytes(slot: number): Uint8Array<ArrayBuffer> {
    const { native } = this;
    const handle = this.handle();
    const number = integer(slot, 'slot', 0, MAX_SLOT);
    if (native.exports.crw_navmesh_tile_bytes(handle, number) === -NOT_FOUND) {
      throw badArgument('slot', `holds no tile: ${slot}`, { index: slot });
    }
    return native.resultBytes();
  }

  offMeshLinks(): OffMeshLinkInfo[] {
    return this.#links(0);
  }

  openLinks(): OffMeshLinkInfo[] {
    return this.#links(1);
  }

  #links(open: number): OffMeshLinkInfo[] {
    return readLinks(
      this.native,
      this.native.call(this.native.exports.crw_navmesh_off_mesh_links(this.handle(), open)),
    );
  }

  save(options?: SnapshotOptions): Uint8Array<ArrayBuffer> {
    const { native } = this;
    const handle = this.handle();
    native.call(native.exports.crw_navmesh_save(handle, referencedMode(options)));
    return native.resultBytes();
  }

  // --- Changes --------------------------------------------------------------------------------------------------------

  /** @internal The handle for a change: refused for a mesh that belongs to a player. */
  #own(): number {
    const handle = this.handle();
    this.assertOwn();
    return handle;
  }

  /**
   * Adds a tile from its bytes and returns its slot. Throws `NavMeshFormatError` naming field and byte offset, and `CrowdreelError` with status
   * `'Occupied'` when a tile stands at its place, or `'Limit'`.
   */
  addTile(bytes: BytesLike): number {
    const { native } = this;
    const handle = this.#own();
    const data = byteArray(bytes, 'bytes');
    const result = native.exports.crw_navmesh_add_tile(handle, native.input(data), data.length);
    const slot = native.call(result, tileNames, (detail, engineField) =>
      detail.status === 'Occupied'
        ? `a tile stands at its place, in slot ${detail.index}`
        : explainFormat(data)(detail, engineField),
    );
    native.trim(data.length);
    return slot;
  }

  /**
   * Puts a tile where one stands, in the same slot, or adds it where none does; returns the slot. References to the polygons of the old one
   * are stale from then on. Throws `NavMeshFormatError` naming field and byte offset, and `CrowdreelError` with status `'Limit'`.
   */
  replaceTile(bytes: BytesLike): number {
    const { native } = this;
    const handle = this.#own();
    const data = byteArray(bytes, 'bytes');
    const result = native.exports.crw_navmesh_replace_tile(handle, native.input(data), data.length);
    const slot = native.call(result, tileNames, explainFormat(data));
    native.trim(data.length);
    return slot;
  }

  /** Removes a tile. Throws `CrowdreelError` with status `'NotFound'` when none stands there. */
  removeTile(x: number, z: number, layer = 0): void {
    const { native } = this;
    const handle = this.#own();
    const place = [integer(x, 'x'), integer(z, 'z'), integer(layer, 'layer')] as const;
    native.call(native.exports.crw_navmesh_remove_tile(handle, ...place), {}, ({ status }) =>
      status === 'NotFound' ? `none stands at (${x}, ${z}), layer ${layer}` : null,
    );
  }

  /** Gives a polygon another area, 0 to 63. Throws `ArgumentError`, with status `'StaleRef'` when the reference names no polygon. */
  setArea(ref: bigint, area: number): void {
    const handle = this.#own();
    const result = this.native.exports.crw_navmesh_set_area(handle, uint64(ref, 'ref'), integer(area, 'area', 0, 63));
    this.native.call(result);
  }

  /** Gives a polygon other flags, 0 to 65535. Throws as `setArea`. */
  setFlags(ref: bigint, flags: number): void {
    const handle = this.#own();
    const value = integer(flags, 'flags', 0, 0xffff);
    this.native.call(this.native.exports.crw_navmesh_set_flags(handle, uint64(ref, 'ref'), value));
  }

  #info() {
    this.native.call(this.native.exports.crw_navmesh_info(this.handle()));
    return this.native.record(records.navmeshInfo);
  }
}
