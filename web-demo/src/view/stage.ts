// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The canvas: renderer, lights, level, crowd and markers. Draws only when something has changed, and with fewer pixels when the
// machine cannot keep up.
import { BasicShadowMap, DirectionalLight, HemisphereLight, PCFShadowMap, Scene, Vector3, WebGLRenderer } from 'three';
import type { AgentDetails, LevelData, Vec3 } from '../messages';
import type { Picture } from '../playback';
import { AgentsView, type AgentOnScreen } from './agents';
import { OrbitCamera, type Insets } from './camera';
import { LevelView } from './level';
import { Markers } from './markers';
import { readColours } from './palette';

export type Quality = 'high' | 'low';

export interface Selection {
  picked: number | null;
  details: AgentDetails | null;
  follow: boolean;
  /** Agents that a click on the ground would send, to be ringed; null for none. */
  chosen: ((id: number, group: number) => boolean) | null;
}

/** A tap this near an agent's middle, in CSS pixels, picks it: a finger covers more than a mouse pointer. */
const PICK_PIXELS = { mouse: 9, touch: 18 };
/** Width of the picked agent's way. */
const WAY_PIXELS = 3;
/** Frames slower than this on average cost resolution. */
const SLOW_FRAME_SECONDS = 1 / 28;

export class Stage {
  readonly orbit = new OrbitCamera();
  readonly canvas: HTMLCanvasElement;
  framesDrawn = 0;
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly agents: AgentsView;
  private readonly level: LevelView;
  private readonly markers = new Markers();
  private readonly hemisphere = new HemisphereLight(0xffffff, 0x888888, 1.9);
  private readonly sun = new DirectionalLight(0xffffff, 1.5);
  private data: LevelData | null = null;
  private dirty = true;
  private lastPicture: Picture | null = null;
  private pixelRatio: number;
  private slowness = 0;

  /** Throws when the browser has no WebGL 2. */
  constructor(
    host: HTMLElement,
    private readonly quality: Quality,
  ) {
    const low = quality === 'low';
    this.renderer = new WebGLRenderer({ antialias: !low, powerPreference: 'high-performance' });
    this.canvas = this.renderer.domElement;
    this.canvas.className = 'stage-canvas';
    host.append(this.canvas);
    this.pixelRatio = low ? 1 : Math.min(window.devicePixelRatio || 1, 2);
    this.renderer.shadowMap.enabled = !low;
    this.renderer.shadowMap.type = low ? BasicShadowMap : PCFShadowMap;
    this.renderer.shadowMap.autoUpdate = false;
    this.agents = new AgentsView(low);
    this.level = new LevelView(low);
    this.sun.castShadow = !low;
    this.scene.add(this.hemisphere, this.sun, this.sun.target, this.level.root, this.agents.root, this.markers.root);
    this.recolour();
  }

  get agentCount(): number {
    return this.agents.count;
  }

  /** Reads the page's colours anew: the theme has changed. */
  recolour(): void {
    const colours = readColours();
    this.scene.background = colours.stage;
    this.hemisphere.color.copy(colours.sky);
    this.hemisphere.groundColor.copy(colours.bounce);
    this.agents.setColours(colours);
    this.level.setColours(colours);
    this.markers.setColours(colours);
    this.dirty = true;
  }

  resize(width: number, height: number, insets: Insets): void {
    this.renderer.setPixelRatio(this.pixelRatio);
    this.renderer.setSize(width, height);
    this.orbit.resize(width, height, insets);
    this.dirty = true;
  }

  setLevel(data: LevelData): void {
    this.data = data;
    this.level.setLevel(data);
    this.agents.clear();
    this.aimSun(data);
    this.orbit.frame(data, true);
    this.dirty = true;
  }

  /** Puts the whole level in the picture. */
  frameAll(jump = false): void {
    if (this.data) this.orbit.frame(this.data, jump);
  }

  showMesh(shown: boolean): void {
    this.level.showMesh(shown);
    this.dirty = true;
  }

  invalidate(): void {
    this.dirty = true;
  }

  draw(picture: Picture | null, selection: Selection, seconds: number): void {
    if (picture && this.isNew(picture)) {
      const follows = this.lastPicture !== null && Math.abs(picture.from.step - this.lastPicture.to.step) < 60;
      this.agents.update(picture, follows ? seconds : 0);
      this.lastPicture = { ...picture };
      this.dirty = true;
    }
    const agent = selection.picked === null ? null : this.agents.find(selection.picked);
    if (this.dirty) this.mark(agent, selection);
    if (agent && selection.follow) this.orbit.follow(agent.x, agent.y, agent.z);
    const moved = this.orbit.update(seconds);
    const animated = this.markers.update(seconds);
    if (!moved && !animated && !this.dirty) return;
    this.dirty = animated;
    this.renderer.render(this.scene, this.orbit.camera);
    this.framesDrawn++;
    this.govern(seconds);
  }

  /** World coordinates to the level's own. */
  local([x, y, z]: Vec3): Vec3 {
    const [ox, oy, oz] = this.data?.origin ?? [0, 0, 0];
    return [x - ox, y - oy, z - oz];
  }

  ripple(point: Vec3, size: number): void {
    this.markers.startRipple(this.local(point), size);
  }

  /** The agent under a point of the picture (CSS pixels): the nearest to the eye of those within reach of the finger. */
  agentAt(x: number, y: number, touch: boolean): AgentOnScreen | null {
    let best: AgentOnScreen | null = null;
    let bestScore = Infinity;
    for (let i = 0; i < this.agents.count; i++) {
      const agent = this.agents.at(i);
      const middle = this.orbit.project(agent.x, agent.y + agent.radius * 1.3, agent.z);
      const edge = this.orbit.project(agent.x, agent.y + agent.radius * 3, agent.z);
      const reach = Math.max(touch ? PICK_PIXELS.touch : PICK_PIXELS.mouse, Math.abs(edge.y - middle.y) * 1.1);
      const away = Math.hypot(middle.x - x, middle.y - y) / reach;
      if (middle.depth > 1 || away > 1) continue;
      const score = away + middle.depth * 0.01;
      if (score < bestScore) [best, bestScore] = [agent, score];
    }
    return best;
  }

  /** The ground under a point of the picture, in world coordinates. */
  groundAt(x: number, y: number): Vec3 | null {
    const { data } = this;
    if (!data) return null;
    const hit = this.orbit.rayAt(this.orbit.pointer(x, y)).intersectObjects([...this.level.groundObjects], false)[0];
    if (!hit) return null;
    return [hit.point.x + data.origin[0], hit.point.y + data.origin[1], hit.point.z + data.origin[2]];
  }

  /** Picture coordinates of a point of the world. */
  screenOf(point: Vec3): { x: number; y: number } {
    const { x, y } = this.orbit.project(...this.local(point));
    return { x, y };
  }

  agentOnScreen(id: number): { x: number; y: number } | null {
    const agent = this.agents.find(id);
    if (!agent) return null;
    const { x, y } = this.orbit.project(agent.x, agent.y + agent.radius * 1.3, agent.z);
    return { x, y };
  }

  /** The agent after (or before) another in the picture's order; the first one without another. */
  neighbourOf(id: number | null, direction: 1 | -1): number | null {
    const { count } = this.agents;
    if (count === 0) return null;
    const from = id === null ? -1 : this.agents.indexOf(id);
    const index = from < 0 ? (direction > 0 ? 0 : count - 1) : (from + direction + count) % count;
    return this.agents.at(index).id;
  }

  /** The middle of the part of the picture that no bar covers. */
  middle(): { x: number; y: number } {
    const { x, y, z } = this.orbit.target;
    return this.orbit.project(x, y, z);
  }

  private mark(agent: AgentOnScreen | null, { details, chosen }: Selection): void {
    this.agents.ring(chosen ?? (() => false));
    const corners = details && agent && details.id === agent.id ? details.corners : null;
    this.markers.showAgent(agent, corners, Math.max(0.06, this.orbit.unitsPerPixel * WAY_PIXELS));
  }

  private isNew({ from, to, mix }: Picture): boolean {
    const last = this.lastPicture;
    return !last || last.from !== from || last.to !== to || last.mix !== mix;
  }

  /** One shadow map of the level, drawn once: agents have their blobs. */
  private aimSun({ min, max }: LevelData): void {
    const middle = new Vector3((min[0] + max[0]) / 2, min[1], (min[2] + max[2]) / 2);
    const reach = Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2]) / 2;
    this.sun.target.position.copy(middle);
    this.sun.position.set(middle.x - reach * 0.7, middle.y + reach * 1.6, middle.z + reach * 0.45);
    const { shadow } = this.sun;
    Object.assign(shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1, far: reach * 4 });
    shadow.camera.updateProjectionMatrix();
    shadow.mapSize.set(2048, 2048);
    shadow.normalBias = reach * 0.002;
    shadow.bias = -0.0004;
    shadow.radius = 3;
    this.renderer.shadowMap.needsUpdate = true;
  }

  private govern(seconds: number): void {
    this.slowness += (Math.min(seconds, 0.25) - this.slowness) * 0.05;
    if (this.framesDrawn % 90 !== 0 || this.slowness < SLOW_FRAME_SECONDS || this.pixelRatio <= 0.75) return;
    if (this.quality === 'low') return;
    this.pixelRatio = Math.max(0.75, this.pixelRatio * 0.8);
    this.renderer.setPixelRatio(this.pixelRatio);
    this.dirty = true;
  }
}
