// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The viewer as people use it: watch, send, pause, scrub, save, open again, and see whether it is exact.
import { loadCrowdreel, type Engine } from 'crowdreel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withMovedDestination } from './replay-bytes';
import { Viewer } from './viewer';

const hex = (hash: bigint) => hash.toString(16).padStart(16, '0');

let viewer: Viewer;
let engine: Engine;
/** A recording made in the page by the first test that needs one. */
let recorded: Promise<Buffer> | null = null;

beforeAll(async () => {
  [viewer, engine] = await Promise.all([Viewer.start(), loadCrowdreel()]);
});

afterAll(() => viewer?.stop());

/** Records 200 steps of the door scene, everyone sent somewhere on the way. */
async function record(): Promise<Buffer> {
  const page = await viewer.open('scene=door');
  await page.reach(60);
  await page.clickGround(-12, 0, 6);
  await page.reach(200);
  await page.pause();
  const bytes = await page.save();
  await page.close();
  return bytes;
}

const recording = () => (recorded ??= record());

describe('a scene', () => {
  it('shows a crowd walking soon after the page is opened', async () => {
    const page = await viewer.open();
    await page.reach(1);
    const firstCrowd = await page.page.evaluate(() => window.__crowdreel.firstCrowd());
    console.log(`first crowd in the picture after ${Math.round(firstCrowd!)} ms`);
    expect(await page.page.evaluate(() => window.__crowdreel.agents())).toBe(160);
    expect((await page.shown()).view).toBe('live');
    expect(await page.status()).toBe('live');
    await page.reach(30);
    expect(await page.page.locator('.agent-count').innerText()).toBe('160 agents');
    await page.close();
  });

  it.each(['plaza', 'door', 'ring', 'crossing', 'level'])('%s runs for ten seconds', async (name) => {
    const page = await viewer.open(`scene=${name}`);
    await page.page.getByLabel('Speed').selectOption('16');
    await page.reach(600);
    const { agentCount } = await page.shown();
    expect(agentCount).toBeGreaterThan(30);
    expect(new URL(page.page.url()).searchParams.get('scene')).toBe(name);
    await page.close();
  });

  it('is chosen from the menu', async () => {
    const page = await viewer.open('scene=ring');
    await page.reach(5);
    await page.page.getByRole('button', { name: 'Choose a scene or a file' }).click();
    await page.page.getByRole('button', { name: /Two rooms and a door/ }).click();
    await page.page.locator('.run-name', { hasText: 'Two rooms and a door' }).waitFor();
    await page.reach(5);
    expect((await page.shown()).agentCount).toBe(40);
    await page.close();
  });

  it('of an unknown name is refused, with a crowd behind the card', async () => {
    const page = await viewer.open('scene=nowhere');
    await page.reach(10);
    expect(await page.page.getByRole('alert').innerText()).toContain('There is no scene named "nowhere".');
    expect((await page.shown()).agentCount).toBe(160);
    await page.close();
  });

  it('sends everyone, a group or one agent to the ground that is clicked', async () => {
    const page = await viewer.open('scene=door');
    const toast = page.page.locator('.toast');
    await page.reach(30);
    await page.clickGround(10, 0, -6);
    await toast.filter({ hasText: '40 agents sent here.' }).waitFor();

    await page.pause();
    await page.clickAgent(1);
    const inspector = page.page.getByRole('complementary', { name: 'Picked agent' });
    await inspector.getByRole('heading', { name: 'Agent 1', exact: true }).waitFor();
    await page.clickGround(8, 0, 7);
    await toast.filter({ hasText: '20 agents sent here.' }).waitFor();
    await inspector.getByRole('radio', { name: 'This one' }).click();
    await page.clickGround(4, 0, 7);
    await toast.filter({ hasText: '1 agent sent here.' }).waitFor();
    await page.page.getByRole('button', { name: 'One step forward' }).click();
    await inspector.getByText(/^4\.\d, [67]\.\d$/).waitFor({ timeout: 10_000 });

    const before = (await page.shown()).total;
    const replay = engine.openReplay(await page.save());
    const sent = Array.from(
      { length: before },
      (_, step) => replay.step(step).operations.filter(({ kind }) => kind === 'SetDestination').length,
    );
    replay.dispose();
    // 40 at the start, then everyone; the group and the one agent in the last step.
    expect(sent.filter((count) => count >= 40).length).toBe(2);
    expect(sent.at(-1)).toBe(21);
    await page.close();
  });
});

describe('a recording', () => {
  it('can be scrubbed: every place shows the state that was recorded', async () => {
    const page = await viewer.open('scene=door');
    await page.reach(60);
    await page.clickGround(-12, 0, 6);
    await page.reach(300);
    const paused = await page.pause();
    expect(paused).toMatchObject({ view: 'live', playing: false, step: paused.total });

    const places = [];
    for (const share of [0.8, 0.1, 0.55, 0.3, 0.95]) {
      const shown = await page.scrub(Math.round(paused.total * share));
      expect(shown.view).toBe('past');
      expect(Math.abs(shown.step - paused.total * share)).toBeLessThan(12);
      places.push(shown);
    }
    const replay = engine.openReplay(await page.save());
    expect(replay.info.stepCount).toBe(paused.total);
    expect(hex(replay.step(paused.total - 1).hash)).toBe(paused.hash);
    for (const { step, hash } of places) expect(hash).toBe(hex(replay.step(step - 1).hash));
    replay.dispose();
    console.log(`scrubbed to ${places.map(({ step }) => step).join(', ')} of ${paused.total}`);

    await page.page.getByRole('button', { name: 'Live' }).click();
    await page.reach(paused.total + 30);
    expect(await page.status()).toBe('live');
    await page.close();
  });

  it('goes on while one watches its past', async () => {
    const page = await viewer.open('scene=ring');
    await page.reach(150);
    await page.page.keyboard.press('ArrowLeft');
    await page.waitForStatus('ago');
    const before = await page.shown();
    expect(before.view).toBe('past');
    await page.page.waitForFunction((total) => window.__crowdreel.state().total > total + 60, before.total);
    const after = await page.shown();
    expect(after.view).toBe('past');
    expect(after.step).toBeGreaterThan(before.step);
    await page.page.keyboard.press('l');
    await page.waitForStatus('live');
    await page.close();
  });

  it('is exact after a reload, opened with the picker', async () => {
    const bytes = await recording();
    const page = await viewer.open('scene=ring');
    await page.reach(1);
    await page.pick('run.oprp', bytes);
    await page.waitForStatus('exact');
    const { view, total, check } = await page.shown();
    expect(view).toBe('replay');
    expect(check).toEqual({ checked: total, total, mismatch: -1 });
    await page.pause();
    const replay = engine.openReplay(bytes);
    for (const step of [150, 20, total]) {
      const shown = await page.scrub(step);
      expect(shown.hash).toBe(hex(replay.step(shown.step - 1).hash));
    }
    replay.dispose();
    await page.close();
  });

  it('says of an agent that its host moves it', async () => {
    const { mesh } = engine.buildNavMesh({
      positions: [-10, 0, -10, -10, 0, 10, 10, 0, 10, 10, 0, -10],
      indices: [0, 1, 2, 0, 2, 3],
    });
    const crowd = engine.createCrowd(mesh);
    const player = crowd.add([-2, 0, 0]);
    crowd.setVelocity(player, [1, 0, 0]);
    for (let i = 0; i < 60; i++) crowd.step(1 / 60);
    const recorder = engine.createRecorder(crowd, { dt: 1 / 60 }); // from here on; the recording begins with its stopping
    recorder.stop(player);
    for (let i = 0; i < 120; i++) recorder.step();
    const bytes = Buffer.from(recorder.save());
    for (const resource of [recorder, crowd, mesh]) resource.dispose();

    const page = await viewer.open('scene=ring');
    await page.reach(1);
    await page.pick('driven.oprp', bytes);
    await page.waitForStatus('exact');
    await page.pause();
    await page.scrub(0);
    await page.clickAgent(player);
    const inspector = page.page.getByRole('complementary', { name: 'Picked agent' });
    await inspector.getByText('moved by its host', { exact: true }).waitFor();
    await inspector.getByText('where its host says', { exact: true }).waitFor();
    await page.scrub(100);
    await inspector.getByText('standing', { exact: true }).waitFor();
    await inspector.getByText('nowhere', { exact: true }).waitFor();
    await page.close();
  });

  it('is exact when dropped on the page, and plays to its end', async () => {
    const page = await viewer.open('scene=ring');
    await page.reach(1);
    await page.drop('dropped.oprp', await recording());
    await page.page.locator('.run-name', { hasText: 'dropped.oprp' }).waitFor();
    await page.waitForStatus('exact');
    await page.page.getByLabel('Speed').selectOption('4');
    await page.page.getByRole('button', { name: 'Play (space)' }).waitFor();
    const shown = await page.settled();
    expect(shown.step).toBe(shown.total);
    await page.close();
  });

  it('plays from an address', async () => {
    const page = await viewer.open(`replay=${encodeURIComponent('run.oprp?x=1')}`);
    await page.page.getByRole('heading', { name: 'This file cannot be played' }).waitFor();
    await page.page.context().close();

    const bytes = await recording();
    const second = await viewer.open(
      'replay=shared/run.oprp',
      {},
      { '**/shared/run.oprp': (route) => route.fulfill({ body: bytes }) },
    );
    await second.page.locator('.run-name', { hasText: 'run.oprp' }).waitFor();
    await second.waitForStatus('exact');
    await second.close();
  });

  it('says from which step it differs when an operation was changed', async () => {
    const bytes = await recording();
    const replay = engine.openReplay(bytes);
    const changed = withMovedDestination(bytes, replay, 30, 4);
    replay.dispose();
    const altered = engine.openReplay(changed.bytes);
    const mismatch = altered.findMismatch();
    altered.dispose();
    expect(mismatch).toBeGreaterThanOrEqual(changed.step);

    const page = await viewer.open('scene=ring');
    await page.reach(1);
    await page.pick('changed.oprp', changed.bytes);
    await page.waitForStatus(`differs from step ${mismatch}`);
    await page.page.locator('#status').click();
    await page.page.getByRole('button', { name: 'Pause' }).click();
    const differs = page.page.locator('.tl-differs');
    expect(await differs.isVisible()).toBe(true);
    const [mark, track] = [await differs.boundingBox(), await page.page.locator('.tl-track').boundingBox()];
    const { total } = await page.shown();
    expect((mark!.x - track!.x) / track!.width).toBeCloseTo(mismatch / total, 1);
    await page.close();
  });

  it.each([
    ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length - 5)],
    [
      'with a damaged header',
      (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 4), Buffer.from([9]), bytes.subarray(5)]),
    ],
    ['with a byte too many', (bytes: Buffer) => Buffer.concat([bytes, Buffer.from([0])])],
  ])('%s is refused over the last good picture, with field and byte', async (_, damage) => {
    const bytes = damage(await recording());
    const reason = (() => {
      try {
        engine.openReplay(bytes).dispose();
      } catch (error) {
        return error as Error & { field: string; offset: number };
      }
      throw new Error('the damaged file was read');
    })();
    const page = await viewer.open('scene=door');
    await page.reach(20);
    await page.pick('damaged.oprp', bytes);
    const card = page.page.getByRole('alert');
    await card.getByRole('heading', { name: 'This file cannot be played' }).waitFor();
    const words = await card.innerText();
    expect(words).toContain(reason.message);
    expect(words).toContain(reason.field);
    expect(words).toContain(String(reason.offset));
    expect(words).toContain('damaged.oprp');
    // The run goes on behind the card.
    const { step, view } = await page.shown();
    expect(view).toBe('live');
    await page.reach(step + 20);
    await card.getByRole('button', { name: 'Dismiss' }).click();
    expect(await card.isVisible()).toBe(false);
    await page.close();
  });

  it('shows a file name as text, whatever it says', async () => {
    const name = '<img src=x onerror=document.title=1>.oprp';
    const page = await viewer.open('scene=ring');
    await page.reach(1);
    await page.pick(name, await recording());
    await page.page.locator('.run-name', { hasText: name }).waitFor();
    expect(await page.page.locator('.topbar img').count()).toBe(0);
    await page.close();
  });
});
