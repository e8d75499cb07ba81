// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Which polygons a search may use: checked, and written for the engine.
import { cellCount, records } from './abi.js';
import { describe } from './describe.js';
import { badArgument } from './errors.js';
import type { Explain, Native } from './native.js';
import { checkMembers, integer } from './values.js';

/** Which polygons may be used and at what cost. A polygon is accepted when it has an included flag and no excluded one. */
export interface QueryFilter {
  /** Flags of which one is needed. 0 to 65535; default 65535. */
  readonly includeFlags?: number;
  /** Flags of which none may be set. 0 to 65535; default 0. */
  readonly excludeFlags?: number;
  /**
   * Cost per unit of length by area (0 to 63): `{ 3: 5 }` makes area 3 five times as costly. Finite, above 0; areas not
   * mentioned cost 1.
   */
  readonly areaCost?: Readonly<Record<number, number>> | ArrayLike<number>;
}

/** Where a filter stands in the argument block: behind any options. */
const FILTER_AT = 48 * 8;
const AREA_COUNT = 64;
const CELLS = cellCount(records.queryFilter);
const members = { includeFlags: true, excludeFlags: true, areaCost: true };

/** The cells of a QUERY_FILTER record. */
function filterCells(filter: unknown, field: string): Float64Array {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) {
    throw badArgument(field, `must be an object, not ${describe(filter)}`);
  }
  checkMembers(filter, members, field);
  const { includeFlags = 0xffff, excludeFlags = 0, areaCost } = filter as QueryFilter;
  const cells = new Float64Array(CELLS).fill(1);
  cells[0] = integer(includeFlags, `${field}.includeFlags`, 0, 0xffff);
  cells[1] = integer(excludeFlags, `${field}.excludeFlags`, 0, 0xffff);
  if (areaCost !== undefined) writeCosts(cells, areaCost, `${field}.areaCost`);
  return cells;
}

function writeCosts(cells: Float64Array, value: unknown, field: string): void {
  if (typeof value !== 'object' || value === null)
    throw badArgument(field, `must be an object, not ${describe(value)}`);
  for (const [key, cost] of Object.entries(value)) {
    const area = Number(key);
    if (!Number.isInteger(area) || area < 0 || area >= AREA_COUNT) {
      throw badArgument(`${field}.${key}`, 'is not an area from 0 to 63', { limit: AREA_COUNT - 1 });
    }
    if (typeof cost !== 'number' || !(cost > 0) || !Number.isFinite(cost)) {
      throw badArgument(field, `must be finite and above 0, but area ${area} costs ${describe(cost)}`, { index: area });
    }
    cells[2 + area] = cost;
  }
}

/**
 * A filter that has been checked and can no longer change, so that using it costs next to nothing. Made by `prepareFilter`; it goes
 * wherever a `QueryFilter` does, in any engine.
 */
export class PreparedFilter implements QueryFilter {
  readonly includeFlags: number;
  readonly excludeFlags: number;
  readonly areaCost: readonly number[];
  readonly #cells: Float64Array;

  /** @internal */
  constructor(filter: QueryFilter) {
    this.#cells = filterCells(filter, 'filter');
    this.includeFlags = this.#cells[0] as number;
    this.excludeFlags = this.#cells[1] as number;
    this.areaCost = Object.freeze(Array.from(this.#cells.subarray(2)));
    Object.freeze(this);
  }

  /** @internal The cells of a prepared filter, or of one that is checked now. */
  static cells(filter: object, field: string): Float64Array {
    return #cells in filter ? filter.#cells : filterCells(filter, field);
  }
}

/** Checks a filter once and for all, for use in many searches. Throws `ArgumentError` naming `filter.<name>`. */
export function prepareFilter(filter: QueryFilter): PreparedFilter {
  return new PreparedFilter(filter);
}

/** The cells of a filter, checked; null for the default one. */
export function filterOf(filter: unknown, field: string): Float64Array | null {
  if (filter === undefined || filter === null) return null;
  if (typeof filter !== 'object') throw badArgument(field, `must be an object, not ${describe(filter)}`);
  return PreparedFilter.cells(filter, field);
}

const searchNames = { 'filter.areaCost': 'options.filter.areaCost' };

/** The result of a search with a filter. A failure for costs that the search cannot use says which; `explain` tells of others. */
export function searched(native: Native, result: number, cells: Float64Array | null, explain?: Explain): number {
  if (result >= 0) return result;
  return native.call(result, searchNames, (detail, engineField) => {
    const { index } = detail;
    if (engineField !== 'filter.areaCost' || index === null || cells === null) {
      return explain?.(detail, engineField) ?? null;
    }
    const [cost, first] = [cells[2 + index], cells[2]];
    return {
      problem: `must be the same for all areas with NodeModel.Exact: area ${index} costs ${cost}, area 0 costs ${first}`,
    };
  });
}

/** Writes a filter's cells to the argument block behind any options. Returns their address, or 0 for the default filter. */
export function placeFilter(native: Native, cells: Float64Array | null): number {
  if (cells === null) return 0;
  const address = native.arguments + FILTER_AT;
  native.memory.writeF64(address, cells);
  return address;
}
