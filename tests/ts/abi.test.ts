// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The border to the module: its exports, the package's tables and the C manifests say the same.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  AgentPresets,
  BuildDefaults,
  CrowdDefaults,
  FollowerDefaults,
  loadCrowdreel,
  PathFollowerPresets,
  PlayerDefaults,
  QueryDefaults,
  Status,
} from 'crowdreel';
import { describe, expect, it } from 'vitest';
import { ABI_VERSION, cellCount, exportParameters, layoutText, records, snakeCase } from '../../ts/dist/abi.js';
import { Native } from '../../ts/dist/native.js';

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const text = (name: string) => readFileSync(path(name), 'utf8');
const bytes = readFileSync(path('ts/dist/crowdreel.wasm'));
const imports = { env: { emscripten_notify_memory_growth: () => undefined } };

async function instantiate(): Promise<Record<string, unknown>> {
  return { ...(await WebAssembly.instantiate(bytes, imports)).instance.exports };
}

/** Signatures of a module's exported functions, from its type, import, function and export sections. */
function signatures(module: Uint8Array): Map<string, string> {
  let at = 8;
  const byte = () => module[at++]!;
  const leb = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const b = byte();
      value |= (b & 0x7f) << shift;
      if (b < 0x80) return value;
    }
  };
  const name = () => {
    const size = leb();
    return Buffer.from(module.subarray(at, (at += size))).toString();
  };
  const list = <T>(read: () => T): T[] => Array.from({ length: leb() }, read);
  const letters: Record<number, string> = { 0x7f: 'i', 0x7e: 'l', 0x7d: 's', 0x7c: 'f' };
  const types: string[] = [];
  const functions: number[] = [];
  const exported = new Map<string, string>();
  while (at < module.length) {
    const section = byte();
    const end = leb() + at;
    if (section === 1)
      list(() =>
        types.push((byte(), list(() => letters[byte()]).join('') + ':' + list(() => letters[byte()]).join(''))),
      );
    if (section === 2) {
      list(() => {
        name();
        name();
        expect(byte()).toBe(0); // the one import is a function
        functions.push(leb());
      });
    }
    if (section === 3) list(() => functions.push(leb()));
    if (section === 7) {
      list(() => {
        const exportName = name();
        const kind = byte();
        const index = leb();
        if (kind === 0) exported.set(exportName, types[functions[index]!]!);
      });
    }
    at = end;
  }
  return exported;
}

describe('exports', () => {
  const listed = text('wasm/exports.txt').trim().split('\n');

  it('are sorted in exports.txt, each once', () => {
    expect(listed).toEqual([...new Set(listed)].sort());
  });

  it('are the same in exports.txt, the module and the package, with the same parameters', () => {
    const exported = [...signatures(bytes)].filter(([name]) => name.startsWith('crw_')).sort();
    expect(exported.map(([name]) => name)).toEqual(listed);
    expect(Object.fromEntries(exported)).toEqual(
      Object.fromEntries(Object.entries(exportParameters).map(([name, parameters]) => [name, `${parameters}:i`])),
    );
  });

  it('are all described in the format page', () => {
    const page = text('docs/formats/wasm-abi.md');
    expect(listed.filter((name) => !page.includes(`\`${name}`))).toEqual([]);
  });

  it('need nothing from the host but the growth notice', () => {
    expect(WebAssembly.Module.imports(new WebAssembly.Module(bytes))).toEqual([
      { module: 'env', name: 'emscripten_notify_memory_growth', kind: 'function' },
    ]);
  });
});

describe('records', () => {
  it('are the same in abi.h and the package', () => {
    const header = text('wasm/abi.h').replace(/\\\n/g, ' ');
    const manifest = /#define CRW_RECORDS\(R\)(.*)/.exec(header)![1]!;
    const names = [...manifest.matchAll(/R\((\w+), (\d+)\)/g)].map(([, name, number]) => {
      expect(Number(number)).toBeLessThan(Object.keys(records).length);
      return name!;
    });
    expect(names).toEqual(Object.keys(records).map((name) => snakeCase(name).toUpperCase()));
    for (const [index, name] of names.entries()) {
      const fields = new RegExp(`#define CRW_RECORD_${name}\\(X\\)(.*)`).exec(header)![1]!;
      const layout = [...fields.matchAll(/X\((\w+), (\w+)\)/g)].map(([, kind, field]) => `${kind} ${field},`).join('');
      expect(layout).toBe(layoutText(Object.values(records)[index]!));
    }
  });

  it('fit the argument and record blocks', () => {
    expect(cellCount(records.agentOptions) + cellCount(records.followerOptions)).toBeLessThanOrEqual(48);
    expect(cellCount(records.followerOptions) + cellCount(records.queryOptions)).toBeLessThanOrEqual(48);
    for (const layout of Object.values(records)) expect(48 + cellCount(layout)).toBeLessThanOrEqual(128);
  });
});

describe('the format page', () => {
  it('lists every record with its fields', () => {
    const rows = [...text('docs/formats/wasm-abi.md').matchAll(/^\| (\d+) \| ([A-Z_]+) \| (.*) \|$/gm)];
    const listed = rows.map(([, number, name, fields]) => {
      let kind = '';
      const layout = fields!.split(', ').map((field) => {
        const words = field.split(' ');
        if (words.length === 2) kind = words[0]!;
        return `${kind} ${words.at(-1)},`;
      });
      return [Number(number), name, layout.join('')];
    });
    const ours = Object.entries(records).map(([name, layout], i) => [
      i,
      snakeCase(name).toUpperCase(),
      layoutText(layout),
    ]);
    expect(listed).toEqual(ours);
  });
});

describe('a module of another version is refused', () => {
  const refused = async (change: (exports: Record<string, unknown>) => void, message: RegExp) => {
    const exports = await instantiate();
    change(exports);
    expect(() => new Native(exports)).toThrow(message);
  };

  it('by its interface version', () =>
    refused((e) => (e.crw_abi_version = () => ABI_VERSION + 1), /interface version/));
  it('by a missing export', () => refused((e) => delete e.crw_crowd_step, /crw_crowd_step/));
  it('by a missing memory', () => refused((e) => delete e.memory, /no memory/));
  it('by a record that differs', () =>
    refused((e) => {
      const layout = e.crw_layout as (record: number) => number;
      e.crw_layout = (record: number) => layout(record === 16 ? 15 : record);
    }, /agentOptions/));
});

describe('tables of the package are those of the engine', () => {
  it('statuses: numbers as in base.h, and a text for each', async () => {
    const header = text('native/include/crowdreel/base.h');
    const enumerators = [...header.matchAll(/CR_STATUS_([A-Z_]+) = (\d+)/g)].map(([, name, number]) => [
      name!,
      Number(number),
    ]);
    const ours = Object.entries(Status).map(([name, number]) => [snakeCase(name).slice(1).toUpperCase(), number]);
    expect(ours).toEqual(enumerators);
    const native = new Native(await instantiate());
    const texts = Object.values(Status).map((status) => native.memory.text(native.exports.crw_status_text(status)));
    expect(new Set(texts).size).toBe(texts.length);
    expect(native.memory.text(native.exports.crw_status_text(99))).toMatch(/not a known/);
  });

  it('default values', async () => {
    const native = new Native(await instantiate());
    const defaults = (which: number, layout: keyof typeof records) => {
      native.call(native.exports.crw_defaults(which));
      return native.record(records[layout]);
    };
    expect(defaults(0, 'buildSettings')).toEqual(BuildDefaults);
    expect(defaults(1, 'queryOptions')).toEqual(QueryDefaults);
    expect(defaults(2, 'queryFilter')).toEqual({
      includeFlags: 0xffff,
      excludeFlags: 0,
      areaCost: new Float64Array(64).fill(1),
    });
    expect(defaults(3, 'crowdOptions')).toEqual(CrowdDefaults);
    expect(defaults(4, 'playerOptions')).toEqual(PlayerDefaults);
    for (const [index, preset] of Object.values(AgentPresets).entries()) {
      const { path, ...own } = preset;
      expect(path).toBeNull();
      expect(defaults(5 + index, 'agentOptions')).toEqual({ ...own, hasPath: false });
      const { maxSpeed, maxAcceleration, arrivalRadius, radius, wallClearance } = preset;
      const ownValues = { maxSpeed, maxAcceleration, arrivalRadius, offMeshTriggerRadius: 2 * radius };
      const follower = native.recordAfter(records.agentOptions, records.followerOptions);
      expect(follower).toEqual({ ...FollowerDefaults, ...ownValues, cornerClearance: 2 * wallClearance + 0.01 });
    }
    for (const [index, preset] of Object.values(PathFollowerPresets).entries()) {
      expect(defaults(8 + index, 'followerOptions')).toEqual({ ...preset, cornerClearance: 0 });
    }
    expect(() => native.call(native.exports.crw_defaults(99))).toThrow(/which/);
  });

  it('the version', async () => {
    const manifest = JSON.parse(text('ts/package.json')) as { version: string };
    expect((await loadCrowdreel()).version).toBe(manifest.version);
  });
});
