// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Fine lines on the ground every four units, which give the eye a scale and make slow motion visible.
import type { MeshLambertMaterial } from 'three';

const SPACING = 4;

const FRAGMENT = /* glsl */ `
  vec2 gridAt = vGroundPosition.xz / ${SPACING.toFixed(1)};
  vec2 gridWidth = fwidth(gridAt);
  vec2 gridDistance = abs(fract(gridAt - 0.5) - 0.5) / max(gridWidth, vec2(1e-6));
  float gridLine = 1.0 - min(min(gridDistance.x, gridDistance.y), 1.0);
  float gridFade = 1.0 - smoothstep(0.05, 0.3, max(gridWidth.x, gridWidth.y));
  diffuseColor.rgb *= 1.0 - 0.09 * gridLine * gridFade;
`;

export function addGridLines(material: MeshLambertMaterial): void {
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', '#include <common>\nvarying vec3 vGroundPosition;')
      .replace('#include <begin_vertex>', '#include <begin_vertex>\nvGroundPosition = position;');
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', '#include <common>\nvarying vec3 vGroundPosition;')
      .replace('#include <color_fragment>', `#include <color_fragment>\n${FRAGMENT}`);
  };
}
