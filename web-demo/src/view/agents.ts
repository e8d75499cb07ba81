// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The crowd: one instanced body and one instanced blob shadow per agent, both moved by the same matrices.
import {
  Color,
  DynamicDrawUsage,
  Group,
  InstancedBufferAttribute,
  InstancedMesh,
  MeshBasicMaterial,
  type BufferGeometry,
  type Material,
} from 'three';
import { GROUP_COUNT } from '../frame-layout';
import type { Frame, Picture } from '../playback';
import { bodyGeometry, bodyMaterial, underfootGeometry } from './agent-body';
import { GROUP_COLOURS, type StageColours } from './palette';
import { blobTexture, ringTexture } from './textures';

/** FollowerState.Arrived and Idle: drawn dim, they have nowhere to go. */
const RESTING = new Set([0, 3]);
/** Slower than this, in units per second, an agent keeps its facing. */
const TURNING_SPEED = 0.15;
/** Seconds in which a figure turns most of the way to where it walks. */
const TURN_SECONDS = 0.09;
/** An agent that moved further than this in one frame, in units per second, was teleported. */
const TELEPORT_SPEED = 40;

export interface AgentOnScreen {
  id: number;
  group: number;
  radius: number;
  x: number;
  y: number;
  z: number;
}

function indexOfId(frame: Frame, id: number, guess: number): number {
  if (guess < frame.count && frame.arrays.ids[guess] === id) return guess;
  return frame.arrays.ids.subarray(0, frame.count).indexOf(id);
}

export class AgentsView {
  readonly root = new Group();
  count = 0;
  private capacity = 0;
  private body!: InstancedMesh;
  private shadow!: InstancedMesh;
  private rings!: InstancedMesh;
  private readonly bodyShape: BufferGeometry;
  private readonly shadowShape = underfootGeometry(1.75, 0.03);
  private readonly ringShape = underfootGeometry(1.35, 0.05);
  private readonly bodyMaterial = bodyMaterial();
  private readonly shadowMaterial = flat(new MeshBasicMaterial({ map: blobTexture(), color: 0x000000 }));
  private readonly ringMaterial = flat(new MeshBasicMaterial({ map: ringTexture(0.86), opacity: 0.6 }));
  private positions = new Float32Array(0);
  private ids = new Float64Array(0);
  private groups = new Uint8Array(0);
  private radii = new Float32Array(0);
  private readonly headings = new Map<number, number>();
  private readonly bright: Color[] = GROUP_COLOURS.map((hex) => new Color(hex));
  private dim: Color[] = this.bright;

  constructor(low: boolean) {
    this.bodyShape = bodyGeometry(low);
    this.reserve(64);
  }

  setColours(colours: StageColours): void {
    this.dim = this.bright.map((colour) => colour.clone().lerp(colours.floor, 0.62));
    this.shadowMaterial.opacity = colours.shadow;
    this.ringMaterial.color.copy(colours.accent);
  }

  /** Forgets facings: another run begins. */
  clear(): void {
    this.headings.clear();
  }

  /** Places every agent. `seconds` is the time since the last picture; 0 after a jump. */
  update({ from, to, mix }: Picture, seconds: number): void {
    this.reserve(from.count);
    this.count = from.count;
    const farthest = TELEPORT_SPEED * Math.max(1, to.step - from.step) * (1 / 60);
    for (let i = 0; i < from.count; i++) this.place(i, from, to, mix, farthest, seconds);
    this.show(this.body, from.count);
    this.show(this.shadow, from.count);
    if (this.body.instanceColor) this.body.instanceColor.needsUpdate = true;
  }

  /** Rings the agents that `chosen` picks out. */
  ring(chosen: (id: number, group: number) => boolean): void {
    let rings = 0;
    const matrices = this.rings.instanceMatrix.array;
    for (let i = 0; i < this.count; i++) {
      if (!chosen(this.ids[i]!, this.groups[i]!)) continue;
      matrices.set(this.body.instanceMatrix.array.subarray(i * 16, i * 16 + 16), rings * 16);
      rings++;
    }
    this.show(this.rings, rings);
  }

  at(index: number): AgentOnScreen {
    const p = this.positions;
    return {
      id: this.ids[index]!,
      group: this.groups[index]!,
      radius: this.radii[index]!,
      x: p[index * 3]!,
      y: p[index * 3 + 1]!,
      z: p[index * 3 + 2]!,
    };
  }

  indexOf(id: number): number {
    return this.ids.subarray(0, this.count).indexOf(id);
  }

  find(id: number): AgentOnScreen | null {
    const index = this.indexOf(id);
    return index < 0 ? null : this.at(index);
  }

  private place(i: number, from: Frame, to: Frame, mix: number, farthest: number, seconds: number): void {
    const a = from.arrays;
    const id = a.ids[i]!;
    const at = i * 3;
    let x = a.positions[at]!;
    let y = a.positions[at + 1]!;
    let z = a.positions[at + 2]!;
    const j = mix > 0 ? indexOfId(to, id, i) : -1;
    if (j >= 0) {
      const p = to.arrays.positions;
      const dx = p[j * 3]! - x;
      const dy = p[j * 3 + 1]! - y;
      const dz = p[j * 3 + 2]! - z;
      const part = Math.abs(dx) + Math.abs(dz) > farthest ? Math.round(mix) : mix;
      x += dx * part;
      y += dy * part;
      z += dz * part;
    }
    this.positions[at] = x;
    this.positions[at + 1] = y;
    this.positions[at + 2] = z;
    this.ids[i] = id;
    this.groups[i] = a.groups[i]!;
    this.radii[i] = a.radii[i]!;
    this.setMatrix(i, this.heading(id, a.velocities[i * 2]!, a.velocities[i * 2 + 1]!, seconds));
    const colours = RESTING.has(a.states[i]!) ? this.dim : this.bright;
    this.body.setColorAt(i, colours[Math.min(a.groups[i]!, GROUP_COUNT)]!);
  }

  private heading(id: number, vx: number, vz: number, seconds: number): number {
    const last = this.headings.get(id);
    if (Math.hypot(vx, vz) < TURNING_SPEED) return last ?? 0;
    const wanted = Math.atan2(vx, vz);
    let heading = wanted;
    if (last !== undefined && seconds > 0) {
      const turn = Math.atan2(Math.sin(wanted - last), Math.cos(wanted - last));
      heading = last + turn * (1 - Math.exp(-seconds / TURN_SECONDS));
    }
    this.headings.set(id, heading);
    return heading;
  }

  /** Turn about y, scale by the radius, move: written out, it is the same for body, shadow and ring. */
  private setMatrix(i: number, heading: number): void {
    const m = this.body.instanceMatrix.array;
    const p = i * 3;
    const o = i * 16;
    const r = this.radii[i]!;
    const sin = Math.sin(heading) * r;
    const cos = Math.cos(heading) * r;
    m[o] = cos;
    m[o + 2] = -sin;
    m[o + 5] = r;
    m[o + 8] = sin;
    m[o + 10] = cos;
    m[o + 12] = this.positions[p]!;
    m[o + 13] = this.positions[p + 1]!;
    m[o + 14] = this.positions[p + 2]!;
    m[o + 15] = 1;
  }

  private show(mesh: InstancedMesh, count: number): void {
    mesh.count = count;
    mesh.instanceMatrix.needsUpdate = true;
  }

  private reserve(count: number): void {
    if (count <= this.capacity) return;
    this.capacity = Math.max(64, 2 ** Math.ceil(Math.log2(count)));
    for (const mesh of [this.body, this.shadow, this.rings]) mesh?.dispose();
    this.root.clear();
    this.body = this.instanced(this.bodyShape, this.bodyMaterial, 3);
    this.shadow = this.instanced(this.shadowShape, this.shadowMaterial, 1);
    this.rings = this.instanced(this.ringShape, this.ringMaterial, 2);
    this.shadow.instanceMatrix = this.body.instanceMatrix;
    this.body.instanceColor = new InstancedBufferAttribute(new Float32Array(this.capacity * 3), 3);
    this.body.instanceColor.setUsage(DynamicDrawUsage);
    this.positions = new Float32Array(this.capacity * 3);
    this.ids = new Float64Array(this.capacity);
    this.groups = new Uint8Array(this.capacity);
    this.radii = new Float32Array(this.capacity);
  }

  private instanced(shape: BufferGeometry, material: Material, order: number): InstancedMesh {
    const mesh = new InstancedMesh(shape, material, this.capacity);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.instanceMatrix.array.fill(0);
    mesh.count = 0;
    mesh.frustumCulled = false;
    mesh.renderOrder = order;
    this.root.add(mesh);
    return mesh;
  }
}

/** For quads that lie on the ground: blended, never hiding anything. */
export function flat(material: MeshBasicMaterial): MeshBasicMaterial {
  material.transparent = true;
  material.depthWrite = false;
  material.polygonOffset = true;
  material.polygonOffsetFactor = -2;
  material.polygonOffsetUnits = -2;
  return material;
}
