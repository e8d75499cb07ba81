// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// A scene on an engine with threads, in a page or in a worker.
import { loadCrowdreel, threadProblem } from 'crowdreel/threads';
import { SceneRunner, parseScene } from '../scenes/scene';
import { fnv1a, hex } from '../scenes/fnv';

export interface Found {
  threads: number;
  replay: string;
  steps: string[];
}

export async function runScene(text: string, threads: number): Promise<Found> {
  using engine = await loadCrowdreel({ threads });
  const scene = parseScene(text);
  const runner = new SceneRunner(engine, scene, threads);
  const steps = Array.from({ length: scene.steps }, () => hex(runner.step()));
  const replay = hex(fnv1a(runner.recorder.save()));
  runner.dispose();
  return { threads: engine.threads, replay, steps };
}

/** What `threadProblem` says, and what loading says. */
export async function whyNot(): Promise<{ problem: string | null; refusal: string; plain: number }> {
  const refusal = await loadCrowdreel({ threads: 2 }).then(
    () => '',
    (error: unknown) => String(error),
  );
  return { problem: threadProblem(), refusal, plain: (await loadCrowdreel({ threads: 1 })).threads };
}
