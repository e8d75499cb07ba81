// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Starting engines from everything that can hold a module.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ArgumentError, CrowdreelError, loadCrowdreel, type Engine, type LoadOptions } from 'crowdreel';
import { loadCrowdreel as loadEmbedded } from 'crowdreel/embedded';
import { describe, expect, it } from 'vitest';
import { level } from './support.js';

const wasmUrl = new URL('../../ts/dist/crowdreel.wasm', import.meta.url);
const bytes = readFileSync(wasmUrl);

function expectWorking(engine: Engine): void {
  const { mesh } = engine.buildNavMesh(level);
  expect(mesh.polygonCount).toBeGreaterThan(0);
  mesh.dispose();
  expect(engine.liveHandles).toBe(0);
}

describe('loadCrowdreel', () => {
  const sources: Record<string, () => LoadOptions | undefined | Promise<LoadOptions>> = {
    nothing: () => undefined,
    'empty options': () => ({}),
    'a file URL': () => ({ wasm: wasmUrl }),
    'a file URL as text': () => ({ wasm: wasmUrl.href }),
    'a data URL': () => ({ wasm: `data:application/wasm;base64,${bytes.toString('base64')}` }),
    'a Uint8Array': () => ({ wasm: new Uint8Array(bytes) }),
    'an ArrayBuffer': () => ({ wasm: new Uint8Array(bytes).buffer }),
    'a DataView': () => ({ wasm: new DataView(new Uint8Array(bytes).buffer) }),
    'a Response': () => ({ wasm: new Response(new Uint8Array(bytes)) }),
    'a compiled module': async () => ({ wasm: await WebAssembly.compile(bytes) }),
  };
  it.each(Object.keys(sources))('from %s', async (name) => {
    expectWorking(await loadCrowdreel(await sources[name]!()));
  });

  it('from a server, whatever content type it sends', async () => {
    const server = createServer((request, response) => {
      if (request.url === '/missing.wasm') response.writeHead(404).end();
      else response.writeHead(200, { 'content-type': 'text/plain' }).end(bytes);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      expectWorking(await loadCrowdreel({ wasm: `${base}/crowdreel.wasm` }));
      await expect(loadCrowdreel({ wasm: new URL('/missing.wasm', base) })).rejects.toThrow(/404/);
    } finally {
      server.close();
    }
    await expect(loadCrowdreel({ wasm: `${base}/gone.wasm` })).rejects.toThrow(CrowdreelError);
  });

  const failures: [string, unknown, RegExp, new (...args: never[]) => Error][] = [
    ['a file that does not exist', pathToFileURL('/does/not/exist.wasm'), /no such file/, CrowdreelError],
    ['bytes that are no module', new Uint8Array([1, 2, 3, 4]), /not a WebAssembly module/, CrowdreelError],
    [
      'a module that is another',
      new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]),
      /does not belong to this package/,
      CrowdreelError,
    ],
    ['text that is no URL', 'crowdreel.wasm', /could not be loaded/, CrowdreelError],
    ['a number', 7, /options\.wasm must be/, ArgumentError],
    ['an object', {}, /options\.wasm must be/, ArgumentError],
  ];
  it.each(failures)('refuses %s', async (_, wasm, message, kind) => {
    const loading = loadCrowdreel({ wasm } as LoadOptions);
    await expect(loading).rejects.toThrow(message);
    await expect(loading).rejects.toBeInstanceOf(kind);
  });

  it('refuses options it does not know', async () => {
    await expect(loadCrowdreel({ wsam: wasmUrl } as LoadOptions)).rejects.toThrow(/options\.wsam is not an option/);
    await expect(loadCrowdreel(7 as unknown as LoadOptions)).rejects.toThrow(/options must be an object/);
  });

  it('from the code itself, by the embedded entry', async () => {
    expectWorking(await loadEmbedded());
    await expect(loadEmbedded({ wasm: fileURLToPath(wasmUrl) })).rejects.toThrow(/could not be loaded/);
  });

  it('gives engines that share nothing', async () => {
    const [a, b] = [await loadCrowdreel(), await loadCrowdreel()];
    const { mesh } = a.buildNavMesh(level);
    expect([a.liveHandles, b.liveHandles]).toEqual([1, 0]);
    expect(() => b.createCrowd(mesh)).toThrow(/mesh belongs to another engine/);
    expect(() => b.createQuery(mesh)).toThrow(ArgumentError);
    expectWorking(b);
    mesh.dispose();
  });
});
