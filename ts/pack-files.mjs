// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The checkout's README, licence and changelog travel inside the package: copied before packing, removed after.
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const remove = process.argv[2] === 'remove';
for (const name of ['README.md', 'LICENSE', 'CHANGELOG.md']) {
  if (remove) rmSync(here(name), { force: true });
  else if (existsSync(here(`../${name}`))) copyFileSync(here(`../${name}`), here(name));
}
