// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The viewer without a mouse, and as a screen reader finds it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Viewer } from './viewer';

let viewer: Viewer;

beforeAll(async () => {
  viewer = await Viewer.start();
});

afterAll(() => viewer?.stop());

describe('keys', () => {
  it('play, pause, step, skip and go live', async () => {
    const page = await viewer.open('scene=ring');
    const { keyboard } = page.page;
    await page.reach(400);
    await keyboard.press(' ');
    const paused = await page.settled();
    expect(paused).toMatchObject({ playing: false, view: 'live' });

    await keyboard.press('.');
    await page.reach(paused.step + 1);
    expect(await page.settled()).toMatchObject({ step: paused.step + 1, total: paused.total + 1, view: 'live' });

    await keyboard.press(',');
    expect(await page.settled()).toMatchObject({ step: paused.step, view: 'past', hash: paused.hash });
    await keyboard.press('ArrowLeft');
    expect(await page.settled()).toMatchObject({ step: paused.step - 300, view: 'past' });
    await keyboard.press('Shift+ArrowLeft');
    expect(await page.settled()).toMatchObject({ step: 0 });
    await keyboard.press('ArrowRight');
    expect(await page.settled()).toMatchObject({ step: 300 });

    await keyboard.press(']');
    expect((await page.shown()).speed).toBe(2);
    await keyboard.press('[');
    await keyboard.press('[');
    expect((await page.shown()).speed).toBe(0.5);
    await keyboard.press('l');
    await page.waitForStatus('live');
    await page.reach(paused.total + 5);
    await page.close();
  });

  it('pick an agent, follow it, send it, and let it go', async () => {
    const page = await viewer.open('scene=door');
    const { keyboard } = page.page;
    await page.reach(10);
    await keyboard.press('n');
    const inspector = page.page.getByRole('complementary', { name: 'Picked agent' });
    await inspector.getByRole('heading', { name: /^Agent \d+$/ }).waitFor();
    const first = (await page.shown()).picked;
    await keyboard.press('n');
    await keyboard.press('p');
    expect((await page.shown()).picked).toBe(first);
    await keyboard.press('f');
    expect(await inspector.getByRole('button', { name: 'Follow' }).getAttribute('aria-pressed')).toBe('true');
    await keyboard.press('Home');
    expect(await inspector.getByRole('button', { name: 'Follow' }).getAttribute('aria-pressed')).toBe('false');
    for (const key of ['d', 'd', 'w', 'q', '+']) await keyboard.press(key);
    await keyboard.press('g');
    await page.page.locator('.toast', { hasText: 'sent here' }).waitFor();
    await keyboard.press('Escape');
    expect((await page.shown()).picked).toBeNull();
    await page.close();
  });

  it('list themselves under ?', async () => {
    const page = await viewer.open('scene=ring');
    await page.reach(1);
    await page.page.keyboard.press('Shift+?');
    const dialog = page.page.getByRole('dialog', { name: 'Keys and gestures' });
    await dialog.waitFor();
    expect(await dialog.innerText()).toContain('play or pause');
    await page.page.keyboard.press('Escape');
    expect(await dialog.isVisible()).toBe(false);
    await page.close();
  });
});

describe('a screen reader', () => {
  it('finds a slider that says where the picture is', async () => {
    const page = await viewer.open('scene=ring');
    await page.reach(200);
    await page.pause();
    const slider = page.page.getByRole('slider', { name: 'Timeline' });
    await slider.focus();
    await page.page.keyboard.press('ArrowLeft');
    const { step, total } = await page.settled();
    expect(await slider.getAttribute('aria-valuetext')).toBe(
      `${(step / 60).toFixed(1)} seconds, step ${step} of ${total}`,
    );
    expect(await slider.inputValue()).toBe(String(step));
    await page.close();
  });

  it('finds a name on every control', async () => {
    const page = await viewer.open('scene=ring');
    await page.reach(1);
    const nameless = await page.page.evaluate(() =>
      [...document.querySelectorAll('button, select, input, canvas[role]')]
        .filter((element) => !element.getAttribute('aria-label') && !element.textContent?.trim())
        .map((element) => element.outerHTML),
    );
    expect(nameless).toEqual([]);
    await page.close();
  });

  it('reaches every control with the tab key', async () => {
    const page = await viewer.open('scene=ring');
    await page.reach(1);
    const reached = new Set<string>();
    for (let i = 0; i < 24; i++) {
      await page.page.keyboard.press('Tab');
      reached.add(
        await page.page.evaluate(
          () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '',
        ),
      );
    }
    for (const name of [
      'Choose a scene or a file',
      'Save replay',
      'Pause (space)',
      'One step back (,)',
      'Timeline',
      'Mesh',
    ]) {
      expect([...reached].some((label) => label.includes(name))).toBe(true);
    }
    await page.close();
  });
});
