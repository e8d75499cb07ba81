// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Engines with threads in a real browser: against the golden hashes in a page and in a worker, and without isolation.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import type { ViteDevServer } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, serveCheckout } from './serving';
import type { Found, whyNot } from './threads-run';

const root = fileURLToPath(new URL('../../', import.meta.url));

declare global {
  interface Window {
    runThreaded(text: string, threads: number): Promise<Found>;
    runInWorker(text: string, threads: number): Promise<Found>;
    whyNoThreads: typeof whyNot;
  }
}
const golden = JSON.parse(readFileSync(`${root}tests/golden/hashes.json`, 'utf8')) as { scenes: Record<string, Found> };

describe('threads in Chromium', () => {
  let servers: ViteDevServer[];
  let browser: Browser;

  const open = async (server: ViteDevServer): Promise<Page> => {
    const page = await browser.newPage();
    await page.goto(`${server.resolvedUrls!.local[0]}tests/browser/threads.html`);
    await page.waitForFunction(() => document.title === 'ready');
    return page;
  };

  beforeAll(async () => {
    servers = [
      await serveCheckout('isolated', {
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Cross-Origin-Embedder-Policy': 'require-corp',
      }),
      await serveCheckout('open'),
    ];
    browser = await launchChromium();
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    for (const server of servers ?? []) await server.close();
  });

  // A page's main thread waits by spinning, a worker sleeps.
  const runs = (['runThreaded', 'runInWorker'] as const).flatMap((how) =>
    [2, 5].flatMap((threads) => ['plaza', 'level'].map((name) => ({ how, threads, name }))),
  );
  it.each(runs)('$how with $threads: $name', async ({ how, threads, name }) => {
    const page = await open(servers[0]!);
    const text = readFileSync(`${root}tests/scenes/${name}.scene`, 'utf8');
    const found = await page.evaluate(([way, scene, count]) => window[way](scene, count), [
      how,
      text,
      threads,
    ] as const);
    const { replay, steps } = golden.scenes[name]!;
    expect(found).toEqual({ threads, replay, steps });
    await page.close();
  });

  it('are refused with the reason where the page is not isolated', async () => {
    const page = await open(servers[1]!);
    const { problem, refusal, plain } = await page.evaluate(() => window.whyNoThreads());
    expect(problem).toMatch(/not cross-origin isolated.*Cross-Origin-Opener-Policy: same-origin.*require-corp/);
    expect(refusal).toMatch(
      /options\.threads is 2, but there are no threads here: the page is not cross-origin isolated/,
    );
    expect(plain).toBe(1);
    await page.close();
  });

  it('are refused with the reason where a policy forbids the workers', async () => {
    const page = await browser.newPage();
    await page.route('**/threads.html', async (route) => {
      const response = await route.fetch();
      const headers = { ...response.headers(), 'content-security-policy': "worker-src 'self'" };
      await route.fulfill({ response, headers });
    });
    await page.goto(`${servers[0]!.resolvedUrls!.local[0]}tests/browser/threads.html`);
    await page.waitForFunction(() => document.title === 'ready');
    const { problem, refusal } = await page.evaluate(() => window.whyNoThreads());
    expect(problem).toBeNull();
    expect(refusal).toMatch(/threads could not be started: .*(Content-Security-Policy|Content Security Policy)/i);
    await page.close();
  });
});
