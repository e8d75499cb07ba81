// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Every JavaScript block of the README and of the guides runs as it stands; those of most guides print what their comments say.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { nodeFlags } from './support.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
// Inside the checkout, so that `import 'crowdreel'` finds the built package.
const folder = join(root, 'build/snippets');
const pages = ['README.md', ...readdirSync(join(root, 'docs/guide')).map((name) => `docs/guide/${name}`)];
// Their blocks print what the comments behind `console.log(...)` say.
const sayingPages = new Set(
  ['meshes', 'queries', 'one-character', 'game-loop', 'rollback'].map((name) => `docs/guide/${name}.md`),
);

function snippets(page: string): string[] {
  return [...readFileSync(join(root, page), 'utf8').matchAll(/^```js\n([\s\S]*?)^```/gm)].map((match) => match[1]!);
}

describe('code blocks in the documentation', () => {
  mkdirSync(folder, { recursive: true });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const all = pages.flatMap((page) => snippets(page).map((code, index) => ({ page, index, code })));

  it('exist', () => expect(all.length).toBeGreaterThanOrEqual(2));

  it.each(all)('$page, block $index', ({ page, index, code }) => {
    const file = join(folder, `${page.replaceAll('/', '-')}-${index}.mjs`);
    writeFileSync(file, code);
    const output = execFileSync(process.execPath, [...nodeFlags, file], { encoding: 'utf8', timeout: 60_000 });
    if (page === 'README.md' && code.includes('findMismatch')) expect(output).toMatch(/^-1$/m);
    if (sayingPages.has(page)) {
      const said = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map((match) => match[1]);
      expect(said.length).toBeGreaterThan(0);
      expect(output.trim().split('\n')).toEqual(said);
    }
    if (code.includes('alice')) {
      const [alice, bob] = [...output.matchAll(/\[([^\]]*)\]/g)].map((match) => match[1]!.split(',').map(Number));
      expect(Math.hypot(alice![0]! - 35, alice![2]! - 20)).toBeLessThan(0.3);
      expect(Math.hypot(bob![0]! - 5, bob![2]! - 20)).toBeLessThan(0.3);
    }
  });
});
