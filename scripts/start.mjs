// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// `npm start`: builds what has changed and serves the viewer.
import { preview } from 'vite';
import { buildDemo, buildTs, buildWasm } from './build.mjs';
import { root, say } from './lib.mjs';

buildWasm();
buildTs();
buildDemo();
// `npm` may be ended without this process being told: do not stay behind on the port.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.exit();
}, 1000).unref();
const server = await preview({ root: `${root}web-demo`, configFile: `${root}web-demo/vite.config.ts` });
say('the viewer is at');
server.printUrls();
console.log('  Press Ctrl+C to stop.');
