// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Engines with threads in Node: the bytes of one thread for any number, and what becomes of the workers.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { loadCrowdreel as loadPlain, type LoadOptions as PlainOptions } from 'crowdreel';
import { loadCrowdreel as loadEmbedded } from 'crowdreel/embedded';
import {
  ArgumentError,
  CrowdreelError,
  loadCrowdreel,
  NodeModel,
  threadProblem,
  type Crowd,
  type Engine,
  type LoadOptions,
  type Quality,
} from 'crowdreel/threads';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { exportParameters } from '../../ts/dist/abi.js';
import { threadExports } from '../../ts/dist/worker-crew.js';
import { SceneRunner, parseScene } from '../scenes/scene.js';
import { fnv1a, hex } from '../scenes/fnv.js';
import { floorWithWalls, level, nodeFlags } from './support.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const file = (name: string) => join(root, 'ts/dist', name);
const COUNTS = [1, 2, 5, 16];
const STACK_SIZE = (1 << 20) - 16; // what is left of it when its end is aligned

interface Golden {
  mesh: string;
  replay: string;
  steps: string[];
}
/** The constructor of workers, before it is replaced. */
type StartWorker = (this: unknown, program: string, options: unknown) => unknown;

const golden = JSON.parse(readFileSync(join(root, 'tests/golden/hashes.json'), 'utf8')) as {
  scenes: Record<string, Golden>;
};

/** A field of 40 by 40 units with pillars, and 300 agents who cross it; positions and goals from a fixed sequence. */
const field = floorWithWalls(
  40,
  Array.from({ length: 16 }, (_, i) => {
    const [x, z] = [-15 + (i % 4) * 10, -15 + Math.floor(i / 4) * 10];
    return [x - 0.7, z - 0.7, x + 0.7, z + 0.7] as [number, number, number, number];
  }),
);
function crowdOn(
  engine: Engine,
  maxThreads: number,
  agents = 300,
  queryNodeModel: NodeModel = NodeModel.Polygon,
): Crowd {
  const { mesh } = engine.buildNavMesh(field);
  const crowd = engine.createCrowd(mesh, { maxThreads, queryNodeModel, recordConstraints: true });
  let seed = 7;
  const along = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return -18 + (seed / 2 ** 32) * 36;
  };
  for (let i = 0; i < agents; i++) {
    const id = crowd.add([along(), 0, along()], { radius: 0.3, quality: (i % 4) as Quality });
    crowd.setDestination(id, [along(), 0, along()]);
  }
  return crowd;
}
function walk(crowd: Crowd, steps: number): bigint[] {
  return Array.from({ length: steps }, () => {
    crowd.step(1 / 30);
    return crowd.stateHash();
  });
}

const engines: Engine[] = [];
async function load(threads: number, options: LoadOptions = {}): Promise<Engine> {
  const engine = await loadCrowdreel({ threads, ...options });
  engines.push(engine);
  return engine;
}
afterEach(() => {
  for (const engine of engines.splice(0)) engine.dispose();
});

describe('the bytes of one thread', () => {
  const runs = COUNTS.flatMap((threads) => Object.keys(golden.scenes).map((name) => ({ name, threads })));
  it.each(runs)(
    '$name with $threads: every step and the replay file',
    { timeout: 120_000 },
    async ({ name, threads }) => {
      const engine = await load(threads);
      expect(engine.threads).toBe(threads);
      const scene = parseScene(readFileSync(join(root, `tests/scenes/${name}.scene`), 'utf8'));
      const runner = new SceneRunner(engine, scene, threads);
      const steps = Array.from({ length: scene.steps }, () => hex(runner.step()));
      expect(steps).toEqual(golden.scenes[name]!.steps);
      expect(hex(fnv1a(runner.mesh.save()))).toBe(golden.scenes[name]!.mesh);
      expect(hex(fnv1a(runner.recorder.save()))).toBe(golden.scenes[name]!.replay);
      runner.dispose();
    },
  );

  it('of 300 agents after each of 150 steps, and of every half-plane at the end', { timeout: 120_000 }, async () => {
    const plain = crowdOn(await loadPlain(), 1);
    const hashes = walk(plain, 150);
    const planes = Array.from({ length: 300 }, (_, id) => plain.debugGeometry(id));
    for (const threads of COUNTS) {
      const crowd = crowdOn(await load(threads), threads);
      expect(crowd.options.maxThreads).toBe(threads);
      expect(walk(crowd, 150)).toEqual(hashes);
      expect(Buffer.from(crowd.saveState()).equals(Buffer.from(plain.saveState()))).toBe(true);
      expect(Array.from({ length: 300 }, (_, id) => crowd.debugGeometry(id))).toEqual(planes);
    }
  });

  it('when a state goes on with another number, in another engine', async () => {
    const crowd = crowdOn(await load(3), 3);
    walk(crowd, 20);
    const state = crowd.saveState();
    const hashes = walk(crowd, 20);
    const plain = await loadPlain();
    const other = plain.createCrowd(plain.buildNavMesh(field).mesh);
    other.restoreState(state);
    expect(walk(other, 20)).toEqual(hashes);
    const engine = await load(4);
    const again = engine.createCrowd(engine.buildNavMesh(field).mesh, { maxThreads: 2 });
    again.restoreState(state);
    expect(walk(again, 20)).toEqual(hashes);
  });

  it('of several crowds and engines whose steps take turns', async () => {
    const alone = crowdOn(await loadPlain(), 1, 100);
    const [a, b] = [await load(3), await load(2)];
    const crowds = [crowdOn(a, 3, 100), crowdOn(a, 2, 100), crowdOn(b, 2, 100), crowdOn(b, 1, 100)];
    for (let step = 0; step < 40; step++) {
      const hash = walk(alone, 1);
      for (const crowd of crowds) expect(walk(crowd, 1)).toEqual(hash);
      if (step === 20) crowds.splice(1, 1)[0]!.dispose();
    }
  });

  it('over many steps too short to be worth it', { timeout: 120_000 }, async () => {
    const plain = crowdOn(await loadPlain(), 1, 40);
    const crowd = crowdOn(await load(2), 2, 40);
    for (let step = 0; step < 5000; step++) {
      plain.step(1 / 1000);
      crowd.step(1 / 1000);
    }
    expect(crowd.stateHash()).toBe(plain.stateHash());
  });
});

describe('memory', () => {
  it('that grows under use is seen, and held results stay', async () => {
    const engine = await load(2);
    expect(engine.memorySize).toBeLessThan(8 << 20);
    const crowd = crowdOn(engine, 2);
    const positions = new Float64Array(900);
    crowd.readAgents({ positions });
    const held = [crowd.saveState(), crowd.mesh.save(), Float64Array.from(positions)];
    for (const value of held) expect(value.buffer).toBeInstanceOf(ArrayBuffer);
    const copies = structuredClone(held);
    const before = engine.memorySize;
    const queries = Array.from({ length: 8 }, () => engine.createQuery(crowd.mesh, { maxNodes: 1 << 17 }));
    expect(engine.memorySize).toBeGreaterThan(before + (16 << 20));
    // What is made now lies behind the end of the old views.
    const later = engine.createCrowd(crowd.mesh, { maxThreads: 2 });
    for (let i = 0; i < 40; i++) later.add([i * 0.4, 0, 12]);
    later.readAgents({ positions });
    expect(positions.subarray(0, 6)).toEqual(
      new Float64Array([0, 0, 12, 0.4, 0, 12]).map((v, i) => (i % 3 === 1 ? positions[i]! : v)),
    );
    later.step(1 / 30);
    expect(later.saveState().length).toBeGreaterThan(40 * 100);
    expect(queries.map((query) => query.nearest([3, 0, 3])!.over)).toEqual(Array(8).fill(true));
    crowd.readAgents({ positions });
    expect([crowd.saveState(), crowd.mesh.save(), positions]).toEqual(copies);
    expect(held).toEqual(copies);
  });

  it('stays flat over crowds with threads', { timeout: 60_000 }, async () => {
    const engine = await load(4);
    const { mesh } = engine.buildNavMesh(level);
    const round = () => {
      using crowd = engine.createCrowd(mesh, { maxThreads: 4, maxAgents: 200 });
      for (let i = 0; i < 130; i++) crowd.add([-9 + (i % 13) * 1.4, 0, 2 + Math.floor(i / 13) * 0.8]);
      walk(crowd, 3);
    };
    for (let i = 0; i < 5; i++) round();
    const warm = engine.memorySize;
    for (let i = 0; i < 50; i++) round();
    expect(engine.memorySize).toBe(warm);
  });

  it('runs out at a gigabyte with an error, and the engine goes on', async () => {
    const engine = await load(2);
    const crowd = crowdOn(engine, 2);
    const make = () => engine.createQuery(crowd.mesh, { maxNodes: 1 << 20 });
    const queries: { dispose(): void }[] = [];
    expect(() => {
      for (;;) queries.push(make());
    }).toThrow(expect.objectContaining({ status: 'OutOfMemory' }) as Error);
    expect(engine.memorySize).toBeLessThanOrEqual(2 ** 30);
    const plain = crowdOn(await loadPlain(), 1);
    expect(walk(crowd, 2)).toEqual(walk(plain, 2));
    for (const query of queries) query.dispose();
    make().dispose();
  });
});

/** Node's workers as they are made, and the memory and exports of the instance that is called. */
function spy(): {
  workers: Worker[];
  memory: WebAssembly.Memory | null;
  exports: Record<string, (...values: number[]) => number>;
} {
  const found: ReturnType<typeof spy> = { workers: [], memory: null, exports: {} };
  const threads = process.getBuiltinModule('node:worker_threads') as { Worker: typeof Worker };
  vi.spyOn(threads, 'Worker').mockImplementation(function (
    this: unknown,
    ...parameters: ConstructorParameters<typeof Worker>
  ) {
    const worker = new Worker(...parameters);
    found.workers.push(worker);
    return worker;
  } as never);
  const instantiate = WebAssembly.instantiate as (
    module: WebAssembly.Module,
    imports: WebAssembly.Imports,
  ) => Promise<WebAssembly.Instance>;
  vi.spyOn(WebAssembly, 'instantiate').mockImplementation((async (
    module: WebAssembly.Module,
    imports: WebAssembly.Imports,
  ) => {
    const instance = await instantiate(module, imports);
    if (!(instance instanceof WebAssembly.Instance && 'crw_version' in instance.exports)) return instance; // of somebody else
    found.memory = imports.env!.memory as WebAssembly.Memory;
    found.exports = instance.exports as typeof found.exports;
    return instance;
  }) as never);
  return found;
}

describe('workers', () => {
  afterEach(() => vi.restoreAllMocks());
  const ended = (workers: Worker[]) =>
    Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve))));

  it('are one fewer than threads, all at work, and end with dispose', async () => {
    const found = spy();
    const engine = await load(4);
    expect(found.workers).toHaveLength(3);
    // All of each stack is painted but the last bit, where the worker waits.
    const stacks = [1, 2, 3].map((index) => {
      const top = found.exports.crw_threads_stack!(index);
      expect(top % 16).toBe(0);
      return new Uint8Array(found.memory!.buffer, top - STACK_SIZE, STACK_SIZE - 2048).fill(0xa5);
    });
    walk(crowdOn(engine, 4), 100);
    walk(crowdOn(engine, 4, 300, NodeModel.Crossing), 100);
    for (const stack of stacks) {
      const unused = stack.findIndex((byte) => byte !== 0xa5);
      expect(unused).toBeGreaterThan(0);
      console.log(`stack of a thread: ${STACK_SIZE - unused} bytes used of ${STACK_SIZE}`);
      expect(STACK_SIZE - unused).toBeLessThan(16 << 10); // as docs/formats/wasm-abi.md says
    }
    const exits = ended(found.workers);
    engine.dispose();
    expect(engine.threads).toBe(1);
    await exits;
    engine.dispose();
  });

  it('gone, crowds step on alone, to the same bytes', async () => {
    const plain = crowdOn(await loadPlain(), 1);
    const engine = await load(3);
    const crowd = crowdOn(engine, 3);
    expect(walk(crowd, 10)).toEqual(walk(plain, 10));
    engine.dispose();
    expect(walk(crowd, 10)).toEqual(walk(plain, 10));
    expect(() => engine.createCrowd(crowd.mesh, { maxThreads: 2 })).toThrow(/at most 1/);
  });

  it('end at the end of a using block', async () => {
    const found = spy();
    let exits;
    {
      using engine = await loadCrowdreel({ threads: 2 });
      expect(engine.threads).toBe(2);
      exits = ended(found.workers);
    }
    await exits;
  });

  it('are not started for one thread', async () => {
    const found = spy();
    const engine = await load(1);
    walk(crowdOn(engine, 1, 10), 2);
    expect(found.workers).toEqual([]);
    expect(found.memory).toBeUndefined();
    engine.dispose();
    expect(engine.threads).toBe(1);
  });

  it('that cannot be started are an error, and the others end', async () => {
    const found = spy();
    const threads = process.getBuiltinModule('node:worker_threads') as { Worker: typeof Worker };
    let made = 0;
    const start = vi.mocked(threads.Worker).getMockImplementation() as unknown as StartWorker;
    vi.mocked(threads.Worker).mockImplementation(function (this: unknown, program: string, options: unknown) {
      return start.call(this, ++made === 3 ? 'throw new Error("no more today")' : program, options);
    } as never);
    const failure = await loadCrowdreel({ threads: 4 }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CrowdreelError);
    expect(failure).toMatchObject({
      field: 'options.threads',
      message: "The engine's threads could not be started: no more today.",
    });
    await Promise.all(found.workers.map((worker) => worker.terminate()));
  });

  it('one that fails in a step is an error of the step, not a wait for ever', async () => {
    const found = spy();
    const threads = process.getBuiltinModule('node:worker_threads') as { Worker: typeof Worker };
    const start = vi.mocked(threads.Worker).getMockImplementation() as unknown as StartWorker;
    // Fails when told to by a word in its stack, and a second later: by then it is waited for.
    const failing = `const word = new Int32Array(memory.buffer, stack - ${1 << 20} + 128, 1);
      while (Atomics.load(word, 0) !== 0x5eed) Atomics.wait(word, 0, 0, 5);
      Atomics.wait(word, 0, 0x5eed, 1000);
      throw new Error('out of bounds')`;
    vi.mocked(threads.Worker).mockImplementation(function (this: unknown, program: string, options: unknown) {
      const changed = program.replace('exports.crw_threads_serve(index)', failing);
      expect(changed).toContain('out of bounds');
      return start.call(this, changed, options);
    } as never);
    const engine = await load(2);
    const crowd = crowdOn(engine, 2, 100);
    const failed = new Promise((resolve) => found.workers[0]!.once('error', resolve));
    const stack = found.exports.crw_threads_stack!(1);
    Atomics.store(new Int32Array(found.memory!.buffer, stack - (1 << 20) + 128, 1), 0, 0x5eed);
    expect(() => crowd.step(1 / 30)).toThrow(WebAssembly.RuntimeError);
    expect(await failed).toMatchObject({ message: 'out of bounds' });
  });
});

describe('programs', () => {
  const run = (program: string) =>
    execFileSync(process.execPath, [...nodeFlags, '--input-type=module', '-e', program], {
      cwd: root,
      encoding: 'utf8',
      timeout: 60_000,
    });
  const program = `import { loadCrowdreel } from 'crowdreel/threads';
    const engine = await loadCrowdreel({ threads: 3 });
    const { mesh } = engine.buildNavMesh({ positions: [-20, 0, -20, -20, 0, 20, 20, 0, 20, 20, 0, -20], indices: [0, 1, 2, 0, 2, 3] });
    const crowd = engine.createCrowd(mesh, { maxThreads: 3 });
    for (let i = 0; i < 200; i++) crowd.setDestination(crowd.add([-15 + i % 20, 0, -15 + i / 20], { radius: 0.3 }), [15, 0, 15]);
    for (let i = 0; i < 50; i++) crowd.step(1 / 30);
    console.log('walked');`;

  it('end without dispose', () => expect(run(program)).toBe('walked\n'));
  it('end with it', () => expect(run(`${program} engine.dispose();`)).toBe('walked\n'));
  it('can have the engine in a worker of their own', () => {
    const inner = program.replace('crowdreel/threads', pathToFileURL(file('threads.js')).href);
    const url = JSON.stringify(`data:text/javascript,${encodeURIComponent(inner)}`);
    expect(run(`import { Worker } from 'node:worker_threads'; new Worker(new URL(${url}));`)).toBe('walked\n');
  });

  it('of the main entry load nothing for threads', () => {
    const seen = new Set<string>();
    const visit = (path: string) => {
      if (seen.has(path)) return;
      seen.add(path);
      const text = readFileSync(path, 'utf8');
      expect(text).not.toContain('crowdreel-threads');
      for (const [, name] of text.matchAll(/(?:from|import\()\s*'(\.[^']*)'/g)) visit(join(dirname(path), name!));
    };
    visit(file('index.js'));
    visit(file('embedded.js'));
    expect(seen.size).toBeGreaterThan(20);
    expect([...seen].filter((path) => /thread|crew/.test(path))).toEqual([]);
  });
});

describe('what cannot be is said', () => {
  afterEach(() => vi.unstubAllGlobals());
  const refused = async (options: unknown) => {
    const failure: unknown = await loadCrowdreel(options as LoadOptions).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CrowdreelError);
    return failure as CrowdreelError;
  };

  it.each([
    [0, 'options.threads must be at least 1, not 0.'],
    [65, 'options.threads must be at most 64, not 65.'],
    [1.5, 'options.threads must be a whole number, not 1.5.'],
    [null, 'options.threads must be a whole number, not null.'],
  ])('threads: %s', async (threads, message) => {
    const failure = await refused({ threads });
    expect(failure).toBeInstanceOf(ArgumentError);
    expect(failure).toMatchObject({ field: 'options.threads', message });
  });

  it('no isolation', async () => {
    expect(threadProblem()).toBeNull();
    vi.stubGlobal('crossOriginIsolated', false);
    expect(threadProblem()).toMatch(
      /Cross-Origin-Opener-Policy: same-origin.*Cross-Origin-Embedder-Policy: require-corp/,
    );
    const failure = await refused({ threads: 2 });
    expect(failure).toMatchObject({ status: 'NotFound', field: 'options.threads' });
    expect(failure.message).toMatch(
      /^options\.threads is 2, but there are no threads here: the page is not cross-origin isolated/,
    );
    expect((await load(1)).threads).toBe(1);
  });

  it('no shared memory', async () => {
    vi.stubGlobal('SharedArrayBuffer', undefined);
    expect((await refused({ threads: 2 })).message).toMatch(/this platform has no SharedArrayBuffer/);
  });

  it('no workers', async () => {
    vi.stubGlobal('process', { getBuiltinModule: undefined });
    vi.stubGlobal('Worker', undefined);
    expect((await refused({ threads: 2 })).message).toMatch(/this platform has no workers/);
  });

  it('shared memory refused', async () => {
    vi.stubGlobal('WebAssembly', {
      ...Object.fromEntries(Object.getOwnPropertyNames(WebAssembly).map((name) => [name, WebAssembly[name as never]])),
      Memory: function () {
        throw new RangeError('could not allocate memory');
      },
    });
    const failure = await refused({ threads: 2 });
    expect(failure).toMatchObject({ status: 'OutOfMemory', field: 'options.threads' });
    expect(failure.message).toMatch(/could not allocate memory/);
  });

  it('the wrong module', async () => {
    expect((await refused({ threads: 2, wasm: readFileSync(file('crowdreel.wasm')) })).message).toBe(
      'options.wasm is a module without threads: give crowdreel-threads.wasm.',
    );
    const wasm = readFileSync(file('crowdreel-threads.wasm'));
    for (const load of [() => loadPlain({ wasm }), () => loadCrowdreel({ wasm })]) {
      await expect(load()).rejects.toThrow(
        'The WebAssembly module does not belong to this package: it is the one with threads, for loadCrowdreel of ' +
          'crowdreel/threads with more than 1 thread.',
      );
    }
    await expect(refused({ threads: 2, wsam: wasm })).resolves.toMatchObject({ field: 'options.wsam' });
  });

  it('threads of the other entries', async () => {
    for (const entry of [loadPlain, loadEmbedded]) {
      await expect(entry({ threads: 2 } as PlainOptions)).rejects.toThrow(
        'options.threads is an option of the entry crowdreel/threads.',
      );
    }
  });

  it('more threads of a crowd than the engine has', async () => {
    const plain = await loadPlain();
    const { mesh } = plain.buildNavMesh(level);
    expect(() => plain.createCrowd(mesh, { maxThreads: 2 })).toThrow(
      expect.objectContaining({
        status: 'Argument',
        field: 'options.maxThreads',
        limit: 1,
        message: expect.stringMatching(/crowdreel\/threads/) as string,
      }) as Error,
    );
    expect(() => plain.createCrowd(mesh, { maxThreads: 0 })).toThrow(/options\.maxThreads/);
    const engine = await load(3);
    const own = engine.buildNavMesh(level).mesh;
    expect(() => engine.createCrowd(own, { maxThreads: 4 })).toThrow(
      /options\.maxThreads .*it is 4, it must be at most 3/,
    );
    expect(engine.createCrowd(own, { maxThreads: 3 }).options.maxThreads).toBe(3);
    expect(engine.createCrowd(own).options.maxThreads).toBe(1);
  });
});

describe('the module', () => {
  const list = (name: string) =>
    readFileSync(join(root, 'wasm', name), 'utf8')
      .trim()
      .split('\n');
  const module = new WebAssembly.Module(readFileSync(file('crowdreel-threads.wasm')));

  it('exports what the plain one does, and what is listed for threads, with the parameters of the package', async () => {
    expect(list('threads/exports.txt')).toEqual(Object.keys(threadExports));
    const names = WebAssembly.Module.exports(module).map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('crw_')).sort()).toEqual(
      [...list('exports.txt'), ...list('threads/exports.txt')].sort(),
    );
    const memory = new WebAssembly.Memory({ initial: 64, maximum: 16384, shared: true });
    const { exports } = await WebAssembly.instantiate(module, {
      env: { memory, emscripten_notify_memory_growth: () => undefined },
    });
    for (const [name, parameters] of Object.entries({ ...exportParameters, ...threadExports })) {
      expect((exports[name] as () => number).length, name).toBe(parameters.length);
    }
  });

  it('imports its memory and the growth notice', () => {
    expect(
      WebAssembly.Module.imports(module)
        .map(({ module: from, name, kind }) => `${from}.${name}: ${kind}`)
        .sort(),
    ).toEqual(['env.emscripten_notify_memory_growth: function', 'env.memory: memory']);
  });

  it('is described in the format page', () => {
    const page = readFileSync(join(root, 'docs/formats/wasm-abi.md'), 'utf8');
    expect(Object.keys(threadExports).filter((name) => !page.includes(`\`${name}`))).toEqual([]);
  });

  it('refuses a number of threads that cannot be', async () => {
    const memory = new WebAssembly.Memory({ initial: 64, maximum: 16384, shared: true });
    const { exports } = await WebAssembly.instantiate(module, {
      env: { memory, emscripten_notify_memory_growth: () => undefined },
    });
    const start = exports.crw_threads_start as (threads: number, maySleep: number) => number;
    expect([start(0, 0), start(65, 0), start(-1, 0)]).toEqual([-1, -1, -1]);
    expect((exports.crw_threads_count as () => number)()).toBe(1);
  });
});

it('scenes of the golden file are those there are', () => {
  expect(readdirSync(join(root, 'tests/scenes')).filter((name) => name.endsWith('.scene'))).toHaveLength(
    Object.keys(golden.scenes).length,
  );
});
