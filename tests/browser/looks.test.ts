// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What can be checked of the looks, and the pictures for people to look at (tests/browser/screenshots, not kept in the repository).
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Viewer, type ViewerPage } from './viewer';

const folder = fileURLToPath(new URL('./screenshots/', import.meta.url));

const SIZES = [
  { name: 'desktop', width: 1280, height: 800 },
  { name: 'phone', width: 390, height: 844 },
];

let viewer: Viewer;

beforeAll(async () => {
  viewer = await Viewer.start();
});

afterAll(() => viewer?.stop());

interface Box {
  name: string;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Every visible control and text of the bars, with its box. */
function boxes(page: ViewerPage): Promise<Box[]> {
  return page.page.evaluate(() =>
    [...document.querySelectorAll('.topbar button, .brand, .controls button, .controls select, .readout, .agent-count')]
      .map((element) => ({ element, box: element.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0)
      .map(({ element, box: { left, right, top, bottom } }) => ({
        name: element.getAttribute('aria-label') ?? element.textContent ?? '',
        left,
        right,
        top,
        bottom,
      })),
  );
}

function overlaps(a: Box, b: Box): boolean {
  return a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5;
}

/** WCAG contrast of an element's text against what is painted behind it. */
function contrast(page: ViewerPage, selector: string): Promise<number> {
  return page.page.evaluate((css) => {
    const parse = (text: string) => (text.match(/[\d.]+/g) ?? []).map(Number);
    const light = (rgb: number[]) => {
      const [r, g, b] = rgb
        .slice(0, 3)
        .map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
    };
    const element = document.querySelector(css)!;
    let behind: Element | null = element;
    let ground = [0, 0, 0, 0];
    while (behind && (ground[3] ?? 1) < 1) {
      ground = parse(getComputedStyle(behind).backgroundColor);
      behind = behind.parentElement;
    }
    const [a, b] = [light(parse(getComputedStyle(element).color)), light(ground)];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  }, selector);
}

async function shoot(page: ViewerPage, name: string): Promise<void> {
  await page.page.waitForTimeout(300);
  await page.page.screenshot({ path: `${folder}${name}.png` });
}

describe.each(SIZES)('at $width x $height', ({ name: size, width, height }) => {
  it.each(['light', 'dark'] as const)('%s: nothing is cut off, overlaps or is hard to read', async (colorScheme) => {
    const page = await viewer.open('scene=plaza', { viewport: { width, height }, colorScheme });
    const name = `${size}-${colorScheme}`;
    await page.reach(150);
    await shoot(page, `${name}-1-first`);
    const all = await boxes(page);
    expect(all.length).toBeGreaterThan(8);
    for (const box of all) {
      expect(box.left, box.name).toBeGreaterThanOrEqual(0);
      expect(box.right, box.name).toBeLessThanOrEqual(width);
      expect(box.bottom, box.name).toBeLessThanOrEqual(height);
      for (const other of all)
        if (other !== box) expect(overlaps(box, other), `${box.name} / ${other.name}`).toBe(false);
    }
    expect(await page.page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    for (const selector of ['.run-name', '.time-now', '.time-step', '.welcome p']) {
      expect(await contrast(page, selector), selector).toBeGreaterThan(4.5);
    }
    await tour(page, name);
    await page.close();
  });
});

/** The other views, for the eye; that each appears is asserted by waiting for it. */
async function tour(page: ViewerPage, name: string): Promise<void> {
  const { keyboard } = page.page;
  await keyboard.press('Escape');
  await keyboard.press('n');
  await page.page.locator('.inspector[data-open="true"] dd', { hasText: 'm/s' }).first().waitFor();
  await shoot(page, `${name}-2-picked`);
  await keyboard.press('Escape');
  await page.page.locator('.run-button').click();
  await page.page.locator('.scene-menu:popover-open').waitFor();
  await shoot(page, `${name}-3-scenes`);
  await keyboard.press('Escape');
  await keyboard.press('Shift+?');
  await page.page.locator('dialog[open]').waitFor();
  await shoot(page, `${name}-4-keys`);
  await keyboard.press('Escape');
  await keyboard.press('ArrowLeft');
  await page.waitForStatus('ago');
  await shoot(page, `${name}-5-past`);
  const [download] = await Promise.all([page.page.waitForEvent('download'), keyboard.press('Control+s')]);
  await page.page.locator('#file').setInputFiles(await download.path());
  await page.waitForStatus('exact');
  await shoot(page, `${name}-6-replay`);
  await page.pick('broken.oprp', Buffer.from('OPRP\x01\x01\x00\x00\xff\xff\xff\x7f'));
  await page.page.getByRole('alert').waitFor();
  await shoot(page, `${name}-7-error`);
}

it('the theme follows the system until one is chosen, and the choice is kept', async () => {
  const page = await viewer.open('scene=ring', { colorScheme: 'dark' });
  const theme = () => page.page.evaluate(() => document.documentElement.dataset.theme);
  await page.reach(1);
  expect(await theme()).toBe('dark');
  await page.page.emulateMedia({ colorScheme: 'light' });
  await page.page.waitForFunction(() => document.documentElement.dataset.theme === 'light');
  const button = page.page.getByRole('button', { name: /^Theme/ });
  await button.click();
  await button.click();
  expect(await theme()).toBe('dark');
  await page.page.reload();
  await page.reach(1);
  expect(await theme()).toBe('dark');
  await page.close();
});
