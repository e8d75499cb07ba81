// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// `npm run bench -- [--filter RE] [--quick] [--json] [--list] [--obj FILE] [--no-peer]`: ours (WebAssembly, one thread, through the
// public package), the same case natively, and the peer, interleaved in one run; medians; ratio = theirs / ours in cost.
import { readFileSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildNative, buildTs, buildWasm } from '../scripts/build.mjs';
import { root } from '../scripts/lib.mjs';

const { values: options } = parseArgs({
  options: {
    filter: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    obj: { type: 'string', multiple: true, default: [] },
    'no-peer': { type: 'boolean', default: false },
  },
});

if (!options.json) {
  buildWasm();
  buildNative();
  buildTs();
}

const { allCases } = await import('./lib/cases.mjs');
const { createOurs } = await import('./lib/ours.mjs');
const { nativeFigures } = await import('./lib/native.mjs');
const { createPeer } = await import('./lib/recast.mjs');
const { parseObj } = await import('crowdreel');
const { parseScene } = await import('../build/scenes/scene.js');

function sceneLevel(name) {
  const { positions, indices } = parseScene(readFileSync(`${root}tests/scenes/${name}.scene`, 'utf8'));
  return { name, positions, indices };
}

function levels() {
  const own = sceneLevel('level');
  const objs = options.obj.map((file) => {
    const { positions, indices } = parseObj(readFileSync(file, 'utf8'));
    return { name: basename(file, extname(file)), positions, indices, file: resolve(file) };
  });
  return [own, ...objs];
}

const round = (v) => (v === undefined ? undefined : Number(v.toPrecision(4)));

/** `result`: the costs of both, or those and what else there is to say; `figures`: what the native bench says. */
function report(test, result, figures = {}) {
  const { costs, notes = {}, native: inTurn } = Array.isArray(result) ? { costs: result } : result;
  const nativeNotes = Object.entries(figures).filter(([name]) => !['case', 'unit', 'native'].includes(name));
  const nativeCost = inTurn ?? figures.native;
  for (const [name, value] of nativeNotes) notes[`native ${name}`] = value;
  const [ours, theirs] = costs;
  const line = { case: test.name, unit: test.unit, ours: round(ours), native: round(nativeCost) };
  if (theirs !== undefined)
    Object.assign(line, { peer: 'recast-navigation', theirs: round(theirs), ratio: round(theirs / ours) });
  const also = Object.entries(notes).map(([name, value]) => [name, round(value)]);
  if (also.length) line.notes = Object.fromEntries(also);
  if (options.json) {
    console.log(JSON.stringify(line));
    return;
  }
  const columns = [line.case.padEnd(28), (line.ours ? `${line.ours} ${line.unit}` : '').padEnd(20)];
  columns.push((line.native ? `native ${line.native}${line.ours ? '' : ` ${line.unit}`}` : '').padEnd(16));
  columns.push(line.ratio ? `peer ${line.theirs}`.padEnd(14) + `ratio ${line.ratio}` : '');
  console.log(columns.join(' '));
  for (const [name, value] of also) console.log(`    ${name}: ${value}`);
}

const cases = allCases(levels(), ['plaza', 'door'].map(sceneLevel)).filter((test) =>
  new RegExp(options.filter).test(test.name),
);
if (options.list) {
  for (const test of cases) console.log(test.name);
} else {
  const ours = await createOurs();
  const peer = options['no-peer'] ? null : await createPeer();
  for (const test of cases) {
    const { quick } = options;
    const files = options.obj.map((file) => resolve(file));
    const result = await test.run({ ours, peer: test.peer ? peer : null, quick, files });
    report(test, result, test.ownNative ? undefined : nativeFigures(test.name, { quick, files }));
  }
}
