// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What meshes and tile caches hold.
import type {
  Engine,
  NavMesh,
  NavMeshParams,
  Obstacle,
  OffMeshLinkInfo,
  SnapshotTile,
  TileCacheInfo,
  TileInfo,
  Volume,
} from '../api.js';
import { isReferenced } from './files.js';
import type { Description } from './info-command.js';
import { count, counted, hex, length, size, type Row } from './output.js';
import { settingRows } from './settings.js';

// Longer lists end with how many more there are; --json has them all.
const LIST_LIMIT = 20;

function listRows<T>(name: string, list: readonly T[], text: (item: T) => string): Row[] {
  const rows = list.slice(0, LIST_LIMIT).map((item, i): Row => [i === 0 ? name : '', text(item)]);
  const more = list.length - rows.length;
  return more > 0 ? [...rows, ['', `and ${count(more)} more`]] : rows;
}

function pointText(point: readonly number[]): string {
  return `(${point.map((v) => v.toFixed(2)).join(', ')})`;
}

function paramRows(params: NavMeshParams): Row[] {
  return [
    [
      'made for agents',
      `radius ${length(params.agentRadius)}, height ${length(params.agentHeight)}, climb ${length(params.climb)}`,
    ],
    ['side of a tile', length(params.tileSize)],
  ];
}

// --- Meshes -------------------------------------------------------------------------------------------------------------

export function describeMesh(engine: Engine, bytes: Uint8Array): Description {
  return isReferenced(bytes) ? describeReferenced(engine, bytes) : describeFull(engine, bytes);
}

function describeFull(engine: Engine, bytes: Uint8Array): Description {
  using mesh = engine.loadNavMesh(bytes);
  const { polygonCount, tileCount, params } = mesh;
  const tiles = mesh.tiles();
  const links = mesh.offMeshLinks();
  const open = links.filter(({ connected }) => !connected);
  const areas = areaCounts(mesh);
  const triangleCount = mesh.triangles().areas.length;
  const bounds = mesh.bounds();
  const json = {
    mode: 'full',
    polygonCount,
    tileCount,
    triangleCount,
    vertexCount: sumOf(tiles, 'vertexCount'),
    editCount: Number(mesh.editCount),
    params,
    bounds,
    areas,
    offMeshLinks: { count: links.length, openCount: open.length, open },
    tiles,
  };
  const rows: Row[] = [
    [
      'polygons',
      `${count(polygonCount)} with ${count(json.vertexCount)} vertices and ${count(triangleCount)} triangles`,
    ],
    [
      'areas',
      Object.entries(areas)
        .map(([area, n]) => `${area}: ${counted(n, 'polygon')}`)
        .join(', ') || 'none',
    ],
    ['bounds', bounds ? `${pointText(bounds.min)} to ${pointText(bounds.max)}` : 'none'],
    ...paramRows(params),
    ...tileRows(tiles),
    ...linkRows(links, open),
    ['edits', count(json.editCount)],
  ];
  return { kind: 'navigation mesh', json, rows };
}

/** How many polygons each area has. */
function areaCounts(mesh: NavMesh): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const area of mesh.polygonOutlines().areas) counts[area] = (counts[area] ?? 0) + 1;
  return counts;
}

function sumOf(tiles: readonly TileInfo[], name: 'vertexCount' | 'polygonCount'): number {
  return tiles.reduce((sum, tile) => sum + tile[name], 0);
}

function tileRows(tiles: readonly TileInfo[]): Row[] {
  if (tiles.length < 2) return [['tiles', count(tiles.length)]];
  const polygons = tiles.map(({ polygonCount }) => polygonCount);
  const span = (name: 'x' | 'z' | 'layer') => {
    const all = tiles.map((tile) => tile[name]);
    return `${name} ${Math.min(...all)} to ${Math.max(...all)}`;
  };
  const layered = tiles.some(({ layer }) => layer !== 0);
  return [
    ['tiles', `${count(tiles.length)}: ${span('x')}, ${span('z')}${layered ? `, ${span('layer')}` : ''}`],
    ['polygons per tile', `${count(Math.min(...polygons))} to ${count(Math.max(...polygons))}`],
  ];
}

function linkRows(links: readonly OffMeshLinkInfo[], open: readonly OffMeshLinkInfo[]): Row[] {
  if (links.length === 0) return [['off-mesh links', 'none']];
  return [
    ['off-mesh links', `${count(links.length)}, ${open.length ? count(open.length) : 'none'} not connected`],
    ...listRows('not connected', open, openText),
  ];
}

function openText({ start, end, ends, userId }: OffMeshLinkInfo): string {
  const missing = [ends.start ? '' : 'start', ends.end ? '' : 'end'].filter(Boolean).join(' and ');
  const name = userId ? `, user id ${userId}` : '';
  return `${pointText(start)} to ${pointText(end)}${name}: no polygon near its ${missing}`;
}

// --- Referenced snapshots -----------------------------------------------------------------------------------------------

function describeReferenced(engine: Engine, bytes: Uint8Array): Description {
  const needs = engine.snapshotTiles(bytes);
  const total = needs.reduce((sum, tile) => sum + tile.size, 0);
  const params = snapshotParams(bytes);
  const needText = ({ x, z, layer, size: bytesOf, contentHash }: SnapshotTile) =>
    `${hex(contentHash)}  x ${x}, z ${z}, layer ${layer}: ${counted(bytesOf, 'byte')}`;
  return {
    kind: 'navigation mesh without its tiles',
    json: { mode: 'referenced', tileCount: needs.length, params, needs },
    rows: [
      ...paramRows(params),
      ['tiles needed', `${count(needs.length)}, ${size(total)}; by content hash:`],
      ...needs.map((tile): Row => ['', needText(tile)]),
    ],
  };
}

// As docs/formats/navmesh-snapshot.md has them; the bytes have been checked.
function snapshotParams(bytes: Uint8Array): NavMeshParams {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const [originX, originZ, tileSize, climb, agentRadius, agentHeight] = [16, 24, 32, 40, 48, 56].map((offset) =>
    view.getFloat64(offset, true),
  ) as [number, number, number, number, number, number];
  return { originX, originZ, tileSize, climb, agentRadius, agentHeight };
}

// --- Tile caches --------------------------------------------------------------------------------------------------------

export function describeCache(engine: Engine, bytes: Uint8Array): Description {
  using cache = engine.loadTileCache(bytes);
  const { info, params, settings, pendingTiles } = cache;
  const obstacles = cache.obstacles();
  const bytesPerLayer = info.layerCount ? info.packedSize / info.layerCount : 0;
  return {
    kind: 'tile cache',
    json: { ...info, bytesPerLayer, pendingTiles, params, settings, obstacles },
    rows: [
      ...cacheRows(info, bytesPerLayer),
      ['waiting for update', pendingTiles ? counted(pendingTiles, 'tile') : 'no tiles'],
      ['side of a tile', length(params.tileSize)],
      ['obstacles', count(obstacles.length)],
      ...listRows('', obstacles, obstacleText),
      ['settings', ''],
      ...settingRows(settings).map(([name, value]): Row => [`  ${name}`, value]),
    ],
  };
}

function cacheRows(info: TileCacheInfo, bytesPerLayer: number): Row[] {
  return [
    ['tiles', `${count(info.tileCount)} with ground, of a grid of ${count(info.tilesX)} by ${count(info.tilesZ)}`],
    ['layers', `${count(info.layerCount)}, ${count(info.spanCount)} spans, ${size(info.packedSize)}`],
    ['bytes per layer', bytesPerLayer.toFixed(1)],
  ];
}

function obstacleText({ id, volume }: Obstacle): string {
  const effect = volume.area === 'blocked' ? 'blocks' : `gives area ${volume.area}`;
  return `number ${id}: ${shapeText(volume)}, ${effect}`;
}

function shapeText(volume: Volume): string {
  switch (volume.shape) {
    case 'box':
      return `box at ${pointText(volume.center as number[])}, size ${pointText(volume.size as number[])}`;
    case 'cylinder':
      return `cylinder at ${pointText(volume.base as number[])}, radius ${length(volume.radius)}, height ${length(volume.height)}`;
    case 'convex':
      return `prism of ${volume.corners.length} corners, y ${length(volume.minY)} to ${length(volume.maxY)}`;
  }
}
