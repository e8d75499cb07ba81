// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// crowdreel behind the small interface the cases use.
import { AgentPresets, loadCrowdreel } from 'crowdreel';
import { AGENT, BARREL, BUILD, PATH_LIMITS, TILE_CELLS, wayLength } from './common.mjs';

const geometry = ({ positions, indices }) => ({ positions, indices });

export async function createOurs() {
  const engine = await loadCrowdreel();
  return {
    name: 'crowdreel',
    engine,
    build(level, mode) {
      const settings = { ...BUILD, tileCells: mode === 'tiled' ? TILE_CELLS : 0 };
      const { mesh } = engine.buildNavMesh(geometry(level), settings);
      return { mesh, polygonCount: () => mesh.polygonCount, dispose: () => mesh.dispose() };
    },
    /** `count` points of the mesh's largest reachable part, the same for every engine. */
    reachablePoints(nav, count, seed) {
      const query = engine.createQuery(nav.mesh);
      let state = BigInt(seed);
      const draw = () => {
        const point = query.randomPoint(state);
        state = point.seed;
        return point;
      };
      const reaches = (a, b) => query.findPath(a.ref, a.point, b.ref, b.point).outcome === 'success';
      const probes = Array.from({ length: 24 }, draw);
      const hits = probes.map((a) => probes.filter((b) => reaches(a, b)).length);
      const best = probes[hits.indexOf(Math.max(...hits))];
      const points = [];
      while (points.length < count) {
        const point = draw();
        if (reaches(best, point)) points.push(point.point);
      }
      query.dispose();
      return points;
    },
    query(nav, options) {
      const query = engine.createQuery(nav.mesh, { maxNodes: PATH_LIMITS.nodes, ...options });
      const list = { maxPolygons: PATH_LIMITS.polygons };
      const { extents } = PATH_LIMITS;
      const way = { ...list, maxCorners: PATH_LIMITS.corners, extents };
      const whole = { maxPolygons: 1 << 16, maxCorners: 1 << 14, extents };
      return {
        query,
        /** A point of a pair as the searches take it. */
        place(asked) {
          // Not a spread of what `nearest` gives: reading members of such an object takes longer than half a search.
          const { ref, point } = query.nearest(asked);
          return { ref, point, asked };
        },
        findPath: (a, b) => query.findPath(a.ref, a.point, b.ref, b.point, list),
        computePath: (a, b) => query.computePath(a.asked, b.asked, way),
        findWhole: (a, b) => query.findPath(a.ref, a.point, b.ref, b.point, { maxPolygons: whole.maxPolygons }),
        nearest: (a) => query.nearest(a.asked, { extents }),
        /** Length of the way, or null when none leads there. */
        length(a, b) {
          const path = query.computePath(a.asked, b.asked, whole);
          const complete = path?.outcome === 'success' && !path.truncated && !path.cornersTruncated;
          return complete ? wayLength(path.corners.map((corner) => corner.point)) : null;
        },
        dispose: () => query.dispose(),
      };
    },
    obstacles(level) {
      const { cache, mesh } = engine.buildTileCache(geometry(level), { ...BUILD, tileCells: TILE_CELLS });
      let id;
      return {
        add(base) {
          id = cache.addObstacle({ shape: 'cylinder', base, radius: BARREL.radius, height: BARREL.height });
          cache.update(mesh);
        },
        remove() {
          cache.removeObstacle(id);
          cache.update(mesh);
        },
        dispose() {
          cache.dispose();
          mesh.dispose();
        },
      };
    },
    crowd(nav) {
      const crowd = engine.createCrowd(nav.mesh);
      const options = { ...AgentPresets.humanoid, ...AGENT };
      const ids = [];
      const positions = { positions: new Float64Array(3) };
      return {
        crowd,
        add(point) {
          ids.push(crowd.add(point, options));
          if (positions.positions.length < ids.length * 3) positions.positions = new Float64Array(ids.length * 6);
        },
        target: (i, point) => crowd.setDestination(ids[i], point),
        update: (dt) => crowd.step(dt),
        /** Call before x and z. No agent is ever removed, so slots are in the order of adding. */
        read: () => crowd.readAgents(positions),
        x: (i) => positions.positions[3 * i],
        z: (i) => positions.positions[3 * i + 2],
        dispose: () => crowd.dispose(),
      };
    },
  };
}
