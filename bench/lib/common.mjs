// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Shared by the bench cases: random numbers, statistics, geometry and the scenes both engines run.

/** mulberry32: a small PRNG, so that every engine gets the same stream. */
export function mulberry32(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export function median(samples) {
  const sorted = Float64Array.from(samples).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function timed(work) {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** Length of a way through points. */
export function wayLength(points) {
  let length = 0;
  for (let i = 1; i < points.length; i++) {
    length += Math.hypot(...[0, 1, 2].map((axis) => points[i][axis] - points[i - 1][axis]));
  }
  return length;
}

/** Runs each of `runs` in turn (those that are null are left out), drops the first `warm` rounds, and returns the medians. */
export function interleave(runs, warm, rounds) {
  const times = runs.map(() => []);
  for (let i = 0; i < warm + rounds; i++) {
    runs.forEach((run, side) => {
      if (!run) return;
      const ms = run();
      if (i >= warm) times[side].push(ms);
    });
  }
  return times.map((t) => (t.length ? median(t) : undefined));
}

/**
 * The same of runs that do `block` rounds when it is their turn and give the time of each: so none of them is measured with
 * caches full of what another has left.
 */
export async function interleaveBlocks(runs, warm, rounds, block) {
  const times = runs.map(() => []);
  for (let first = 0; first < warm + rounds; first += block) {
    for (const [side, run] of runs.entries()) times[side].push(...((await run?.(block)) ?? []));
  }
  return times.map((t) => (t.length ? median(t.slice(warm)) : undefined));
}

/** A flat square of `size`, centred on the origin. */
export function plane(size) {
  const h = size / 2;
  return {
    name: `plane${size}`,
    positions: Float64Array.of(-h, 0, -h, h, 0, -h, h, 0, h, -h, 0, h),
    indices: Uint32Array.of(0, 2, 1, 0, 3, 2),
  };
}

/** The build settings of every case, in world units; equal for both engines. */
export const BUILD = {
  cellSize: 0.3,
  cellHeight: 0.2,
  agentRadius: 0.6,
  agentHeight: 2,
  walkableClimb: 0.9,
  maxSlope: 45,
  contourMaxError: 1.3 * 0.3,
  maxEdgeLength: 12,
  detailSampleDistance: 6 * 0.3,
  detailMaxError: 0.2,
  minRegionArea: 64,
  mergeRegionArea: 400,
  maxVertsPerPoly: 6,
};
export const TILE_CELLS = 48;

/** The temporary obstacle of the obstacle cases. */
export const BARREL = { radius: 1, height: 2 };

/** Limits of every path case, equal for both engines: they decide about results only where a search comes near them. */
export const PATH_LIMITS = { nodes: 4096, polygons: 256, corners: 256, extents: [2, 4, 2] };

/** The agent of every crowd case: the peer's defaults. */
export const AGENT = { radius: 0.5, maxSpeed: 6, maxAcceleration: 20 };

/**
 * Two streams through each other in a square band of side sqrt(n / density): even cells of the starting grid walk to +x, odd
 * ones to -x, and turn round near the end, so that density and mixing stay constant.
 */
export function streams(count, density) {
  const rnd = mulberry32(1);
  const side = Math.sqrt(count / density);
  const columns = Math.ceil(Math.sqrt(count));
  const step = side / columns;
  const agents = Array.from({ length: count }, (_, i) => {
    const column = i % columns;
    const row = Math.floor(i / columns);
    const x = (column + 0.5) * step - side / 2 + (rnd() - 0.5) * 0.4 * step;
    const z = (row + 0.5) * step - side / 2 + (rnd() - 0.5) * 0.4 * step;
    return { x, z, dir: (column + row) % 2 === 0 ? 1 : -1 };
  });
  const size = [100, 150, 200, 300].find((v) => v >= side + 8) ?? Math.ceil(side + 8);
  return { side, size, agents };
}
