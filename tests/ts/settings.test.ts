// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Build settings that follow others when they are not given.
import { BuildDefaults, loadCrowdreel, type BuildSettings, type Engine } from 'crowdreel';
import { beforeAll, describe, expect, it } from 'vitest';
import { level } from './support.js';

let engine: Engine;
beforeAll(async () => {
  engine = await loadCrowdreel();
});

/** The settings a build runs with. */
const used = (given?: Partial<BuildSettings>) => engine.readBuildInput(engine.writeBuildInput(level, given)).settings;

describe('default settings', () => {
  it('without any given are those of the engine, to the bit', () => {
    for (const none of [undefined, {}, { cellSize: undefined } as object, { walkableClimb: 0.9 }]) {
      expect(used(none)).toEqual(BuildDefaults);
    }
    const { contourMaxError, detailSampleDistance, detailMaxError } = BuildDefaults;
    expect([contourMaxError, detailSampleDistance, detailMaxError]).toEqual([0.39, 1.8, 0.2]);
  });

  it.each<[Partial<BuildSettings>, number, number, number]>([
    [{ cellSize: 0.2, agentRadius: 0.4 }, 0.2, 1.2, 0.2],
    [{ cellSize: 0.1 }, 0.13, 0.6, 0.2],
    [{ cellSize: 0.3 }, 0.3, 1.8, 0.2], // the bound holds as soon as one of the two is given
    [{ agentRadius: 0.6 }, 0.3, 1.8, 0.2],
    [{ agentRadius: 3 }, 0.39, 1.8, 0.2],
    [{ agentRadius: 0 }, 0.39, 1.8, 0.2],
    [{ agentRadius: 0, cellSize: 1 }, 1.3, 6, 0.2],
    [{ cellHeight: 0.05 }, 0.39, 1.8, 0.05],
    [{ cellSize: 0.1, contourMaxError: 0.39, detailSampleDistance: 0, detailMaxError: 1 }, 0.39, 0, 1],
    [{ ...BuildDefaults, cellSize: 0.1 }, 0.39, 1.8, 0.2],
  ])('follow %o', (given, contourMaxError, detailSampleDistance, detailMaxError) => {
    expect(used(given)).toEqual({ ...BuildDefaults, ...given, contourMaxError, detailSampleDistance, detailMaxError });
  });

  it('keep outlines at least half the radius away from walls', () => {
    const { mesh } = engine.buildNavMesh(level, { agentRadius: 0.4, cellSize: 0.2, walkableClimb: 0.4 });
    const { positions } = mesh.polygonOutlines();
    let nearest = Infinity;
    // The blocks of the level: x -6 to -4, z -7 to -5, and x 4 to 6, z 5 to 7.
    for (let i = 0; i < positions.length; i += 3) {
      for (const side of [-1, 1]) {
        const [x, z] = [side * positions[i]! - 5, side * positions[i + 2]! - 6];
        nearest = Math.min(nearest, Math.hypot(Math.max(Math.abs(x) - 1, 0), Math.max(Math.abs(z) - 1, 0)));
      }
    }
    expect(nearest).toBeGreaterThanOrEqual(0.2);
    expect(nearest).toBeLessThan(0.8);
  });

  it('of a bad setting do not hide its name', () => {
    for (const cellSize of [NaN, -1, 0, Infinity, 1e9]) {
      expect(() => used({ cellSize })).toThrow(expect.objectContaining({ field: 'settings.cellSize' }) as Error);
    }
    for (const value of ['0.2', null]) {
      expect(() => used({ cellSize: value as never })).toThrow(/settings\.cellSize must be a number/);
      expect(() => used({ contourMaxError: value as never })).toThrow(/settings\.contourMaxError must be a number/);
    }
    expect(used({ cellSize: 2 ** 21, agentRadius: 0 }).detailSampleDistance).toBe(2 ** 21);
  });
});
