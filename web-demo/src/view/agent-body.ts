// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The shape of an agent of radius 1 that faces +z: a rounded body, a light head set forward with a dark face, and a flat pointer on
// the ground before it, which shows the facing from far above. Vertex colours darken the agent's own colour; the attribute `tint`
// leads it to white.
import {
  BufferAttribute,
  BufferGeometry,
  LatheGeometry,
  MeshLambertMaterial,
  PlaneGeometry,
  SphereGeometry,
  Vector2,
} from 'three';
import { mergeGeometries } from 'three/examples/jsm/utils/BufferGeometryUtils.js';

/** Bodies are the brightest things in the picture. */
const BRIGHTNESS = 1.3;
const BODY_TOP = 2.02;

type Shade = (y: number) => number;

function dressed(geometry: BufferGeometry, shade: Shade, tint: number): BufferGeometry {
  const position = geometry.getAttribute('position');
  const colours = new Float32Array(position.count * 3);
  for (let i = 0; i < position.count; i++) colours.fill(shade(position.getY(i)), i * 3, i * 3 + 3);
  geometry.setAttribute('color', new BufferAttribute(colours, 3));
  geometry.setAttribute('tint', new BufferAttribute(new Float32Array(position.count).fill(tint), 1));
  geometry.deleteAttribute('uv');
  return geometry;
}

/** Outline of the body from foot to crown: an egg that stands on a small flat foot. */
function profile(points: number): Vector2[] {
  const outline = [new Vector2(0, 0), new Vector2(0.6, 0)];
  for (let i = 1; i < points; i++) {
    const t = i / points;
    const width = 0.95 * Math.sqrt(Math.sin(Math.PI * (0.2 + 0.8 * t))) * (1 - 0.28 * t);
    outline.push(new Vector2(width, BODY_TOP * (1 - (1 - t) ** 1.25)));
  }
  outline.push(new Vector2(0, BODY_TOP));
  return outline;
}

/** Flattens the body front to back: shoulders are wider than deep. */
function torso(around: number, along: number): BufferGeometry {
  const geometry = new LatheGeometry(profile(along), around).scale(1, 1, 0.84);
  geometry.computeVertexNormals();
  return geometry;
}

function ball(radius: number, at: [number, number, number], segments: number, flat = 1): BufferGeometry {
  const geometry = new SphereGeometry(radius, segments, Math.max(4, Math.round(segments * 0.7)));
  return geometry.scale(1, flat, 1).translate(...at);
}

/** A flat wedge on the ground before the feet. */
function pointer(): BufferGeometry {
  const geometry = new BufferGeometry();
  const corners = [-0.78, 0.08, 0.3, 0.78, 0.08, 0.3, 0, 0.08, 1.62];
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(corners), 3));
  geometry.setAttribute('normal', new BufferAttribute(new Float32Array([0, 1, 0, 0, 1, 0, 0, 1, 0]), 3));
  geometry.setAttribute('uv', new BufferAttribute(new Float32Array(6), 2));
  geometry.setIndex([0, 2, 1]);
  return geometry;
}

export function bodyGeometry(low: boolean): BufferGeometry {
  const parts = [
    dressed(torso(low ? 8 : 22, low ? 4 : 12), (y) => 0.66 + 0.34 * Math.min(1, y / 1.4), 0),
    dressed(ball(0.52, [0, 2.2, 0.12], low ? 7 : 18), () => 1, 0.4),
    dressed(pointer(), () => 0.9, 0),
  ];
  if (!low) parts.push(dressed(ball(0.37, [0, 2.24, 0.37], 14, 0.55), () => 0.14, 0));
  const merged = mergeGeometries(parts);
  for (const part of parts) part.dispose();
  return merged;
}

export function bodyMaterial(): MeshLambertMaterial {
  const material = new MeshLambertMaterial({ vertexColors: true });
  material.color.setScalar(BRIGHTNESS);
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', '#include <common>\nattribute float tint;')
      .replace('#include <color_vertex>', '#include <color_vertex>\nvColor.rgb = mix(vColor.rgb, vec3(0.92), tint);');
  };
  return material;
}

/** A flat square under an agent of radius 1, for blob shadows and rings. */
export function underfootGeometry(size: number, height: number): BufferGeometry {
  return new PlaneGeometry(size * 2, size * 2).rotateX(-Math.PI / 2).translate(0, height, 0);
}
