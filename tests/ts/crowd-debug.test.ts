// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What there is to draw of a crowd: arrays of all agents say what is said of each by itself, and both what other calls say.
import {
  AgentPresets,
  CornerFlag,
  FollowerState,
  OffMeshMode,
  Quality,
  type AgentDebugGeometry,
  type Crowd,
  type CrowdDebugGeometry,
  type Engine,
  type NavMesh,
  type NavMeshQuery,
} from 'crowdreel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, floorWithWalls } from './support.js';

const DT = 1 / 30;
const COUNT = 30;

let engine: Engine;
let mesh: NavMesh;
let query: NavMeshQuery;
let crowd: Crowd;

/** A floor cut in two by a wall with a door and, elsewhere, a link across; two blocks. */
beforeAll(async () => {
  engine = (await createWorld()).engine;
  const level = floorWithWalls(24, [
    [-12, -0.5, 4, 0.5],
    [7, -0.5, 12, 0.5],
    [-6, -7, -4, -5],
    [4, 5, 6, 7],
  ]);
  const link = { start: [-9, 0, 2], end: [-9, 0, -2], radius: 0.5, bidirectional: true } as const;
  mesh = engine.buildNavMesh({ ...level, offMeshLinks: [link] }, { tileCells: 24 }).mesh;
  query = engine.createQuery(mesh);
  crowd = populated(mesh, true);
});
afterAll(() => [crowd, query, mesh].forEach((resource) => resource.dispose()));

function populated(on: NavMesh, recordConstraints: boolean): Crowd {
  const made = engine.createCrowd(on, { recordConstraints });
  let seed = 7n;
  for (let i = 0; i < COUNT; i++) {
    const [from, to] = [0, 1].map(() => {
      const found = query.randomPoint(seed)!;
      seed = found.seed;
      return found.point;
    });
    const preset = i % 2 ? AgentPresets.small : AgentPresets.humanoid;
    const path = i > 0 ? { maxCorners: 3 } : null;
    const id = made.add(i ? from! : [-9, 0, 5], { ...preset, quality: (i % 4) as Quality, path });
    if (i % 5 !== 4) made.setDestination(id, i ? to! : [-9, 0, -6]);
  }
  made.setOptions(0, { path: { offMeshMode: OffMeshMode.Host } });
  for (const id of [6, 13]) made.remove(id);
  for (let i = 0; i < 90; i++) made.step(DT);
  return made;
}

const idsOf = (of: Crowd) => {
  const ids = new Float64Array(of.agentCount);
  of.readAgents({ ids });
  return [...ids];
};

const part = <E>(
  list: Iterable<E> & { slice(a: number, b: number): Iterable<E> },
  first: Uint32Array,
  i: number,
  width = 1,
): E[] => [...list.slice(first[i]! * width, first[i + 1]! * width)];

/** Agent i of the arrays, as its own call tells it. */
function agentOf(all: CrowdDebugGeometry, i: number): AgentDebugGeometry {
  const triple = (list: Float64Array, k = i) => [...list.slice(3 * k, 3 * k + 3)] as [number, number, number];
  const indices = (first: Uint32Array) => Array.from({ length: first[i + 1]! - first[i]! }, (_, k) => first[i]! + k);
  const { polygons, corners, walls, constraints } = all;
  const [crossing = null] = all.crossings
    .filter(({ agent }) => agent === i)
    .map(({ start, end, elapsed, duration, exitRef }) => ({ start, end, elapsed, duration, exitRef }));
  return {
    id: all.ids[i]!,
    slot: all.slots[i]!,
    radius: all.radii[i]!,
    state: all.states[i] as FollowerState,
    position: triple(all.positions),
    velocity: triple(all.velocities),
    destination: triple(all.destinations),
    wantedVelocity: [all.wantedVelocities[2 * i]!, all.wantedVelocities[2 * i + 1]!],
    seenCount: all.seenCounts[i]!,
    broken: all.broken[i] === 1,
    crossing,
    polygons: {
      refs: part(polygons.refs, polygons.first, i),
      counts: Uint8Array.from(part(polygons.counts, polygons.first, i)),
      positions: Float64Array.from(part(polygons.positions, polygons.firstVertex, i, 3)),
    },
    corners: indices(corners.first).map((k) => {
      const flag = (bit: number) => (corners.flags[k]! & bit) !== 0;
      return {
        point: triple(corners.points, k),
        ref: corners.refs[k]!,
        pathIndex: corners.pathIndices[k]!,
        start: flag(CornerFlag.Start),
        end: flag(CornerFlag.End),
        offMesh: flag(CornerFlag.OffMesh),
        crossing: flag(CornerFlag.Crossing),
      };
    }),
    walls: indices(walls.first).map((k) => ({
      ref: walls.refs[k]!,
      edge: walls.edges[k]!,
      part: walls.parts[k]!,
      a: triple(walls.ends, 2 * k),
      b: triple(walls.ends, 2 * k + 1),
    })),
    constraints: indices(constraints.first).map((k, index) => {
      const [px, pz, nx, nz] = constraints.planes.slice(4 * k, 4 * k + 4) as unknown as [
        number,
        number,
        number,
        number,
      ];
      return { point: [px, pz], normal: [nx, nz], wall: index < constraints.wallCounts[i]! };
    }),
  };
}

describe('the geometry of all agents', () => {
  it('is that of each', () => {
    const all = crowd.debugGeometryOfAll();
    const ids = idsOf(crowd);
    expect(all.count).toBe(COUNT - 2);
    expect([...all.ids]).toEqual(ids);
    for (const first of [
      all.polygons.first,
      all.polygons.firstVertex,
      all.corners.first,
      all.walls.first,
      all.constraints.first,
    ]) {
      expect(first).toHaveLength(COUNT - 1);
      expect(first[0]).toBe(0);
    }
    for (const [i, id] of ids.entries()) {
      expect(agentOf(all, i)).toEqual(crowd.debugGeometry(id));
    }
    const last = COUNT - 2;
    expect(all.polygons.first[last]).toBe(all.polygons.refs.length);
    expect(all.polygons.refs).toHaveLength(all.polygons.counts.length);
    expect(all.polygons.firstVertex[last]! * 3).toBe(all.polygons.positions.length);
    expect(all.corners.first[last]! * 3).toBe(all.corners.points.length);
    expect(all.walls.first[last]! * 6).toBe(all.walls.ends.length);
    expect(all.constraints.first[last]! * 4).toBe(all.constraints.planes.length);
    expect([...all.seenCounts].some((seen, i) => seen < all.corners.first[i + 1]! - all.corners.first[i]!)).toBe(true);
    expect(all.walls.refs.length).toBeGreaterThan(50);
    expect(all.constraints.planes.length).toBeGreaterThan(4 * 20);
  });

  it('changes nothing, and is the same when asked again', () => {
    const [hash, bytes] = [crowd.stateHash(), crowd.saveState()];
    const all = crowd.debugGeometryOfAll();
    expect(crowd.debugGeometryOfAll()).toEqual(all);
    expect([crowd.stateHash(), crowd.saveState()]).toEqual([hash, bytes]);
  });

  it('of a crowd without agents is empty', () => {
    using nobody = engine.createCrowd(mesh);
    const all = nobody.debugGeometryOfAll();
    expect(all.count).toBe(0);
    expect([...all.polygons.first, ...all.walls.first, ...all.constraints.first]).toEqual([0, 0, 0]);
    expect(all.crossings).toEqual([]);
  });
});

describe('the geometry of an agent', () => {
  it('says what other calls say of it', () => {
    for (const id of idsOf(crowd)) {
      const debug = crowd.debugGeometry(id);
      const agent = crowd.agent(id);
      expect(debug).toMatchObject({
        id,
        slot: agent.slot,
        radius: crowd.agentOptions(id).radius,
        state: agent.state,
        position: agent.position,
        velocity: agent.velocity,
        destination: agent.destination,
        wantedVelocity: agent.wantedVelocity,
        crossing: crowd.crossing(id),
      });
      expect(debug.polygons.refs).toEqual(crowd.corridor(id).polygons);
      expect(debug.walls).toHaveLength(Math.max(agent.wallCount, 0));
      for (const { ref, edge, part: piece, a, b } of debug.walls) {
        expect(query.wallPiece(ref, edge, piece)).toMatchObject({ a, b });
      }
      expect(crowd.get(id).debugGeometry()).toEqual(debug);
    }
  });

  it('shows the crossing that waits for its host', () => {
    const { crossing, state } = crowd.debugGeometry(0);
    expect(state).toBe(FollowerState.OffMeshLink);
    expect(crossing).toMatchObject({ elapsed: 0 });
    const all = crowd.debugGeometryOfAll();
    expect(all.crossings.find(({ agent }) => agent === 0)).toEqual({ agent: 0, ...crossing });
  });

  it('has half-planes of length 1, those against walls first', () => {
    let walls = 0;
    let others = 0;
    for (const id of idsOf(crowd)) {
      const { constraints } = crowd.debugGeometry(id);
      if (crowd.agentOptions(id).quality === Quality.Off) expect(constraints).toEqual([]);
      const kinds = constraints.map(({ wall }) => wall);
      expect(kinds).toEqual([...kinds].sort((a, b) => Number(b) - Number(a)));
      for (const { normal, wall } of constraints) {
        expect(Math.hypot(...normal)).toBeCloseTo(1, 9);
        if (wall) walls++;
        else others++;
      }
    }
    expect(walls).toBeGreaterThan(10);
    expect(others).toBeGreaterThan(10);
  });

  it('has none of these unless the crowd records them, nor before the next step after a restore', () => {
    using plain = populated(mesh, false);
    const all = plain.debugGeometryOfAll();
    expect(all.constraints.planes).toHaveLength(0);
    expect(plain.stateHash()).toBe(crowd.stateHash());
    expect(all.walls).toEqual(crowd.debugGeometryOfAll().walls);
    using twin = engine.createCrowd(mesh, { recordConstraints: true });
    twin.restoreState(crowd.saveState());
    expect(twin.debugGeometryOfAll().constraints.planes).toHaveLength(0);
    expect(twin.debugGeometryOfAll().walls).toEqual(all.walls);
    plain.step(DT);
    twin.step(DT);
    expect(twin.debugGeometryOfAll().constraints.planes.length).toBeGreaterThan(0);
  });

  it('has no walls while they must be looked up anew', () => {
    using own = engine.loadNavMesh(mesh.save());
    using walkers = populated(own, true);
    expect(walkers.debugGeometryOfAll().walls.refs.length).toBeGreaterThan(0);
    own.setArea(own.polygonOutlines().refs[0]!, 3);
    expect(walkers.debugGeometryOfAll().walls.refs).toHaveLength(0);
    expect(walkers.agent(1).wallCount).toBe(-1);
    walkers.step(DT);
    expect(walkers.debugGeometryOfAll().walls.refs.length).toBeGreaterThan(0);
  });

  it('is refused for who is not there', () => {
    for (const id of [6, 99, -1]) {
      expect(() => crowd.debugGeometry(id)).toThrow(
        expect.objectContaining({ status: 'NoSuchAgent', field: 'id' }) as Error,
      );
    }
  });
});

describe('readAgents', () => {
  it('has the velocities wanted before avoiding', () => {
    const wantedVelocities = new Float64Array(2 * crowd.agentCount + 2).fill(9);
    const states = new Uint8Array(crowd.agentCount);
    const ids = new Float64Array(crowd.agentCount);
    crowd.readAgents({ wantedVelocities, states, ids });
    for (const [i, id] of ids.entries()) {
      const agent = crowd.agent(id);
      expect([...wantedVelocities.slice(2 * i, 2 * i + 2)]).toEqual(agent.wantedVelocity);
      expect(states[i]).toBe(agent.state);
    }
    expect([...wantedVelocities.slice(-2)]).toEqual([9, 9]);
    expect(wantedVelocities.some((v) => v !== 0 && v !== 9)).toBe(true);
    const positions = new Float64Array(3 * crowd.agentCount);
    const radii = new Float64Array(crowd.agentCount);
    crowd.readAgents({ positions, radii, wantedVelocities });
    expect(positions[0]).toBe(crowd.agent(ids[0]!).position[0]);
    expect(radii[1]).toBe(crowd.agentOptions(ids[1]!).radius);
    expect(wantedVelocities[2]).toBe(crowd.agent(ids[1]!).wantedVelocity[0]);
  });
});
