// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// OBJ files.
import { ObjError, parseObj } from 'crowdreel';
import { describe, expect, it } from 'vitest';
import { level } from './support.js';

const square = 'v 0 0 0\nv 0 0 1\nv 1 0 1\nv 1 0 0\n';
const indices = (faces: string) => Array.from(parseObj(square + faces).indices);

describe('parseObj', () => {
  it('reads vertices as doubles', () => {
    const { positions } = parseObj('v 0.1 -2e3 .5\nv 1 2 3 1.0\nv 4 5 6 0.5 0.5 0.5\n');
    expect(Array.from(positions)).toEqual([0.1, -2000, 0.5, 1, 2, 3, 4, 5, 6]);
  });

  it('reads triangles, with textures and normals or without', () => {
    expect(indices('f 1 2 3\nf 1/1 3/2 4/3\nf 1//1 2//1 3//1\nf 1/1/1 2/2/2 4/3/3\n')).toEqual([
      0, 1, 2, 0, 2, 3, 0, 1, 2, 0, 1, 3,
    ]);
  });

  it('cuts polygons into fans', () => {
    expect(indices('f 1 2 3 4')).toEqual([0, 1, 2, 0, 2, 3]);
    expect(indices('v 2 0 0\nf 1 2 3 4 5')).toEqual([0, 1, 2, 0, 2, 3, 0, 3, 4]);
  });

  it('counts negative numbers back from the last vertex so far', () => {
    expect(indices('f -4 -3 -2\nv 5 5 5\nf -1 1 2')).toEqual([0, 1, 2, 4, 0, 1]);
  });

  it('skips what it does not need, in any line style', () => {
    expect(
      indices(
        '# f 9 9 9\r\nmtllib a.mtl\r\no thing\r\ng a b\r\nusemtl c\r\ns 1\r\nvn 0 1 0\r\nvt 0 0\r\n\r\n  f\t1  2 3 # a face\r\nl 1 2',
      ),
    ).toEqual([0, 1, 2]);
    expect(indices('f 1 2 \\\n 3 4')).toEqual([0, 1, 2, 0, 2, 3]);
    expect(parseObj('').indices).toHaveLength(0);
  });

  it('reads what it is given back', () => {
    const { positions, indices: faces } = parseObj(level.obj);
    expect([Array.from(positions), Array.from(faces)]).toEqual([level.positions, level.indices]);
  });

  const bad: [string, number, RegExp][] = [
    ['v 1 2', 1, /three coordinates/],
    ['v 1 2 x', 1, /"x" is not a number/],
    ['v 1 2 Infinity', 1, /not a number/],
    [`${square}f 1 2`, 5, /three corners/],
    [`${square}f 1 2 0`, 5, /"0" is not a vertex number/],
    [`${square}f 1 2 2.5`, 5, /"2\.5" is not a vertex number/],
    [`${square}f 1 2 x/1`, 5, /"x\/1" is not a vertex number/],
    [`${square}\nf 1 2 5`, 6, /vertex 5 does not exist: there are 4/],
    [`${square}f 1 2 -5`, 5, /vertex -5 does not exist/],
    [`${square}f 1 2 3 \\\n 9\n`, 5, /vertex 9/],
  ];
  it.each(bad)('%j: line %i', (text, line, message) => {
    expect(() => parseObj(text)).toThrow(ObjError);
    expect(() => parseObj(text)).toThrow(message);
    expect(() => parseObj(text)).toThrow(expect.objectContaining({ line }) as Error);
  });
});
