// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The peer: recast-navigation (Recast, Detour and DetourCrowd in WebAssembly), default avoidance quality.
import * as RN from 'recast-navigation';
import { generateSoloNavMesh, generateTileCache, generateTiledNavMesh } from 'recast-navigation/generators';
import { AGENT, BARREL, BUILD, PATH_LIMITS, TILE_CELLS, wayLength } from './common.mjs';

const vec = ([x, y, z]) => ({ x, y, z });

function polygonCount(mesh) {
  let count = 0;
  for (let i = 0; i < mesh.getMaxTiles(); i++) count += mesh.getTile(i).header()?.polyCount() ?? 0;
  return count;
}

/** Our settings in the peer's units: heights and lengths in cells, region sizes by their side. */
function peerSettings() {
  const { cellSize: cs, cellHeight: ch } = BUILD;
  const walkableRadius = Math.ceil(BUILD.agentRadius / cs);
  return {
    cs,
    ch,
    walkableSlopeAngle: BUILD.maxSlope,
    walkableHeight: Math.ceil(BUILD.agentHeight / ch),
    walkableClimb: Math.floor(BUILD.walkableClimb / ch),
    walkableRadius,
    maxEdgeLen: Math.floor(BUILD.maxEdgeLength / cs),
    maxSimplificationError: BUILD.contourMaxError / cs,
    minRegionArea: Math.sqrt(BUILD.minRegionArea),
    mergeRegionArea: Math.sqrt(BUILD.mergeRegionArea),
    maxVertsPerPoly: BUILD.maxVertsPerPoly,
    detailSampleDist: BUILD.detailSampleDistance / cs,
    detailSampleMaxError: BUILD.detailMaxError / ch,
  };
}

export async function createPeer() {
  await RN.init();
  const settings = peerSettings();
  return {
    name: 'recast-navigation',
    build(level, mode) {
      const positions = Float32Array.from(level.positions);
      const result =
        mode === 'tiled'
          ? generateTiledNavMesh(positions, level.indices, {
              ...settings,
              tileSize: TILE_CELLS,
              borderSize: settings.walkableRadius + 3,
            })
          : generateSoloNavMesh(positions, level.indices, settings);
      if (!result.success) throw new Error(result.error);
      const mesh = result.navMesh;
      return { mesh, polygonCount: () => polygonCount(mesh), dispose: () => mesh.destroy() };
    },
    query(nav) {
      const query = new RN.NavMeshQuery(nav.mesh, { maxNodes: PATH_LIMITS.nodes });
      const halfExtents = vec(PATH_LIMITS.extents);
      const list = { maxPathPolys: PATH_LIMITS.polygons };
      const way = { ...list, maxStraightPathPoints: PATH_LIMITS.corners, halfExtents };
      return {
        place(asked) {
          const { nearestRef: ref, nearestPoint: point } = query.findNearestPoly(vec(asked), { halfExtents });
          return { ref, point, asked: vec(asked) };
        },
        /** Its result stands in the module's memory: giving that back is part of the call. */
        findPath(a, b) {
          const path = query.findPath(a.ref, b.ref, a.point, b.point, list);
          path.polys.destroy();
        },
        computePath: (a, b) => query.computePath(a.asked, b.asked, way),
        nearest: (a) => query.findNearestPoly(a.asked, { halfExtents }),
        length(a, b) {
          const { success, path } = query.computePath(a.asked, b.asked, way);
          const end = path.at(-1);
          // It does not say that a way is partial.
          const there = success && Math.hypot(end.x - b.point.x, end.z - b.point.z) < 1e-3;
          return there ? wayLength(path.map(({ x, y, z }) => [x, y, z])) : null;
        },
        dispose: () => query.destroy(),
      };
    },
    /** Its tiles have no detail surface, and monotone regions. */
    obstacles(level) {
      const used = { ...settings };
      delete used.minRegionArea;
      delete used.maxEdgeLen;
      const result = generateTileCache(Float32Array.from(level.positions), level.indices, {
        ...used,
        tileSize: TILE_CELLS,
        borderSize: settings.walkableRadius + 3,
        expectedLayersPerTile: 4,
        maxObstacles: 128,
      });
      if (!result.success) throw new Error(result.error);
      const { tileCache, navMesh } = result;
      const update = () => {
        while (!tileCache.update(navMesh).upToDate);
      };
      let obstacle;
      return {
        add(base) {
          ({ obstacle } = tileCache.addCylinderObstacle(vec(base), BARREL.radius, BARREL.height));
          update();
        },
        remove() {
          tileCache.removeObstacle(obstacle);
          update();
        },
        dispose() {
          tileCache.destroy();
          navMesh.destroy();
        },
      };
    },
    crowd(nav, count) {
      const query = new RN.NavMeshQuery(nav.mesh, { maxNodes: 2048 });
      const crowd = new RN.Crowd(nav.mesh, { maxAgents: count, maxAgentRadius: AGENT.radius });
      const profile = {
        ...AGENT,
        height: 1,
        collisionQueryRange: 2.5,
        pathOptimizationRange: 0,
        separationWeight: 0,
        updateFlags: 7,
      };
      const agents = [];
      return {
        add: (point) => agents.push(crowd.addAgent(vec(point), profile)),
        target(i, point) {
          const near = query.findNearestPoly(vec(point), { halfExtents: { x: 1, y: 2, z: 1 } });
          if (near.success) crowd.raw.requestMoveTarget(agents[i].agentIndex, near.nearestRef, near.nearestPoint);
        },
        update: (dt) => crowd.update(dt),
        read() {},
        x: (i) => agents[i].raw.get_npos(0),
        z: (i) => agents[i].raw.get_npos(2),
        dispose() {
          crowd.destroy();
          query.destroy();
        },
      };
    },
  };
}
