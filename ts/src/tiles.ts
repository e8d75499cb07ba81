// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Tiles and meshes from the caller's own polygons, and what a mesh tells of its tiles.
import { cellCount, records, type RecordOf } from './abi.js';
import { checkNumbers, checkWhole, rowCount } from './build.js';
import { describe } from './describe.js';
import { badArgument } from './errors.js';
import { InputBlock } from './input-block.js';
import { writeParams } from './mesh-build.js';
import type { Native } from './native.js';
import type { NavMeshParams } from './nav-mesh.js';
import { allLinkCells, writeLinks, type OffMeshLink } from './off-mesh.js';
import { merged } from './options.js';
import { Subject } from './subject.js';
import { COORD_LIMIT, finite, integer } from './values.js';

/** A tile of a mesh. */
export interface TileInfo {
  /** Where the mesh keeps it: part of the references of its polygons. */
  slot: number;
  /** Place in the grid of tiles. */
  x: number;
  z: number;
  layer: number;
  /** How often the slot has been filled: part of the references too, so that old ones are known. */
  salt: number;
  vertexCount: number;
  polygonCount: number;
  /** Joints of its polygons with others, inside the tile and beyond. */
  linkCount: number;
  /** Off-mesh links that start in it. */
  offMeshCount: number;
  /** Names its content, whatever areas and flags were set since. */
  contentHash: bigint;
}

/** A tile that a referenced snapshot needs. */
export interface SnapshotTile {
  slot: number;
  x: number;
  z: number;
  layer: number;
  /** Bytes of the tile. */
  size: number;
  /** `Engine.tileContentHash` of those bytes. */
  contentHash: bigint;
}

/** Your own convex polygons, to make a mesh of. Polygons are neighbours where they share both corners of an edge. */
export interface PolygonSoup {
  /** x, y, z of every position. Positions at the same place are one corner. */
  positions: ArrayLike<number>;
  /** The corners of each polygon as position numbers: 3 to 12, round a convex shape either way. */
  polygons: readonly ArrayLike<number>[];
  /** The area of each polygon, 0 to 63; default: all 0. */
  areas?: ArrayLike<number>;
  /** The flags of each polygon, 0 to 65535; default: all 1. */
  flags?: ArrayLike<number>;
  offMeshLinks?: readonly OffMeshLink[];
  /** Largest height difference that joins tiles added later. 0 or more; default 0.9. */
  climb?: number;
  /** The radius the polygons were shrunk by, for reading. 0 or more; default 0. */
  agentRadius?: number;
  /** The headroom they were cleared for, for reading. 0 or more; default 2. */
  agentHeight?: number;
}

/** Your own tile. Every polygon is clockwise seen from above: its interior is on the right of its edges. */
export interface TileDescription {
  /** Place in the grid of tiles. */
  x: number;
  z: number;
  /** Default 0. Several tiles may stand at one place, each with a layer of its own. */
  layer?: number;
  /** x, y, z of every vertex, in the square of the tile. */
  vertices: ArrayLike<number>;
  /** The corners of each polygon as vertex numbers: 3 to 12. */
  polygons: readonly ArrayLike<number>[];
  /** The area of each polygon, 0 to 63; default: all 0. */
  areas?: ArrayLike<number>;
  /** The flags of each polygon, 0 to 65535; default: all 1. */
  flags?: ArrayLike<number>;
  /**
   * What is behind each edge, for each polygon and corner: a polygon number, 4294967295 for a wall, or 4294967280 to 4294967283 for the
   * side of the tile towards +x, +z, -x, -z. Default: found from shared vertices and from the sides of the tile.
   */
  neighbours?: readonly ArrayLike<number>[];
  /** Heights inside the polygons; default: none but those of the corners. */
  detail?: TileDescriptionDetail;
  /** Links that start in the tile. */
  offMeshLinks?: readonly OffMeshLink[];
}

/** The surface of the polygons of a tile. */
export interface TileDescriptionDetail {
  /** Extra vertices and triangles of each polygon. */
  vertexCounts: ArrayLike<number>;
  triangleCounts: ArrayLike<number>;
  /** x, y, z of every extra vertex, polygon after polygon. */
  vertices: ArrayLike<number>;
  /** Three for each triangle, either way round: a corner of the polygon by its place, or an extra vertex behind them. */
  triangles: ArrayLike<number>;
}

const MAX_CORNERS = 12;
const WORD = 0xffffffff;

// --- Polygons of the caller's -------------------------------------------------------------------------------------------

interface Polygons {
  counts: Uint8Array;
  corners: Uint32Array;
}

function checkList(list: unknown, field: string): asserts list is readonly unknown[] {
  if (!Array.isArray(list)) throw badArgument(field, `must be an array, not ${describe(list)}`);
}

/** Corner lists as one list; each corner one of `count` of the caller's positions or vertices. */
function flatten(list: unknown, field: string, count: number, noun: string): Polygons {
  checkList(list, field);
  const counts = new Uint8Array(list.length);
  const corners: number[] = [];
  for (const [index, polygon] of list.entries()) {
    const subject = new Subject(field, index);
    const { length } = (polygon ?? {}) as ArrayLike<number>;
    if (typeof polygon !== 'object' || typeof length !== 'number') {
      throw subject.error('', `must be an array of numbers, not ${describe(polygon)}`);
    }
    if (length < 3 || length > MAX_CORNERS) {
      const limit = length < 3 ? 3 : MAX_CORNERS;
      throw subject.error('', `must have 3 to ${MAX_CORNERS} corners, not ${length}`, { limit });
    }
    counts[index] = length;
    for (const corner of Array.from(polygon as ArrayLike<number>)) {
      if (subject.integer(corner, '', 0, WORD) >= count) {
        throw subject.error('', `names ${noun} ${corner}, but there are ${count}`, { limit: count });
      }
      corners.push(corner);
    }
  }
  return { counts, corners: Uint32Array.from(corners) };
}

/** A number for each of `count` rows, whole and at most `high`. */
function column(list: unknown, field: string, count: number, high: number): void {
  if (list === undefined) return;
  const length = rowCount(list, field, 1);
  if (length !== count) throw badArgument(field, `must hold ${count} numbers, but has ${length}`, { limit: count });
  checkWhole(list as ArrayLike<number>, field, high);
}

const soupDefaults = {
  positions: undefined,
  polygons: undefined,
  areas: undefined,
  flags: undefined,
  offMeshLinks: undefined,
  climb: 0.9,
  agentRadius: 0,
  agentHeight: 2,
};

const soupNames = {
  'polygons.positions': 'polygons.positions',
  'polygons.cornerCounts': 'polygons.polygons',
  'polygons.corners': 'polygons.polygons',
  'polygons.shape': 'polygons.polygons',
  'polygons.edges': 'polygons.polygons',
  'polygons.polygonCount': 'polygons.polygons',
};

/** Makes a mesh of polygons and returns its handle. */
export function polygonMesh(native: Native, soup: PolygonSoup): number {
  if (typeof soup !== 'object' || soup === null) {
    throw badArgument('polygons', `must be an object, not ${describe(soup)}`);
  }
  const given = merged<Record<string, unknown>>(soupDefaults, soup, 'polygons');
  const positions = soup.positions;
  const positionCount = rowCount(positions, 'polygons.positions', 3);
  checkNumbers(positions, 'polygons.positions', 3);
  const { counts, corners } = flatten(given.polygons, 'polygons.polygons', positionCount, 'position');
  column(given.areas, 'polygons.areas', counts.length, 63);
  column(given.flags, 'polygons.flags', counts.length, 0xffff);
  const links = allLinkCells(given.offMeshLinks, 'polygons.offMeshLinks');
  const block = new InputBlock(native);
  const at = {
    positions: block.doubles(positions),
    cornerCounts: block.bytes(counts),
    corners: block.words(corners),
    areas: block.bytes(soup.areas),
    flags: block.halves(soup.flags),
    links: block.add(links.length * cellCount(records.offMeshLink) * 8, (address) =>
      writeLinks(native.memory, address, links),
    ),
  };
  const size = block.place();
  const cells: RecordOf<typeof records.polygonSoup> = {
    positions: at.positions.address,
    positionCount,
    cornerCounts: at.cornerCounts.address,
    corners: at.corners.address,
    polygonCount: counts.length,
    areas: at.areas.address,
    flags: at.flags.address,
    offMeshLinks: at.links.address,
    offMeshCount: links.length,
    climb: finite(given.climb, 'polygons.climb'),
    agentRadius: finite(given.agentRadius, 'polygons.agentRadius'),
    agentHeight: finite(given.agentHeight, 'polygons.agentHeight'),
  };
  native.memory.writeRecord(native.arguments, records.polygonSoup, cells, 'polygons');
  native.given.set('polygons', { climb: cells.climb, agentRadius: cells.agentRadius, agentHeight: cells.agentHeight });
  const result = native.exports.crw_navmesh_from_polygons(native.arguments);
  const handle = native.call(result, soupNames, ({ index }, name) => explainSoup(soup, index, name));
  native.trim(size);
  return handle;
}

function explainSoup(soup: PolygonSoup, index: number | null, engineField: string | null): string | null {
  if (index === null) return null;
  const { positions, polygons } = soup;
  const [x, y, z] = [0, 1, 2].map((k) => positions[3 * index + k]);
  const corners = () =>
    `polygon ${index}, with corners ${Array.from(polygons[index] as ArrayLike<number>).join(', ')},`;
  switch (engineField) {
    case 'polygons.positions':
      return `position ${index} is (${x}, ${y}, ${z}), and coordinates must be finite and below ${COORD_LIMIT}`;
    case 'polygons.shape':
      return `${corners()} is not convex, has no area or has a corner twice`;
    case 'polygons.edges':
      return `${corners()} overlaps another one at an edge`;
    case 'polygons.offMeshLinks':
      return `link ${index} is out of the mesh's reach`;
    default:
      return null;
  }
}

// --- Tiles of the caller's ----------------------------------------------------------------------------------------------

const paramsDefaults: { [K in keyof NavMeshParams]: number | undefined } = {
  originX: undefined,
  originZ: undefined,
  tileSize: undefined,
  climb: undefined,
  agentRadius: 0,
  agentHeight: 0,
};

/** Checks mesh parameters for kind and writes them to the argument block. */
export function placeParams(native: Native, params: unknown): number {
  if (typeof params !== 'object' || params === null) {
    throw badArgument('params', `must be an object, not ${describe(params)}`);
  }
  const given = merged(paramsDefaults, params, 'params');
  for (const [name, value] of Object.entries(given)) finite(value, `params.${name}`);
  return writeParams(native, given as NavMeshParams);
}

const tileDefaults = {
  x: undefined,
  z: undefined,
  layer: 0,
  vertices: undefined,
  polygons: undefined,
  areas: undefined,
  flags: undefined,
  neighbours: undefined,
  detail: undefined,
  offMeshLinks: undefined,
};

const detailDefaults = {
  vertexCounts: undefined,
  triangleCounts: undefined,
  vertices: undefined,
  triangles: undefined,
};

function sum(list: ArrayLike<number>): number {
  let total = 0;
  for (let i = 0; i < list.length; i++) total += list[i] as number;
  return total;
}

function checkDetail(value: unknown, polygonCount: number): Required<TileDescriptionDetail> {
  const field = 'tile.detail';
  const detail = merged<Record<string, unknown>>(detailDefaults, value, field) as unknown as TileDescriptionDetail;
  for (const name of ['vertexCounts', 'triangleCounts', 'triangles'] as const)
    rowCount(detail[name], `${field}.${name}`, 1);
  column(detail.vertexCounts, `${field}.vertexCounts`, polygonCount, WORD);
  column(detail.triangleCounts, `${field}.triangleCounts`, polygonCount, WORD);
  checkWhole(detail.triangles, `${field}.triangles`, 0xffff);
  const vertices = sum(detail.vertexCounts);
  const triangles = sum(detail.triangleCounts);
  const given = rowCount(detail.vertices, `${field}.vertices`, 3);
  if (given !== vertices) throw badArgument(`${field}.vertices`, `must be ${vertices} vertices, but are ${given}`);
  checkNumbers(detail.vertices, `${field}.vertices`, 3);
  const rows = rowCount(detail.triangles, `${field}.triangles`, 3, 'the corners of a triangle');
  if (rows !== triangles) throw badArgument(`${field}.triangles`, `must be ${triangles} triangles, but are ${rows}`);
  return detail;
}

function checkNeighbours(list: unknown, counts: Uint8Array): Uint32Array {
  const field = 'tile.neighbours';
  checkList(list, field);
  if (list.length !== counts.length) {
    throw badArgument(field, `must be one list for each of ${counts.length} polygons, but are ${list.length}`);
  }
  const flat: number[] = [];
  for (const [index, entry] of list.entries()) {
    const subject = new Subject(field, index);
    const numbers = Array.from((entry ?? []) as ArrayLike<number>);
    if (numbers.length !== counts[index]) {
      throw subject.error('', `must hold ${counts[index]} numbers, one for each edge, but has ${numbers.length}`);
    }
    for (const v of numbers) flat.push(subject.integer(v, '', 0, WORD));
  }
  return Uint32Array.from(flat);
}

const tileNames = {
  'tile.polygonVertexCounts': 'tile.polygons',
  'tile.polygonVertices': 'tile.polygons',
  'tile.polygonNeighbours': 'tile.neighbours',
  'tile.polygonAreas': 'tile.areas',
  'tile.polygonCount': 'tile.polygons',
  'tile.detailVertexCounts': 'tile.detail.vertexCounts',
  'tile.detailTriangleCounts': 'tile.detail.triangleCounts',
  'tile.detailVertices': 'tile.detail.vertices',
  'tile.detailTriangles': 'tile.detail.triangles',
};

/** A tile's bytes. */
export function encodeTile(native: Native, params: unknown, tile: TileDescription): Uint8Array<ArrayBuffer> {
  const paramsAt = placeParams(native, params);
  if (typeof tile !== 'object' || tile === null) throw badArgument('tile', `must be an object, not ${describe(tile)}`);
  const given = merged<Record<string, unknown>>(tileDefaults, tile, 'tile');
  const place = {
    x: integer(given.x, 'tile.x'),
    z: integer(given.z, 'tile.z'),
    layer: integer(given.layer, 'tile.layer'),
  };
  const vertexCount = rowCount(given.vertices, 'tile.vertices', 3);
  checkNumbers(given.vertices as ArrayLike<number>, 'tile.vertices', 3);
  const { counts, corners } = flatten(given.polygons, 'tile.polygons', vertexCount, 'vertex');
  column(given.areas, 'tile.areas', counts.length, 63);
  column(given.flags, 'tile.flags', counts.length, 0xffff);
  const neighbours = given.neighbours === undefined ? null : checkNeighbours(given.neighbours, counts);
  const detail = given.detail === undefined ? null : checkDetail(given.detail, counts.length);
  const links = allLinkCells(given.offMeshLinks, 'tile.offMeshLinks');
  const block = new InputBlock(native);
  const none = { address: 0 };
  const at = {
    vertices: block.doubles(tile.vertices),
    polygonVertexCounts: block.bytes(counts),
    polygonVertices: block.words(corners),
    polygonNeighbours: neighbours ? block.words(neighbours) : none,
    polygonAreas: block.bytes(tile.areas),
    polygonFlags: block.halves(tile.flags),
    detailVertexCounts: detail ? block.words(detail.vertexCounts) : none,
    detailTriangleCounts: detail ? block.words(detail.triangleCounts) : none,
    detailVertices: detail ? block.doubles(detail.vertices) : none,
    detailTriangles: detail ? block.halves(detail.triangles) : none,
    offMeshLinks: block.add(links.length * cellCount(records.offMeshLink) * 8, (address) =>
      writeLinks(native.memory, address, links),
    ),
  };
  block.place();
  const addresses = Object.fromEntries(Object.entries(at).map(([name, { address }]) => [name, address]));
  const cells = { ...place, vertexCount, polygonCount: counts.length, offMeshCount: links.length, ...addresses };
  const tileAt = paramsAt + cellCount(records.navmeshParams) * 8;
  native.memory.writeRecord(tileAt, records.tileDescription, cells, 'tile');
  native.given.set('tile', place);
  native.call(native.exports.crw_tile_encode(paramsAt, tileAt), tileNames);
  return native.resultBytes();
}

// --- What meshes and snapshots hold -------------------------------------------------------------------------------------

/** The rows of the bulk result, each of the fields of one layout. */
export function readRows<T>(native: Native, count: number, cells: number, read: (address: number) => T): T[] {
  const first = native.result;
  const rows = Array.from({ length: count }, (_, i) => read(first + i * cells * 8));
  native.trim(count * cells * 8);
  return rows;
}
