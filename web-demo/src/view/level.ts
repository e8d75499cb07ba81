// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The ground and the walls, as a matte model on an empty stage. A scene shows its own geometry; a file has only the navigation
// mesh, which is drawn as raised ground on a slab.
import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  MeshLambertMaterial,
  PlaneGeometry,
  type Object3D,
} from 'three';
import type { LevelData } from '../messages';
import { flat } from './agents';
import { addGridLines } from './grid';
import { outline, skirts, splitBySlope, withFootShade, withStoreyShade } from './level-geometry';
import type { StageColours } from './palette';
import { slabShadowTexture } from './textures';

export class LevelView {
  readonly root = new Group();
  private readonly floor = new MeshLambertMaterial({ side: DoubleSide, vertexColors: true });
  private readonly wall = new MeshLambertMaterial({ side: DoubleSide, vertexColors: true });
  // Behind the sides of boxes that it coincides with.
  private readonly edge = new MeshLambertMaterial({
    side: DoubleSide,
    polygonOffset: true,
    polygonOffsetFactor: 2,
    polygonOffsetUnits: 2,
  });
  private readonly rim = new LineBasicMaterial({ transparent: true, opacity: 0.5, depthWrite: false });
  private readonly line = new LineBasicMaterial({ transparent: true, opacity: 0.55, depthWrite: false });
  private readonly under = flat(new MeshBasicMaterial({ map: slabShadowTexture(), color: 0x000000 }));
  private meshLines: LineSegments | null = null;
  private meshShown = false;
  /** What a click on the ground may hit. */
  private grounds: Object3D[] = [];

  constructor(low: boolean) {
    if (!low) addGridLines(this.floor);
  }

  get groundObjects(): readonly Object3D[] {
    return this.grounds;
  }

  setColours(colours: StageColours): void {
    this.floor.color.copy(colours.floor);
    this.wall.color.copy(colours.wall);
    this.edge.color.copy(colours.edge);
    this.line.color.copy(colours.line);
    this.rim.color.copy(colours.line);
    this.under.opacity = colours.shadow * 0.5;
  }

  showMesh(shown: boolean): void {
    this.meshShown = shown;
    if (this.meshLines) this.meshLines.visible = shown;
  }

  setLevel(level: LevelData): void {
    this.clear();
    const size = Math.hypot(level.max[0] - level.min[0], level.max[2] - level.min[2]);
    const thickness = Math.max(0.25, size * 0.008);
    if (level.solid) this.addSolid(level.solid, thickness);
    else this.addMeshSlab(level, thickness);
    this.addUnderShadow(level, thickness);
    this.addMeshLines(level);
  }

  private addSolid(solid: Float32Array, thickness: number): void {
    const { floors, walls } = splitBySlope(solid);
    this.addFloor(floors, thickness);
    if (walls.length > 0) {
      const mesh = this.add(withFootShade(geometryOf(walls)), this.wall);
      mesh.castShadow = true;
    }
  }

  private addFloor(floors: Float32Array, thickness: number): void {
    this.grounds = [this.add(withStoreyShade(geometryOf(floors)), this.floor)];
    this.add(geometryOf(skirts(floors, thickness)), this.edge);
    this.root.add(new LineSegments(geometryOf(outline(floors), false), this.rim));
  }

  private addMeshSlab(level: LevelData, thickness: number): void {
    const { min, max } = level;
    this.addFloor(level.ground, thickness);
    const margin = thickness * 2;
    const plate = new PlaneGeometry(max[0] - min[0] + 2 * margin, max[2] - min[2] + 2 * margin).rotateX(-Math.PI / 2);
    plate.translate((min[0] + max[0]) / 2, min[1] - thickness, (min[2] + max[2]) / 2);
    this.add(withFootShade(plate), this.wall).receiveShadow = true;
  }

  private addUnderShadow({ min, max }: LevelData, thickness: number): void {
    const [width, depth] = [(max[0] - min[0]) * 1.18, (max[2] - min[2]) * 1.18];
    const plate = new PlaneGeometry(width, depth).rotateX(-Math.PI / 2);
    plate.translate((min[0] + max[0]) / 2, min[1] - thickness * 1.5, (min[2] + max[2]) / 2);
    this.add(plate, this.under).renderOrder = -1;
  }

  private addMeshLines(level: LevelData): void {
    const geometry = geometryOf(level.edges, false);
    geometry.translate(0, 0.06, 0);
    this.meshLines = new LineSegments(geometry, this.line);
    this.meshLines.visible = this.meshShown;
    this.root.add(this.meshLines);
  }

  private add(geometry: BufferGeometry, material: MeshLambertMaterial | MeshBasicMaterial): Mesh {
    const mesh = new Mesh(geometry, material);
    mesh.receiveShadow = material === this.floor;
    mesh.castShadow = material === this.floor;
    this.root.add(mesh);
    return mesh;
  }

  private clear(): void {
    for (const child of this.root.children) {
      if (child instanceof Mesh || child instanceof LineSegments) (child.geometry as BufferGeometry).dispose();
    }
    this.root.clear();
    this.meshLines = null;
  }
}

function geometryOf(positions: Float32Array, normals = true): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  if (normals) geometry.computeVertexNormals();
  return geometry;
}
