// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// One character: walking, links, edits, events, what can be read of it, and state that goes on bit for bit.
import {
  AgentPresets,
  CrowdStateError,
  FollowerEventKind,
  FollowerState,
  loadCrowdreel,
  NodeModel,
  OffMeshMode,
  PathFollowerPresets,
  type BuildInput,
  type Engine,
  type FollowerEvent,
  type FollowerInfo,
  type NavMesh,
  type NavMeshView,
  type PathFollower,
  type Vec3,
} from 'crowdreel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bytesPerCall, createWorld, level, type World } from './support.js';

const DT = 1 / 30;

let world: World;
let engine: Engine;
let mesh: NavMesh;
beforeAll(async () => {
  world = await createWorld();
  ({ engine, mesh } = world);
});
afterAll(() => {
  mesh.dispose();
  expect(engine.liveHandles).toBe(0);
});

/** A follower placed and sent off; disposed of by `using`. */
function walker(on: NavMeshView, from: Vec3, to: Vec3, options?: Parameters<Engine['createPathFollower']>[1]) {
  const follower = engine.createPathFollower(on, options);
  follower.place(from);
  follower.setDestination(to);
  return follower;
}

/** Steps until it no longer walks, or `most`. What happened in each step, and how far it walked. */
function walk(follower: PathFollower, most = 3000): { steps: number; length: number; events: FollowerEvent[] } {
  const events: FollowerEvent[] = [];
  let length = 0;
  let { state, position } = follower.info();
  let steps = 0;
  while (steps < most && (state === FollowerState.Moving || state === FollowerState.OffMeshLink)) {
    follower.step(DT);
    steps++;
    events.push(...follower.events());
    const info = follower.info();
    length += Math.hypot(info.position[0] - position[0], info.position[2] - position[2]);
    ({ state, position } = info);
  }
  return { steps, length, events };
}

const kinds = (events: readonly FollowerEvent[]) => events.map(({ kind }) => kind);
const failing = (fields: object) => expect.objectContaining(fields) as Error;
const distance = (a: Vec3, b: Vec3) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

/** Two floors with a gap between, and links over it. */
const gap: BuildInput = {
  positions: [-20, 0, -9, -20, 0, 9, -3, 0, 9, -3, 0, -9, 3, 2, -9, 3, 2, 9, 20, 2, 9, 20, 2, -9],
  indices: [0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7],
  offMeshLinks: [
    { start: [-4, 0, 0], end: [4, 2, 0], radius: 0.5, userId: 77 },
    { start: [4, 2, 5], end: [-4, 0, 5], radius: 0.5, bidirectional: false, userId: 4_000_000_000 },
  ],
};

describe('a path follower', () => {
  it('walks through the door and stands at its goal, and says so once', () => {
    using follower = walker(mesh, [-8, 0, -9], [-8, 0, 9]);
    expect(follower.info()).toMatchObject({ state: FollowerState.Moving, reachedTarget: false, stepCount: 0 });
    const { length, events } = walk(follower);
    const { state, reachedTarget, position, velocity, remainingDistance, destination } = follower.info();
    expect([state, reachedTarget, remainingDistance]).toEqual([FollowerState.Arrived, true, 0]);
    expect(velocity).toEqual([0, 0, 0]);
    expect(destination).toEqual([-8, 0, 9]);
    expect(Math.hypot(position[0] + 8, position[2] - 9)).toBeLessThanOrEqual(
      PathFollowerPresets.humanoid.arrivalRadius,
    );
    expect(length).toBeGreaterThan(18);
    expect(events).toEqual([
      { kind: 'Replanned', outcome: 'success' },
      { kind: 'Arrived', reachedTarget: true },
    ]);
    follower.step(DT);
    expect(follower.events()).toEqual([]);
  });

  it('ends every walk between random points on the point, by a way hardly longer than the shortest', () => {
    using query = engine.createQuery(mesh, { nodeModel: NodeModel.Exact });
    let seed = 99n;
    const point = () => {
      const found = query.randomPoint(seed)!;
      seed = found.seed;
      return found.point;
    };
    const ratios = [NodeModel.Polygon, NodeModel.Crossing].map((queryNodeModel) => {
      using follower = engine.createPathFollower(mesh, { queryNodeModel });
      let worst = 0;
      for (let i = 0; i < 40; i++) {
        const [from, to] = [point(), point()];
        follower.place(from);
        follower.setDestination(to);
        const { length } = walk(follower);
        const corners = query.computePath(from, to)!.corners.map((corner) => corner.point);
        const shortest = corners.slice(1).reduce((sum, p, k) => sum + distance(p, corners[k]!), 0);
        const { position, reachedTarget } = follower.info();
        expect(reachedTarget, `from ${from} to ${to}`).toBe(true);
        expect(distance(position, to), `from ${from} to ${to}`).toBeLessThanOrEqual(0.01 + 1e-9);
        if (shortest > 1) worst = Math.max(worst, length / shortest);
      }
      return worst;
    });
    console.log(`worst way / shortest: ${ratios.map((r) => r.toFixed(4)).join(' polygon nodes, ')} crossing nodes`);
    for (const ratio of ratios) expect(ratio).toBeLessThan(1.08);
  });

  it('is not on the mesh until it is placed', () => {
    using follower = engine.createPathFollower(mesh);
    expect(follower.info()).toMatchObject({ state: FollowerState.Unplaced, corridorCount: 0, position: [0, 0, 0] });
    expect(follower.corridor()).toMatchObject({ polygons: [], corners: [], truncated: false });
    expect(follower.debugGeometry()).toMatchObject({ corners: [], crossing: null, broken: false });
    follower.step(DT);
    follower.stop();
    expect(follower.info()).toMatchObject({ state: FollowerState.Unplaced, stepCount: 0 });
    follower.setDestination([0, 0, 5]);
    expect(follower.info().state).toBe(FollowerState.NoPath);
    follower.step(DT);
    expect(follower.events()).toEqual([{ kind: FollowerEventKind.NoPath }]);
    expect(follower.tryPlace([500, 0, 0])).toBe(false);
    expect(() => follower.place({ x: 500, y: 0, z: 0 })).toThrow('No walkable polygon is near position (500, 0, 0).');
    expect(() => follower.place([500, 0, 0])).toThrow(failing({ status: 'NotFound', name: 'CrowdreelError' }));
    expect(follower.info().state).toBe(FollowerState.NoPath);
    expect(follower.tryPlace([0, 0, 5])).toBe(true);
    expect(follower.info()).toMatchObject({ state: FollowerState.Idle, corridorCount: 1, complete: true });
    follower.place([1, 1.5, 5]);
    expect(follower.info().position).toEqual([1, expect.closeTo(0, 0), 5]);
  });

  it('stops and goes on', () => {
    using follower = walker(mesh, [-8, 0, -9], [-8, 0, 9]);
    for (let i = 0; i < 30; i++) follower.step(DT);
    const { position, velocity } = follower.info();
    expect(Math.hypot(...velocity)).toBeCloseTo(3.5, 6);
    follower.stop();
    follower.step(DT);
    expect(follower.info()).toMatchObject({ state: FollowerState.Idle, velocity: [0, 0, 0], position });
    follower.setDestination({ x: -8, y: 0, z: -9 });
    walk(follower);
    expect(follower.info()).toMatchObject({ state: FollowerState.Arrived, reachedTarget: true });
  });

  it('takes the point of the mesh nearest to its goal for it', () => {
    using follower = walker(mesh, [-8, 0, -7], [-8, 1.5, -13]);
    expect(follower.info().remainingDistance).toBe(Infinity);
    follower.step(DT);
    expect(follower.info().remainingDistance).toBeLessThan(5);
    walk(follower);
    const { reachedTarget, destination, position } = follower.info();
    expect({ reachedTarget, destination }).toEqual({ reachedTarget: true, destination: [-8, 1.5, -13] });
    const { point } = follower.corridor().corners.at(-1)!;
    expect(distance(point, position)).toBeLessThanOrEqual(0.01 + 1e-9);
    expect(distance(point, destination)).toBeGreaterThan(1.5);
  });

  it('does not know how far it is to a goal beyond the corners it looks at', () => {
    const { from, to, ...rooms } = maze(40);
    using ground = engine.navMeshFromPolygons(rooms);
    using follower = walker(ground, from, to);
    follower.step(DT);
    const { corners, seenCount } = follower.debugGeometry();
    expect(seenCount).toBe(8);
    expect(corners.length).toBeGreaterThan(8);
    expect(follower.info()).toMatchObject({ state: FollowerState.Moving, remainingDistance: Infinity });
  });

  it('says that there is no way where its goal has no ground', () => {
    using follower = walker(mesh, [-8, 0, -9], [-8, 0, 9]);
    follower.step(DT);
    follower.setDestination([200, 0, 0]);
    expect(follower.info()).toMatchObject({ state: FollowerState.NoPath, velocity: [0, 0, 0] });
    expect(follower.events()).toEqual([{ kind: 'Replanned', outcome: 'success' }]); // those of the last step
    follower.step(DT);
    expect(follower.events()).toEqual([{ kind: 'NoPath' }]);
    follower.step(DT);
    expect(follower.events()).toEqual([]);
  });

  it('gives up by itself where it makes no progress', () => {
    using follower = walker(mesh, [-8, 0, -9], [-8, 0, 9], { maxAcceleration: 1e-6, maxStuckRecoveries: 1 });
    const { events } = walk(follower);
    expect(follower.info()).toMatchObject({ state: FollowerState.Stuck, stuckRecoveries: 2, velocity: [0, 0, 0] });
    expect(kinds(events)).toEqual(['Replanned', 'Replanned', 'Stuck']);
  });

  it('keeps to its filter', () => {
    using query = engine.createQuery(mesh);
    const { ref } = query.nearest([0, 0, 5])!;
    expect(mesh.polygon(ref).flags).toBe(1);
    using follower = engine.createPathFollower(mesh, { filter: { excludeFlags: 1 } });
    expect(follower.tryPlace([0, 0, 5])).toBe(false);
    using picky = engine.createPathFollower(mesh, { filter: { includeFlags: 1 } });
    expect(picky.tryPlace([0, 0, 5])).toBe(true);
  });

  it('walks on the mesh of anything that has one, and keeps it alive', async () => {
    const own = await loadCrowdreel();
    const { mesh: ground } = own.buildNavMesh(level);
    const crowd = own.createCrowd(ground);
    const follower = own.createPathFollower(crowd.mesh);
    const query = own.createQuery(follower.mesh);
    ground.dispose();
    crowd.dispose();
    query.dispose();
    expect(own.liveHandles).toBe(1);
    expect(follower.mesh).toBe(ground);
    follower.place([-8, 0, -9]);
    follower.setDestination([-8, 0, 9]);
    walk(follower);
    expect(follower.info().reachedTarget).toBe(true);
    expect(() => engine.createPathFollower(ground)).toThrow(failing({ field: 'mesh' }));
    follower.dispose();
    expect(own.liveHandles).toBe(0);
    expect(() => follower.step(DT)).toThrow(failing({ status: 'StaleHandle', field: 'follower' }));
  });
});

describe('options', () => {
  it('are the humanoid ones but for those given', () => {
    using plain = engine.createPathFollower(mesh);
    expect(plain.options).toEqual(PathFollowerPresets.humanoid);
    using small = engine.createPathFollower(mesh, { ...PathFollowerPresets.small, maxCorners: 5 });
    expect(small.options).toEqual({ ...PathFollowerPresets.small, maxCorners: 5 });
    expect(small.options).toMatchObject({ maxSpeed: 2.5, maxAcceleration: 6, slowRadius: 0.5, offMeshSpeed: 2.5 });
  });

  it('change while it walks, but for its sizes', () => {
    using follower = walker(mesh, [-8, 0, -9], [-8, 0, 9]);
    for (let i = 0; i < 30; i++) follower.step(DT);
    follower.setOptions({ maxSpeed: 1, searchExtents: { x: 1, y: 2, z: 3 }, offMeshMode: OffMeshMode.Host });
    const options = { ...PathFollowerPresets.humanoid, maxSpeed: 1, searchExtents: [1, 2, 3], offMeshMode: 1 };
    expect(follower.options).toEqual(options);
    for (let i = 0; i < 15; i++) follower.step(DT);
    expect(Math.hypot(...follower.info().velocity)).toBeCloseTo(1, 9);
    expect(() => follower.setOptions({ corridorCapacity: 99 })).toThrow(
      'options.corridorCapacity cannot change from 256 to 99.',
    );
    expect(() => follower.setOptions({ maxSpeed: 2, maxCorners: 9 })).toThrow(failing({ field: 'options.maxCorners' }));
    expect(() => follower.setOptions({ queryNodes: 99 } as object)).toThrow(
      'options.queryNodes is fixed when the follower is made.',
    );
    expect(() => follower.setOptions({ radius: 1 } as object)).toThrow(
      "options.radius is an option of a crowd's agents;",
    );
    expect(() => follower.setOptions({ maxSpeed: 2, slowRadius: -1 })).toThrow(
      'options.slowRadius is out of range (it is -1, it must not be negative).',
    );
    const { memorySize } = engine;
    const vast = { refineBudget: 2 ** 31 - 1 };
    expect(() => follower.setOptions({ ...vast, maxSpeed: 0 })).toThrow(failing({ field: 'options.maxSpeed' }));
    expect(engine.memorySize).toBe(memorySize);
    expect(follower.options).toEqual(options);
    follower.setOptions(PathFollowerPresets.small);
    expect(follower.options).toEqual(PathFollowerPresets.small);
  });

  it('changed later make it walk as one made with them', () => {
    const { from, to, ...rooms } = maze(40);
    using ground = engine.navMeshFromPolygons(rooms);
    const budgets = { refineBudget: 4000, topologyBudget: 2000, topologyInterval: 3 };
    using made = walker(ground, from, to, budgets);
    using changed = engine.createPathFollower(ground);
    changed.setOptions(budgets);
    changed.place(from);
    changed.setDestination(to);
    using other = walker(ground, from, to, { refineBudget: 0, topologyInterval: 0 });
    expect(other.saveState()).not.toEqual(made.saveState());
    for (let i = 0; i < 300; i++) {
      expect(changed.saveState()).toEqual(made.saveState());
      for (const follower of [made, changed]) follower.step(DT);
    }
  });

  it('that are wrong are named', () => {
    const create = (options: object) => () => engine.createPathFollower(mesh, options);
    expect(create({ maxSpeed: 0 })).toThrow('options.maxSpeed is out of range (it is 0, it must be above 0).');
    expect(create({ offMeshSpeed: -1 })).toThrow(
      'options.offMeshSpeed is out of range (it is -1, it must be above 0).',
    );
    expect(create({ maxCorners: 2 })).toThrow('options.maxCorners is out of range (it is 2, it must be at least 3).');
    expect(create({ queryNodes: 5 })).toThrow('options.queryNodes is out of range (it is 5, it must be at least 16).');
    expect(create({ queryNodeModel: NodeModel.Exact })).toThrow(/^options\.queryNodeModel must be one of .*, not 2/);
    const agents = "of a crowd's agents; ready-made path followers are PathFollowerPresets.humanoid and .small.";
    expect(create({ radius: 1 })).toThrow(`options.radius is an option ${agents}`);
    expect(create(AgentPresets.small)).toThrow(`options.radius is an option ${agents}`);
    expect(create({ path: {} })).toThrow(`options.path is an option ${agents}`);
    expect(create({ maxspeed: 1 })).toThrow('options.maxspeed is not an option: did you mean maxSpeed?');
    expect(create({ offMeshMode: 'Host' })).toThrow(
      'options.offMeshMode must be one of OffMeshMode.Automatic (0), OffMeshMode.Host (1), not "Host".',
    );
    expect(create({ offMeshMode: 2 })).toThrow(/^options\.offMeshMode must be one of .*, not 2\.$/);
    expect(create({ searchExtents: { x: 1, y: -1, z: 1 } })).toThrow(
      'options.searchExtents.y is out of range (it is -1, it must not be negative).',
    );
    expect(create({ searchExtents: [1, 1, 1e9] })).toThrow(
      'options.searchExtents.z is out of range (it is 1000000000, it must be at most 1048576).',
    );
    expect(() => engine.createPathFollower(mesh, 'small' as never)).toThrow('pass PathFollowerPresets.small');
    expect(engine.liveHandles).toBe(1);
  });
});

/** A square grid of square polygons, of which a third is missing (a fixed pattern), all of what is left joined. */
function maze(size: number) {
  let seed = 12345;
  const random = () => ((seed = (seed * 1103515245 + 12345) % 2 ** 31) >>> 8) % 3;
  const open = Array.from({ length: size * size }, (_, i) => i === 0 || random() > 0);
  const reached = new Set([0]);
  for (const cell of reached) {
    const [x, z] = [cell % size, Math.floor(cell / size)];
    if (x > 0 && open[cell - 1]) reached.add(cell - 1);
    if (x < size - 1 && open[cell + 1]) reached.add(cell + 1);
    if (z > 0 && open[cell - size]) reached.add(cell - size);
    if (z < size - 1 && open[cell + size]) reached.add(cell + size);
  }
  const positions = Array.from({ length: (size + 1) ** 2 }, (_, i) => [i % (size + 1), 0, Math.floor(i / (size + 1))]);
  const polygons = [...reached].map((cell) => {
    const a = Math.floor(cell / size) * (size + 1) + (cell % size);
    return [a, a + 1, a + size + 2, a + size + 1];
  });
  const last = Math.max(...reached);
  const to: Vec3 = [(last % size) + 0.4, 0, Math.floor(last / size) + 0.7];
  return { positions: positions.flat(), polygons, from: [0.5, 0, 0.5] as Vec3, to };
}

describe('off-mesh links', () => {
  let ground: NavMesh;
  beforeAll(() => {
    ground = engine.buildNavMesh(gap).mesh;
  });
  afterAll(() => ground.dispose());

  it('are crossed in their time', () => {
    using follower = walker(ground, [-15, 0, 0], [15, 2, 0]);
    expect(follower.crossing()).toBeNull();
    let crossing = follower.crossing();
    let steps = 0;
    const told: Record<string, number> = {};
    for (let i = 0; i < 600 && follower.info().state !== FollowerState.Arrived; i++) {
      follower.step(DT);
      for (const event of follower.events()) told[event.kind] = i;
      for (const event of follower.events()) if (event.kind === 'LinkEntered') expect(event.userId).toBe(77);
      const now = follower.crossing();
      expect(now === null).toBe(follower.info().state !== FollowerState.OffMeshLink);
      if (!now) continue;
      const share = now.elapsed / now.duration;
      expect(follower.info().position[0]).toBeCloseTo(now.start[0] + (now.end[0] - now.start[0]) * share, 9);
      crossing = now;
      steps++;
    }
    expect(crossing!.duration).toBeCloseTo(distance(crossing!.start, crossing!.end) / 3.5, 12);
    expect(crossing!.start).toEqual([-4, expect.closeTo(0, 0), 0]);
    expect(crossing!.end).toEqual([4, expect.closeTo(2, 0), 0]);
    expect(ground.isValidRef(crossing!.exitRef)).toBe(true);
    expect(steps).toBe(Math.ceil(crossing!.duration / DT));
    expect(told.LinkLeft! - told.LinkEntered!).toBe(steps);
    expect(follower.info()).toMatchObject({ reachedTarget: true });
    expect(() => follower.completeOffMeshLink()).toThrow(
      failing({ status: 'NotFound', field: 'crossing', message: 'The follower is crossing no off-mesh link.' }),
    );
  });

  it('wait for the host who crosses them', () => {
    using follower = walker(ground, [15, 2, 6], [-15, 0, 6], { offMeshMode: OffMeshMode.Host });
    const { events } = walk(follower, 600);
    expect(kinds(events)).toEqual(['Replanned', 'LinkEntered']);
    expect(events[1]).toEqual({ kind: 'LinkEntered', userId: 4_000_000_000 });
    const { start, end, elapsed } = follower.crossing()!;
    expect(follower.info()).toMatchObject({ state: FollowerState.OffMeshLink, velocity: [0, 0, 0], position: start });
    expect([elapsed, end[0]]).toEqual([0, -4]);
    follower.completeOffMeshLink();
    expect(follower.info()).toMatchObject({ state: FollowerState.Moving, position: end });
    expect(kinds(walk(follower).events)).toEqual(['LinkLeft', 'Arrived']);
  });

  it.each(Object.values(OffMeshMode))('are crossed to their end after a stop, mode %d', (offMeshMode) => {
    using follower = walker(ground, [-15, 0, 0], [15, 2, 0], { offMeshMode });
    while (!follower.crossing()) follower.step(DT);
    expect(follower.info().remainingDistance).toBe(Infinity);
    expect(follower.crossing()!.elapsed).toBe(0);
    follower.step(DT);
    using restored = engine.createPathFollower(ground, { offMeshMode });
    restored.restoreState(follower.saveState());
    expect(restored.crossing()).toEqual(follower.crossing());
    expect(restored.crossing()!.elapsed).toBe(offMeshMode === OffMeshMode.Host ? 0 : DT);
    restored.step(DT);
    expect(restored.events()).toEqual([]);

    const { end } = follower.crossing()!;
    follower.stop();
    if (offMeshMode === OffMeshMode.Host) {
      expect(walk(follower, 300).events).toEqual([]);
      follower.completeOffMeshLink();
      expect(follower.info()).toMatchObject({ state: FollowerState.Moving, remainingDistance: Infinity });
    }
    expect(walk(follower).events).toEqual([{ kind: 'LinkLeft' }, { kind: 'Arrived', reachedTarget: true }]);
    expect(follower.info()).toMatchObject({ state: FollowerState.Arrived, position: end, destination: end });
  });

  it('are crossed by agents of a crowd when their host says so', () => {
    using crowd = engine.createCrowd(ground);
    const [waiting, crossing] = [OffMeshMode.Host, OffMeshMode.Automatic].map((offMeshMode, i) => {
      const id = crowd.add([-12, 0, 4 * i - 6], { path: { offMeshMode } });
      crowd.setDestination(id, [12, 2, 4 * i - 6]);
      return id;
    }) as [number, number];
    expect(() => crowd.completeOffMeshLink(waiting)).toThrow('Agent 0 is crossing no off-mesh link.');
    expect(() => crowd.completeOffMeshLink(99)).toThrow(failing({ status: 'NoSuchAgent', field: 'id' }));
    const events = [];
    for (let i = 0; i < 600; i++) {
      crowd.step(DT);
      events.push(...crowd.events());
    }
    expect(crowd.agent(waiting).state).toBe(FollowerState.OffMeshLink);
    expect(crowd.agent(crossing).reachedTarget).toBe(true);
    const { end } = crowd.crossing(waiting)!;
    expect(crowd.crossing(crossing)).toBeNull();
    expect(events.filter(({ id }) => id === waiting).map(({ kind }) => kind)).toEqual(['Replanned', 'LinkEntered']);
    expect(events.filter(({ id }) => id === crossing)).toEqual([
      { kind: 'Replanned', outcome: 'success', id: crossing, slot: 1 },
      { kind: 'LinkEntered', userId: 77, id: crossing, slot: 1 },
      { kind: 'LinkLeft', id: crossing, slot: 1 },
      { kind: 'Arrived', reachedTarget: true, id: crossing, slot: 1 },
    ]);
    crowd.completeOffMeshLink(waiting);
    expect(crowd.agent(waiting).position).toEqual(end);
    for (let i = 0; i < 600; i++) crowd.step(DT);
    expect(crowd.agent(waiting).reachedTarget).toBe(true);
  });
});

describe('events of a crowd', () => {
  it('come in slot order, every one, and go with the next step, a restore or their agent', () => {
    using crowd = engine.createCrowd(mesh, { maxAgents: 300 });
    const ids = Array.from({ length: 300 }, (_, i) =>
      crowd.add([-9 + (i % 20), 0, 2 + Math.floor(i / 20) * 0.4], { radius: 0.1, quality: 0 }),
    );
    expect(crowd.events()).toEqual([]);
    for (const [i, id] of ids.entries()) crowd.setDestination(id, i % 2 ? [0, 0, -9] : [500, 0, 0]);
    expect(crowd.events()).toEqual([]);
    crowd.step(DT);
    const events = crowd.events();
    expect(events).toEqual(
      ids.map((id, slot) =>
        slot % 2 ? { kind: 'Replanned', outcome: 'success', id, slot } : { kind: 'NoPath', id, slot },
      ),
    );
    crowd.remove(ids[7]!);
    expect(crowd.events()).toEqual(events.filter(({ slot }) => slot !== 7));
    const state = crowd.saveState();
    crowd.restoreState(state);
    expect(crowd.events()).toEqual([]);
    crowd.setDestination(ids[2]!, [0, 0, 9]);
    crowd.step(DT);
    expect(crowd.events()).toEqual([{ kind: 'Replanned', outcome: 'success', id: ids[2]!, slot: 2 }]);
    crowd.step(DT);
    expect(crowd.events()).toEqual([]);
  });
});

describe('edits of the mesh', () => {
  // Two gaps in a wall: the near one can be shut.
  const walls: BuildInput = {
    positions: [-20, 0, -20, -20, 0, 20, 20, 0, 20, 20, 0, -20],
    indices: [0, 1, 2, 0, 2, 3],
    obstacles: [
      { shape: 'box', center: [0, 1, -3], size: [1, 2, 26] },
      { shape: 'box', center: [0, 1, 17], size: [1, 2, 6] },
    ],
  };
  const nearGap = { shape: 'box', center: [0, 1, -18], size: [1, 2, 4] } as const;
  const farGap = { shape: 'box', center: [0, 1, 12], size: [1, 2, 4] } as const;

  it('send it round by another way, or as near as it can, and on again when told', () => {
    const { cache, mesh: ground } = engine.buildTileCache(walls, { tileCells: 32 });
    using query = engine.createQuery(ground, { nodeModel: NodeModel.Crossing });
    using follower = walker(ground, [-15, 0, -10], [15, 0, -10]);
    for (let i = 0; i < 60; i++) follower.step(DT);
    const short = follower.info().remainingDistance;
    cache.addObstacle(nearGap);
    cache.update(ground);
    follower.step(DT);
    expect(follower.events()).toEqual([{ kind: 'PathChanged' }, { kind: 'Replanned', outcome: 'success' }]);
    follower.step(DT);
    expect(follower.events()).toEqual([]);
    for (let i = 0; i < 40; i++) follower.step(DT);
    expect(follower.info()).toMatchObject({ state: FollowerState.Moving, complete: true });
    expect(follower.info().remainingDistance).toBeGreaterThan(short + 10);

    const door = cache.addObstacle(farGap);
    cache.update(ground);
    const { position } = follower.info();
    const { goal, route } = { goal: [15, 0, -10] as Vec3, route: query.computePath(position, [15, 0, -10])! };
    expect(route.outcome).toBe('partial');
    const { events } = walk(follower);
    expect(follower.info()).toMatchObject({ state: FollowerState.Arrived, reachedTarget: false, destination: goal });
    expect(follower.info().velocity).toEqual([0, 0, 0]);
    expect(distance(follower.info().position, route.end)).toBeLessThanOrEqual(0.01 + 1e-9);
    expect(kinds(events).filter((kind) => kind === 'Arrived')).toHaveLength(1);
    expect(events.at(-1)).toEqual({ kind: 'Arrived', reachedTarget: false });
    expect(events[0]).toEqual({ kind: 'PathChanged' });
    const { corners } = follower.corridor();
    expect(corners.at(-1)!.point).toEqual(route.end); // not the goal, which it cannot reach

    cache.removeObstacle(door);
    cache.update(ground);
    for (let i = 0; i < 30; i++) follower.step(DT);
    expect(follower.info()).toMatchObject({ state: FollowerState.Arrived, reachedTarget: false });
    follower.setDestination([15, 0, -10]);
    walk(follower);
    expect(follower.info()).toMatchObject({ state: FollowerState.Arrived, reachedTarget: true });
    for (const resource of [cache, ground]) resource.dispose();
  });

  it('that take the ground away put it on the next, or tell that there is none', () => {
    const { cache, mesh: ground } = engine.buildTileCache(walls, { tileCells: 32 });
    using follower = walker(ground, [-15, 0, -10], [-15, 0, 10]);
    for (let i = 0; i < 30; i++) follower.step(DT);
    const { position } = follower.info();
    const crate = cache.addObstacle({ shape: 'cylinder', base: position, radius: 0.7, height: 2 });
    cache.update(ground);
    follower.step(DT);
    expect(kinds(follower.events())).toEqual(['PathChanged', 'Replanned']);
    expect(distance(follower.info().position, position)).toBeGreaterThan(1);
    cache.removeObstacle(crate);
    cache.addObstacle({ shape: 'cylinder', base: position, radius: 8, height: 2 });
    cache.update(ground);
    follower.step(DT);
    expect(follower.info()).toMatchObject({ state: FollowerState.NoPath, velocity: [0, 0, 0] });
    expect(kinds(follower.events())).toEqual(['PathChanged', 'NoPath']);
    for (const resource of [cache, ground]) resource.dispose();
  });
});

describe('what can be read', () => {
  it('is the route with its corners', () => {
    using follower = walker(mesh, [-8, 0, -9], [-8, 0, 9]);
    using query = engine.createQuery(mesh);
    follower.step(DT);
    const corridor = follower.corridor();
    const { position, destination, corridorCount } = follower.info();
    expect(corridor).toMatchObject({ position, target: destination, complete: true, needsReplan: false });
    expect(corridor).toMatchObject({ truncated: false });
    expect(corridor.polygons).toHaveLength(corridorCount);
    expect(corridor.polygons.at(-1)).toBe(corridor.targetRef);
    expect(corridor.corners).toEqual(query.straightPath(position, destination, corridor.polygons).corners);
    expect(corridor.corners).not.toHaveLength(2);
    expect(follower.corridor(2)).toMatchObject({ truncated: true, corners: corridor.corners.slice(0, 2) });
  });

  it('ends where a goal that cannot be reached is nearest, for agents of a crowd too', () => {
    using ground = engine.navMeshFromPolygons({
      positions: [0, 0, 0, 10, 0, 0, 10, 0, 10, 0, 0, 10, 11, 0, 0, 20, 0, 0, 20, 0, 10, 11, 0, 10],
      polygons: [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
      ],
    });
    using follower = walker(ground, [2, 0, 5], [15, 0, 6]);
    using crowd = engine.createCrowd(ground);
    const id = crowd.add([2, 0, 5]);
    crowd.setDestination(id, [15, 0, 6]);
    for (const corridor of [follower.corridor(), crowd.corridor(id)]) {
      expect(corridor).toMatchObject({ complete: false, target: [15, 0, 6] });
      expect(corridor.corners.map(({ point }) => point)).toEqual([
        [2, 0, 5],
        [10, 0, 6],
      ]);
    }
  });

  it('is all there is to draw', () => {
    using follower = walker(mesh, [-8, 0, -9], [-8, 0, 9], { maxCorners: 3 });
    follower.step(DT);
    const { state, position, velocity, destination } = follower.info();
    const debug = follower.debugGeometry();
    expect(debug).toMatchObject({ state, position, velocity, destination, broken: false, crossing: null });
    const corridor = follower.corridor();
    expect(debug.corners).toEqual(corridor.corners);
    expect(debug.seenCount).toBe(3);
    expect(debug.polygons.refs).toEqual(corridor.polygons);
    let at = 0;
    for (const [i, ref] of corridor.polygons.entries()) {
      const outline = mesh.polygon(ref).vertices.flat();
      expect(debug.polygons.counts[i]! * 3).toBe(outline.length);
      expect(Array.from(debug.polygons.positions.subarray(at, at + outline.length))).toEqual(outline);
      at += outline.length;
    }
    expect(debug.polygons.positions).toHaveLength(at);
    using crowd = engine.createCrowd(mesh);
    const id = crowd.add([-8, 0, -9]);
    crowd.setDestination(id, [-8, 0, 9]);
    expect(crowd.debugGeometry(id).polygons.refs).toEqual(crowd.corridor(id).polygons);
    expect(crowd.debugGeometry(id).corners).toEqual(crowd.corridor(id).corners);
    expect(() => crowd.debugGeometry(9)).toThrow(failing({ status: 'NoSuchAgent', field: 'id' }));
  });

  it('shows a route that an edit has broken', () => {
    using ground = engine.buildNavMesh(level, { tileCells: 24 }).mesh;
    using follower = walker(ground, [-8, 0, -9], [-8, 0, 9]);
    expect(follower.debugGeometry().broken).toBe(false);
    const { position } = follower.info();
    for (const { x, z, layer } of ground.tiles()) if (z > 0) ground.removeTile(x, z, layer);
    const debug = follower.debugGeometry();
    expect(debug).toMatchObject({ broken: true, corners: [], seenCount: 0, position });
    expect(debug.polygons.counts.at(-1)).toBe(0);
    expect(debug.polygons.counts[0]).toBeGreaterThan(2);
    expect(follower.corridor()).toMatchObject({ corners: [], truncated: false });
    follower.step(DT);
    expect(follower.debugGeometry().broken).toBe(false);
  });

  it('comes in the object given, without garbage', () => {
    using follower = walker(mesh, [-8, 0, -9], [-8, 0, 9]);
    follower.step(DT);
    const position: Vec3 = [1, 2, 3];
    const out: Partial<FollowerInfo> = { position };
    const filled = follower.info(out);
    expect(filled).toBe(out);
    expect(out.position).toBe(position);
    expect(out).toEqual(follower.info());
    expect(() => follower.info({ position: [1, 2, 3, 4].map(String) as never })).not.toThrow();
    expect(() => follower.info({ velocity: 7 as never })).toThrow(failing({ field: 'out.velocity' }));
    expect(() => follower.info('out' as never)).toThrow(failing({ field: 'out' }));
    const bytes = bytesPerCall(() => {
      follower.step(DT);
      follower.info(out);
      if (out.state === FollowerState.Arrived) follower.setDestination([-8, 0, -out.destination![2]]);
    }, 20_000);
    console.log(`a step and its info: ${bytes.toFixed(1)} bytes of heap`);
    expect(bytes).toBeLessThan(100);
  });
});

describe('state', () => {
  it('goes on in another follower, from every step, to the same bytes', () => {
    using ground = engine.buildNavMesh(gap).mesh;
    for (const queryNodeModel of [NodeModel.Polygon, NodeModel.Crossing]) {
      const options = { queryNodeModel, maxCorners: 4, replanBudget: 2, optimizeInterval: 2, topologyInterval: 3 };
      using follower = walker(ground, [-15, 0, 4], [15, 2, -5], options);
      const command = (target: PathFollower, step: number) => {
        if (step === 200) target.setDestination([-15, 0, -3]);
        target.step(DT);
      };
      const states: Buffer[] = [];
      for (let step = 0; step < 420; step++) {
        states.push(Buffer.from(follower.saveState()));
        command(follower, step);
      }
      expect(new Set(states.map((bytes) => bytes[1]))).toEqual(new Set([1, 2, 3])); // moving, crossing, arrived
      for (let from = 0; from < states.length; from += 3) {
        using twin = engine.createPathFollower(ground, options);
        twin.restoreState(states[from]!);
        expect(twin.events()).toEqual([]);
        for (let step = from; step < Math.min(from + 40, states.length); step++) {
          expect(states[step]!.equals(twin.saveState()), `step ${step} after ${from}`).toBe(true);
          command(twin, step);
        }
      }
    }
  });

  it('that is damaged is refused with field and offset, and the follower stays as it was', () => {
    using follower = walker(mesh, [-8, 0, -9], [-8, 0, 9]);
    for (let i = 0; i < 20; i++) follower.step(DT);
    const saved = follower.saveState();
    follower.step(DT);
    const now = follower.saveState();
    expect(saved).toHaveLength(203 + 66 + 8 * follower.info().corridorCount);
    for (let size = 0; size < saved.length; size++) {
      expect(() => follower.restoreState(saved.subarray(0, size)), `${size} bytes`).toThrow(CrowdStateError);
    }
    const damaged = (offset: number, ...values: number[]) => {
      const bytes = saved.slice();
      bytes.set(values, offset);
      return () => follower.restoreState(bytes);
    };
    const nan = new Uint8Array(Float64Array.of(NaN).buffer);
    const refused = (fields: object) => failing({ name: 'CrowdStateError', ...fields });
    expect(damaged(0, 2)).toThrow(refused({ status: 'BadVersion', field: 'follower.version', offset: 0 }));
    expect(damaged(1, 7)).toThrow(refused({ status: 'BadValue', field: 'follower.state', offset: 1 }));
    expect(damaged(51, ...nan)).toThrow(refused({ status: 'BadValue', field: 'follower.position', offset: 51 }));
    expect(damaged(203 + 1, 8)).toThrow(refused({ status: 'BadValue', field: 'corridor.flags', offset: 204 }));
    const longer = new Uint8Array([...saved, 0]);
    expect(() => follower.restoreState(longer)).toThrow(refused({ status: 'TrailingBytes', offset: saved.length }));
    using crowd = engine.createCrowd(mesh);
    expect(() => follower.restoreState(crowd.saveState())).toThrow(
      'follower state: follower.version at byte 0 is a version this engine does not read (it is a crowd state).',
    );
    using shorter = engine.createPathFollower(mesh, { corridorCapacity: 64 });
    const message = 'The saved follower has corridorCapacity 256, this one was made with 64.';
    expect(() => shorter.restoreState(saved)).toThrow(refused({ field: 'corridor.capacity', offset: 205, message }));
    expect(damaged(205, 0, 0, 0, 1)).toThrow(
      'follower state: corridor.capacity at byte 205 holds a value the format forbids (limit 256).',
    );
    expect(shorter.info().state).toBe(FollowerState.Unplaced);
    expect(() => follower.restoreState([] as never)).toThrow(failing({ field: 'bytes' }));
    expect(follower.saveState()).toEqual(now);
    follower.restoreState(saved.buffer);
    follower.step(DT);
    expect(follower.saveState()).toEqual(now);
  });
});

describe('memory', () => {
  it('stays flat over followers made, walking and disposed of', { timeout: 60_000 }, async () => {
    const own = await createWorld();
    const options = { filter: { areaCost: { 3: 2 } } };
    const round = () => {
      using follower = own.engine.createPathFollower(own.mesh, options);
      follower.place([-8, 0, -9]);
      follower.setDestination([-8, 0, 9]);
      for (let i = 0; i < 20; i++) follower.step(DT);
      follower.setOptions({ refineBudget: 3000 });
      follower.setOptions({ refineBudget: 10 });
      expect(() => follower.setOptions({ refineBudget: 3000, maxSpeed: 0 })).toThrow();
      follower.restoreState(follower.saveState());
      follower.debugGeometry();
      follower.corridor();
      expect(() => own.engine.createPathFollower(own.mesh, { queryNodes: 1 })).toThrow();
      expect(() => own.engine.createPathFollower(own.mesh, { slowRadius: -1 })).toThrow();
    };
    for (let i = 0; i < 10; i++) round();
    const warm = own.engine.memorySize;
    for (let i = 0; i < 200; i++) round();
    expect(own.engine.memorySize).toBe(warm);
    own.mesh.dispose();
    expect(own.engine.liveHandles).toBe(0);
  });
});
