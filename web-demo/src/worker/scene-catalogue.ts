// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The scenes of tests/scenes, bundled with the worker: the demo shows exactly what the tests run.
import { parseScene, type Scene } from '../../../tests/scenes/scene';
import type { SceneEntry } from '../messages';

const texts = import.meta.glob<string>('../../../tests/scenes/*.scene', {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** First the scenes a newcomer should meet first; others follow by title. */
const ORDER = ['plaza', 'door', 'ring', 'crossing', 'level'];

function rank(name: string): number {
  const index = ORDER.indexOf(name);
  return index < 0 ? ORDER.length : index;
}

export class SceneCatalogue {
  private readonly scenes = Object.values(texts)
    .map(parseScene)
    .sort((a, b) => rank(a.name) - rank(b.name) || (a.title < b.title ? -1 : 1));

  entries(): SceneEntry[] {
    return this.scenes.map(({ name, title, about, agents }) => ({ name, title, about, agents: agents.length }));
  }

  find(name: string): Scene | undefined {
    return this.scenes.find((scene) => scene.name === name);
  }
}
