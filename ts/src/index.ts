// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The package's main entry: the engine with its module in a file of its own.
import { loadOptions, type Engine } from './engine.js';
import { startEngine, type WasmSource } from './instantiate.js';

export * from './api.js';

/** Options of `loadCrowdreel`. */
export interface LoadOptions {
  /** Where the module comes from; default: the `crowdreel.wasm` beside this package's code. */
  wasm?: WasmSource;
}

/**
 * Starts an engine. Works in browsers, workers and Node without configuration; bundlers find the `.wasm` file by its URL. Each
 * call starts an engine of its own.
 *
 * Throws `CrowdreelError` when the module cannot be loaded or belongs to another version of the package, and `ArgumentError`
 * naming `options.wasm`.
 */
export async function loadCrowdreel(options?: LoadOptions): Promise<Engine> {
  const { wasm } = loadOptions(options);
  // Bundlers recognise exactly this expression.
  return startEngine(wasm ?? new URL('./crowdreel.wasm', import.meta.url));
}
