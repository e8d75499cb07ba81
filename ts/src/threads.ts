// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The entry for crowds of several threads: the module's variant on shared memory where it is asked for, the plain one where not.
import { checkThreads, startThreadedEngine, threadProblem } from './worker-crew.js';
import type { Engine } from './engine.js';
import { startEngine, type WasmSource } from './instantiate.js';
import { merged } from './options.js';

export * from './api.js';
export { threadProblem };

/** Options of `loadCrowdreel`. */
export interface LoadOptions {
  /**
   * Threads the engine's crowds can have, the calling one included. 1 to 64; 1, the default, loads the plain module and starts no workers.
   * A crowd uses as many as its option `maxThreads` says.
   */
  threads?: number;
  /** Where the module comes from; default: the `crowdreel-threads.wasm` beside this package's code, with 1 thread the `crowdreel.wasm`. */
  wasm?: WasmSource;
}

/**
 * Starts an engine with threads: workers that share its memory, all of them running when the promise is fulfilled. `engine.dispose()` ends
 * them; in Node they do not keep the process from ending.
 *
 * Throws as `loadCrowdreel` of the main entry, `ArgumentError` naming `options.threads`, and `CrowdreelError` naming it where there are no
 * threads: `threadProblem()` tells before.
 */
export async function loadCrowdreel(options?: LoadOptions): Promise<Engine> {
  const { threads, wasm } = merged<{ threads: unknown; wasm: unknown }>(
    { threads: 1, wasm: undefined },
    options,
    'options',
  );
  const count = checkThreads(threads);
  // Bundlers recognise exactly these expressions.
  if (count === 1) return startEngine(wasm ?? new URL('./crowdreel.wasm', import.meta.url));
  return startThreadedEngine(wasm ?? new URL('./crowdreel-threads.wasm', import.meta.url), count);
}
