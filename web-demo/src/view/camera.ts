// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// An orbiting camera: a target on the ground, two angles and a distance, each gliding to where input has put it.
import { PerspectiveCamera, Plane, Raycaster, Vector2, Vector3 } from 'three';
import type { Vec3 } from '../messages';

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
/** The corners of a level may leave the picture: the crowd is in the middle. Share of the level that must be seen. */
const SEEN = { wide: 0.86, tall: 0.8 };

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

  /** Frames a box. `jump`: at once, for a new level. */
  frame(min: Vec3, max: Vec3, jump: boolean): void {
    this.size = Math.max(4, Math.hypot(max[0] - min[0], max[2] - min[2]));
    const { goal } = this;
    goal.target.set((min[0] + max[0]) / 2, min[1], (min[2] + max[2]) / 2);
    if (jump) this.setAngles(min, max);
    goal.distance = this.fitting(min, max);
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
    // A tall picture looks along the level's long side; a wide one across it, from a corner when the level is square.
    const across = long > 1.25 ? 0.22 : 0.45;
    this.goal.yaw = tall ? (long > 1.25 ? Math.PI / 2 - 0.18 : 0.3) : across;
    this.goal.pitch = tall ? 1.05 : 0.78;
  }

  /** The distance at which the box's corners lie just inside the free part of the picture. */
  private fitting(min: Vec3, max: Vec3): number {
    const free = Math.max(80, this.height - this.insets.top - this.insets.bottom);
    const [limitX, limitY] = [0.97, (free / this.height) * 0.97];
    let [near, far] = [this.size * 0.2, this.size * 6];
    for (let i = 0; i < 24; i++) {
      const middle = (near + far) / 2;
      if (this.fits(min, max, middle, limitX, limitY)) far = middle;
      else near = middle;
    }
    return far;
  }

  private fits(min: Vec3, max: Vec3, distance: number, limitX: number, limitY: number): boolean {
    const { yaw, pitch, target } = this.goal;
    const scale = 1 / Math.tan((FIELD_OF_VIEW * Math.PI) / 360);
    const seen = this.height > this.width ? SEEN.tall : SEEN.wide;
    for (let corner = 0; corner < 8; corner++) {
      const dx = ((corner & 1 ? max[0] : min[0]) - target.x) * seen;
      const dy = (corner & 2 ? max[1] : min[1]) - target.y;
      const dz = ((corner & 4 ? max[2] : min[2]) - target.z) * seen;
      const x = Math.cos(yaw) * dx - Math.sin(yaw) * dz;
      const back = Math.sin(yaw) * dx + Math.cos(yaw) * dz;
      const depth = distance - back * Math.cos(pitch) - dy * Math.sin(pitch);
      const y = dy * Math.cos(pitch) - back * Math.sin(pitch);
      if (depth <= 0) return false;
      const [sx, sy] = [(x * scale * this.height) / (this.width * depth), (y * scale) / depth];
      if (Math.abs(sx) > limitX || Math.abs(sy) > limitY) return false;
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
