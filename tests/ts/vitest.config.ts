// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Tests of the built package in Node.
import { defineConfig } from 'vitest/config';
import { fileURLToPath } from 'node:url';

export default defineConfig({
  root: fileURLToPath(new URL('../../', import.meta.url)),
  test: {
    include: ['tests/ts/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    execArgv: ['--no-concurrent-recompilation'], // see nodeFlags in support.ts
  },
});
