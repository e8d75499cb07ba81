// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What the browser tests share: Chromium, and a server of the checkout's own files.
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { type ViteDevServer, createServer } from 'vite';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Starts the Chromium of the machine: `CHROMIUM_PATH`, else Debian's. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** Serves the checkout, its TypeScript made JavaScript on the way. `name` is that of its cache below build. */
export async function serveCheckout(name: string, headers: Record<string, string> = {}): Promise<ViteDevServer> {
  const server = await createServer({
    root,
    configFile: false,
    logLevel: 'error',
    cacheDir: `${root}build/vite-${name}`,
    server: { port: 0, hmr: false, headers },
  });
  return server.listen();
}
