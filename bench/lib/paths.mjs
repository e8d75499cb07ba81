// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The cases of path searches. Both engines search between the same points, on meshes each built from the level with equal settings,
// with equal limits. What is compared are the calls a game would write: each gives its result as the package does. Beside them, as
// notes: the same with a result of the caller's, and in one call for all.
import { interleave, mulberry32, PATH_LIMITS, timed } from './common.mjs';

const PAIRS = 2000;
/** Lengths of two engines' ways that differ by more than this are counted. */
const EQUAL_LENGTH = 0.05;

const rounds = (quick) => (quick ? [2, 8] : [5, 30]);

/** The same pairs for every engine: points of the level's largest reachable part. */
function pairsOf(ours, level) {
  const nav = ours.build(level, 'tiled');
  const points = ours.reachablePoints(nav, 2 * PAIRS, 11);
  nav.dispose();
  return Array.from({ length: PAIRS }, (_, i) => [points[2 * i], points[2 * i + 1]]);
}

/** One engine, its mesh and the pairs as it takes them. */
function startSide(adapter, level, pairs, options) {
  const nav = adapter.build(level, 'tiled');
  const query = adapter.query(nav, options);
  const places = pairs.map((pair) => pair.map(query.place));
  return {
    nav,
    query,
    places,
    each(search) {
      for (let i = 0; i < places.length; i++) search(places[i][0], places[i][1]);
    },
    dispose() {
      query.dispose();
      nav.dispose();
    },
  };
}

const perSearch = (ms, count) => ms && (ms * 1000) / count;

/** Medians in us of some ways to search, in turn: each is a function that searches between all pairs. */
function measure(runs, count, quick) {
  const medians = interleave(
    runs.map((run) => run && (() => timed(run))),
    ...rounds(quick),
  );
  return medians.map((ms) => perSearch(ms, count));
}

/** Ways of both engines between all pairs: how many each finds, and how their lengths compare. */
function compareWays(ours, theirs) {
  const lengths = [ours, theirs].map((side) => side.places.map(([a, b]) => side.query.length(a, b)));
  const both = lengths[0].map((own, i) => [own, lengths[1][i]]).filter(([a, b]) => a !== null && b !== null);
  const ratios = both.map(([a, b]) => (a + 1e-9) / (b + 1e-9));
  return {
    'failures ours': lengths[0].filter((v) => v === null).length,
    'failures theirs': lengths[1].filter((v) => v === null).length,
    'length ours/theirs, all ways': both.reduce((sum, [a]) => sum + a, 0) / both.reduce((sum, [, b]) => sum + b, 0),
    [`ways that differ by ${100 * EQUAL_LENGTH} %`]: ratios.filter((r) => Math.abs(r - 1) > EQUAL_LENGTH).length,
    'of them ours longer': ratios.filter((r) => r > 1 + EQUAL_LENGTH).length,
  };
}

function besidePeer(level, kind, call, variants) {
  return {
    name: `path/${level.name}/${kind}`,
    unit: 'us',
    peer: true,
    run({ ours, peer, quick }) {
      const pairs = pairsOf(ours, level);
      const sides = [ours, peer].map((adapter) => adapter && startSide(adapter, level, pairs, {}));
      const runs = sides.map((side) => side && (() => side.each(side.query[call])));
      const others = Object.entries(variants).map(([name, make]) => [name, make(sides[0])]);
      const [own, theirs, ...more] = measure([...runs, ...others.map(([, run]) => run)], PAIRS, quick);
      const notes = {};
      others.forEach(([name], i) => {
        notes[`ours ${name}`] = more[i];
        if (theirs) notes[`ratio ${name}`] = theirs / more[i];
      });
      if (sides[1]) {
        for (const [i, who] of ['ours', 'theirs'].entries()) notes[`polygons ${who}`] = sides[i].nav.polygonCount();
        Object.assign(notes, compareWays(...sides));
      }
      for (const side of sides) side?.dispose();
      return { costs: [own, theirs], notes };
    },
  };
}

/** Two queries of ours on one mesh: the search of this case beside the plain one. `cost` and `ways` name the notes. */
function besideOwn(name, options, plain, makeLevel, count, [cost, ways]) {
  return {
    name,
    unit: 'us',
    run({ ours, quick }) {
      const level = makeLevel();
      const nav = ours.build(level, 'tiled');
      const points = ours.reachablePoints(nav, 2 * count, 11);
      const pairs = Array.from({ length: count }, (_, i) => [points[2 * i], points[2 * i + 1]]);
      const sides = [options, plain].map((each) => {
        const query = ours.query(nav, each);
        return { query, places: pairs.map((pair) => pair.map(query.place)) };
      });
      const runs = sides.map(
        ({ query, places }) =>
          () =>
            places.forEach(([a, b]) => query.findWhole(a, b)),
      );
      const [own, base] = measure(runs, count, quick || count < PAIRS);
      const lengths = sides.map(({ query, places }) => places.map(([a, b]) => query.length(a, b)));
      const total = lengths.map((list) => list.reduce((sum, length) => sum + length, 0));
      const each = lengths[0].map((length, i) => (length + 1e-9) / (lengths[1][i] + 1e-9));
      const notes = {
        polygons: nav.polygonCount(),
        searches: count,
        'us of the plain search': base,
        [cost]: cost.startsWith('plain') ? base / own : own / base,
        [`${ways}, all`]: total[0] / total[1],
        [`${ways}, worst`]: Math.max(...each),
        'no way found': lengths.flat().filter((length) => length === null).length,
      };
      for (const { query } of sides) query.dispose();
      nav.dispose();
      return { costs: [own], notes };
    },
  };
}

/** A square of `size` with a block in most cells of a grid. */
export function blocks(size, seed) {
  const rnd = mulberry32(seed);
  const [spacing, h] = [6, size / 2];
  const positions = [];
  const indices = [];
  const quad = (...corners) => {
    const first = positions.length / 3;
    positions.push(...corners.flat());
    indices.push(first, first + 1, first + 2, first, first + 2, first + 3);
  };
  quad([-h, 0, -h], [-h, 0, h], [h, 0, h], [h, 0, -h]);
  for (let x = -h; x < h; x += spacing) {
    for (let z = -h; z < h; z += spacing) {
      if (rnd() < 0.3) continue;
      const [x0, z0] = [x + rnd() * 2, z + rnd() * 2];
      const [x1, z1] = [x0 + 1 + rnd() * 3, z0 + 1 + rnd() * 3];
      quad([x0, 1, z0], [x1, 1, z0], [x1, 1, z1], [x0, 1, z1]); // faces down: headroom too low to stand
    }
  }
  return { name: `blocks${size}`, positions: Float64Array.from(positions), indices: Uint32Array.from(indices) };
}

const NODES = { polygon: 0, crossing: 1, exact: 2 };

export function pathCases(level) {
  const corridor = {
    "with the caller's result": ({ query, each }) => {
      const out = { polygons: new BigUint64Array(PATH_LIMITS.polygons) };
      return () => each((a, b) => query.query.findPath(a.ref, a.point, b.ref, b.point, undefined, out));
    },
    'in one call': ({ query, places }) => {
      const requests = batchOf(places);
      return () => query.query.findPaths(requests, { maxPolygons: PATH_LIMITS.polygons });
    },
  };
  const corners = {
    "with the caller's result": ({ query, each }) => {
      const out = {
        polygons: new BigUint64Array(PATH_LIMITS.polygons),
        points: new Float64Array(3 * PATH_LIMITS.corners),
      };
      return () => each((a, b) => query.query.computePath(a.asked, b.asked, undefined, out));
    },
  };
  const own = (kind, model) =>
    besideOwn(`path/${level.name}/${kind}`, { nodeModel: model }, {}, () => level, PAIRS, [
      'cost / polygon nodes',
      'length / polygon nodes',
    ]);
  return [
    besidePeer(level, 'corridor', 'findPath', corridor),
    besidePeer(level, 'corners', 'computePath', corners),
    besidePeer(level, 'nearest', 'nearest', {
      "with the caller's result": ({ query, each }) => {
        const out = {};
        const options = { extents: PATH_LIMITS.extents };
        return () => each((a) => query.query.nearest(a.asked, options, out));
      },
      'in one call': ({ query, places }) => {
        const points = Float64Array.from(places.flatMap(([a]) => a.asked));
        return () => query.query.nearestMany(points, { extents: PATH_LIMITS.extents });
      },
    }),
    own('crossing', NODES.crossing),
    own('exact', NODES.exact),
  ];
}

function batchOf(places) {
  const [starts, ends] = [0, 1].map((side) => places.map((pair) => pair[side]));
  return {
    startRefs: BigUint64Array.from(starts, ({ ref }) => ref),
    starts: Float64Array.from(starts.flatMap(({ point }) => point)),
    endRefs: BigUint64Array.from(ends, ({ ref }) => ref),
    ends: Float64Array.from(ends.flatMap(({ point }) => point)),
  };
}

/** A mesh of more than 100,000 polygons, and long ways on it. */
const LARGE = 1300;

export function largePathCases() {
  return ['polygon', 'crossing'].map((model) => {
    const options = { nodeModel: NODES[model], maxNodes: 1 << 19 };
    const name = `path/blocks${LARGE}/hierarchical${model === 'polygon' ? '' : `-${model}`}`;
    return besideOwn(name, { ...options, hierarchical: true }, options, () => blocks(LARGE, 3), 100, [
      'plain / hierarchical',
      'length / plain',
    ]);
  });
}
