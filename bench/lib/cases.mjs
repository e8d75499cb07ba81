// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The bench cases. A case runs both engines interleaved in this process and returns the median cost of each,
// as a list, or with notes: `{ costs, notes }`.
import { interleave, interleaveBlocks, mulberry32, plane, streams, TILE_CELLS, timed } from './common.mjs';
import { startNative } from './native.mjs';
import { largePathCases, pathCases } from './paths.mjs';
import { plainHash } from './plain-hash.mjs';

const DT = 1 / 60;
const STEER_EVERY = 15;

/** One engine's streams; step() returns the milliseconds of the update and of giving new goals. */
function startStreams(adapter, count) {
  const { side, size, agents } = streams(count, 0.25);
  const nav = adapter.build(plane(size), 'tiled');
  const crowd = adapter.crowd(nav, count);
  const aim = (i) => crowd.target(i, [(agents[i].dir * side) / 2, 0, agents[i].z]);
  agents.forEach((agent, i) => {
    crowd.add([agent.x, 0, agent.z]);
    aim(i);
  });
  return stepper(
    crowd,
    nav,
    (i) => {
      if (agents[i].dir * crowd.x(i) <= side / 2 - 2) return false;
      agents[i].dir = -agents[i].dir;
      aim(i);
      return true;
    },
    count,
  );
}

/** One engine's agents walking between the given points of a level. */
function startLevel(adapter, level, points, count) {
  const nav = adapter.build(level, 'tiled');
  const crowd = adapter.crowd(nav, count);
  const goals = [];
  for (let i = 0; i < count; i++) {
    crowd.add(points[i]);
    goals.push(points[count + i]);
    crowd.target(i, goals[i]);
  }
  const rnd = mulberry32(13);
  return stepper(
    crowd,
    nav,
    (i) => {
      if (Math.hypot(crowd.x(i) - goals[i][0], crowd.z(i) - goals[i][2]) >= 1.5) return false;
      goals[i] = points[Math.floor(rnd() * points.length)];
      crowd.target(i, goals[i]);
      return true;
    },
    count,
  );
}

/**
 * Goals given are timed too: the peer only queues them (its update searches), ours searches at once. Their cost is spread over the
 * steps until the next steering.
 */
function stepper(crowd, nav, steer, count) {
  let steps = 0;
  let steering = 0;
  return {
    crowd,
    step() {
      const ms = timed(() => crowd.update(DT));
      if (++steps % STEER_EVERY === 0) {
        crowd.read();
        steering = timed(() => {
          for (let i = 0; i < count; i++) steer(i);
        });
      }
      return ms + steering / STEER_EVERY;
    },
    dispose() {
      crowd.dispose();
      nav.dispose();
    },
  };
}

/** Steps a small crowd, so that the code is compiled before anything is measured. */
function warmUp(start, adapter, count, ours) {
  const side = start(adapter, Math.min(count, 200), ours);
  for (let i = 0; i < 240; i++) side.step();
  side.dispose();
}

/** Steps of both engines in WebAssembly, and of ours natively, in turn. */
function crowdCase(name, count, start) {
  const fullName = `crowd-step/${name}/${count}`;
  return {
    name: fullName,
    unit: 'us/agent',
    peer: true,
    ownNative: true,
    async run({ ours, peer, quick, files }) {
      for (const adapter of [ours, peer]) if (adapter) warmUp(start, adapter, count, ours);
      const sides = [ours, peer].map((adapter) => (adapter ? start(adapter, count, ours) : null));
      const native = await startNative(fullName, files);
      const runs = sides.map((side) => side && ((steps) => Array.from({ length: steps }, () => side.step())));
      runs.push(native && ((steps) => native.steps(steps)));
      const medians = await interleaveBlocks(runs, quick ? 60 : 120, quick ? 60 : 300, STEER_EVERY);
      for (const side of [...sides, native]) side?.dispose();
      const [a, b, c] = medians.map((ms) => ms && (ms * 1000) / count);
      return { costs: [a, b], native: c, notes: c ? { 'wasm / native': a / c } : {} };
    },
  };
}

/** What only the native bench can tell: its figures are the case. */
function nativeCase(name, unit) {
  return { name, unit, run: () => ({ costs: [] }) };
}

function levelCase(level, count) {
  let points;
  return crowdCase(level.name, count, (adapter, n, ours) => {
    if (!points) {
      const nav = ours.build(level, 'tiled');
      points = ours.reachablePoints(nav, 2 * count + 2000, 11);
      nav.dispose();
    }
    return startLevel(adapter, level, points, n);
  });
}

function buildCase(level, mode) {
  return {
    name: `build/${level.name}/${mode}`,
    unit: 'ms',
    peer: true,
    run({ ours, peer, quick }) {
      const once = (adapter) =>
        adapter &&
        (() => {
          let nav;
          const ms = timed(() => (nav = adapter.build(level, mode)));
          nav.dispose();
          return ms;
        });
      return interleave([once(ours), once(peer)], quick ? 3 : 5, quick ? 7 : 15);
    },
  };
}

/** Adding a barrel somewhere on the ground and rebuilding the tiles it touches; taking it away again is not timed. */
function obstacleCase(level) {
  return {
    name: `obstacle/${level.name}/${TILE_CELLS}`,
    unit: 'ms',
    peer: true,
    run({ ours, peer, quick }) {
      const nav = ours.build(level, 'tiled');
      const points = ours.reachablePoints(nav, 200, 11);
      nav.dispose();
      const sides = [ours, peer].map((adapter) => adapter?.obstacles(level));
      const [a, b] = sides.map((side) => {
        let at = 0;
        return (
          side &&
          (() => {
            const ms = timed(() => side.add(points[at++ % points.length]));
            side.remove();
            return ms;
          })
        );
      });
      const result = interleave([a, b], quick ? 30 : 60, quick ? 100 : 400);
      for (const side of sides) side?.dispose();
      return result;
    },
  };
}

/** Hashing the state of a crowd of streams under way, beside a plain pass over the same bytes. */
function hashCase(count) {
  return {
    name: `state-hash/${count}`,
    unit: 'us/agent',
    run({ ours, quick }) {
      const side = startStreams(ours, count);
      for (let i = 0; i < 60; i++) side.step();
      const { crowd } = side.crowd;
      const plain = plainHash(crowd.saveState());
      if (plain() !== crowd.stateHash()) throw new Error('the hash is wrong');
      const runs = [() => timed(() => crowd.stateHash()), () => timed(plain)];
      const [hash, pass] = interleave(runs, 20, quick ? 30 : 100).map((ms) => (ms * 1000) / count);
      side.dispose();
      return { costs: [hash], notes: { 'plain pass': pass, 'hash / plain pass': hash / pass } };
    },
  };
}

/** `levels` are for crowds and builds, `scenes` for builds only. */
export function allCases(levels, scenes) {
  return [
    ...[100, 1000, 5000, 20000].map((n) => crowdCase('streams', n, startStreams)),
    ...levels.flatMap((level) => [100, 500, 1000].map((n) => levelCase(level, n))),
    ...[1000, 5000].map((n) => nativeCase(`crowd-threads/streams/${n}`, 'us/agent')),
    nativeCase('crowd-memory/streams/20000', 'bytes/agent'),
    ...[...levels, ...scenes].flatMap((level) => ['solo', 'tiled'].map((mode) => buildCase(level, mode))),
    ...levels.map(obstacleCase),
    ...levels.flatMap(pathCases),
    ...largePathCases(),
    ...[100, 1000].map(hashCase),
  ];
}
