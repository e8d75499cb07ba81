// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// From whatever holds the module to a running engine.
import { badArgument, CrowdreelError } from './errors.js';
import { Engine } from './engine.js';
import { describe } from './describe.js';
import { wrongModule } from './native.js';

// Types of the web, where the reader's project has them: the package itself asks for none.
type WebType<Name extends string> = typeof globalThis extends Record<Name, { prototype: infer T }> ? T : never;
type WasmModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer T } } } ? T : never;

/**
 * Where the module comes from: its URL, a fetched `Response`, its bytes, or a `WebAssembly.Module` compiled before (for
 * example in another thread).
 */
export type WasmSource = string | ArrayBuffer | ArrayBufferView | WebType<'URL'> | WebType<'Response'> | WasmModule;

/** What an instance exports. */
export type WasmExports = Readonly<Record<string, unknown>>;

/** Compiles what the source holds and starts an engine with it. */
export async function startEngine(source: unknown): Promise<Engine> {
  const module = await compile(source);
  if (needsMemory(module)) {
    throw wrongModule('it is the one with threads, for loadCrowdreel of crowdreel/threads with more than 1 thread');
  }
  // The module imports one function, a notice that its memory grew. Views are checked on each access instead.
  const imports = { env: { emscripten_notify_memory_growth: () => undefined } };
  return Engine.wrap(await instantiate(module, imports));
}

/** @internal Whether a module works on a memory it is given, as the one with threads does. */
export function needsMemory(module: WebAssembly.Module): boolean {
  return WebAssembly.Module.imports(module).some(({ kind }) => kind === 'memory');
}

/** @internal The exports of an instance. */
export async function instantiate(module: WebAssembly.Module, imports: WebAssembly.Imports): Promise<WasmExports> {
  try {
    return (await WebAssembly.instantiate(module, imports)).exports;
  } catch (cause) {
    throw wrongModule(cause instanceof Error ? cause.message : String(cause));
  }
}

/** @internal Compiles what the source holds. */
export async function compile(source: unknown): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer) return compileBytes(source);
  if (ArrayBuffer.isView(source)) return compileBytes(bytesOf(source));
  if (typeof Response !== 'undefined' && source instanceof Response) return compileResponse(source);
  if (source instanceof URL || typeof source === 'string') return compileUrl(String(source));
  throw badArgument(
    'options.wasm',
    `must be a URL, a Response, bytes or a WebAssembly.Module, not ${describe(source)}`,
  );
}

// Some engines compile from no other views than bytes.
function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
}

async function compileUrl(url: string): Promise<WebAssembly.Module> {
  if (url.startsWith('file:')) return compileBytes(readLocalFile(url));
  const response = await fetch(url).catch((cause: unknown) => {
    throw notLoaded(`${url}: ${cause instanceof Error ? cause.message : String(cause)}`);
  });
  if (!response.ok) throw notLoaded(`${url} answered ${response.status} ${response.statusText}`.trimEnd());
  return compileResponse(response);
}

// Node cannot fetch file URLs. Its built-in modules are asked for at run time, so that bundlers see no import of them.
function readLocalFile(url: string): Uint8Array<ArrayBuffer> {
  const node = (globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } }).process;
  const fs = node?.getBuiltinModule?.('node:fs') as { readFileSync(path: URL): Uint8Array<ArrayBuffer> } | undefined;
  if (!fs) throw notLoaded(`${url} is a local file, and this platform cannot read those`);
  try {
    return fs.readFileSync(new URL(url));
  } catch (cause) {
    throw notLoaded(cause instanceof Error ? cause.message : String(cause));
  }
}

async function compileResponse(response: Response): Promise<WebAssembly.Module> {
  return compileBytes(await response.arrayBuffer());
}

async function compileBytes(bytes: BufferSource): Promise<WebAssembly.Module> {
  try {
    return await WebAssembly.compile(bytes);
  } catch (cause) {
    if (!WebAssembly.validate(simdProbe))
      throw notLoaded('this platform has no WebAssembly SIMD, which the engine needs');
    throw notLoaded(`it is not a WebAssembly module (${cause instanceof Error ? cause.message : String(cause)})`);
  }
}

function notLoaded(problem: string): CrowdreelError {
  return new CrowdreelError(`The WebAssembly module could not be loaded: ${problem}.`, {
    status: 'NotFound',
    field: 'wasm',
  });
}

// A module with one function that makes a vector: valid exactly where SIMD is.
const simdProbe = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
]);
