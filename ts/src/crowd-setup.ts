// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What crowds are made with, alone or in a world.
import { records } from './abi.js';
import { filterOf, placeFilter, type QueryFilter } from './filter.js';
import type { Explain, Native } from './native.js';
import { NavMesh, type NavMeshView } from './nav-mesh.js';
import { checkNodeModel, CrowdDefaults, merged, NodeModel, writeOptions, type CrowdOptions } from './options.js';
import { handleOf } from './resource.js';

/** Options of a new crowd, and where its agents may walk. */
export type CrowdSetup = Partial<CrowdOptions> & { filter?: QueryFilter | null };

/** An engine, as far as crowds depend on it. */
export interface Threads {
  readonly threads: number;
}

function explainThreads(engine: Threads, asked: number): Explain {
  return ({ field, limit }) => {
    if (field !== 'options.maxThreads' || asked <= 1) return null;
    const most = `it is ${asked}, it must be at most ${limit}`;
    return engine.threads > 1
      ? most
      : `${most}: the engine has no threads of its own; see loadCrowdreel of crowdreel/threads`;
  };
}

/** Checks mesh and options and writes the options to the argument block. Returns what the engine's calls take, and what to say of failures. */
export function placeCrowd(native: Native, engine: Threads, mesh: NavMeshView, options: CrowdSetup | undefined) {
  const meshAt = handleOf(native, mesh, NavMesh, 'mesh');
  const { filter, ...own } = merged<CrowdOptions & { filter: QueryFilter | null }>(
    { ...CrowdDefaults, filter: null },
    options,
    'options',
  );
  checkNodeModel(own.queryNodeModel, 'options.queryNodeModel', NodeModel.Crossing);
  const cells = filterOf(filter, 'options.filter');
  const optionsAt = writeOptions(native, records.crowdOptions, own, 'options');
  const filterAt = placeFilter(native, cells);
  return { meshAt, optionsAt, filterAt, explain: explainThreads(engine, own.maxThreads) };
}
