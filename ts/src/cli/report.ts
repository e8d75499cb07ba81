// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What a build did, for people.
import { BuildStages, type BuildReport, type BuildStage } from '../build.js';
import { count, Progress, type Row } from './output.js';
import { inPieces } from './stop.js';

/** A build in pieces with a bar on terminals, which Ctrl-C stops. */
export async function buildWithProgress<T>(json: boolean, pieces: Generator<number, T>): Promise<T> {
  const progress = new Progress('building', 1, json, '');
  try {
    return await inPieces(pieces, (done) => {
      progress.update(done);
    });
  } finally {
    progress.stop();
  }
}

/** A build with a bar on terminals. */
export function withProgress<T>(json: boolean, build: (onProgress: (progress: number) => void) => T): T {
  const progress = new Progress('building', 1, json, '');
  try {
    return build((done) => {
      progress.update(done);
    });
  } finally {
    progress.stop();
  }
}

const stageNames: Readonly<Record<BuildStage, string>> = {
  rasterize: 'rasterize',
  lowObstacles: 'low obstacles',
  ledges: 'ledges',
  lowHeadroom: 'low headroom',
  compact: 'compact',
  erode: 'erode',
  volumes: 'volumes',
  obstacles: 'obstacles',
  regions: 'regions',
  contours: 'contours',
  polygonize: 'polygons',
  detail: 'detail',
  encode: 'encode',
};

/** The report as rows of a table. `seconds`: how long the whole took. */
export function reportRows(report: BuildReport, seconds: number): Row[] {
  return [
    ...triangleRows(report),
    ['tiles', `${count(report.tilesBuilt)} built, ${count(report.tilesEmpty)} empty`],
    ['spans', count(report.spans)],
    ['regions', count(report.regions)],
    ['contours', count(report.contours)],
    ['polygons', count(report.polygons)],
    ['vertices', count(report.vertices)],
    ['detail triangles', count(report.detailTriangles)],
    ...timeRows(report.stageSeconds, seconds),
  ];
}

function timeRows(stages: Readonly<Record<BuildStage, number>>, seconds: number): Row[] {
  const [scale, unit] = seconds < 10 ? [1000, 'ms'] : [1, 's'];
  const text = (value: number) => (value * scale).toFixed(2);
  const width = text(seconds).length;
  return [
    ['time', `${text(seconds)} ${unit}`],
    ...BuildStages.map((stage): Row => [`  ${stageNames[stage]}`, `${text(stages[stage]).padStart(width)} ${unit}`]),
  ];
}

// Triangles are counted from 0, as programs do.
function triangleRows(report: BuildReport): Row[] {
  const some = (n: number, what: string, first: number): Row[] =>
    n > 0 ? [[`  ${what}`, `${count(n)}, the first is number ${first}`]] : [];
  return [
    ['triangles used', count(report.trianglesUsed)],
    ...some(report.trianglesSteep, 'too steep', report.firstSteep),
    ...some(report.trianglesDownward, 'facing down or upright', report.firstDownward),
    ['triangles skipped', count(report.trianglesDegenerate + report.trianglesDuplicate)],
    ...some(report.trianglesDegenerate, 'without area', report.firstDegenerate),
    ...some(report.trianglesDuplicate, 'there twice', report.firstDuplicate),
  ];
}

/** Why nobody can stand on what was built, when that is so. */
export function emptyReason(report: BuildReport): string | null {
  if (report.polygons > 0) return null;
  if (report.trianglesUsed === 0) return 'Nobody can stand here: no triangle could be used.';
  if (report.trianglesSteep + report.trianglesDownward < report.trianglesUsed) {
    return 'Nobody can stand here: what is walkable is too small or too low for these settings.';
  }
  return 'Nobody can stand here: every triangle is too steep or faces down. Walkable ones are counter-clockwise seen from above.';
}
