// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The worker starts the engine while the page's own code, which is larger, is still being loaded.

const worker = new Worker(new URL('./worker/simulation.ts', import.meta.url), { type: 'module', name: 'simulation' });
const { App } = await import('./app');
const root = document.getElementById('app');
if (root) new App(root, worker);

export {};
