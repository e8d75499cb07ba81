// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// A small level, and crowds walking on it, for the tests of the package.
import { getHeapStatistics } from 'node:v8';
import { loadCrowdreel, type Crowd, type Engine, type NavMesh, type Recorder, type Vec3 } from 'crowdreel';

/**
 * For Node processes that tests start. Background compilation can keep a process that is done from ending (nodejs/node
 * issue 54918; see ts/bin/crowdreel.js).
 */
export const nodeFlags = ['--no-concurrent-recompilation'];

type Box = [x0: number, z0: number, x1: number, z1: number];

/** A flat floor with closed walls standing on it, as an OBJ text and as arrays. */
export function floorWithWalls(
  size: number,
  walls: readonly Box[],
): { positions: number[]; indices: number[]; readonly obj: string } {
  const positions: number[] = [];
  const indices: number[] = [];
  const quad = (...corners: Vec3[]) => {
    const first = positions.length / 3;
    for (const corner of corners) positions.push(...corner);
    indices.push(first, first + 1, first + 2, first, first + 2, first + 3);
  };
  const h = size / 2;
  quad([-h, 0, -h], [-h, 0, h], [h, 0, h], [h, 0, -h]);
  for (const [x0, z0, x1, z1] of walls) {
    const top = 3;
    quad([x0, top, z0], [x1, top, z0], [x1, top, z1], [x0, top, z1]); // faces down: nobody stands on it
    quad([x0, 0, z0], [x0, top, z0], [x1, top, z0], [x1, 0, z0]);
    quad([x0, 0, z1], [x1, 0, z1], [x1, top, z1], [x0, top, z1]);
    quad([x0, 0, z0], [x0, 0, z1], [x0, top, z1], [x0, top, z0]);
    quad([x1, 0, z0], [x1, top, z0], [x1, top, z1], [x1, 0, z1]);
  }
  const lines = [];
  for (let i = 0; i < positions.length; i += 3) lines.push(`v ${positions.slice(i, i + 3).join(' ')}`);
  for (let i = 0; i < indices.length; i += 3)
    lines.push(
      `f ${indices
        .slice(i, i + 3)
        .map((v) => v + 1)
        .join(' ')}`,
    );
  // Not enumerable: what is built takes positions and indices only.
  const obj = lines.join('\n') + '\n';
  return Object.defineProperty({ positions, indices }, 'obj', { value: obj }) as ReturnType<typeof floorWithWalls>;
}

/** 24 by 24 units: a wall with a door across the middle, and two blocks. */
export const level = floorWithWalls(24, [
  [-12, -0.5, -2.5, 0.5],
  [2.5, -0.5, 12, 0.5],
  [-6, -7, -4, -5],
  [4, 5, 6, 7],
]);

export interface World {
  engine: Engine;
  mesh: NavMesh;
}

export async function createWorld(): Promise<World> {
  const engine = await loadCrowdreel();
  const { mesh } = engine.buildNavMesh(level);
  return { engine, mesh };
}

/** Twelve agents, six on either side of the wall, each sent to the other side. */
export function addWalkers(target: Crowd | Recorder): number[] {
  return Array.from({ length: 12 }, (_, i) => {
    const side = i % 2 ? 1 : -1;
    const x = -7.5 + Math.floor(i / 2) * 3;
    const id = target.add([x, 0, side * 9]);
    target.setDestination(id, [-x, 0, side * -10]); // room to pass between those that stand there and the blocks
    return id;
  });
}

/** A recording with every kind of operation. */
export function recordRun(world: World, steps = 240): { bytes: Uint8Array; hashes: bigint[] } {
  using crowd = world.engine.createCrowd(world.mesh, { maxAgents: 12 });
  using recorder = world.engine.createRecorder(crowd, { dt: 1 / 30 });
  const ids = addWalkers(recorder);
  const hashes: bigint[] = [];
  for (let step = 0; step < steps; step++) {
    if (step === 30) recorder.stop(ids[0]!);
    if (step === 40) recorder.tryAdd([0, 0, 9]); // full: recorded, and fails again when played
    if (step === 60) recorder.remove(ids[1]!);
    if (step === 70) recorder.add({ x: 9, y: 0, z: 9 }, { radius: 0.4, quality: 3, path: { stuckWindow: 2 } });
    if (step === 90) recorder.teleport(ids[2]!, [9, 0, -9]);
    if (step === 91) recorder.setDestination(ids[2]!, [-9, 0, -9]);
    hashes.push(recorder.step());
  }
  return { bytes: recorder.save(), hashes };
}

const used = () => getHeapStatistics().used_heap_size;

/**
 * Bytes of heap taken per call once the code is warm: the growth over short spells, summed up. A spell in which the collector ran (it
 * shrinks) is left out.
 */
export function bytesPerCall(call: (i: number) => unknown, calls: number, spell = 500): number {
  for (let i = 0; i < calls / 2; i++) call(i);
  let bytes = 0;
  let counted = 0;
  for (let i = 0; i < calls; i += spell) {
    const before = used();
    for (let k = i; k < i + spell; k++) call(k);
    const taken = used() - before;
    if (taken < 0) continue;
    bytes += taken;
    counted += spell;
  }
  // Asking for the statistics takes some heap too.
  let own = 0;
  for (let i = 0; i < 100; i++) {
    const before = used();
    own += Math.max(used() - before, 0);
  }
  return bytes / counted - own / 100 / spell;
}
