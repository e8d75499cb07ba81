// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Recording, reading replays, playing them, and what damage does.
import {
  AgentPresets,
  CrowdreelError,
  CrowdReplayError,
  FollowerDefaults,
  type OperationName,
  type Replay,
} from 'crowdreel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addWalkers, createWorld, recordRun, type World } from './support.js';

let world: World;
let bytes: Uint8Array;
let hashes: bigint[];
let replay: Replay;
beforeAll(async () => {
  world = await createWorld();
  ({ bytes, hashes } = recordRun(world));
  replay = world.engine.openReplay(bytes);
});
afterAll(() => replay.dispose());

describe('a recorder', () => {
  it('does to the crowd what the crowd itself would do', () => {
    const direct = world.engine.createCrowd(world.mesh);
    const recorded = world.engine.createCrowd(world.mesh);
    const recorder = world.engine.createRecorder(recorded, { dt: 1 / 30 });
    addWalkers(direct);
    addWalkers(recorder);
    for (let step = 0; step < 60; step++) {
      direct.step(1 / 30);
      expect(recorder.step()).toBe(direct.stateHash());
    }
    expect(recorder.stepCount).toBe(60);
    expect([recorder.crowd, recorder.dt]).toEqual([recorded, 1 / 30]);
    recorder.dispose();
    recorded.dispose();
    direct.dispose();
  });

  it('knows the size of the file beforehand, and can go on after saving', () => {
    const crowd = world.engine.createCrowd(world.mesh);
    const recorder = world.engine.createRecorder(crowd, { dt: 0.1 });
    expect(recorder.save()).toHaveLength(recorder.byteSize);
    addWalkers(recorder);
    recorder.step();
    const first = recorder.save();
    expect(first).toHaveLength(recorder.byteSize);
    recorder.step();
    const second = recorder.save();
    const opened = [first, second].map((file) => world.engine.openReplay(file));
    expect(opened.map((file) => file.info.stepCount)).toEqual([1, 2]);
    expect(opened.map((file) => file.findMismatch())).toEqual([-1, -1]);
    for (const resource of [...opened, recorder, crowd]) resource.dispose();
  });

  it('can start in the middle of a run', () => {
    const crowd = world.engine.createCrowd(world.mesh);
    addWalkers(crowd);
    for (let step = 0; step < 50; step++) crowd.step(1 / 30);
    const recorder = world.engine.createRecorder(crowd, { dt: 1 / 30 });
    for (let step = 0; step < 20; step++) recorder.step();
    const file = world.engine.openReplay(recorder.save());
    expect(file.info).toMatchObject({ startStep: 50, stepCount: 20, agentsAtStart: 12, operationCount: 0 });
    expect(file.findMismatch()).toBe(-1);
    for (const resource of [file, recorder, crowd]) resource.dispose();
  });

  it('writes the crowd as it is as a setup block', () => {
    const crowd = world.engine.createCrowd(world.mesh);
    const recorder = world.engine.createRecorder(crowd, { dt: 1 / 30 });
    addWalkers(recorder);
    recorder.step();
    const snapshot = recorder.writeSnapshot();
    expect(Buffer.from(snapshot.subarray(0, 4)).toString()).toBe('OPRS');
    expect(Buffer.from(snapshot.subarray(-crowd.saveState().length)).equals(Buffer.from(crowd.saveState()))).toBe(true);
    recorder.dispose();
    crowd.dispose();
  });

  it('refuses a crowd with a filter', () => {
    const crowd = world.engine.createCrowd(world.mesh, { filter: { areaCost: { 1: 2 } } });
    expect(() => world.engine.createRecorder(crowd, { dt: 0.1 })).toThrow(/crowd has a filter/);
    crowd.dispose();
  });

  it('cannot hide what was done beside it', () => {
    const crowd = world.engine.createCrowd(world.mesh);
    const recorder = world.engine.createRecorder(crowd, { dt: 1 / 30 });
    const ids = addWalkers(recorder);
    for (let step = 0; step < 20; step++) {
      if (step === 13) crowd.stop(ids[0]!);
      recorder.step();
    }
    const file = world.engine.openReplay(recorder.save());
    expect(file.findMismatch()).toBe(13);
    for (const resource of [file, recorder, crowd]) resource.dispose();
  });
});

describe('a replay', () => {
  it('tells what it holds', () => {
    const operationCounts: Record<OperationName, number> = {
      Add: 14,
      Remove: 1,
      SetDestination: 13,
      Stop: 1,
      Teleport: 1,
    };
    expect(replay.info).toMatchObject({
      dt: 1 / 30,
      startStep: 0,
      stepCount: 240,
      operationCount: 30,
      operationCounts,
      agentsAtStart: 0,
    });
    expect(replay.info.fileSize).toBe(bytes.length);
    expect(replay.info.meshPolygons).toBe(world.mesh.polygonCount);
    expect(replay.info.options).toMatchObject({ maxAgents: 12, maxWallsAvoided: 8 });
    expect(replay.info.meshSize).toBe(world.mesh.save().length);
  });

  it('gives every operation and hash', () => {
    const { operations, hash } = replay.step(0);
    expect(hash).toBe(hashes[0]);
    expect(operations.map(({ kind }) => kind)).toEqual(
      Array.from({ length: 24 }, (_, i) => (i % 2 ? 'SetDestination' : 'Add')),
    );
    expect(operations[0]).toMatchObject({
      kind: 'Add',
      position: [-7.5, 0, -9],
      options: AgentPresets.humanoid,
      offset: 0,
    });
    expect(operations[1]).toMatchObject({ kind: 'SetDestination', destination: [7.5, 0, 10] });
    let offset = 0;
    for (const operation of operations) {
      expect(operation.offset).toBe(offset);
      offset += operation.size;
    }
    const [added] = replay.step(70).operations;
    expect(added).toMatchObject({ kind: 'Add', position: [9, 0, 9] });
    const { path, ...own } = added?.kind === 'Add' ? added.options : expect.unreachable();
    expect(own).toEqual({ ...AgentPresets.humanoid, radius: 0.4, quality: 3, path: undefined });
    expect(path).toEqual({ ...FollowerDefaults, stuckWindow: 2 });
    expect(replay.step(30).operations).toMatchObject([{ kind: 'Stop' }]);
    expect(replay.step(60).operations).toMatchObject([{ kind: 'Remove' }]);
    expect(replay.step(90).operations).toMatchObject([{ kind: 'Teleport', position: [9, 0, -9] }]);
    expect(replay.step(239)).toEqual({ operations: [], hash: hashes[239] });
  });

  it('writes the same bytes and plays exactly', () => {
    expect(replay.write()).toEqual(bytes);
    expect(replay.findMismatch()).toBe(-1);
  });
});

describe('a player', () => {
  it('plays every step to the recorded hash', () => {
    const player = world.engine.createPlayer(replay);
    expect([player.position, player.stepCount, player.dt, player.replay]).toEqual([0, 240, 1 / 30, replay]);
    for (let step = 0; step < 240; step++) {
      expect(player.step()).toBe(true);
      expect(player.crowd.stateHash()).toBe(hashes[step]);
    }
    expect(player.step()).toBe(false);
    expect([player.position, player.checkedSteps, player.firstMismatch]).toEqual([240, 240, -1]);
    player.dispose();
  });

  it('seeks anywhere, there and back, to the same states', () => {
    const player = world.engine.createPlayer(replay, { keyframeSpacing: 16 });
    for (const position of [240, 17, 0, 100, 99, 239, 1, 64, 240]) {
      player.seek(position);
      expect(player.position).toBe(position);
      if (position > 0) expect(player.crowd.stateHash()).toBe(hashes[position - 1]);
    }
    const keyframes = player.keyframes();
    expect(keyframes[0]).toBe(0);
    expect(keyframes.length).toBeGreaterThan(10);
    expect(Array.from(keyframes)).toEqual(Array.from(keyframes).sort((a, b) => a - b));
    expect(player.keyframeBytes).toBeGreaterThan(0);
    player.dispose();
  });

  it('keeps within its budget of keyframes', () => {
    const player = world.engine.createPlayer(replay, { keyframeSpacing: 1, keyframeBudget: 40_000 });
    player.seek(240);
    expect(player.keyframeBytes).toBeLessThanOrEqual(40_000);
    expect(player.keyframes().length).toBeGreaterThan(1);
    const none = world.engine.createPlayer(replay, { keyframeBudget: 0 });
    none.seek(240);
    expect([none.keyframeBytes, Array.from(none.keyframes())]).toEqual([0, [0]]);
    none.seek(33);
    expect(none.crowd.stateHash()).toBe(hashes[32]);
    none.dispose();
    player.dispose();
  });

  it('seeks in slices', () => {
    const player = world.engine.createPlayer(replay);
    let slices = 1;
    while (!player.seekSlice(200, 30)) {
      expect(player.position).toBe(slices * 30);
      slices++;
    }
    expect([slices, player.position]).toEqual([7, 200]);
    expect(player.crowd.stateHash()).toBe(hashes[199]);
    player.dispose();
  });

  it('tells what happened in the step just played', () => {
    using player = world.engine.createPlayer(replay);
    const replanned = () => player.crowd.events().filter((event) => event.kind === 'Replanned');
    expect(player.crowd.events()).toEqual([]);
    player.step();
    expect(replanned()).toHaveLength(12); // those sent off before the first step
    player.step();
    expect(replanned()).toEqual([]);
  });

  it('lends its mesh and crowd for reading only', () => {
    const player = world.engine.createPlayer(replay);
    player.seek(50);
    expect(player.mesh.save()).toEqual(world.mesh.save());
    expect(player.crowd.mesh).toBe(player.mesh);
    expect(player.crowd.agentCount).toBe(12);
    const positions = new Float64Array(36);
    expect(player.crowd.readAgents({ positions })).toBe(12);
    const query = world.engine.createQuery(player.mesh);
    expect(query.nearest([positions[0]!, positions[1]!, positions[2]!])!.over).toBe(true);
    const hash = player.crowd.stateHash();
    const crowd = player.crowd as ReturnType<typeof world.engine.createCrowd>;
    for (const change of [
      () => crowd.step(1),
      () => crowd.add([0, 0, 5]),
      () => crowd.stop(0),
      () => crowd.completeOffMeshLink(0),
      () => crowd.restoreState(new Uint8Array()),
    ]) {
      expect(change).toThrow(/crowd belongs to a player/);
    }
    expect(() => world.engine.createRecorder(crowd, { dt: 1 })).toThrow(/crowd belongs to a player/);
    crowd.dispose();
    expect([crowd.disposed, player.crowd.stateHash()]).toEqual([false, hash]);
    player.dispose();
    expect(crowd.disposed).toBe(true);
    expect(() => crowd.stateHash()).toThrow(/crowd was disposed of/);
    expect(query.nearest([3, 0, 3])!.over).toBe(true); // the query keeps what it needs alive
    query.dispose();
  });

  it('several play one replay, on after it was disposed of', () => {
    const own = world.engine.openReplay(bytes);
    const players = [world.engine.createPlayer(own), world.engine.createPlayer(own)];
    own.dispose();
    players[0]!.seek(10);
    players[1]!.seek(20);
    expect(players.map((player) => player.crowd.stateHash())).toEqual([hashes[9], hashes[19]]);
    for (const player of players) player.dispose();
  });
});

describe('damage', () => {
  it('every truncation is an error with a place', () => {
    const step = Math.max(1, Math.floor(bytes.length / 400));
    for (let size = 0; size < bytes.length; size += step) {
      try {
        world.engine.openReplay(bytes.subarray(0, size));
        expect.unreachable(`${size} bytes were read`);
      } catch (error) {
        expect(error).toBeInstanceOf(CrowdreelError);
        const { offset, field } = error as CrowdreelError;
        expect(field).not.toBeNull();
        expect(offset).toBeLessThanOrEqual(size);
      }
    }
  });

  it('a step hash that was changed is the first difference', () => {
    const changed = bytes.slice();
    changed[changed.length - 1]! ^= 1;
    const damaged = world.engine.openReplay(changed);
    expect(damaged.findMismatch()).toBe(239);
    const player = world.engine.createPlayer(damaged);
    player.seek(240);
    expect([player.firstMismatch, player.position]).toEqual([239, 240]);
    player.dispose();
    damaged.dispose();
  });

  it('an operation on an agent that is not there stops playing before its step', () => {
    const crowd = world.engine.createCrowd(world.mesh);
    const recorder = world.engine.createRecorder(crowd, { dt: 0.1 });
    const id = recorder.add([0, 0, 5]);
    recorder.step();
    recorder.stop(id);
    recorder.step();
    const changed = recorder.save();
    changed[changed.length - 16] = 77; // the id in the Stop of the last step: 8 bytes, then 8 of hash
    const file = world.engine.openReplay(changed);
    const player = world.engine.createPlayer(file);
    expect(player.step()).toBe(true);
    const failure = expect.objectContaining({ status: 'NoSuchAgent', offset: changed.length - 16 }) as Error;
    expect(() => player.step()).toThrow(failure);
    expect(() => player.seek(2)).toThrow(CrowdReplayError);
    expect(player.position).toBe(1);
    expect(player.crowd.stateHash()).toBe(file.step(0).hash);
    for (const resource of [player, file, recorder, crowd]) resource.dispose();
  });

  it('each flipped byte is an error with field and offset, or a difference with its step', { timeout: 120_000 }, () => {
    const { bytes: small } = recordRun(world, 12);
    const outcomes = { error: 0, difference: 0, exact: 0 };
    for (let at = 0; at < small.length; at += 7) {
      const changed = small.slice();
      changed[at]! ^= 0x41;
      outcomes[tryReplay(changed)]++;
    }
    expect(outcomes.error).toBeGreaterThan(100);
    expect(outcomes.difference).toBeGreaterThan(20);
    // Bytes that no step depends on, such as the mesh's notes about what it was made for, may change unseen.
    expect(outcomes.exact).toBeLessThan(outcomes.difference);
  });

  function tryReplay(changed: Uint8Array): 'error' | 'difference' | 'exact' {
    try {
      const file = world.engine.openReplay(changed);
      try {
        return file.findMismatch() < 0 ? 'exact' : 'difference';
      } finally {
        file.dispose();
      }
    } catch (error) {
      expect(error).toBeInstanceOf(CrowdreelError);
      expect((error as CrowdreelError).field).not.toBeNull();
      expect((error as CrowdreelError).offset).not.toBeNull();
      return 'error';
    }
  }
});
