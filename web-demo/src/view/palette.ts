// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Colours of the picture. Groups use eight hues found by search so that every pair stays apart (OKLab distance of at least 0.1)
// in normal sight and with protanopia, deuteranopia and tritanopia. All other colours are the page's tokens (styles/tokens.css).
import { Color } from 'three';

export const GROUP_COLOURS = [
  '#23a2ef',
  '#eb8300',
  '#18d8ee',
  '#bb41a5',
  '#ebd302',
  '#6464ed',
  '#95c493',
  '#d6390e',
  // Without destination.
  '#8b95a3',
] as const;

export interface StageColours {
  stage: Color;
  floor: Color;
  wall: Color;
  edge: Color;
  line: Color;
  accent: Color;
  sky: Color;
  bounce: Color;
  /** 0 none to 1 black. */
  shadow: number;
}

export function readColours(): StageColours {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => new Color(style.getPropertyValue(name).trim() || '#888888');
  return {
    stage: colour('--stage'),
    floor: colour('--floor'),
    wall: colour('--wall'),
    edge: colour('--slab-edge'),
    line: colour('--mesh-line'),
    accent: colour('--accent'),
    sky: colour('--sky-light'),
    bounce: colour('--bounce-light'),
    shadow: Number(style.getPropertyValue('--shadow-strength')) || 0.3,
  };
}

export function groupColour(group: number): string {
  return GROUP_COLOURS[group] ?? GROUP_COLOURS[8];
}
