// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The order in which a call's arguments, or an operator's operands, are evaluated is open in C: gcc and clang give
// `f(rnd_unit(&seed), rnd_unit(&seed))` other numbers. `node scripts/draws.mjs` (part of `npm run lint`) fails where an
// expression of the native tests or fuzzers draws twice in an open order. Items in braces, which both compilers take from
// left to right, are let through.
import { readFileSync } from 'node:fs';
import { projectFiles, root } from './lib.mjs';

const blank = (text) => text.replace(/[^\n]/g, ' ');
/** A file without comments, strings and preprocessor lines; every line stays where it was. */
const source = (path) =>
  readFileSync(root + path, 'utf8').replace(
    /\/\/.*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|^[ \t]*#(?:.*\\\n)*.*/gm,
    blank,
  );

/** Names of the functions that draw: they take a pointer to a seed, or to something whose seed they pass on. */
function drawing(text) {
  const names = [];
  for (const [, name, parameters] of text.matchAll(/\b(\w+)\(([^(){};]*)\)/g)) {
    if (/\buint64_t \*(?:seed|state|random)\b/.test(parameters)) names.push(name);
  }
  for (const [, name, parameters, body] of text.matchAll(/^\w[^;={}()]*?\b(\w+)\(([^(){};]*)\) \{(.*\}$|[^]*?^\})/gm)) {
    const held = [...body.matchAll(/&(\w+)->(?:seed|state|random)\b/g)].map((match) => match[1]);
    if (held.some((owner) => new RegExp(`\\*${owner}\\b`).test(parameters))) names.push(name);
  }
  return names;
}

const CONTROL = new Set(['if', 'for', 'while', 'switch']);
const SEQUENCED = new Set([';', '?', ':', '&&', '||']);

/**
 * Lines of a text with two draws in an open order. Every bracket is a frame: whether it has `drawn` since its last sequence
 * point, whether it `ever` has, and of a call whether its present `argument` has and how many before it (`drawing`).
 */
function openOrders(text, draws) {
  const lines = new Set();
  const frame = (kind, name, at) => ({ kind, name, at, drawn: false, ever: false, argument: false, drawing: 0 });
  const frames = [frame('block', '', 0)];
  const report = (at) => lines.add(text.slice(0, at).split('\n').length);
  const draw = (at) => {
    const top = frames.at(-1);
    if (top.drawn) report(at);
    top.drawn = top.ever = top.argument = true;
  };
  let before = null; // the token before, and the frame that it closed
  let closed = null;
  const open = (token, at) => {
    if (token === '{') {
      const literal = closed?.kind === 'group' || (!closed && /^(?:=|,|\(|\{|return)$/.test(before ?? ''));
      frames.push(frame(literal ? 'items' : 'block', '', at));
    } else if (token === '(' && /^\w/.test(before ?? '') && before !== 'return') {
      frames.push(frame(CONTROL.has(before) ? 'control' : 'call', before, at));
    } else frames.push(frame(token === '(' ? 'group' : 'index', '', at));
  };
  const close = () => {
    const inner = frames.length > 1 ? frames.pop() : frames[0];
    if (inner.kind === 'call' && inner.drawing + Number(inner.argument) > 1) report(inner.at);
    if (inner.kind === 'block' || inner.kind === 'control') frames.at(-1).drawn = false;
    else if (inner.ever || (inner.kind === 'call' && draws.has(inner.name))) draw(inner.at);
    return inner;
  };
  const comma = (top) => {
    if (top.kind === 'call') top.drawing += Number(top.argument);
    top.drawn = top.argument = false;
  };
  for (const { 0: token, index } of text.matchAll(/\w+|&&|\|\||\S/g)) {
    let inner = null;
    if ('({['.includes(token)) open(token, index);
    else if (')}]'.includes(token)) inner = close();
    else if (token === ',') comma(frames.at(-1));
    else if (SEQUENCED.has(token)) frames.at(-1).drawn = false;
    before = token;
    closed = inner;
  }
  return lines;
}

const shared = projectFiles('native/**/*.h', 'tests/native/**/*.h').flatMap((path) => drawing(source(path)));
for (const path of projectFiles('tests/native/**/*.c', 'tests/native/**/*.h', 'native/fuzz/*.c', 'native/fuzz/*.h')) {
  const text = source(path);
  for (const line of openOrders(text, new Set([...shared, ...drawing(text)]))) {
    console.error(`${path}:${line}: two draws of one expression, in an order that C leaves open`);
    process.exitCode = 1;
  }
}
