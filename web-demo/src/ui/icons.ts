// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Drawn on a 20 by 20 grid, in the text colour.

const NAMESPACE = 'http://www.w3.org/2000/svg';

/** Filled paths start with "!", all others are strokes. */
const PATHS = {
  play: ['!M6.2 3.9v12.2a.9.9 0 0 0 1.4.75l9-6.1a.9.9 0 0 0 0-1.5l-9-6.1a.9.9 0 0 0-1.4.75z'],
  pause: ['!M5 4.2h3.4v11.6H5zM11.6 4.2H15v11.6h-3.4z'],
  back: ['!M13.6 4.6v10.8L6.4 10z', 'M4.6 4.6v10.8'],
  forward: ['!M6.4 4.6v10.8l7.2-5.4z', 'M15.4 4.6v10.8'],
  loop: [
    'M4 9.2A4.2 4.2 0 0 1 8.2 5h7.3',
    'M13 2.4 15.6 5 13 7.6',
    'M16 10.8a4.2 4.2 0 0 1-4.2 4.2H4.5',
    'M7 17.6 4.4 15 7 12.4',
  ],
  save: ['M10 3v9.2', 'M6.2 8.8 10 12.6l3.8-3.8', 'M3.8 15.6h12.4'],
  open: ['M2.8 15.4V5.2h4.9l1.6 1.9h7.9v8.3z'],
  chevron: ['M5.8 8.2 10 12.4l4.2-4.2'],
  sun: [
    'M10 6.6a3.4 3.4 0 1 0 0 6.8 3.4 3.4 0 0 0 0-6.8z',
    'M10 2.2v1.6M10 16.2v1.6M2.2 10h1.6M16.2 10h1.6M4.5 4.5l1.1 1.1M14.4 14.4l1.1 1.1M4.5 15.5l1.1-1.1M14.4 5.6l1.1-1.1',
  ],
  moon: ['M16.4 11.9A6.9 6.9 0 0 1 8.1 3.6a6.9 6.9 0 1 0 8.3 8.3z'],
  auto: ['M10 3.2a6.8 6.8 0 1 0 0 13.6 6.8 6.8 0 0 0 0-13.6z', '!M10 3.2a6.8 6.8 0 0 1 0 13.6z'],
  keyboard: ['M2.6 5.6h14.8v8.8H2.6z', 'M5.4 8.4h.1M8.4 8.4h.1M11.4 8.4h.1M14.4 8.4h.1M6.6 11.6h6.8'],
  more: [
    '!M10 3.4a1.4 1.4 0 1 1 0 2.8 1.4 1.4 0 0 1 0-2.8zM10 8.6a1.4 1.4 0 1 1 0 2.8 1.4 1.4 0 0 1 0-2.8zM10 13.8a1.4 1.4 0 1 1 0 2.8 1.4 1.4 0 0 1 0-2.8z',
  ],
  close: ['M5 5l10 10M15 5 5 15'],
  follow: ['M10 5.4a4.6 4.6 0 1 0 0 9.2 4.6 4.6 0 0 0 0-9.2z', 'M10 2v3.4M10 14.6V18M2 10h3.4M14.6 10H18'],
  mesh: ['M3.4 14.8 6.8 4.6l9.8 2.2-3 9.2z', 'M6.8 4.6l6.8 11.4M3.4 14.8l13.2-8'],
  check: ['M4.4 10.6l3.8 3.8 7.4-8.6'],
  warning: ['M10 3.4 17.4 16H2.6z', 'M10 8.4v3.4M10 13.8v.1'],
  frame: ['M3.4 7V3.4H7M13 3.4h3.6V7M16.6 13v3.6H13M7 16.6H3.4V13'],
  copy: ['M7 7h9.4v9.4H7z', 'M13 7V3.6H3.6V13H7'],
} as const;

export type IconName = keyof typeof PATHS;

export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(NAMESPACE, 'svg');
  svg.setAttribute('viewBox', '0 0 20 20');
  svg.setAttribute('aria-hidden', 'true');
  svg.setAttribute('class', 'icon');
  for (const data of PATHS[name]) {
    const path = document.createElementNS(NAMESPACE, 'path');
    const filled = data.startsWith('!');
    path.setAttribute('d', filled ? data.slice(1) : data);
    path.setAttribute('class', filled ? 'fill' : 'stroke');
    svg.append(path);
  }
  return svg;
}

/** The mark of the page: a crowd round an open middle. */
export function logo(): SVGSVGElement {
  const svg = document.createElementNS(NAMESPACE, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  svg.setAttribute('class', 'logo');
  for (let i = 0; i < 6; i++) {
    const angle = (i * Math.PI) / 3 - Math.PI / 2;
    const dot = document.createElementNS(NAMESPACE, 'circle');
    dot.setAttribute('cx', (12 + 7.4 * Math.cos(angle)).toFixed(2));
    dot.setAttribute('cy', (12 + 7.4 * Math.sin(angle)).toFixed(2));
    dot.setAttribute('r', i === 1 ? '3.1' : '2.2');
    dot.setAttribute('class', i === 1 ? 'logo-lead' : 'logo-dot');
    svg.append(dot);
  }
  return svg;
}
