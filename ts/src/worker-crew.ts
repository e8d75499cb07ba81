// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The workers of an engine with threads: each an instance of the same module on the same memory, waiting inside the module for tasks
// (docs/formats/wasm-abi.md, "Threads"). Their code is text here, so that it needs no file and no bundler.
import { badArgument, CrowdreelError } from './errors.js';
import { Engine, type EngineThreads } from './engine.js';
import { compile, instantiate, needsMemory } from './instantiate.js';
import type { MemoryGrowth } from './memory.js';
import { wrongModule } from './native.js';
import { integer } from './values.js';

const MOST_THREADS = 64;

/** In pages of 64 KiB: what the module was linked with (wasm/wasm.cmake). */
const INITIAL_PAGES = 64;
const MAXIMUM_PAGES = 16384;

/** What the module exports for threads, with its parameters. */
export const threadExports = {
  crw_threads_count: '',
  crw_threads_end: '',
  crw_threads_failed: 'i',
  crw_threads_serve: 'i',
  crw_threads_stack: 'i',
  crw_threads_start: 'ii',
} as const;
type ThreadExports = Readonly<Record<keyof typeof threadExports, (...values: number[]) => number>>;

/** What a worker gets to begin with. */
interface Place {
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
  /** Its thread; 0 is the calling one. */
  index: number;
  /** The end of its stack. */
  stack: number;
}

interface Worker {
  terminate(): unknown;
}

const serve = `
function serve({ module, memory, index, stack }, say) {
  const imports = { env: { memory, emscripten_notify_memory_growth() {} } };
  const { exports } = new WebAssembly.Instance(module, imports);
  exports.__stack_pointer.value = stack;
  say('ready');
  try {
    exports.crw_threads_serve(index);
  } catch (error) {
    exports.__stack_pointer.value = stack;
    exports.crw_threads_failed(index);
    throw error;
  }
}`;
const nodeProgram = `'use strict';
const { parentPort, workerData } = require('node:worker_threads');
serve(workerData, (word) => parentPort.postMessage(word));${serve}`;
const webProgram = `'use strict';
onmessage = ({ data }) => serve(data, (word) => postMessage(word));${serve}`;

interface NodeWorker extends Worker {
  unref(): void;
  once(event: 'message', listener: () => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
}
type NodeWorkerClass = new (program: string, options: Readonly<Record<string, unknown>>) => NodeWorker;

// --- Where there are threads ------------------------------------------------------------------------------------------

function nodeWorkerClass(): NodeWorkerClass | null {
  if (typeof document !== 'undefined') return null; // a page with Node inside, which has workers of the web
  const node = (globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } }).process;
  const threads = node?.getBuiltinModule?.('node:worker_threads') as { Worker: NodeWorkerClass } | undefined;
  return threads?.Worker ?? null;
}

/**
 * Why there can be no threads here: a sentence's end for people to read, or null where there can be. Pages need to be cross-origin isolated.
 */
export function threadProblem(): string | null {
  const { crossOriginIsolated } = globalThis as { crossOriginIsolated?: boolean };
  if (crossOriginIsolated === false) {
    return (
      'the page is not cross-origin isolated: serve it over https or from localhost with the headers ' +
      '"Cross-Origin-Opener-Policy: same-origin" and "Cross-Origin-Embedder-Policy: require-corp"'
    );
  }
  if (typeof SharedArrayBuffer === 'undefined') return 'this platform has no SharedArrayBuffer';
  if (!nodeWorkerClass() && typeof globalThis.Worker === 'undefined') return 'this platform has no workers';
  return null;
}

/** The thread count asked for, when it can be had. */
export function checkThreads(threads: unknown): number {
  const count = integer(threads, 'options.threads', 1, MOST_THREADS);
  const problem = count > 1 ? threadProblem() : null;
  if (problem !== null) {
    throw new CrowdreelError(`options.threads is ${count}, but there are no threads here: ${problem}.`, {
      status: 'NotFound',
      field: 'options.threads',
    });
  }
  return count;
}

/** Whether this thread may wait without spinning: all may but a page's main thread. */
function maySleep(): boolean {
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1, 0);
    return true;
  } catch {
    return false;
  }
}

// --- Starting ---------------------------------------------------------------------------------------------------------

/** An engine on shared memory, its workers all running. */
export async function startThreadedEngine(source: unknown, threads: number): Promise<Engine> {
  const module = await compile(source);
  if (!needsMemory(module)) {
    throw badArgument('options.wasm', 'is a module without threads: give crowdreel-threads.wasm');
  }
  const memory = sharedMemory();
  const growth: MemoryGrowth = { grew: false };
  const notice = () => (growth.grew = true);
  const own = await instantiate(module, { env: { memory, emscripten_notify_memory_growth: notice } });
  for (const name of Object.keys(threadExports)) {
    if (typeof own[name] !== 'function') throw wrongModule(`it has no ${name}`);
  }
  const exports = own as unknown as ThreadExports;
  const crew = new WorkerCrew(exports);
  const engine = Engine.wrap({ ...own, memory }, growth, crew);
  await crew.start(module, memory, threads);
  return engine;
}

function sharedMemory(): WebAssembly.Memory {
  try {
    return new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum: MAXIMUM_PAGES, shared: true });
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new CrowdreelError(`There is no shared memory for the engine's threads: ${problem}.`, {
      status: 'OutOfMemory',
      field: 'options.threads',
    });
  }
}

class WorkerCrew implements EngineThreads {
  readonly #exports: ThreadExports;
  #workers: Worker[] = [];

  constructor(exports: ThreadExports) {
    this.#exports = exports;
  }

  get count(): number {
    return this.#exports.crw_threads_count();
  }

  async start(module: WebAssembly.Module, memory: WebAssembly.Memory, threads: number): Promise<void> {
    if (this.#exports.crw_threads_start(threads, maySleep() ? 1 : 0) < 0) {
      throw new CrowdreelError('There is no memory for the stacks of the threads.', {
        status: 'OutOfMemory',
        field: 'options.threads',
      });
    }
    const starts = Array.from({ length: threads - 1 }, (_, k) =>
      this.#startWorker({ module, memory, index: k + 1, stack: this.#exports.crw_threads_stack(k + 1) }),
    );
    try {
      await Promise.all(starts);
    } catch (cause) {
      this.end();
      const problem = cause instanceof Error ? cause.message : String(cause);
      throw new CrowdreelError(`The engine's threads could not be started: ${problem}.`, {
        status: 'NotFound',
        field: 'options.threads',
      });
    }
  }

  end(): void {
    this.#exports.crw_threads_end();
    // They wait for tasks, and no more will come.
    for (const worker of this.#workers) worker.terminate();
    this.#workers = [];
  }

  async #startWorker(place: Place): Promise<void> {
    const NodeWorker = nodeWorkerClass();
    await (NodeWorker ? this.#startInNode(NodeWorker, place) : this.#startInPage(place));
  }

  #startInNode(NodeWorker: NodeWorkerClass, place: Place): Promise<void> {
    const worker = new NodeWorker(nodeProgram, { eval: true, execArgv: [], workerData: place });
    this.#workers.push(worker);
    return new Promise((resolve, reject) => {
      worker.once('message', () => {
        worker.unref();
        resolve();
      });
      // Later on the call that waited for the worker throws: here it is only kept from ending the process.
      worker.on('error', reject);
    });
  }

  #startInPage(place: Place): Promise<void> {
    const url = URL.createObjectURL(new Blob([webProgram], { type: 'text/javascript' }));
    const worker = new globalThis.Worker(url, { name: `crowdreel thread ${place.index}` });
    this.#workers.push(worker);
    return new Promise<void>((resolve, reject) => {
      worker.onmessage = () => resolve();
      worker.onerror = ({ message }) =>
        reject(
          new Error(message || 'a worker was refused, perhaps by a Content-Security-Policy without worker-src blob:'),
        );
      worker.postMessage(place);
    }).finally(() => URL.revokeObjectURL(url));
  }
}
