// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// An orbiting camera: a target on the ground, two angles and a distance, each gliding to where input has put it.
import { PerspectiveCamera, Plane, Raycaster, Vector2, Vector3 } from 'three';
import type { LevelData, Vec3 } from '../messages';

/** Space at the edges of the picture that the page's bars cover, in CSS pixels. */
export interface Insets {
  top: number;
  bottom: number;
}

interface Pose {
  target: Vector3;
  yaw: number;
  pitch: number;
  distance: number;
}

const FIELD_OF_VIEW = 32;
const MIN_PITCH = 0.18;
const MAX_PITCH = 1.52;
/** Seconds in which a glide gets most of the way. */
const GLIDE_SECONDS = 0.07;
/** Radians per second of the slow turn before the first touch. */
const IDLE_TURN = 0.02;
/** Empty border of the first view, as a share of the free part of the picture. */
const BORDER = 0.05;
/** Height of what stands on the points that are framed. */
const HEADROOM = 2;

type Framed = Pick<LevelData, 'min' | 'max' | 'focus'>;

export class OrbitCamera {
  readonly camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.1, 1000);
  idle = true;
  /** Reduced motion: no idle turn, no gliding. */
  still = false;
  private readonly pose: Pose = { target: new Vector3(), yaw: 0.6, pitch: 0.85, distance: 60 };
  private readonly goal: Pose = { target: new Vector3(), yaw: 0.6, pitch: 0.85, distance: 60 };
  private readonly raycaster = new Raycaster();
  private width = 1;
  private height = 1;
  private size = 60;
  private insets: Insets = { top: 0, bottom: 0 };
  /** Pixels by which the picture is moved up, so that its middle is the middle of the free part. */
  private shift = 0;

  /** World units that one CSS pixel covers where the camera looks. */
  get unitsPerPixel(): number {
    return (2 * this.pose.distance * Math.tan((FIELD_OF_VIEW * Math.PI) / 360)) / this.height;
  }

  /** Where the camera looks, on the ground. */
  get target(): Readonly<Vector3> {
    return this.pose.target;
  }

  resize(width: number, height: number, insets: Insets): void {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    this.insets = insets;
    this.camera.aspect = this.width / this.height;
    this.shift = (insets.bottom - insets.top) / 2;
    this.place();
  }

  /** The bars cover another part of the picture: glides over. */
  setInsets(insets: Insets): void {
    this.insets = insets;
  }

  /** Puts a level's points of interest in the picture. `jump`: at once, for a new level. */
  frame({ min, max, focus }: Framed, jump: boolean): void {
    const { goal } = this;
    this.size = Math.max(4, Math.hypot(max[0] - min[0], max[2] - min[2]));
    goal.target.set(middleOf(focus, 0), min[1], middleOf(focus, 2));
    if (jump) this.setAngles(min, max);
    for (let i = 0; i < 4; i++) {
      goal.distance = this.fitting(focus);
      this.centre(focus);
    }
    this.camera.near = this.size / 400;
    this.camera.far = this.size * 12;
    if (jump) this.settle();
  }

  orbit(dx: number, dy: number): void {
    this.idle = false;
    this.goal.yaw -= dx * 0.006;
    this.goal.pitch = Math.min(MAX_PITCH, Math.max(MIN_PITCH, this.goal.pitch + dy * 0.005));
  }

  /** Moves the ground under the pointer by as many pixels. */
  pan(dx: number, dy: number): void {
    this.idle = false;
    const perPixel = this.unitsPerPixel;
    const { yaw, pitch, target } = this.goal;
    const [sin, cos] = [Math.sin(yaw), Math.cos(yaw)];
    const [right, ahead] = [-dx * perPixel, (dy * perPixel) / Math.max(0.3, Math.sin(pitch))];
    target.x += cos * right - sin * ahead;
    target.z += -sin * right - cos * ahead;
    this.keepNear();
  }

  /** Zooms by a factor (below 1: nearer), keeping the ground under the pointer in place. */
  zoom(factor: number, pointer: Vector2 | null): void {
    this.idle = false;
    const { goal } = this;
    const distance = Math.min(this.size * 4, Math.max(2, goal.distance * factor));
    const real = distance / goal.distance;
    const under = pointer && this.planePoint(pointer, goal.target.y);
    if (under && under.distanceTo(goal.target) < this.size * 2) {
      goal.target.set(
        under.x + (goal.target.x - under.x) * real,
        goal.target.y,
        under.z + (goal.target.z - under.z) * real,
      );
    }
    goal.distance = distance;
    this.keepNear();
  }

  follow(x: number, y: number, z: number): void {
    this.goal.target.set(x, y, z);
    if (this.goal.distance > this.size * 0.5) this.goal.distance = this.size * 0.35;
  }

  /** Glides on. True when the view has changed. */
  update(seconds: number): boolean {
    const { pose, goal } = this;
    if (this.idle && !this.still) goal.yaw += IDLE_TURN * seconds;
    const part = this.still ? 1 : 1 - Math.exp(-seconds / GLIDE_SECONDS);
    const before = pose.target.length() + pose.yaw + pose.pitch + pose.distance + this.shift;
    this.shift += ((this.insets.bottom - this.insets.top) / 2 - this.shift) * part;
    pose.target.lerp(goal.target, part);
    pose.yaw += (goal.yaw - pose.yaw) * part;
    pose.pitch += (goal.pitch - pose.pitch) * part;
    pose.distance += (goal.distance - pose.distance) * part;
    const after = pose.target.length() + pose.yaw + pose.pitch + pose.distance + this.shift;
    const moved = Math.abs(after - before) > 1e-5 * pose.distance;
    if (moved) this.place();
    return moved;
  }

  /** The ray through a point of the picture, given in -1..1 each way. */
  rayAt(pointer: Vector2): Raycaster {
    this.raycaster.setFromCamera(pointer, this.camera);
    return this.raycaster;
  }

  /** World to CSS pixels of the picture. */
  project(x: number, y: number, z: number): { x: number; y: number; depth: number } {
    const p = new Vector3(x, y, z).project(this.camera);
    return { x: ((p.x + 1) / 2) * this.width, y: ((1 - p.y) / 2) * this.height, depth: p.z };
  }

  /** CSS pixels of the picture to -1..1 each way. */
  pointer(x: number, y: number): Vector2 {
    return new Vector2((x / this.width) * 2 - 1, 1 - (y / this.height) * 2);
  }

  private planePoint(pointer: Vector2, y: number): Vector3 | null {
    return this.rayAt(pointer).ray.intersectPlane(new Plane(new Vector3(0, 1, 0), -y), new Vector3());
  }

  private setAngles(min: Vec3, max: Vec3): void {
    const tall = this.height > this.width;
    const long = (max[0] - min[0]) / Math.max(1, max[2] - min[2]);
    // A tall picture looks along the level's long side.
    this.goal.yaw = tall && long > 1.25 ? Math.PI / 2 - 0.22 : tall ? 0.3 : 0.46;
    this.goal.pitch = tall ? 1.05 : 0.8;
  }

  /** Moves the target so that there is as much room above the points as below them. */
  private centre(points: Float32Array): void {
    const { goal } = this;
    let [low, high] = [Infinity, -Infinity];
    for (let i = 0; i < points.length; i += 3) {
      const { y, depth } = this.seen(points[i]!, points[i + 1]!, points[i + 2]!, goal.distance);
      low = Math.min(low, y / depth);
      high = Math.max(high, y / depth);
    }
    const ahead = (((low + high) / 2) * goal.distance) / Math.sin(goal.pitch);
    goal.target.x -= Math.sin(goal.yaw) * ahead;
    goal.target.z -= Math.cos(goal.yaw) * ahead;
  }

  /** A point as the camera would see it from `distance`: right, up, and depth. */
  private seen(px: number, py: number, pz: number, distance: number): { x: number; y: number; depth: number } {
    const { yaw, pitch, target } = this.goal;
    const [dx, dy, dz] = [px - target.x, py - target.y, pz - target.z];
    const x = Math.cos(yaw) * dx - Math.sin(yaw) * dz;
    const back = Math.sin(yaw) * dx + Math.cos(yaw) * dz;
    const depth = distance - back * Math.cos(pitch) - dy * Math.sin(pitch);
    return { x, y: dy * Math.cos(pitch) - back * Math.sin(pitch), depth };
  }

  /** The distance at which every point lies in the free part of the picture. */
  private fitting(points: Float32Array): number {
    let [near, far] = [this.size * 0.1, this.size * 6];
    for (let i = 0; i < 24; i++) {
      const middle = (near + far) / 2;
      if (this.fits(points, middle)) far = middle;
      else near = middle;
    }
    return far;
  }

  private fits(points: Float32Array, distance: number): boolean {
    const free = Math.max(80, this.height - this.insets.top - this.insets.bottom);
    const tangent = Math.tan((FIELD_OF_VIEW * Math.PI) / 360);
    const limitX = ((1 - BORDER) * tangent * this.width) / this.height;
    const limitY = (1 - BORDER) * tangent * (free / this.height);
    for (let i = 0; i < points.length; i += 3) {
      for (const height of [0, HEADROOM]) {
        const { x, y, depth } = this.seen(points[i]!, points[i + 1]! + height, points[i + 2]!, distance);
        if (depth <= 0 || Math.abs(x) > limitX * depth || Math.abs(y) > limitY * depth) return false;
      }
    }
    return true;
  }

  private keepNear(): void {
    const { target } = this.goal;
    const reach = this.size * 1.5;
    target.x = Math.min(reach, Math.max(-reach, target.x));
    target.z = Math.min(reach, Math.max(-reach, target.z));
  }

  private settle(): void {
    this.pose.target.copy(this.goal.target);
    Object.assign(this.pose, { yaw: this.goal.yaw, pitch: this.goal.pitch, distance: this.goal.distance });
    this.place();
  }

  private place(): void {
    const { target, yaw, pitch, distance } = this.pose;
    const flat = Math.cos(pitch) * distance;
    this.camera.position.set(
      target.x + Math.sin(yaw) * flat,
      target.y + Math.sin(pitch) * distance,
      target.z + Math.cos(yaw) * flat,
    );
    this.camera.lookAt(target);
    this.camera.setViewOffset(this.width, this.height, 0, this.shift, this.width, this.height);
    this.camera.updateMatrixWorld();
  }
}

/** Middle of the range of a coordinate. */
function middleOf(points: Float32Array, axis: number): number {
  let [low, high] = [Infinity, -Infinity];
  for (let i = axis; i < points.length; i += 3) {
    low = Math.min(low, points[i]!);
    high = Math.max(high, points[i]!);
  }
  return (low + high) / 2;
}
