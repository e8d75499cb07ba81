// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The cases of path searches. Both engines search between the same points, on meshes each built from the level with equal settings,
// with equal limits. What is compared are the calls a game would write: each gives its result as the package does. Beside them, as
// notes: the same with a result of the caller's, and in one call for all.
import { interleave, mulberry32, timed } from './common.mjs';

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

/** Ours with other nodes, beside our own search with polygon nodes. */
function besideOwn(level, kind, model, cost) {
  return {
    name: `path/${level.name}/${kind}`,
    unit: 'us',
    run({ ours, quick }) {
      const pairs = pairsOf(ours, level);
      const [side, plain] = [{ nodeModel: model }, {}].map((options) => startSide(ours, level, pairs, options));
      const [own, base] = measure(
        [side, plain].map((one) => () => one.each(one.query.findPath)),
        PAIRS,
        quick,
      );
      const total = (one) => one.places.reduce((sum, [a, b]) => sum + one.query.length(a, b), 0);
      const notes = { 'polygon nodes': base, [cost]: own / base, 'length / polygon nodes': total(side) / total(plain) };
      for (const one of [side, plain]) one.dispose();
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

export function pathCases(level) {
  return [
    besidePeer(level, 'corridor', 'findPath', {}),
    besidePeer(level, 'corners', 'computePath', {}),
    besideOwn(level, 'crossing', 1, 'cost / polygon nodes'),
  ];
}
