// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Scene files (docs/formats/scene.md) and the host that runs them. native/tools/scene.c does the same in C, call for call, so
// a scene gives the same recording everywhere.
import type { AgentOptions, BuildSettings, Crowd, Engine, NavMesh, Recorder } from 'crowdreel';
import { AgentPresets, BuildDefaults, FollowerState } from 'crowdreel';

export type Point = [number, number, number];
export type Preset = 'humanoid' | 'small' | 'large';

export interface SceneAgent {
  group: number;
  preset: Preset;
  position: Point;
  options: Partial<AgentOptions>;
  goals: Point[];
  cycle: boolean;
}

export type SceneEvent = { step: number } & (
  | { kind: 'add'; agent: SceneAgent }
  | { kind: 'remove' | 'stop'; index: number }
  | { kind: 'send' | 'teleport'; index: number; position: Point }
);

export interface Scene {
  name: string;
  title: string;
  about: string;
  /** Seconds per step: 1 / rate. */
  dt: number;
  /** Steps the tests run. */
  steps: number;
  /** All of them: in a scene no default follows another setting. */
  settings: BuildSettings;
  positions: Float64Array;
  indices: Uint32Array;
  agents: SceneAgent[];
  /** In file order; applied before the step they name. */
  events: SceneEvent[];
}

const SETTINGS: Record<string, keyof BuildSettings> = {
  agentRadius: 'agentRadius',
  agentHeight: 'agentHeight',
  walkableClimb: 'walkableClimb',
  maxSlope: 'maxSlope',
  cellSize: 'cellSize',
  cellHeight: 'cellHeight',
  tileCells: 'tileCells',
};

const OPTIONS: Record<string, 'radius' | 'maxSpeed' | 'maxAcceleration' | 'arrivalRadius' | 'priority'> = {
  radius: 'radius',
  maxSpeed: 'maxSpeed',
  maxAcceleration: 'maxAcceleration',
  arrivalRadius: 'arrivalRadius',
  priority: 'priority',
};

/** Above any step, below any headroom. */
const SLAB_HEIGHT = 1.2;

/** Collects triangles of the file's ground, box, wall and quad lines. */
class Geometry {
  readonly positions: number[] = [];
  readonly indices: number[] = [];

  quad(a: Point, b: Point, c: Point, d: Point): void {
    const first = this.positions.length / 3;
    this.positions.push(...a, ...b, ...c, ...d);
    this.indices.push(first, first + 1, first + 2, first, first + 2, first + 3);
  }

  ground(x0: number, z0: number, x1: number, z1: number, y: number): void {
    this.quad([x0, y, z0], [x0, y, z1], [x1, y, z1], [x1, y, z0]);
  }

  /**
   * A closed box; the top of a `wall` faces down, which makes it an obstacle nobody can stand on. A tall wall has a slab inside, too low to
   * stand under: boxes are hollow to the builder, and ground inside one would become an island.
   */
  box(low: Point, high: Point, walkableTop: boolean): void {
    const [x0, y0, z0] = low;
    const [x1, y1, z1] = high;
    if (walkableTop) this.ground(x0, z0, x1, z1, y1);
    else this.ceiling(low, high, y1);
    this.quad([x0, y0, z0], [x1, y0, z0], [x1, y0, z1], [x0, y0, z1]);
    this.quad([x0, y0, z0], [x0, y1, z0], [x1, y1, z0], [x1, y0, z0]);
    this.quad([x0, y0, z1], [x1, y0, z1], [x1, y1, z1], [x0, y1, z1]);
    this.quad([x0, y0, z0], [x0, y0, z1], [x0, y1, z1], [x0, y1, z0]);
    this.quad([x1, y0, z0], [x1, y1, z0], [x1, y1, z1], [x1, y0, z1]);
    if (!walkableTop && y1 - y0 > SLAB_HEIGHT) this.ceiling(low, high, y0 + SLAB_HEIGHT);
  }

  private ceiling([x0, , z0]: Point, [x1, , z1]: Point, y: number): void {
    this.quad([x0, y, z0], [x1, y, z0], [x1, y, z1], [x0, y, z1]);
  }
}

class SceneParser {
  private readonly geometry = new Geometry();
  private last: SceneAgent | null = null;
  private line = 0;
  private readonly scene: Scene = {
    name: '',
    title: '',
    about: '',
    dt: 1 / 60,
    steps: 600,
    settings: { ...BuildDefaults },
    positions: new Float64Array(),
    indices: new Uint32Array(),
    agents: [],
    events: [],
  };

  parse(text: string): Scene {
    for (const raw of text.split('\n')) {
      this.line++;
      const words = raw
        .replace(/(^|\s)#.*/, '')
        .trim()
        .split(/\s+/);
      const key = words.shift();
      if (key) this.statement(key, words, raw.trim());
    }
    this.scene.positions = Float64Array.from(this.geometry.positions);
    this.scene.indices = Uint32Array.from(this.geometry.indices);
    return this.scene;
  }

  private fail(what: string): never {
    throw new Error(`scene line ${this.line}: ${what}`);
  }

  private numbers(words: string[], count: number): number[] {
    if (words.length !== count) this.fail(`expected ${count} numbers`);
    return words.map((word) => {
      const value = Number(word);
      if (word === '' || !Number.isFinite(value)) this.fail(`"${word}" is not a number`);
      return value;
    });
  }

  private point(words: string[]): Point {
    const [x, y, z] = this.numbers(words, 3);
    return [x!, y!, z!];
  }

  private agent(words: string[]): SceneAgent {
    const [group, preset, ...position] = words;
    if (preset !== 'humanoid' && preset !== 'small' && preset !== 'large') this.fail('unknown preset');
    return {
      group: this.numbers([group ?? ''], 1)[0]!,
      preset,
      position: this.point(position),
      options: {},
      goals: [],
      cycle: false,
    };
  }

  private lastAgent(): SceneAgent {
    return this.last ?? this.fail('no agent before this line');
  }

  private statement(key: string, words: string[], raw: string): void {
    const rest = raw.slice(key.length).trim();
    switch (key) {
      case 'crowdreel-scene':
        if (rest !== '1') this.fail('unknown version');
        return;
      case 'name':
      case 'title':
      case 'about':
        this.scene[key] = rest;
        return;
      case 'rate':
        this.scene.dt = 1 / this.numbers(words, 1)[0]!;
        return;
      case 'steps':
        this.scene.steps = this.numbers(words, 1)[0]!;
        return;
      case 'setting': {
        const name = SETTINGS[words[0] ?? ''] ?? this.fail('unknown setting');
        Object.assign(this.scene.settings, { [name]: this.numbers(words.slice(1), 1)[0] });
        return;
      }
      case 'option': {
        const name = OPTIONS[words[0] ?? ''] ?? this.fail('unknown option');
        this.lastAgent().options[name] = this.numbers(words.slice(1), 1)[0]!;
        return;
      }
      case 'agent':
        this.last = this.agent(words);
        this.scene.agents.push(this.last);
        return;
      case 'goal':
        this.lastAgent().goals.push(this.point(words));
        return;
      case 'cycle':
        this.lastAgent().cycle = true;
        return;
      case 'at':
        this.event(words);
        return;
      default:
        this.shape(key, words);
    }
  }

  private shape(key: string, words: string[]): void {
    if (key === 'ground') {
      const [x0, z0, x1, z1, y] = this.numbers(words, 5);
      this.geometry.ground(x0!, z0!, x1!, z1!, y!);
    } else if (key === 'box' || key === 'wall') {
      this.geometry.box(this.point(words.slice(0, 3)), this.point(words.slice(3)), key === 'box');
    } else if (key === 'quad') {
      this.numbers(words, 12);
      const [a, b, c, d] = [0, 3, 6, 9].map((i) => this.point(words.slice(i, i + 3)));
      this.geometry.quad(a!, b!, c!, d!);
    } else {
      this.fail(`unknown word "${key}"`);
    }
  }

  private event(words: string[]): void {
    const step = this.numbers(words.slice(0, 1), 1)[0]!;
    const kind = words[1];
    if (kind === 'add') {
      this.last = this.agent(words.slice(2));
      this.scene.events.push({ step, kind, agent: this.last });
      return;
    }
    const index = this.numbers(words.slice(2, 3), 1)[0]!;
    if (kind === 'remove' || kind === 'stop') this.scene.events.push({ step, kind, index });
    else if (kind === 'send' || kind === 'teleport')
      this.scene.events.push({ step, kind, index, position: this.point(words.slice(3)) });
    else this.fail('unknown event');
  }
}

/** Parses a scene file. Throws an Error naming the line. */
export function parseScene(text: string): Scene {
  return new SceneParser().parse(text);
}

interface Walker {
  agent: SceneAgent;
  id: number;
  present: boolean;
  /** Index of the goal it walks to; -1 when it follows no goals (any more). */
  goal: number;
}

/** Runs a scene: builds its mesh, adds its agents, sends them on when they arrive, applies its events. */
export class SceneRunner {
  readonly mesh: NavMesh;
  readonly crowd: Crowd;
  readonly recorder: Recorder;
  /** Colour group by agent id. */
  readonly groups: number[] = [];
  private readonly walkers: Walker[] = [];
  private readonly walkerOfId = new Map<number, Walker>();
  private nextEvent = 0;
  private readonly events: SceneEvent[];
  private ids = new Float64Array(64);
  private states = new Uint8Array(64);

  constructor(
    engine: Engine,
    readonly scene: Scene,
    maxThreads = 1,
  ) {
    this.mesh = engine.buildNavMesh({ positions: scene.positions, indices: scene.indices }, scene.settings).mesh;
    this.crowd = engine.createCrowd(this.mesh, { maxThreads });
    this.recorder = engine.createRecorder(this.crowd, { dt: scene.dt });
    this.events = scene.events
      .map((event, order) => ({ event, order }))
      .sort((a, b) => a.event.step - b.event.step || a.order - b.order)
      .map(({ event }) => event);
    for (const agent of scene.agents) this.add(agent);
  }

  /** One recorded step: goals, then events, then the step. Returns the state hash. */
  step(): bigint {
    this.sendOn();
    while (this.nextEvent < this.events.length && this.events[this.nextEvent]!.step <= this.recorder.stepCount)
      this.apply(this.events[this.nextEvent++]!);
    return this.recorder.step();
  }

  /** Sends an agent elsewhere; it follows its goals no more. */
  send(id: number, position: Point): void {
    this.recorder.setDestination(id, position);
    const walker = this.walkerOfId.get(id);
    if (walker) walker.goal = -1;
  }

  dispose(): void {
    this.recorder.dispose();
    this.crowd.dispose();
    this.mesh.dispose();
  }

  private add(agent: SceneAgent): void {
    const id = this.recorder.add(agent.position, { ...AgentPresets[agent.preset], ...agent.options });
    const walker: Walker = { agent, id, present: true, goal: agent.goals.length > 0 ? 0 : -1 };
    this.walkers.push(walker);
    this.walkerOfId.set(id, walker);
    this.groups[id] = agent.group;
    if (walker.goal === 0) this.recorder.setDestination(id, agent.goals[0]!);
  }

  private sendOn(): void {
    if (this.ids.length < this.crowd.agentCount) {
      this.ids = new Float64Array(this.crowd.agentCount * 2);
      this.states = new Uint8Array(this.crowd.agentCount * 2);
    }
    const count = this.crowd.readAgents({ ids: this.ids, states: this.states });
    const stateOfId = new Map<number, number>();
    for (let i = 0; i < count; i++) stateOfId.set(this.ids[i]!, this.states[i]!);
    for (const walker of this.walkers) {
      if (!walker.present || walker.goal < 0) continue;
      this.sendWalkerOn(walker, stateOfId.get(walker.id)!);
    }
  }

  private sendWalkerOn(walker: Walker, state: number): void {
    const { goals, cycle } = walker.agent;
    if (state === FollowerState.Arrived || state === FollowerState.NoPath) {
      walker.goal = walker.goal + 1 < goals.length ? walker.goal + 1 : cycle ? 0 : -1;
    } else if (state !== FollowerState.Idle) {
      return;
    }
    if (walker.goal >= 0) this.recorder.setDestination(walker.id, goals[walker.goal]!);
  }

  private apply(event: SceneEvent): void {
    if (event.kind === 'add') {
      this.add(event.agent);
      return;
    }
    const walker = this.walkers[event.index];
    if (!walker?.present) throw new Error(`scene event at step ${event.step}: agent ${event.index} is not there`);
    if (event.kind === 'teleport') this.recorder.teleport(walker.id, event.position);
    else if (event.kind === 'send') this.send(walker.id, event.position);
    else if (event.kind === 'stop') {
      this.recorder.stop(walker.id);
      walker.goal = -1;
    } else {
      this.recorder.remove(walker.id);
      walker.present = false;
    }
  }
}
