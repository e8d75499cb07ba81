// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// A worker that has the engine, and the engine's threads with it.
import { runScene } from './threads-run';

onmessage = ({ data }: MessageEvent<{ text: string; threads: number }>) => {
  void runScene(data.text, data.threads).then((found) => postMessage(found));
};
