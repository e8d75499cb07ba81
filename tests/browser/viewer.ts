// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Serves the built viewer, drives it in Chromium, and reads what it shows.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page, Route } from 'playwright-core';
import { preview, type PreviewServer } from 'vite';
import { expect } from 'vitest';
import type { Probe } from '../../web-demo/src/probe';
import { launchChromium } from './serving';

declare global {
  interface Window {
    readonly __crowdreel: Probe;
  }
}

const demo = fileURLToPath(new URL('../../web-demo/', import.meta.url));

type State = ReturnType<Probe['state']>;
/** Answers given in place of the server, by URL pattern. */
type Answers = Record<string, (route: Route) => Promise<void>>;

/** What tests read of the page's state: plain values. */
export type Shown = Pick<
  State,
  'view' | 'step' | 'total' | 'hash' | 'playing' | 'seeking' | 'agentCount' | 'picked' | 'speed' | 'loop' | 'check'
>;

export class Viewer {
  private constructor(
    private readonly server: PreviewServer,
    private readonly browser: Browser,
  ) {}

  static async start(): Promise<Viewer> {
    if (!existsSync(`${demo}dist/index.html`))
      throw new Error('build the viewer first: node scripts/build.mjs wasm ts demo');
    const server = await preview({
      root: demo,
      configFile: `${demo}vite.config.ts`,
      logLevel: 'error',
      preview: { port: 0, host: '127.0.0.1' },
    });
    return new Viewer(server, await launchChromium());
  }

  get address(): string {
    return this.server.resolvedUrls!.local[0]!;
  }

  /** Opens the page with drawing kept cheap, standing still unless asked otherwise. */
  async open(query = '', options: BrowserContextOptions = {}, answers: Answers = {}): Promise<ViewerPage> {
    const context = await this.browser.newContext({
      viewport: { width: 800, height: 600 },
      reducedMotion: 'reduce',
      ...options,
    });
    const page = new ViewerPage(await context.newPage(), this.address);
    for (const [pattern, answer] of Object.entries(answers)) await page.page.route(pattern, answer);
    await page.page.goto(`${this.address}?quality=low&${query}`);
    return page;
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.server.close();
  }
}

export class ViewerPage {
  /** Console errors, uncaught errors, failed or foreign requests: there must be none. */
  readonly complaints: string[] = [];

  constructor(
    readonly page: Page,
    address: string,
  ) {
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.complaints.push(`error: ${error.message}`));
    page.on('requestfailed', (request) => this.complaints.push(`failed: ${request.url()}`));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(address) && !url.startsWith('data:') && !url.startsWith('blob:'))
        this.complaints.push(`foreign: ${url}`);
    });
  }

  shown(): Promise<Shown> {
    return this.page.evaluate(() => {
      const { view, step, total, hash, playing, seeking, agentCount, picked, speed, loop, check } =
        window.__crowdreel.state();
      return { view, step, total, hash, playing, seeking, agentCount, picked, speed, loop, check };
    });
  }

  /** Waits until the picture has got to a step. */
  async reach(step: number): Promise<void> {
    await this.page.waitForFunction((least) => (window.__crowdreel?.state().step ?? -1) >= least, step, {
      timeout: 60_000,
    });
  }

  /** Waits for a live run to stand still, or a seek to arrive; gives what is shown then. */
  async settled(): Promise<Shown> {
    await this.page.waitForFunction(() => {
      const { seeking, hash } = window.__crowdreel.state();
      return seeking === null && hash !== null;
    });
    return this.shown();
  }

  /** Pauses with the button and gives what is shown then. */
  async pause(): Promise<Shown> {
    await this.page.getByRole('button', { name: 'Pause' }).click();
    return this.settled();
  }

  /** Drags the timeline's thumb to a step. */
  async scrub(step: number): Promise<Shown> {
    const slider = this.page.getByRole('slider', { name: 'Timeline' });
    const box = (await slider.boundingBox())!;
    const max = Number(await slider.getAttribute('max'));
    const THUMB = 14;
    const at = (value: number) => box.x + THUMB / 2 + (value / max) * (box.width - THUMB);
    await this.page.mouse.move(at((await this.shown()).step), box.y + box.height / 2);
    await this.page.mouse.down();
    await this.page.mouse.move(at(step), box.y + box.height / 2, { steps: 4 });
    await this.page.mouse.up();
    return this.settled();
  }

  /** Saves with the button and gives the file's bytes. */
  async save(): Promise<Buffer> {
    const [download] = await Promise.all([
      this.page.waitForEvent('download'),
      this.page.getByRole('button', { name: 'Save replay' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^[a-z]+-\d+\.oprp$/);
    return readFileSync(await download.path());
  }

  async pick(name: string, bytes: Buffer): Promise<void> {
    await this.page.locator('#file').setInputFiles({ name, mimeType: 'application/octet-stream', buffer: bytes });
  }

  /** Drops a file on the middle of the page. */
  async drop(name: string, bytes: Buffer): Promise<void> {
    const transfer = await this.page.evaluateHandle(
      ({ fileName, base64 }) => {
        const data = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
        const result = new DataTransfer();
        result.items.add(new File([data], fileName));
        return result;
      },
      { fileName: name, base64: bytes.toString('base64') },
    );
    await this.page.dispatchEvent('.stage', 'dragenter', { dataTransfer: transfer });
    await this.page.dispatchEvent('.stage', 'drop', { dataTransfer: transfer });
  }

  /** The words of the pill beside the run's name. */
  status(): Promise<string> {
    return this.page.locator('#status').innerText();
  }

  async waitForStatus(text: string | RegExp): Promise<void> {
    await this.page.locator('#status', { hasText: text }).waitFor({ timeout: 60_000 });
  }

  /** Clicks the ground at a point of the level. */
  async clickGround(x: number, y: number, z: number): Promise<void> {
    const point: [number, number, number] = [x, y, z];
    await this.clickPicture(await this.page.evaluate((at) => window.__crowdreel.screenOf(at), point));
  }

  async clickAgent(id: number): Promise<void> {
    const at = await this.page.evaluate((agent) => window.__crowdreel.agentOnScreen(agent), id);
    expect(at, `agent ${id} is in the picture`).not.toBeNull();
    await this.clickPicture(at!);
  }

  private async clickPicture({ x, y }: { x: number; y: number }): Promise<void> {
    const hit = await this.page.evaluate((at) => document.elementFromPoint(at.x, at.y)?.className, { x, y });
    expect(hit, `what lies at ${Math.round(x)}, ${Math.round(y)}`).toBe('stage-canvas');
    await this.page.mouse.click(x, y);
  }

  /** Ends the page; fails when anything went wrong unseen. */
  async close(): Promise<void> {
    expect(this.complaints).toEqual([]);
    await this.page.context().close();
  }
}
