// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The peer: recast-navigation (Recast, Detour and DetourCrowd in WebAssembly), default avoidance quality.
import * as RN from 'recast-navigation';
import { generateSoloNavMesh, generateTileCache, generateTiledNavMesh } from 'recast-navigation/generators';
import { AGENT, BARREL, BUILD, TILE_CELLS } from './common.mjs';

const vec = ([x, y, z]) => ({ x, y, z });

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
      return { mesh: result.navMesh, dispose: () => result.navMesh.destroy() };
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
