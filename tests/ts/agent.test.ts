// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Agents as objects: they do what the crowd does by id, and never stand for another agent.
import { Agent, FollowerState, type Crowd } from 'crowdreel';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addWalkers, createWorld, type World } from './support.js';

let world: World;
let crowd: Crowd;
beforeAll(async () => {
  world = await createWorld();
});
beforeEach(() => {
  crowd = world.engine.createCrowd(world.mesh, { maxAgents: 100 });
});
afterEach(() => crowd.dispose());

const stale = expect.objectContaining({ name: 'ArgumentError', status: 'NoSuchAgent' }) as Error;

/** Everything a handle can be asked or told. */
const calls: readonly ((agent: Agent) => unknown)[] = [
  (agent) => agent.info(),
  (agent) => agent.position,
  (agent) => agent.velocity,
  (agent) => agent.state,
  (agent) => agent.options,
  (agent) => agent.corridor(),
  (agent) => agent.debugGeometry(),
  (agent) => agent.crossing(),
  (agent) => agent.setDestination([0, 0, 5]),
  (agent) => agent.stop(),
  (agent) => agent.teleport([0, 0, 5]),
  (agent) => agent.setOptions({ maxSpeed: 2 }),
  (agent) => agent.setPriority(2),
  (agent) => agent.setVelocity([1, 0, 0]),
  (agent) => agent.completeOffMeshLink(),
  (agent) => agent.remove(),
];

function expectStale(agent: Agent): void {
  const hash = crowd.stateHash();
  expect(agent.alive).toBe(false);
  for (const call of calls) expect(() => call(agent), String(call)).toThrow(stale);
  expect(crowd.stateHash()).toBe(hash);
}

describe('a handle', () => {
  it('does what the crowd does by id', () => {
    const twin = world.engine.createCrowd(world.mesh, { maxAgents: 100 });
    for (const target of [crowd, twin]) addWalkers(target);
    const same = () => expect(crowd.stateHash()).toBe(twin.stateHash());
    const agent = crowd.get(3);
    agent.setDestination([9, 0, 9]);
    twin.setDestination(3, [9, 0, 9]);
    same();
    agent.setOptions({ maxSpeed: 2 });
    twin.setOptions(3, { maxSpeed: 2 });
    same();
    agent.setPriority(3);
    twin.setPriority(3, 3);
    for (const target of [crowd, twin]) for (let step = 0; step < 40; step++) target.step(1 / 30);
    same();
    expect(agent.info()).toEqual(twin.agent(3));
    expect([agent.position, agent.velocity, agent.state]).toEqual([
      twin.agent(3).position,
      twin.agent(3).velocity,
      FollowerState.Moving,
    ]);
    expect(agent.options).toEqual(twin.agentOptions(3));
    expect(agent.corridor(4)).toEqual(twin.corridor(3, 4));
    expect(agent.debugGeometry()).toEqual(twin.debugGeometry(3));
    expect(agent.crossing()).toBeNull();
    expect(() => agent.completeOffMeshLink()).toThrow(expect.objectContaining({ status: 'NotFound' }) as Error);
    agent.setVelocity([1, 0, 0.5]);
    twin.setVelocity(3, [1, 0, 0.5]);
    same();
    agent.stop();
    twin.stop(3);
    same();
    agent.teleport([0, 0, 9]);
    twin.teleport(3, [0, 0, 9]);
    same();
    agent.remove();
    twin.remove(3);
    same();
    expect([agent.id, agent.crowd, agent.alive, crowd.has(3)]).toEqual([3, crowd, false, false]);
    twin.dispose();
  });

  it('is the same one as long as its agent lives', () => {
    const ids = addWalkers(crowd);
    const agents = ids.map((id) => crowd.get(id));
    expect(new Set(agents).size).toBe(12);
    ids.forEach((id, i) => expect(crowd.get(id)).toBe(agents[i]));
    expect(agents[0]).toBeInstanceOf(Agent);
    expect(agents.every((agent) => agent.alive)).toBe(true);
  });

  it('is refused for an id of nobody, and of a player', () => {
    expect(() => crowd.get(0)).toThrow(stale);
    expect(() => crowd.get('0' as unknown as number)).toThrow(/id must be an agent id, not "0"/);
    const id = crowd.add([0, 0, 5]);
    crowd.remove(id);
    expect(() => crowd.get(id)).toThrow(stale);
  });

  it('ends with its agent, however it was removed', () => {
    const [a, b, c] = addWalkers(crowd).map((id) => crowd.get(id));
    a!.remove();
    crowd.remove(b!.id);
    crowd.step(1 / 30);
    const newcomer = crowd.get(crowd.add([0, 0, 5])); // in the slot of the first
    expect(newcomer.info().slot).toBe(0);
    expectStale(a!);
    expectStale(b!);
    expect(() => crowd.remove(99)).toThrow(stale);
    expect([c!.alive, newcomer.alive]).toEqual([true, true]);
  });

  it('knows when its crowd is gone', () => {
    const other = world.engine.createCrowd(world.mesh);
    const agent = other.get(other.add([0, 0, 5]));
    other.dispose();
    expect(agent.alive).toBe(false);
    for (const call of calls)
      expect(() => call(agent)).toThrow(expect.objectContaining({ status: 'StaleHandle' }) as Error);
  });
});

describe('a restore', () => {
  it('keeps the handles of agents that are in both', () => {
    const agent = crowd.get(addWalkers(crowd)[4]!);
    const saved = crowd.saveState();
    const { position } = agent;
    for (let step = 0; step < 30; step++) crowd.step(1 / 30);
    expect(agent.position).not.toEqual(position);
    crowd.restoreState(saved);
    expect(agent.alive).toBe(true);
    expect(agent.position).toEqual(position);
    expect(crowd.get(agent.id)).toBe(agent);
  });

  it('ends those of agents added since, whose ids are given again', () => {
    addWalkers(crowd);
    const saved = crowd.saveState();
    const gone = crowd.get(crowd.add([0, 0, 9]));
    crowd.restoreState(saved);
    const next = crowd.get(crowd.add([0, 0, -9]));
    expect(next.id).toBe(gone.id);
    expectStale(gone);
    expect(next).not.toBe(gone);
    expect(next.position[2]).toBeCloseTo(-9, 6);
  });

  it('brings removed agents back, but not their handles', () => {
    const old = crowd.get(addWalkers(crowd)[2]!);
    const saved = crowd.saveState();
    old.remove();
    crowd.restoreState(saved);
    const back = crowd.get(old.id);
    expectStale(old);
    expect(back.alive).toBe(true);
    back.stop();
    expect(crowd.get(old.id)).toBe(back);
  });

  it('that fails ends nothing', () => {
    const agent = crowd.get(addWalkers(crowd)[2]!);
    const saved = crowd.saveState();
    expect(() => crowd.restoreState(saved.subarray(1))).toThrow();
    expect(agent.alive).toBe(true);
  });
});

describe('a handle of a recorder', () => {
  it('is recorded, and ends with those of the crowd', () => {
    using recorder = world.engine.createRecorder(crowd, { dt: 1 / 30 });
    const [a, b] = addWalkers(recorder).map((id) => recorder.get(id));
    expect(recorder.get(a!.id)).toBe(a);
    const ofCrowd = crowd.get(a!.id);
    expect(ofCrowd).not.toBe(a);
    recorder.step();
    a!.setDestination([9, 0, 9]);
    b!.stop();
    recorder.step();
    b!.teleport([0, 0, 9]);
    a!.remove();
    for (let step = 0; step < 30; step++) recorder.step();
    expectStale(ofCrowd);
    expectStale(a!);
    expect(b!.position[2]).toBeCloseTo(9, 1);
    recorder.remove(b!.id);
    expectStale(b!);
    expect(() => recorder.get(b!.id)).toThrow(stale);
    recorder.step();
    using replay = world.engine.openReplay(recorder.save());
    expect(replay.findMismatch()).toBe(-1);
    using player = world.engine.createPlayer(replay);
    player.seek(5);
    expect(() => (player.crowd as Crowd).get(3)).toThrow(/belongs to a player/);
  });
});
