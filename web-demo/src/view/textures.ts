// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The few pictures drawn on flat quads, computed: white with an alpha that says the shape.
import { DataTexture, LinearFilter, RGBAFormat } from 'three';

type Alpha = (distance: number, x: number, y: number) => number;

function texture(size: number, alpha: Alpha): DataTexture {
  const data = new Uint8Array(size * size * 4).fill(255);
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const [x, y] = [((column + 0.5) / size) * 2 - 1, ((row + 0.5) / size) * 2 - 1];
      const value = Math.min(1, Math.max(0, alpha(Math.hypot(x, y), x, y)));
      data[(row * size + column) * 4 + 3] = Math.round(value * 255);
    }
  }
  const result = new DataTexture(data, size, size, RGBAFormat);
  result.magFilter = LinearFilter;
  result.minFilter = LinearFilter;
  result.needsUpdate = true;
  return result;
}

const smooth = (from: number, to: number, value: number) => {
  const t = Math.min(1, Math.max(0, (value - from) / (to - from)));
  return t * t * (3 - 2 * t);
};

/** A soft round shadow. */
export function blobTexture(): DataTexture {
  return texture(64, (d) => (1 - smooth(0.25, 1, d)) * 0.95);
}

/** A ring with a soft edge; `inner` is its inner radius. */
export function ringTexture(inner: number): DataTexture {
  return texture(128, (d) => smooth(inner - 0.03, inner, d) * (1 - smooth(0.95, 0.99, d)));
}

/** The shadow of a square slab: full in the middle, fading over the last third. */
export function slabShadowTexture(): DataTexture {
  return texture(128, (_, x, y) => (1 - smooth(0.78, 1, Math.abs(x))) * (1 - smooth(0.78, 1, Math.abs(y))));
}
