// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Reads what the inspector shows of one agent.
import { FollowerState, type CrowdView } from 'crowdreel';
import type { AgentDetails, Vec3 } from '../messages';
import type { Groups } from './groups';

function hasDestination(state: number): boolean {
  return state !== FollowerState.Idle && state !== FollowerState.Unplaced;
}

function cornersOf(crowd: CrowdView, id: number, origin: Vec3): Float32Array {
  const { corners } = crowd.corridor(id);
  const ahead = corners.filter(({ start }) => !start);
  return Float32Array.from(ahead.flatMap(({ point }) => point.map((value, axis) => value - origin[axis]!)));
}

/** Null when the agent is not in the crowd (any more, or yet). */
export function agentDetails(crowd: CrowdView, id: number, groups: Groups, origin: Vec3): AgentDetails | null {
  if (!crowd.has(id)) return null;
  const agent = crowd.agent(id);
  const options = crowd.agentOptions(id);
  const moving = agent.state === FollowerState.Moving || agent.state === FollowerState.Stuck;
  return {
    id,
    group: groups.of(id),
    state: agent.state,
    radius: options.radius,
    maxSpeed: options.maxSpeed,
    speed: Math.hypot(...agent.velocity),
    position: agent.position,
    destination: hasDestination(agent.state) ? agent.destination : null,
    remaining: agent.remainingDistance,
    corridorPolygons: agent.corridorCount,
    replanRounds: agent.replanRounds,
    stuckRecoveries: agent.stuckRecoveries,
    reachedTarget: agent.reachedTarget,
    velocityControlled: agent.velocityControlled,
    corners: moving ? cornersOf(crowd, id, origin) : new Float32Array(),
  };
}
