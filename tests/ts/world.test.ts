// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Worlds: crowds of several agent sizes that step together.
import { AgentPresets, FollowerState, loadCrowdreel, World, type Crowd, type Engine, type NavMesh } from 'crowdreel';
import { loadCrowdreel as loadThreaded } from 'crowdreel/threads';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addWalkers, level } from './support.js';

const dt = 1 / 30;
const half = 24;
const field = {
  positions: [-half, 0, -half, -half, 0, half, half, 0, half, half, 0, -half],
  indices: [0, 1, 2, 0, 2, 3],
};

let engine: Engine;
let fine: NavMesh;
let wide: NavMesh;
let world: World;
let small: Crowd;
let large: Crowd;
let handles: number;

beforeAll(async () => {
  engine = await loadCrowdreel();
  fine = engine.buildNavMesh(field, { agentRadius: 0.3 }).mesh;
  wide = engine.buildNavMesh(field, { agentRadius: 1.5 }).mesh;
});
beforeEach(() => {
  handles = engine.liveHandles;
  world = engine.createWorld();
  small = world.createCrowd(fine, { maxAgents: 100 });
  large = world.createCrowd(wide, { maxAgents: 20, recordConstraints: true });
});
afterEach(() => {
  world.dispose();
  expect(engine.liveHandles).toBe(handles);
});

/** Small ones go east, large ones south. */
function addStreams(east: Crowd, south: Crowd): void {
  for (let i = 0; i < 24; i++) {
    const at = [-20 + 1.2 * Math.floor(i / 12), 0, 1.6 * (i % 12) - 9] as const;
    east.setDestination(east.add(at, AgentPresets.small), [at[0] + 39, 0, at[2]]);
  }
  for (let i = 0; i < 4; i++) {
    south.setDestination(south.add([6 * i - 9, 0, -20], AgentPresets.large), [6 * i - 9, 0, 20]);
  }
}

/** How deep the nearest agents of two crowds stand in each other. */
function overlap(first: Crowd, second: Crowd): number {
  const read = (crowd: Crowd) => {
    const positions = new Float64Array(3 * 100);
    return { positions, count: crowd.readAgents({ positions }) };
  };
  const [a, b] = [read(first), read(second)];
  let deepest = -Infinity;
  for (let i = 0; i < a.count; i++) {
    for (let k = 0; k < b.count; k++) {
      const apart = Math.hypot(
        a.positions[3 * i]! - b.positions[3 * k]!,
        a.positions[3 * i + 2]! - b.positions[3 * k + 2]!,
      );
      deepest = Math.max(deepest, AgentPresets.small.radius + AgentPresets.large.radius - apart);
    }
  }
  return deepest;
}

describe('crowds in a world', () => {
  it('avoid each other, and those in none do not', () => {
    const lone = [engine.createCrowd(fine), engine.createCrowd(wide)] as const;
    addStreams(small, large);
    addStreams(...lone);
    let [deepest, unseen] = [-Infinity, -Infinity];
    for (let step = 0; step < 900; step++) {
      world.step(dt);
      for (const crowd of lone) crowd.step(dt);
      deepest = Math.max(deepest, overlap(small, large));
      unseen = Math.max(unseen, overlap(...lone));
    }
    for (const crowd of lone) crowd.dispose();
    expect(deepest).toBeLessThan(0.05);
    expect(unseen).toBeGreaterThan(0.5);
    for (const [crowd, count] of [
      [small, 24],
      [large, 4],
    ] as const) {
      const states = new Uint8Array(count);
      expect(crowd.readAgents({ states })).toBe(count);
      expect(states).toEqual(new Uint8Array(count).fill(FollowerState.Arrived));
      expect(crowd.stepCount).toBe(900);
    }
  });

  it('step one alone as it would without a world', () => {
    const mesh = engine.buildNavMesh(level).mesh;
    const single = engine.createWorld();
    const crowds = [single.createCrowd(mesh), engine.createCrowd(mesh)] as const;
    for (const crowd of crowds) addWalkers(crowd);
    for (let step = 0; step < 300; step++) {
      single.step(dt);
      crowds[1].step(dt);
      expect(crowds[0].stateHash()).toBe(crowds[1].stateHash());
    }
    for (const resource of [single, crowds[1], mesh]) resource.dispose();
  });

  it('step on threads of the engine to the same bytes', async () => {
    const threaded = await loadThreaded({ threads: 3 });
    const load = (mesh: NavMesh) => threaded.loadNavMesh(mesh.save());
    const other = threaded.createWorld();
    const [east, south] = [
      other.createCrowd(load(fine), { maxThreads: 3 }),
      other.createCrowd(load(wide), { maxThreads: 2 }),
    ];
    for (let i = 0; i < 3; i++) {
      addStreams(small, large);
      addStreams(east, south);
    }
    for (let step = 0; step < 60; step++) {
      world.step(dt);
      other.step(dt);
      expect([east.stateHash(), south.stateHash()]).toEqual([small.stateHash(), large.stateHash()]);
    }
    expect(() => other.createCrowd(south.mesh as NavMesh, { maxThreads: 4 })).toThrow('at most 3');
    threaded.dispose();
  });

  it('go on from their saved states', () => {
    addStreams(small, large);
    const run = () => {
      for (let step = 0; step < 60; step++) world.step(dt);
      return world.crowds.map((crowd) => crowd.stateHash());
    };
    run();
    const saved = world.crowds.map((crowd) => crowd.saveState());
    const later = run();
    world.crowds.forEach((crowd, i) => crowd.restoreState(saved[i]!));
    expect(run()).toEqual(later);
  });

  it('see agents that their hosts move, come and go between steps', () => {
    const player = small.get(small.add([-6, 0, 0], AgentPresets.small));
    const stone = large.add([0, 0, 0], AgentPresets.large);
    player.setVelocity([2, 0, 0]);
    for (let step = 0; step < 60; step++) world.step(dt);
    expect(large.debugGeometry(stone).constraints).toHaveLength(1);
    expect(overlap(small, large)).toBeLessThan(0.05);
    player.remove();
    world.step(dt);
    expect(large.debugGeometry(stone).constraints).toHaveLength(0);
    expect(player.alive).toBe(false);
  });

  it('join it at any time', () => {
    world.step(dt);
    const third = world.createCrowd(fine);
    world.step(dt);
    expect(world.crowds).toEqual([small, large, third]);
    expect(world.crowds.map((crowd) => crowd.stepCount)).toEqual([2, 2, 1]);
  });

  it('end with it, not before it', () => {
    const id = small.add([0, 0, 0]);
    small.dispose();
    expect(small.disposed).toBe(false);
    expect(small.has(id)).toBe(true);
    world.dispose();
    expect([world.disposed, small.disposed, large.disposed]).toEqual([true, true, true]);
    expect(() => small.has(id)).toThrow('crowd was disposed of');
    expect(() => world.step(dt)).toThrow('world was disposed of');
    expect(() => world.createCrowd(fine)).toThrow('world was disposed of');
  });

  it('keep their meshes in memory', () => {
    const mesh = engine.buildNavMesh(field).mesh;
    const crowd = world.createCrowd(mesh);
    mesh.dispose();
    crowd.setDestination(crowd.add([0, 0, 0]), [5, 0, 0]);
    for (let step = 0; step < 150; step++) world.step(dt);
    expect(crowd.agent(0).state).toBe(FollowerState.Arrived);
  });
});

describe('what a world refuses', () => {
  const refused: readonly [name: string, act: () => unknown, detail: object][] = [
    [
      'a step of one of its crowds',
      () => small.step(dt),
      { field: 'crowd', message: expect.stringContaining('World.step') },
    ],
    [
      'a recorder',
      () => engine.createRecorder(small, { dt }),
      { field: 'crowd', message: expect.stringContaining('world') },
    ],
    ['a bad dt', () => world.step(0), { field: 'dt' }],
    ['a dt that is no number', () => world.step('1' as never), { field: 'dt' }],
    [
      'threads where there are none',
      () => world.createCrowd(fine, { maxThreads: 2 }),
      { field: 'options.maxThreads', message: expect.stringContaining('no threads') },
    ],
    ['no mesh', () => world.createCrowd(null as never), { field: 'mesh' }],
    ['bad options', () => world.createCrowd(fine, { maxAgents: 0 }), { field: 'options.maxAgents', limit: 1 }],
    ['unknown options', () => world.createCrowd(fine, { agents: 1 } as never), { field: 'options.agents' }],
    ['a bad filter', () => world.createCrowd(fine, { filter: { areaCost: { 1: 0 } } }), { name: 'ArgumentError' }],
    ['new', () => new (World as unknown as new () => World)(), { message: 'Use engine.createWorld() instead of new.' }],
  ];
  it.each(refused)('%s', (_, act, detail) => {
    const before = [engine.liveHandles, world.crowds.length, small.stepCount, small.stateHash()];
    let error: unknown;
    try {
      act();
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ status: 'Argument', ...detail });
    expect([engine.liveHandles, world.crowds.length, small.stepCount, small.stateHash()]).toEqual(before);
  });

  it('a mesh of another engine', async () => {
    const other = await loadCrowdreel();
    const mesh = other.buildNavMesh(field).mesh;
    expect(() => world.createCrowd(mesh)).toThrow('belongs to another engine');
  });

  it('a 65th crowd', () => {
    const options = { maxAgents: 1, queryNodes: 16 };
    while (world.crowds.length < 64) world.createCrowd(fine, options);
    expect(() => world.createCrowd(fine, options)).toThrow(expect.objectContaining({ status: 'Full', field: 'world' }));
    expect(world.crowds.length).toBe(64);
    world.step(dt);
  });
});
