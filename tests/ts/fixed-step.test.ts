// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The driver of equal steps: nothing is lost while frames keep up, and nothing piles up when they do not.
import { ArgumentError, FixedStep, type FixedStepOptions } from 'crowdreel';
import { describe, expect, it } from 'vitest';
import { bytesPerCall, createWorld } from './support.js';

const nothing = () => undefined;

/** A driver on a clock that only moves when `work` is done. */
function worked(options: FixedStepOptions, work: () => number) {
  let now = 0;
  const driver = new FixedStep({ ...options, clock: () => now });
  return { driver, step: () => void (now += work()), now: () => now };
}

/** Numbers from 0 to 1, the same every time. */
function random(seed: number): () => number {
  return () => (seed = (seed * 48271) % 2147483647) / 2147483647;
}

describe('time', () => {
  it('is kept whole by uneven frames', () => {
    const seed = 20261;
    const next = random(seed);
    const driver = new FixedStep({ dt: 1 / 60, budget: Infinity });
    let steps = 0;
    let passed = 0;
    const given = new Set<number>();
    const alphas = [];
    for (let frame = 0; frame < 20_000; frame++) {
      const seconds = next() < 0.1 ? 0 : next() * 0.1;
      passed += seconds;
      steps += driver.advance(seconds, (dt) => given.add(dt));
      alphas.push(driver.alpha);
    }
    expect([...given]).toEqual([1 / 60]);
    expect(alphas.every((alpha) => alpha >= 0 && alpha < 1)).toBe(true);
    const error = Math.abs((steps + driver.alpha) / 60 - passed);
    console.log(`seed ${seed}: ${steps} steps, ${passed.toFixed(3)} s, error ${error.toExponential(1)} s`);
    expect(error).toBeLessThan(1e-8);
    expect(driver.droppedTotal).toBe(0);
  });

  it('of one step a frame gives one step a frame', () => {
    for (const dt of [1 / 30, 1 / 60, 0.01, 0.1]) {
      const driver = new FixedStep({ dt });
      for (let frame = 0; frame < 1000; frame++) expect(driver.advance(dt, nothing)).toBe(1);
    }
  });

  it('of frames is the difference of their times, in milliseconds', () => {
    const driver = new FixedStep({ dt: 0.01 });
    expect(driver.frame(5000, nothing)).toBe(0);
    expect(driver.frame(5025, nothing)).toBe(2);
    expect(driver.alpha).toBeCloseTo(0.5, 9);
    expect(driver.frame(5020, nothing)).toBe(0); // clocks that go back
    expect(driver.frame(5025.5, nothing)).toBe(1);
    expect(driver.alpha).toBeCloseTo(0.05, 9);
    driver.reset();
    expect([driver.alpha, driver.frame(9000, nothing), driver.frame(9010, nothing)]).toEqual([0, 0, 1]);
  });
});

describe('a driver never spirals', () => {
  it('after a hidden tab', () => {
    const driver = new FixedStep({ dt: 1 / 60 });
    let steps = 0;
    const count = () => void steps++;
    driver.frame(1000, count);
    driver.frame(1000 + 3_600_000, count); // an hour
    expect([steps, driver.steps]).toEqual([8, 8]);
    expect(driver.dropped).toBeCloseTo(3600 - 8 / 60, 1);
    driver.frame(1000 + 3_600_000 + 20, count);
    expect([steps, driver.dropped]).toEqual([9, 0]); // and on as if nothing had been
    expect(driver.droppedTotal).toBeCloseTo(3600 - 8 / 60, 1);
  });

  it('when steps cost more than they are worth', () => {
    // Each step takes 50 ms for 1/60 s of the run; a picture takes 10 ms.
    const { driver, step, now } = worked({ dt: 1 / 60 }, () => 0.05);
    let last = 0;
    let longest = 0;
    let passed = 0;
    for (let frame = 0; frame < 200; frame++) {
      const began = now();
      const seconds = began - last + 0.01;
      passed += seconds;
      driver.advance(seconds, step);
      longest = Math.max(longest, now() - began);
      last = began;
    }
    expect(longest).toBeCloseTo(0.05, 9); // one step a frame, not more and more
    expect(now() / 0.05 / 60 + driver.alpha / 60 + driver.droppedTotal).toBeCloseTo(passed, 6);
    expect(driver.droppedTotal).toBeGreaterThan(5);
  });

  it('and slow frames have the steps they need while there is time', () => {
    const { driver, step } = worked({ dt: 1 / 60 }, () => 0.004);
    for (let frame = 0; frame < 100; frame++) driver.advance(0.1, step);
    expect([driver.steps, driver.droppedTotal]).toEqual([6, 0]);
    const { driver: slow, step: slower } = worked({ dt: 1 / 60, budget: 0 }, () => 0.004);
    expect([slow.advance(0.1, slower), slow.dropped * 60]).toEqual([1, 5]);
    const { driver: patient, step: costly } = worked({ dt: 1 / 60, budget: Infinity, maxSteps: 100 }, () => 1);
    expect([patient.advance(1.009, costly), patient.dropped]).toEqual([60, 0]);
  });
});

it('what a step throws goes through, and time goes on', () => {
  const driver = new FixedStep({ dt: 0.25 });
  let steps = 0;
  const failing = () => {
    if (++steps === 2) throw new Error('no');
  };
  expect(() => driver.advance(1.125, failing)).toThrow('no');
  expect([driver.steps, driver.dropped, driver.alpha]).toEqual([1, 0.75, 0.5]);
  expect(driver.advance(0.125, failing)).toBe(1);
});

it('bad arguments are named', () => {
  const bad: [unknown, RegExp][] = [
    [undefined, /options\.dt must be a number, not undefined/],
    [7, /options must be an object, not 7/],
    [{ dt: 0 }, /options\.dt must be above 0, not 0/],
    [{ dt: 3601 }, /options\.dt must be at most 3600 seconds, not 3601/],
    [{ dt: NaN }, /options\.dt must be finite/],
    [{ dt: 1, maxStep: 3 }, /options\.maxStep is not an option: did you mean maxSteps\?/],
    [{ dt: 1, maxSteps: 0 }, /options\.maxSteps must be at least 1/],
    [{ dt: 1, budget: -1 }, /options\.budget must be 0 or more/],
    [{ dt: 1, budget: NaN }, /options\.budget must be 0 or more/],
    [{ dt: 1, budget: '1' }, /options\.budget must be a number/],
    [{ dt: 1, clock: 1 }, /options\.clock must be a function/],
  ];
  for (const [options, message] of bad) {
    expect(() => new FixedStep(options as FixedStepOptions), String(message)).toThrow(message);
  }
  const driver = new FixedStep({ dt: 0.5 });
  driver.advance(0.25, nothing);
  for (const seconds of [-1, NaN, Infinity, '1']) {
    expect(() => driver.advance(seconds as number, nothing)).toThrow(ArgumentError);
  }
  expect(() => driver.advance(1, null as unknown as () => void)).toThrow(/step must be a function, not null/);
  expect(() => driver.frame(NaN, nothing)).toThrow(/time must be finite/);
  expect(driver.alpha).toBe(0.5); // all that changed nothing
});

it('drives a crowd and makes hardly any garbage', async () => {
  const { engine, mesh } = await createWorld();
  using crowd = engine.createCrowd(mesh);
  crowd.setDestination(crowd.add([0, 0, 9]), [0, 0, -9]);
  const driver = new FixedStep({ dt: 1 / 60, budget: Infinity });
  const step = (dt: number) => crowd.step(dt);
  for (let frame = 0; frame < 200; frame++) driver.frame(frame * 100, step);
  expect(crowd.stepCount).toBe(Math.floor(19.9 * 60 + 1e-6));
  const bytes = bytesPerCall((i) => driver.advance((i % 3) / 100, nothing), 20_000);
  console.log(`${bytes.toFixed(1)} bytes of garbage per frame`);
  expect(bytes).toBeLessThan(300); // a few numbers, no objects
});
