// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// `npm run lint` checks formatting and lint rules; `npm run format` (--fix) mends what can be mended.
import { spawnSync } from 'node:child_process';
import { buildTs, buildWasm } from './build.mjs';
import { projectFiles, root, say } from './lib.mjs';

const fix = process.argv.includes('--fix');

function check(title, command, args) {
  say(title);
  const result = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  if (result.status !== 0) process.exitCode = 1;
}

check('clang-format', 'clang-format', [...(fix ? ['-i'] : ['--dry-run', '--Werror']), ...projectFiles('*.c', '*.h')]);
check('prettier', 'npx', [
  'prettier',
  fix ? '--write' : '--check',
  '--log-level',
  'warn',
  ...projectFiles('*.ts', '*.mjs', '*.js', '*.css', '*.html'),
]);
check('eslint', 'npx', ['eslint', ...(fix ? ['--fix'] : []), '.']);
buildWasm();
buildTs();
check('types of the tests', 'npx', ['tsc', '--noEmit', '-p', 'tests/ts/tsconfig.json']);
check('tests named in documents', process.execPath, ['scripts/doc-marks.mjs']);
check('draws in an open order', process.execPath, ['scripts/draws.mjs']);
