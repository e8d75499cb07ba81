// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The WebAssembly engine in a real browser against the golden hashes.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import type { ViteDevServer } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, serveCheckout } from './serving';

const root = fileURLToPath(new URL('../../', import.meta.url));

interface Golden {
  mesh: string;
  replay: string;
  steps: string[];
}
declare global {
  interface Window {
    runScene(text: string): Promise<Golden>;
  }
}
const golden = JSON.parse(readFileSync(`${root}tests/golden/hashes.json`, 'utf8')) as {
  scenes: Record<string, Golden>;
};

describe('golden hashes in Chromium', () => {
  let server: ViteDevServer;
  let browser: Browser;

  beforeAll(async () => {
    server = await serveCheckout('golden');
    browser = await launchChromium();
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  it.each(Object.keys(golden.scenes))('%s', { timeout: 120_000 }, async (name) => {
    const page = await browser.newPage();
    await page.goto(`${server.resolvedUrls!.local[0]}tests/browser/golden.html`);
    await page.waitForFunction(() => document.title === 'ready');
    const text = readFileSync(`${root}tests/scenes/${name}.scene`, 'utf8');
    const found = await page.evaluate((scene) => window.runScene(scene), text);
    expect(found.steps).toEqual(golden.scenes[name]!.steps);
    expect(found.mesh).toBe(golden.scenes[name]!.mesh);
    expect(found.replay).toBe(golden.scenes[name]!.replay);
    await page.close();
  });
});
