// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Crowds: walking, reading, state.
import {
  AgentPresets,
  CrowdDefaults,
  CrowdStateError,
  FollowerDefaults,
  FollowerState,
  Quality,
  type Crowd,
} from 'crowdreel';
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

const run = (steps: number) => {
  for (let step = 0; step < steps; step++) crowd.step(1 / 30);
};

describe('agents', () => {
  it('walk through the door and arrive', () => {
    const ids = addWalkers(crowd);
    run(30);
    expect(crowd.agent(ids[0]!)).toMatchObject({ state: FollowerState.Moving, reachedTarget: false });
    run(870);
    for (const id of ids) expect(crowd.agent(id)).toMatchObject({ state: FollowerState.Arrived, reachedTarget: true });
    expect(crowd.stepCount).toBe(900);
  });

  it('have ids that are never used again', () => {
    const first = crowd.add([0, 0, 5]);
    crowd.remove(first);
    const second = crowd.add([0, 0, 5]);
    expect(second).not.toBe(first);
    expect([crowd.has(first), crowd.has(second), crowd.agentCount]).toEqual([false, true, 1]);
    expect(crowd.agent(second).slot).toBe(0);
  });

  it('take options over the humanoid ones, and keep them', () => {
    const id = crowd.add([0, 0, 5], { ...AgentPresets.small, quality: Quality.High, path: { stuckWindow: 3 } });
    const { path, ...own } = crowd.agentOptions(id);
    expect(own).toEqual({ ...AgentPresets.small, quality: Quality.High, path: undefined });
    expect(path).toEqual({ ...FollowerDefaults, stuckWindow: 3 });
    crowd.setOptions(id, { path: { stuckProgress: 0.5 } });
    expect(crowd.agentOptions(id).path).toEqual({ ...FollowerDefaults, stuckWindow: 3, stuckProgress: 0.5 });
    crowd.setOptions(id, { maxSpeed: 1, path: null });
    expect(crowd.agentOptions(id)).toEqual({ ...AgentPresets.small, quality: Quality.High, maxSpeed: 1 });
    crowd.setPriority(id, 9);
    expect(crowd.agent(id).priority).toBe(9);
    expect(crowd.agentOptions(crowd.add([3, 0, 5]))).toEqual(AgentPresets.humanoid);
  });

  it('go at the velocity their host sets, until told otherwise', () => {
    const id = crowd.add([-8, 0, -9]);
    crowd.setDestination(id, [-8, 0, 9]);
    expect(crowd.agent(id).velocityControlled).toBe(false);
    crowd.setVelocity(id, { x: 2, y: 0, z: 0 });
    expect(crowd.agent(id)).toMatchObject({ state: FollowerState.Idle, velocityControlled: true });
    run(30);
    const from = crowd.agent(id);
    expect(from.velocity[0]).toBeCloseTo(2, 9);
    expect(from).toMatchObject({ wantedVelocity: [2, 0], state: FollowerState.Idle, velocityControlled: true });
    run(30);
    const to = crowd.agent(id);
    expect(to.position[0] - from.position[0]).toBeCloseTo(2, 9);
    expect(to.position[2]).toBe(-9);
    crowd.setVelocity(id, [0, 0, 100]); // no faster than it can
    run(15);
    const { velocity, wantedVelocity } = crowd.agent(id);
    expect(Math.hypot(velocity[0], velocity[2])).toBeLessThanOrEqual(AgentPresets.humanoid.maxSpeed + 1e-9);
    expect(wantedVelocity).toEqual([0, 100]);
    crowd.setDestination(id, [-8, 0, -9]);
    expect(crowd.agent(id)).toMatchObject({ state: FollowerState.Moving, velocityControlled: false });
    run(300);
    expect(crowd.agent(id).state).toBe(FollowerState.Arrived);
  });

  it('keep a velocity through saving and restoring, at every step', () => {
    const player = crowd.add([-8, 0, -9], { quality: Quality.Off, priority: 1000 });
    addWalkers(crowd);
    const other = world.engine.createCrowd(world.mesh, { maxAgents: 100 });
    for (let step = 0; step < 120; step++) {
      if (step % 10 === 0) crowd.setVelocity(player, [Math.sin(step) * 3, 0, Math.cos(step) * 3]);
      const before = crowd.saveState();
      run(1);
      const hash = crowd.stateHash();
      crowd.restoreState(before);
      other.restoreState(before);
      run(1);
      other.step(1 / 30);
      expect([crowd.stateHash(), other.stateHash()]).toEqual([hash, hash]);
    }
    other.dispose();
  });

  it('are not recorded while their host sets their velocity', () => {
    const recorder = world.engine.createRecorder(crowd, { dt: 1 / 30 });
    recorder.add([0, 0, 5]);
    const id = recorder.add([-8, 0, -9]);
    recorder.step();
    crowd.setVelocity(id, [1, 0, 0]);
    expect(() => recorder.step()).toThrow(
      expect.objectContaining({ status: 'NotRecordable', field: 'velocity', index: id }),
    );
    expect(() => recorder.step()).toThrow(`Agent ${id} is moved by setVelocity, which recordings cannot hold`);
    expect([recorder.stepCount, crowd.stepCount]).toEqual([1, 1]);
    recorder.stop(id);
    recorder.step();
    expect(recorder.stepCount).toBe(2);
    recorder.dispose();
  });

  it('stop, teleport and go on', () => {
    const id = crowd.add([-8, 0, -9]);
    crowd.setDestination(id, [-8, 0, 9]);
    run(30);
    crowd.stop(id);
    run(60);
    const stopped = crowd.agent(id);
    expect(stopped.state).toBe(FollowerState.Idle);
    expect(stopped.velocity).toEqual([0, 0, 0]);
    crowd.teleport(id, [8, 0, 9]);
    expect(crowd.agent(id).position[0]).toBeCloseTo(8, 6);
    crowd.setDestination(id, { x: 6, y: 0, z: 9 });
    run(90);
    expect(crowd.agent(id).reachedTarget).toBe(true);
  });

  it('show the route they follow', () => {
    const id = crowd.add([-8, 0, -9]);
    expect(crowd.corridor(id)).toMatchObject({ complete: true, needsReplan: false, truncated: false });
    crowd.setDestination(id, [-8, 0, 9]);
    run(2);
    const corridor = crowd.corridor(id);
    expect(corridor.complete).toBe(true);
    expect(corridor.polygons.length).toBeGreaterThan(1);
    expect(corridor.polygons.at(-1)).toBe(corridor.targetRef);
    expect(corridor.corners[0]!.point).toEqual(corridor.position);
    expect(corridor.corners.at(-1)!.point).toEqual(corridor.target);
    expect(crowd.corridor(id, 2)).toMatchObject({ truncated: true });
    expect(crowd.corridor(id, 2).corners).toHaveLength(2);
    expect(crowd.agent(id).remainingDistance).toBeGreaterThan(15);
  });

  it('are refused where there is no mesh, and when there are too many', () => {
    expect(crowd.tryAdd([500, 0, 0])).toBeNull();
    expect(() => crowd.add([500, 0, 0])).toThrow(/No walkable polygon is near position \(500, 0, 0\)/);
    const small = world.engine.createCrowd(world.mesh, { maxAgents: 1 });
    small.add([0, 0, 5]);
    expect(small.tryAdd([3, 0, 5])).toBeNull();
    expect(() => small.add([3, 0, 5])).toThrow(expect.objectContaining({ status: 'Full' }) as Error);
    small.dispose();
  });

  it('heed the filter of their crowd', () => {
    const filtered = world.engine.createCrowd(world.mesh, { filter: { excludeFlags: 1 } });
    expect(filtered.tryAdd([0, 0, 5])).toBeNull();
    filtered.dispose();
  });
});

describe('readAgents', () => {
  it('fills the arrays given, in slot order', () => {
    const ids = addWalkers(crowd);
    crowd.remove(ids[3]!);
    run(20);
    const count = crowd.agentCount;
    const out = {
      ids: new Float64Array(count),
      positions: new Float64Array(count * 3),
      velocities: new Float64Array(count * 3 + 7),
      radii: new Float64Array(count),
      states: new Uint8Array(count),
    };
    expect(crowd.readAgents(out)).toBe(11);
    ids.splice(3, 1);
    expect(Array.from(out.ids)).toEqual(ids);
    ids.forEach((id, i) => {
      const agent = crowd.agent(id);
      expect(Array.from(out.positions.subarray(i * 3, i * 3 + 3))).toEqual(agent.position);
      expect(Array.from(out.velocities.subarray(i * 3, i * 3 + 3))).toEqual(agent.velocity);
      expect([out.states[i], out.radii[i]]).toEqual([agent.state, 0.6]);
    });
    const alone = new Uint8Array(count);
    crowd.readAgents({ states: alone });
    expect(alone).toEqual(out.states);
    expect(crowd.readAgents({})).toBe(11);
  });

  it('refuses arrays that are too short and writes nothing', () => {
    addWalkers(crowd);
    const ids = new Float64Array(12).fill(-1);
    expect(() => crowd.readAgents({ ids, positions: new Float64Array(35) })).toThrow(/out\.positions is too short: 35/);
    expect(() => crowd.readAgents({ ids, states: new Uint8Array(11) })).toThrow(/out\.states is too short/);
    expect(() => crowd.readAgents({ ids, radii: new Float32Array(12) as unknown as Float64Array })).toThrow(
      /out\.radii must be a Float64Array/,
    );
    expect(new Set(ids)).toEqual(new Set([-1]));
  });
});

describe('state', () => {
  it('restores to the same future, bit for bit', () => {
    addWalkers(crowd);
    run(100);
    const saved = crowd.saveState();
    const hash = crowd.stateHash();
    run(100);
    const future = crowd.stateHash();
    expect(future).not.toBe(hash);
    crowd.restoreState(saved);
    expect(crowd.stateHash()).toBe(hash);
    expect(crowd.saveState()).toEqual(saved);
    run(100);
    expect(crowd.stateHash()).toBe(future);
    const twin = world.engine.createCrowd(world.mesh, { maxAgents: 100 });
    twin.restoreState(saved);
    for (let step = 0; step < 100; step++) twin.step(1 / 30);
    expect(twin.stateHash()).toBe(future);
    twin.dispose();
  });

  it('that is damaged is refused with field and offset, and the crowd stays as it was', () => {
    addWalkers(crowd);
    run(10);
    const hash = crowd.stateHash();
    const saved = crowd.saveState();
    for (let size = 0; size < saved.length; size += 37) {
      expect(() => crowd.restoreState(saved.subarray(0, size)), `${size} bytes`).toThrow(CrowdStateError);
    }
    saved[0] = 0;
    expect(() => crowd.restoreState(saved)).toThrow(
      expect.objectContaining({ field: 'magic', offset: 0, status: 'BadMagic' }) as Error,
    );
    expect(crowd.stateHash()).toBe(hash);
  });

  it('options can be read', () => {
    expect(crowd.options).toEqual({ ...CrowdDefaults, maxAgents: 100 });
  });
});
