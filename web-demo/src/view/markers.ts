// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What is drawn on the ground for the reader's sake: the picked agent's ring, its way and its goal, and a ripple where agents
// were sent.
import { BufferAttribute, BufferGeometry, DoubleSide, Group, Mesh, MeshBasicMaterial } from 'three';
import type { Vec3 } from '../messages';
import { underfootGeometry } from './agent-body';
import { flat, type AgentOnScreen } from './agents';
import type { StageColours } from './palette';
import { ringTexture } from './textures';

const MAX_WAY_POINTS = 48;
const RIPPLE_SECONDS = 0.9;

export class Markers {
  readonly root = new Group();
  private readonly ringMaterial = flat(new MeshBasicMaterial({ map: ringTexture(0.74) }));
  private readonly goalMaterial = flat(new MeshBasicMaterial({ map: ringTexture(0.55), opacity: 0.95 }));
  private readonly rippleMaterial = flat(new MeshBasicMaterial({ map: ringTexture(0.86) }));
  private readonly wayMaterial = flat(new MeshBasicMaterial({ side: DoubleSide, opacity: 0.85 }));
  private readonly ring = new Mesh(underfootGeometry(1, 0.07), this.ringMaterial);
  private readonly goal = new Mesh(underfootGeometry(1, 0.07), this.goalMaterial);
  private readonly ripple = new Mesh(underfootGeometry(1, 0.09), this.rippleMaterial);
  private readonly way: Mesh<BufferGeometry>;
  private rippleAge = RIPPLE_SECONDS;

  constructor() {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(MAX_WAY_POINTS * 18), 3));
    this.way = new Mesh(geometry, this.wayMaterial);
    this.wayMaterial.depthTest = false;
    for (const [i, mesh] of [this.way, this.goal, this.ring, this.ripple].entries()) {
      mesh.visible = false;
      mesh.frustumCulled = false;
      mesh.renderOrder = 4 + i;
      this.root.add(mesh);
    }
  }

  setColours({ accent }: StageColours): void {
    for (const material of [this.ringMaterial, this.goalMaterial, this.rippleMaterial, this.wayMaterial]) {
      material.color.copy(accent);
    }
  }

  /** `corners` are the next corners of the agent's way; `width` is that of the line on the ground. */
  showAgent(agent: AgentOnScreen | null, corners: Float32Array | null, width: number): void {
    this.ring.visible = agent !== null;
    this.way.visible = this.goal.visible = agent !== null && corners !== null && corners.length > 0;
    if (!agent) return;
    this.ring.position.set(agent.x, agent.y, agent.z);
    this.ring.scale.setScalar(agent.radius * 1.75);
    if (!corners || corners.length === 0) return;
    const last = corners.length - 3;
    this.goal.position.set(corners[last]!, corners[last + 1]!, corners[last + 2]!);
    this.goal.scale.setScalar(Math.max(0.35, width * 2.4));
    this.drawWay([agent.x, agent.y, agent.z], corners, width);
  }

  startRipple([x, y, z]: Vec3, size: number): void {
    this.ripple.position.set(x, y, z);
    this.ripple.userData.size = size;
    this.rippleAge = 0;
  }

  /** True while something moves by itself. */
  update(seconds: number): boolean {
    const running = this.rippleAge < RIPPLE_SECONDS;
    this.ripple.visible = running;
    if (!running) return false;
    this.rippleAge += seconds;
    const age = Math.min(1, this.rippleAge / RIPPLE_SECONDS);
    const spread = 1 - (1 - age) ** 3;
    this.ripple.scale.setScalar((this.ripple.userData.size as number) * (0.25 + 0.75 * spread));
    this.rippleMaterial.opacity = 1 - age;
    return true;
  }

  private drawWay(start: Vec3, corners: Float32Array, width: number): void {
    const attribute = this.way.geometry.getAttribute('position') as BufferAttribute;
    const count = Math.min(MAX_WAY_POINTS, corners.length / 3);
    let [x, y, z] = start;
    for (let i = 0; i < count; i++) {
      const [nx, ny, nz] = [corners[i * 3]!, corners[i * 3 + 1]!, corners[i * 3 + 2]!];
      const size = Math.hypot(nx - x, nz - z) || 1;
      const [sx, sz] = [((nz - z) / size) * (width / 2), (-(nx - x) / size) * (width / 2)];
      const quad = [x + sx, y, z + sz, x - sx, y, z - sz, nx + sx, ny, nz + sz];
      quad.push(nx + sx, ny, nz + sz, x - sx, y, z - sz, nx - sx, ny, nz - sz);
      for (let k = 0; k < 18; k++) attribute.array[i * 18 + k] = quad[k]! + (k % 3 === 1 ? 0.08 : 0);
      [x, y, z] = [nx, ny, nz];
    }
    attribute.needsUpdate = true;
    this.way.geometry.setDrawRange(0, count * 6);
  }
}
