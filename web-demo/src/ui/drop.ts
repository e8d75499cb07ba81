// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Ways a file comes in: the picker, and dropping it anywhere on the page.
import type { Session } from '../session';
import { h } from './dom';

export function filePicker(session: Session): { element: HTMLInputElement; open: () => void } {
  const attrs = { type: 'file', accept: '.oprp,application/octet-stream', tabindex: '-1' };
  const element = h('input', { class: 'visually-hidden', id: 'file', label: 'Replay file', attrs });
  element.addEventListener('change', () => {
    const file = element.files?.[0];
    if (file) void session.openFile(file);
    element.value = '';
  });
  return { element, open: () => element.click() };
}

export function dropTarget(session: Session): HTMLElement {
  const veil = h('div', { class: 'drop-veil', hidden: true }, h('p', {}, 'Drop the replay to play it'));
  // Entering a child leaves its parent: what counts is how many elements the pointer is in.
  let depth = 0;
  const show = (change: number) => {
    depth = Math.max(0, depth + change);
    veil.hidden = depth === 0;
  };
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
  window.addEventListener('dragenter', (event) => hasFiles(event) && show(1));
  window.addEventListener('dragleave', (event) => hasFiles(event) && show(-1));
  window.addEventListener('dragover', (event) => hasFiles(event) && event.preventDefault());
  window.addEventListener('drop', (event) => {
    show(-depth);
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    void session.openFile(file);
  });
  return veil;
}
