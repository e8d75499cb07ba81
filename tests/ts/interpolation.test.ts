// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Between two steps: everybody is on the line from where he was to where he is, and nobody glides who did not walk.
import {
  CrowdInterpolation,
  FollowerState,
  OffMeshMode,
  type Crowd,
  type CrowdInterpolationOptions,
  type InterpolatedArrays,
} from 'crowdreel';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addWalkers, bytesPerCall, createWorld, recordRun, type World } from './support.js';

const dt = 1 / 30;
let world: World;
let crowd: Crowd;
let motion: CrowdInterpolation;
beforeAll(async () => {
  world = await createWorld();
});
beforeEach(() => {
  crowd = world.engine.createCrowd(world.mesh, { maxAgents: 400 });
  motion = new CrowdInterpolation(crowd, { dt });
});
afterEach(() => crowd.dispose());

interface Shown {
  position: number[];
  velocity: number[];
  radius: number;
  state: number;
}

/** What a picture shows, by id. */
function shown(alpha: number, count = motion.count): Map<number, Shown> {
  const ids = new Float64Array(count);
  const positions = new Float64Array(3 * count);
  const velocities = new Float64Array(3 * count);
  const radii = new Float64Array(count);
  const states = new Uint8Array(count);
  expect(motion.readAgents(alpha, { ids, positions, velocities, radii, states })).toBe(count);
  return new Map(
    Array.from(ids, (id, i) => [
      id,
      {
        position: Array.from(positions.subarray(3 * i, 3 * i + 3)),
        velocity: Array.from(velocities.subarray(3 * i, 3 * i + 3)),
        radius: radii[i]!,
        state: states[i]!,
      },
    ]),
  );
}

/** What the crowd says itself. */
function present(): Map<number, Shown> {
  const ids = new Float64Array(crowd.agentCount);
  crowd.readAgents({ ids });
  return new Map(
    Array.from(ids, (id) => {
      const { position, velocity, state } = crowd.agent(id);
      return [id, { position, velocity, state, radius: crowd.agentOptions(id).radius }];
    }),
  );
}

function step(steps = 1): void {
  for (let i = 0; i < steps; i++) {
    crowd.step(dt);
    motion.capture();
  }
}

/** A number from 0 to 1, the same every time. */
function random(seed: number): () => number {
  return () => (seed = (seed * 48271) % 2147483647) / 2147483647;
}

describe('a picture', () => {
  it('is on the line between the last two steps, exactly at its ends', () => {
    addWalkers(crowd);
    step(30);
    const before = present();
    step();
    const after = present();
    for (const [id, agent] of shown(0)) {
      expect(agent.position).toEqual(before.get(id)!.position);
      expect(agent.velocity).toEqual(before.get(id)!.velocity);
      expect(agent.state).toBe(after.get(id)!.state);
    }
    expect(shown(1)).toEqual(after);
    let moved = 0;
    for (const [id, agent] of shown(0.25)) {
      agent.position.forEach((v, k) => {
        const [a, b] = [before.get(id)!.position[k]!, after.get(id)!.position[k]!];
        expect(v).toBeCloseTo(0.75 * a + 0.25 * b, 12);
        moved = Math.max(moved, Math.abs(b - a));
      });
      agent.velocity.forEach((v, k) => {
        expect(v).toBeCloseTo(0.75 * before.get(id)!.velocity[k]! + 0.25 * after.get(id)!.velocity[k]!, 12);
      });
    }
    expect(moved).toBeGreaterThan(0.05);
  });

  it('is the last step to the bit at 1, and no other for being captured twice', () => {
    addWalkers(crowd);
    const id = crowd.add([0.1, 0, 5]);
    step(10);
    crowd.teleport(id, [-0.3, 0, 5]); // near enough to glide; 0.1 + (-0.3 - 0.1) is not -0.3
    step();
    expect(shown(0).get(id)!.position[0]).toBe(0.1);
    expect(shown(1)).toEqual(present());
    const picture = shown(0.3);
    expect(picture).not.toEqual(shown(1));
    motion.capture();
    expect(shown(0.3)).toEqual(picture);
  });

  it('can be in floats, and needs no more than is asked for', () => {
    addWalkers(crowd);
    step(20);
    const positions = new Float32Array(40);
    expect(motion.readAgents(0.5, { positions })).toBe(12);
    const exact = [...shown(0.5).values()].flatMap(({ position }) => position);
    expect(Array.from(positions.subarray(0, 36))).toEqual(exact.map(Math.fround));
    expect(Array.from(positions.subarray(36))).toEqual([0, 0, 0, 0]);
    expect(motion.readAgents(0.5, {})).toBe(12);
  });

  it('leaves agents that stand exactly still', () => {
    const id = crowd.add([1 / 3, 0, 5.1]);
    step(3);
    const { position } = crowd.agent(id);
    for (const alpha of [0, 0.1, 0.3, 0.7, 1]) expect(shown(alpha).get(id)!.position).toEqual(position);
  });

  it('stays as it was captured', () => {
    addWalkers(crowd);
    expect([motion.count, motion.readAgents(0.5, {})]).toEqual([0, 0]);
    step(20);
    const picture = shown(0.5);
    crowd.step(dt);
    crowd.remove(3);
    expect(shown(0.5)).toEqual(picture);
    crowd.dispose();
    expect(shown(0.5)).toEqual(picture);
    expect(() => motion.capture()).toThrow(expect.objectContaining({ status: 'StaleHandle' }) as Error);
    expect(shown(0.5)).toEqual(picture);
  });
});

describe('who comes and goes', () => {
  it('is there at once and gone at once; the others walk on', () => {
    const ids = addWalkers(crowd);
    step(20);
    const before = present();
    crowd.remove(ids[4]!);
    crowd.remove(ids[7]!);
    const added = [crowd.add([0, 0, 3]), crowd.add([9, 0, 9]), crowd.add([-9, 0, 9])]; // two of them in freed slots
    crowd.setDestination(added[0]!, [0, 0, -9]);
    motion.capture(); // before any step
    expect(new Set(shown(0).keys())).toEqual(new Set(present().keys()));
    expect(shown(0).get(added[0]!)).toEqual(present().get(added[0]!));
    step();
    const after = present();
    const picture = shown(0.5);
    expect(new Set(picture.keys())).toEqual(new Set(after.keys()));
    expect(picture.has(ids[4]!)).toBe(false);
    for (const [id, { position }] of picture) {
      const from = before.get(id)?.position ?? (id === added[0] ? [0, position[1]!, 3] : after.get(id)!.position);
      position.forEach((v, k) => expect(v).toBeCloseTo((from[k]! + after.get(id)!.position[k]!) / 2, 4));
    }
  });

  it('is drawn where it is when it was put elsewhere, and never in between', () => {
    const ids = addWalkers(crowd);
    step(20);
    crowd.teleport(ids[2]!, [9, 0, -9]);
    crowd.teleport(ids[3]!, [9, 0, 9]);
    crowd.setDestination(ids[3]!, [-9, 0, 9]);
    step();
    const after = present();
    for (const alpha of [0, 0.5, 1]) {
      for (const i of [2, 3]) expect(shown(alpha).get(ids[i]!)).toEqual(after.get(ids[i]!));
    }
    const walking = shown(0).get(ids[0]!)!.position;
    expect(walking).not.toEqual(after.get(ids[0]!)!.position);
    step();
    expect(shown(0).get(ids[3]!)!.position).toEqual(after.get(ids[3]!)!.position); // and walks on from there
    expect(shown(1).get(ids[3]!)!.position).not.toEqual(after.get(ids[3]!)!.position);
  });

  it('in many steps of adding, removing and teleporting: as by hand', () => {
    const seed = 77;
    const next = random(seed);
    const spot = (): [number, number, number] => [next() * 22 - 11, 0, 2 + next() * 8];
    const equal = (a: number[], b: number[]) => a.every((v, k) => v === b[k]);
    let before = present();
    const put = new Set<number>();
    const counts = { walked: 0, came: 0, gone: 0, put: 0 };
    const wrong: string[] = [];
    motion.capture();
    for (let n = 0; n < 600; n++) {
      put.clear();
      for (let i = 0; i < 3; i++) {
        const chance = next();
        const ids = [...before.keys()].filter((id) => crowd.has(id));
        const id = ids[Math.floor(next() * ids.length)];
        if (chance < (ids.length < 30 ? 0.5 : 0.25)) crowd.tryAdd(spot(), { radius: 0.2 });
        else if (id === undefined) continue;
        else if (chance < 0.6) {
          crowd.remove(id);
          counts.gone++;
        } else if (chance < 0.7) {
          crowd.teleport(id, spot());
          put.add(id);
        } else if (chance < 0.9) crowd.setDestination(id, spot());
      }
      step();
      const after = present();
      const start = shown(0);
      expect([...start.keys()]).toEqual([...after.keys()]);
      for (const [id, { position }] of start) {
        const old = before.get(id)?.position;
        const now = after.get(id)!.position;
        let expected = old ?? now;
        if (!old) counts.came++;
        else if (!put.has(id)) counts.walked++;
        // Put within a body's width it may as well glide.
        else if (Math.hypot(now[0]! - old[0]!, now[1]! - old[1]!, now[2]! - old[2]!) > 0.4 + 2 * dt * 3.5) {
          counts.put++;
          expected = now;
        } else continue;
        if (!equal(position, expected))
          wrong.push(`step ${n}, agent ${id}: ${position.join()}, not ${expected.join()}`);
      }
      before = after;
    }
    console.log(`seed ${seed}: ${JSON.stringify(counts)}, ${crowd.agentCount} at last`);
    expect(wrong).toEqual([]);
    expect(counts.walked).toBeGreaterThan(5000);
    expect(Math.min(counts.came, counts.gone, counts.put)).toBeGreaterThan(100);
  });
});

describe('a jump over a link', () => {
  const DT = 1 / 30;
  const send = (offMeshMode: OffMeshMode) => {
    const { mesh } = world.engine.buildNavMesh({
      positions: [-20, 0, -9, -20, 0, 9, -9, 0, 9, -9, 0, -9, 9, 2, -9, 9, 2, 9, 20, 2, 9, 20, 2, -9],
      indices: [0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7],
      offMeshLinks: [{ start: [-10, 0, 0], end: [10, 2, 0], radius: 0.5 }],
    });
    const jumpers = world.engine.createCrowd(mesh);
    const id = jumpers.add([-13, 0, 0], { path: { offMeshSpeed: 90, offMeshMode } });
    jumpers.setDestination(id, [15, 2, 0]);
    mesh.dispose();
    return { jumpers, id, look: new CrowdInterpolation(jumpers, { dt: DT }) };
  };
  const position = new Float64Array(3);

  it('is drawn all the way, however fast', () => {
    const { jumpers, id, look } = send(OffMeshMode.Automatic);
    look.capture();
    let [steps, farthest] = [0, 0];
    while (jumpers.agent(id).state !== FollowerState.Arrived && steps++ < 400) {
      const before = jumpers.agent(id).position;
      jumpers.step(DT);
      look.capture();
      look.readAgents(0, { positions: position });
      expect(Array.from(position)).toEqual(before);
      farthest = Math.max(farthest, jumpers.agent(id).position[0] - before[0]);
    }
    expect(jumpers.agent(id).reachedTarget).toBe(true);
    expect(farthest).toBeGreaterThan(2); // more than the body's width in a step
    jumpers.dispose();
  });

  it('that the host ends is none', () => {
    const { jumpers, id, look } = send(OffMeshMode.Host);
    while (jumpers.crossing(id) === null && jumpers.stepCount < 400) jumpers.step(DT);
    look.capture();
    jumpers.completeOffMeshLink(id);
    jumpers.step(DT);
    look.capture();
    look.readAgents(0, { positions: position });
    expect(Array.from(position)).toEqual(jumpers.agent(id).position);
    expect(position[0]).toBeGreaterThan(9);
    jumpers.dispose();
  });
});

describe('gaps', () => {
  it('in the steps begin anew: no one glides through them', () => {
    addWalkers(crowd);
    step(20);
    const saved = crowd.saveState();
    crowd.step(dt);
    step(); // the one before was missed
    expect(shown(0)).toEqual(present());
    step();
    expect(shown(0)).not.toEqual(present());
    crowd.restoreState(saved); // back
    motion.capture();
    expect(shown(0)).toEqual(present());
    const before = present();
    step();
    expect(shown(0).get(0)!.position).toEqual(before.get(0)!.position);
    motion.reset();
    expect(motion.count).toBe(0);
    step();
    expect(shown(0)).toEqual(present());
  });

  it('of a player are its seeks', () => {
    using replay = world.engine.openReplay(recordRun(world, 120).bytes);
    using player = world.engine.createPlayer(replay);
    motion = new CrowdInterpolation(player.crowd, { dt: player.dt });
    motion.capture();
    player.step();
    motion.capture();
    player.step();
    const before = player.crowd.agent(5).position;
    motion.capture();
    player.step();
    motion.capture();
    const after = player.crowd.agent(5).position;
    expect(shown(0).get(5)!.position).toEqual(before);
    expect(after).not.toEqual(before);
    player.seek(80);
    motion.capture();
    expect(shown(0)).toEqual(shown(1));
    player.step();
    motion.capture();
    expect(shown(0)).not.toEqual(shown(1));
    expect(player.firstMismatch).toBe(-1);
  });
});

it('a crowd that is looked at runs the same', () => {
  const twin = world.engine.createCrowd(world.mesh, { maxAgents: 400 });
  for (const target of [crowd, twin]) addWalkers(target);
  for (let i = 0; i < 100; i++) {
    step();
    shown(0.5);
    twin.step(dt);
  }
  expect(crowd.stateHash()).toBe(twin.stateHash());
  twin.dispose();
});

it('bad arguments are named, and nothing is written', () => {
  addWalkers(crowd);
  step(2);
  const make = (of: unknown, options?: unknown) => () =>
    new CrowdInterpolation(of as Crowd, options as CrowdInterpolationOptions);
  expect(make(world.mesh, { dt })).toThrow(/crowd must be a Crowd/);
  expect(make(null, { dt })).toThrow(/crowd must be a Crowd, not null/);
  using recorder = world.engine.createRecorder(crowd, { dt });
  expect(make(recorder, { dt })).toThrow(/crowd must be a Crowd/);
  expect(make(crowd)).toThrow(/options\.dt must be a number/);
  expect(make(crowd, { dt: 0 })).toThrow(/options\.dt must be above 0/);
  expect(make(crowd, { dt, alpha: 1 })).toThrow(/options\.alpha is not an option/);
  for (const alpha of [-0.001, 1.001, NaN, '0']) {
    expect(() => motion.readAgents(alpha as number, {})).toThrow(/alpha must be/);
  }
  const positions = new Float32Array(36).fill(7);
  const bad: [unknown, RegExp][] = [
    [undefined, /out must be an object, not undefined/],
    [[], /out must be an object/],
    [{ positions, ids: new Float64Array(11) }, /out\.ids is too short: 11 elements where 12 are needed/],
    [{ positions, ids: new Float32Array(12) }, /out\.ids must be a Float64Array, not a Float32Array/],
    [{ positions, velocities: new Float32Array(35) }, /out\.velocities is too short: 35/],
    [{ positions, radii: [] }, /out\.radii must be a Float64Array or a Float32Array/],
    [{ positions, states: new Uint8Array(11) }, /out\.states is too short/],
    [{ positions, states: new Int8Array(12) }, /out\.states must be a Uint8Array/],
    [{ positions, position: positions }, /out\.position is not an option/],
  ];
  for (const [out, message] of bad) {
    expect(() => motion.readAgents(0.5, out as InterpolatedArrays), String(message)).toThrow(message);
  }
  expect(new Set(positions)).toEqual(new Set([7]));
});

it('capturing and reading make no garbage for each agent', () => {
  for (let i = 0; i < 300; i++) crowd.add([-10 + (i % 20), 0, 3 + Math.floor(i / 20) * 0.4], { radius: 0.1 });
  const out = {
    ids: new Float64Array(300),
    positions: new Float32Array(900),
    velocities: new Float32Array(900),
    radii: new Float32Array(300),
    states: new Uint8Array(300),
  };
  motion.capture();
  const reading = bytesPerCall((i) => motion.readAgents((i % 100) / 100, out), 8000);
  const capturing = bytesPerCall(() => motion.capture(), 4000);
  console.log(`${reading.toFixed(1)} bytes of garbage a picture, ${capturing.toFixed(1)} a capture, 300 agents`);
  // Views of the engine's memory and the like; nothing for each agent, which would be ten thousands.
  expect(reading).toBeLessThan(1000);
  expect(capturing).toBeLessThan(2000);
});
