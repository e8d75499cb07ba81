// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The entry for places that lose files beside the code: the module is inside it as text.
import { wasmBase64 } from './embedded-wasm.js';
import { loadOptions, type Engine } from './engine.js';
import { startEngine, type WasmSource } from './instantiate.js';

export * from './api.js';

/** Options of `loadCrowdreel`. */
export interface LoadOptions {
  /** Where the module comes from; default: the one embedded here. */
  wasm?: WasmSource;
}

/** Starts an engine, as `loadCrowdreel` of the main entry does, from the module embedded in the code. */
export async function loadCrowdreel(options?: LoadOptions): Promise<Engine> {
  const { wasm } = loadOptions(options);
  return startEngine(wasm ?? Uint8Array.from(atob(wasmBase64), (c) => c.charCodeAt(0)));
}
