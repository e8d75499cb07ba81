// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The rules of one step (docs/behaviour/crowds.md) computed anew, for every agent of every step: the half-planes to the bit, and
// where no wall and no end of the way interferes the velocity that comes of them. How often each rule mattered is counted,
// so that none is left untried.
#include "crowd_runs.h"
#include "crowdreel/crowd_debug.h"

enum { MOST_AGENTS = 256, MOST_WALLS = 256 };

// What an agent was before the step.
typedef struct Before {
  bool present;
  CrVec3 position, velocity;
} Before;

typedef struct Tally {
  int64_t agents, walls, neighbours, shares, crossing, one_place;
  int64_t separated, turned, clamped, blocked, limited, velocities, near_walls, other_floor;
  int64_t queued, behind_walkers, behind_standing;
  int64_t held_up, pressed, made_way;
} Tally;

// One agent of a step that is over, seen through the reading calls.
typedef struct Subject {
  const CrCrowd *crowd;
  const Before *before;
  int32_t slot;
  CrAgentInfo info;
  CrAgentOptions options;
  int32_t most;
  double horizon;
  int32_t near[12];
  int32_t near_count;
  CrHalfPlane planes[MOST_WALLS + 12];
  double wall_out[MOST_WALLS];
  int32_t wall_count, plane_count;
  double nearest_wall;  // of its list, in x/z
} Subject;

static Before snapshot[MOST_AGENTS];
static Tally tally;

static void take_snapshot(const CrCrowd *crowd) {
  REQUIRE(crowd->slot_count <= MOST_AGENTS);
  for (int32_t slot = 0; slot < crowd->slot_count; slot++) {
    snapshot[slot].present = cr__crowd_slot_active(crowd, slot);
    if (!snapshot[slot].present) continue;
    CrFollowerInfo info = cr_follower_info(&cr__crowd_slot(crowd, slot)->follower);
    snapshot[slot].position = info.position;
    snapshot[slot].velocity = info.velocity;
  }
}

static const CrAgent *agent_in(const CrCrowd *crowd, int32_t slot) { return cr__crowd_slot(crowd, slot); }

static double squared_distance(const Subject *s, int32_t j) {
  return cr__dist2_xz(s->before[s->slot].position, s->before[j].position);
}

// --- Neighbours and half-planes -----------------------------------------------------------------------------------------

static void choose_neighbours(Subject *s) {
  double reach = cr__max(s->options.separation_distance, 2.0 * s->options.radius + s->options.max_speed * s->horizon);
  for (int32_t j = 0; j < s->crowd->slot_count; j++) {
    if (!s->before[j].present || j == s->slot || squared_distance(s, j) >= reach * reach) continue;
    int32_t k = s->near_count < s->most ? s->near_count++ : s->most;
    while (k > 0 && squared_distance(s, s->near[k - 1]) > squared_distance(s, j)) {
      if (k < s->most) s->near[k] = s->near[k - 1];
      k--;
    }
    if (k < s->most) s->near[k] = j;
  }
}

static double share_against(const Subject *s, int32_t j) {
  const CrAgent *other = agent_in(s->crowd, j);
  return other->step_flags & CR_STEP_CROSSING ? 1.0 : other->priority / (s->info.priority + other->priority);
}

static CrHalfPlane plane_against(const Subject *s, int32_t j, double horizon, double share) {
  const CrAgent *other = agent_in(s->crowd, j);
  CrVec3 here = s->before[s->slot].position, there = s->before[j].position;
  CrVec3 v = s->before[s->slot].velocity, w = s->before[j].velocity;
  CrVec2 relative = {there.x - here.x, there.z - here.z};
  if (relative.x == 0.0 && relative.z == 0.0) {
    relative.x = s->slot > j ? 1e-3 : -1e-3;
    tally.one_place++;
  }
  bool crossing = other->step_flags & CR_STEP_CROSSING;
  tally.crossing += crossing;
  tally.shares += !crossing && other->priority != s->info.priority;
  return cr__orca_agent(relative, cr__vec2(v.x, v.z), cr__vec2(w.x, w.z), s->options.radius + other->options.radius,
                        horizon, RUN_DT, share);
}

// --- Walls --------------------------------------------------------------------------------------------------------------

typedef struct Facing {
  CrAgentWall wall;
  double out;
  CrVec2 normal;
} Facing;

static bool faces(const Subject *s, const CrAgentWall *wall, Facing *out) {
  CrVec3 p = s->before[s->slot].position;
  CrVec2 e = {wall->b.x - wall->a.x, wall->b.z - wall->a.z}, o = {p.x - wall->a.x, p.z - wall->a.z};
  double length = cr__sqrt(e.x * e.x + e.z * e.z), margin = s->options.wall_clearance + 1e-6;
  CrVec2 t = {e.x * (1.0 / length), e.z * (1.0 / length)};
  double along = t.x * o.x + t.z * o.z;
  *out = (Facing){*wall, t.x * o.z - t.z * o.x, {-t.z, t.x}};
  if (out->out < -1e-6 || along <= margin || along >= length - margin) return false;
  if (out->out > 0.5 * s->horizon * s->options.max_speed + s->options.wall_clearance) return false;
  double height = wall->a.y + (wall->b.y - wall->a.y) * (along / length);
  bool on_floor = cr__abs(height - p.y) <= 1.0 + 1.5 * cr__abs(out->out);
  tally.other_floor += !on_floor;
  return on_floor;
}

static bool nearer(const Facing *a, const Facing *b) {
  if (a->out != b->out) return a->out < b->out;
  if (a->wall.ref != b->wall.ref) return a->wall.ref < b->wall.ref;
  if (a->wall.edge != b->wall.edge) return a->wall.edge < b->wall.edge;
  return a->wall.a.x != b->wall.a.x ? a->wall.a.x < b->wall.a.x : a->wall.a.z < b->wall.a.z;
}

static double distance_to(const CrAgentWall *wall, CrVec3 p) {
  double ex = wall->b.x - wall->a.x, ez = wall->b.z - wall->a.z;
  double t = cr__clamp(((p.x - wall->a.x) * ex + (p.z - wall->a.z) * ez) / (ex * ex + ez * ez), 0.0, 1.0);
  return cr__dist_xz(cr__vec(wall->a.x + t * ex, 0, wall->a.z + t * ez), p);
}

static void choose_walls(Subject *s) {
  static CrAgentWall walls[MOST_WALLS];
  static Facing facing[MOST_WALLS];
  CrCrowdDebugArrays arrays = {.walls = walls, .wall_capacity = MOST_WALLS};
  CrCrowdDebug told;
  int32_t count = 0;
  CHECK_OK(cr_crowd_debug_agent(s->crowd, s->info.id, &arrays, &told));
  for (size_t k = 0; k < told.wall_count; k++) {
    s->nearest_wall = cr__min(s->nearest_wall, distance_to(&walls[k], s->before[s->slot].position));
    count += faces(s, &walls[k], &facing[count]);
  }
  for (int32_t i = 1; i < count; i++) {
    for (int32_t k = i; k > 0 && nearer(&facing[k], &facing[k - 1]); k--) {
      Facing swapped = facing[k];
      facing[k] = facing[k - 1];
      facing[k - 1] = swapped;
    }
  }
  int32_t most = s->crowd->options.max_walls_avoided;
  s->wall_count = count < most ? count : most;
  for (int32_t k = 0; k < s->wall_count; k++) {
    CrVec2 n = facing[k].normal;
    double toward = cr__max(facing[k].out - s->options.wall_clearance, 0.0) / (0.5 * s->horizon);
    s->planes[k] = (CrHalfPlane){{n.x * -toward, n.z * -toward}, n};
    s->wall_out[k] = facing[k].out;
  }
}

static void check_planes(const Subject *s) {
  static CrConstraint recorded[MOST_WALLS + 12];
  int32_t walls, count = cr_crowd_constraints(s->crowd, s->info.id, MOST_WALLS + 12, recorded, &walls);
  CHECK_INT(count, s->plane_count);
  CHECK_INT(walls, s->wall_count);
  for (int32_t k = 0; k < count && k < s->plane_count; k++) {
    const CrHalfPlane *plane = &s->planes[k];
    CHECK(recorded[k].point_x == plane->point.x && recorded[k].point_z == plane->point.z);
    CHECK(recorded[k].normal_x == plane->normal.x && recorded[k].normal_z == plane->normal.z);
  }
}

// --- Velocity -----------------------------------------------------------------------------------------------------------

static CrVec2 separated(const Subject *s, CrVec2 wanted) {
  double limit = s->options.separation_distance;
  if (!(limit > 0.0)) return wanted;
  CrVec3 here = s->before[s->slot].position;
  for (int32_t k = 0; k < s->near_count; k++) {
    double d = cr__sqrt(squared_distance(s, s->near[k]));
    if (d >= limit) continue;
    CrVec3 there = s->before[s->near[k]].position;
    CrVec2 away = {(here.x - there.x) / d, (here.z - there.z) / d};
    if (d <= 1e-9) away = cr__vec2(s->near[k] < s->slot ? 1.0 : -1.0, 0.0);
    double t = 1.0 - d / limit, push = s->options.separation_weight * s->options.max_speed * (t * t);
    wanted = cr__vec2(wanted.x + away.x * push, wanted.z + away.z * push);
    tally.separated++;
  }
  double length = cr__sqrt(wanted.x * wanted.x + wanted.z * wanted.z);
  if (length <= s->options.max_speed) return wanted;
  tally.clamped++;
  double scale = s->options.max_speed / length;
  return cr__vec2(wanted.x * scale, wanted.z * scale);
}

static CrVec2 biased(const Subject *s, CrVec2 wanted) {
  CrVec2 bias = {wanted.z * s->options.side_preference, -wanted.x * s->options.side_preference};
  double length = cr__sqrt(bias.x * bias.x + bias.z * bias.z), sign = 1.0;
  for (int32_t k = 0; k < s->wall_count && length > 0.0; k++) {
    bool near = s->wall_out[k] <= 4.0 * s->options.radius;
    CrVec2 n = s->planes[k].normal;
    if (near && n.x * bias.x + n.z * bias.z < -0.5 * length) sign = -1.0;
  }
  tally.turned += sign < 0.0;
  return cr__vec2(wanted.x + sign * bias.x, wanted.z + sign * bias.z);
}

static CrVec2 solve(const Subject *s, CrVec2 wanted) {
  static CrHalfPlane scratch[MOST_WALLS + 12];
  return cr__orca_solve(s->planes, s->plane_count, s->wall_count, s->options.max_speed, wanted, scratch, NULL);
}

static double squared(CrVec2 v) { return v.x * v.x + v.z * v.z; }

static int step_of(const Subject *s, int32_t slot) { return agent_in(s->crowd, slot)->step_flags & ~CR_STEP_DRIVEN; }

// Whether the agent queues behind the one in slot j: it is beside it, nearer to the goal both have, and all but stopped or in
// the way.
static bool queues_behind(const Subject *s, int32_t j) {
  const CrAgent *other = agent_in(s->crowd, j);
  CrVec3 goal = s->info.follower.destination, v = s->before[j].velocity;
  double touch = s->options.radius + other->options.radius, limit = 0.1 * s->options.max_speed;
  double its = cr__dist2_xz(s->before[j].position, goal), mine = cr__dist2_xz(s->before[s->slot].position, goal);
  if (squared_distance(s, j) > 1.25 * touch * (1.25 * touch) || its >= mine) return false;
  if (!cr__same_point(other->follower.destination, goal) || step_of(s, j) == CR_STEP_CROSSING) return false;
  bool walks = step_of(s, j) == CR_STEP_WALKING;
  if (walks ? v.x * v.x + v.z * v.z > limit * limit : its > touch * touch) return false;
  tally.behind_walkers += walks;
  tally.behind_standing += !walks;
  return true;
}

static bool queues(const Subject *s, CrVec2 wanted, CrVec2 v) {
  if (!agent_in(s->crowd, s->slot)->plan.at_end) return false;
  if (v.x * wanted.x + v.z * wanted.z >= 0.5 * squared(wanted)) return false;
  for (int32_t k = 0; k < s->near_count; k++) {
    if (queues_behind(s, s->near[k])) return true;
  }
  return false;
}

static bool is_blocked(const Subject *s, CrVec2 wanted, CrVec2 v) {
  bool stands = false;
  for (int32_t k = 0; k < s->near_count; k++) stands |= agent_in(s->crowd, s->near[k])->step_flags == 0;
  double far = 8.0 * s->options.radius;
  bool is_far = cr__dist2_xz(s->before[s->slot].position, s->info.follower.destination) > far * far;
  return stands && is_far && squared(v) < 0.3 * 0.3 * squared(wanted);
}

static CrVec2 way_round(const Subject *s, CrVec2 w, CrVec2 best) {
  const double h = 0.7071067811865476;
  const CrVec2 turned[] = {
      {-w.z, w.x}, {w.z, -w.x}, {h * (w.x - w.z), h * (w.x + w.z)}, {h * (w.x + w.z), h * (w.z - w.x)}};
  for (int k = 0; k < 4; k++) {
    CrVec2 v = solve(s, turned[k]);
    if (squared(v) > squared(best)) best = v;
  }
  return best;
}

// --- In a jam -----------------------------------------------------------------------------------------------------------

static bool is_held_up(const Subject *s, CrVec2 wanted, CrVec2 v) {
  bool touches = false;
  for (int32_t k = 0; k < s->near_count; k++) {
    double near = 1.1 * (s->options.radius + agent_in(s->crowd, s->near[k])->options.radius);
    touches |= squared_distance(s, s->near[k]) <= near * near;
  }
  bool walks = agent_in(s->crowd, s->slot)->step_flags == CR_STEP_WALKING;
  return touches && walks && v.x * wanted.x + v.z * wanted.z < 0.7 * squared(wanted);
}

static CrVec2 unit_wanted(const CrAgent *agent) {
  double length = cr__sqrt(agent->wanted_x * agent->wanted_x + agent->wanted_z * agent->wanted_z);
  if (length == 0.0) return cr__vec2(0.0, 0.0);
  return cr__vec2(agent->wanted_x / length, agent->wanted_z / length);
}

static CrHalfPlane plane_in_jam(const Subject *s, int32_t j) {
  const CrAgent *self = agent_in(s->crowd, s->slot), *other = agent_in(s->crowd, j);
  double horizon = cr__min(s->options.max_speed / s->options.max_acceleration, s->horizon);
  double share = share_against(s, j), d = cr__sqrt(squared_distance(s, j));
  bool along = other->step_flags == CR_STEP_WALKING && other->options.quality != CR_QUALITY_OFF &&
               other->priority == self->priority;
  if (!along || d <= 1e-9) return plane_against(s, j, horizon, share);
  CrVec3 here = s->before[s->slot].position, there = s->before[j].position, w = s->before[j].velocity;
  CrVec2 e = {(there.x - here.x) / d, (there.z - here.z) / d}, a = unit_wanted(self), b = unit_wanted(other);
  double lead = 0.5 * (e.x * (a.x + b.x) + e.z * (a.z + b.z));
  tally.made_way += lead > 0.1;
  if (lead >= -0.1) return plane_against(s, j, horizon, lead > 0.1 ? 1.0 : share);
  tally.pressed++;
  double gap = cr__max(d - s->options.radius - other->options.radius, 0.0);
  double most = w.x * e.x + w.z * e.z + gap / horizon + 0.5 * s->options.max_speed;
  return (CrHalfPlane){{e.x * most, e.z * most}, {-e.x, -e.z}};
}

static CrVec2 jammed_velocity(const Subject *s, CrVec2 wanted, CrVec2 v) {
  Subject jammed = *s;
  if (is_held_up(s, wanted, v)) {
    tally.held_up++;
    for (int32_t k = 0; k < s->near_count; k++) jammed.planes[s->wall_count + k] = plane_in_jam(s, s->near[k]);
    v = solve(&jammed, wanted);
  }
  if (!is_blocked(s, wanted, v)) return v;
  tally.blocked++;
  return way_round(&jammed, wanted, v);
}

static CrVec2 expected_velocity(const Subject *s) {
  CrVec2 v = {s->info.wanted_x, s->info.wanted_z};
  if (s->options.quality != CR_QUALITY_OFF) {
    CrVec2 wanted = biased(s, separated(s, v));
    v = solve(s, wanted);
    if (queues(s, wanted, v)) {
      tally.queued++;
      v = solve(s, cr__vec2(0, 0));
    } else {
      v = jammed_velocity(s, wanted, v);
    }
  }
  CrVec2 v0 = {s->before[s->slot].velocity.x, s->before[s->slot].velocity.z}, change = {v.x - v0.x, v.z - v0.z};
  double most = s->options.max_acceleration * RUN_DT, length = cr__sqrt(squared(change));
  if (length <= most) return v;
  tally.limited++;
  return cr__vec2(v0.x + change.x * (most / length), v0.z + change.z * (most / length));
}

// Where the step ends before any wall and before the point where the agent must stop, it moves as it should.
static void check_velocity(const Subject *s) {
  CrVec2 v = expected_velocity(s);
  double length = cr__sqrt(squared(v)) * RUN_DT;
  const CrCrowdPlan *plan = &agent_in(s->crowd, s->slot)->plan;
  CrFollowerState state = s->info.follower.state;
  bool walks = state == CR_FOLLOWER_MOVING && !(plan->last_corner && plan->distance_to_corner <= length);
  if (s->nearest_wall <= length + 1e-6 || !(walks || state == CR_FOLLOWER_IDLE)) return;
  CHECK_NEAR(s->info.follower.velocity.x, v.x, 1e-9);
  CHECK_NEAR(s->info.follower.velocity.z, v.z, 1e-9);
  tally.velocities++;
  tally.near_walls += s->wall_count > 0;
}

// ------------------------------------------------------------------------------------------------------------------------

static void check_agent(const CrCrowd *crowd, int32_t slot) {
  static const int32_t most[] = {0, 4, 8, 12};
  static const double horizons[] = {0, 1.5, 2, 2.5};
  static Subject s;
  const CrAgent *agent = agent_in(crowd, slot);
  if (agent->step_flags & CR_STEP_CROSSING) return;
  s = (Subject){.crowd = crowd, .before = snapshot, .slot = slot, .nearest_wall = 1e9};
  CHECK_OK(cr_crowd_agent(crowd, agent->id, &s.info));
  CHECK_OK(cr_crowd_agent_options(crowd, agent->id, &s.options));
  s.most = most[s.options.quality];
  s.horizon = horizons[s.options.quality];
  if (s.options.quality != CR_QUALITY_OFF) {
    choose_neighbours(&s);
    choose_walls(&s);
  }
  s.plane_count = s.wall_count;
  for (int32_t k = 0; k < s.near_count; k++)
    s.planes[s.plane_count++] = plane_against(&s, s.near[k], s.horizon, share_against(&s, s.near[k]));
  check_planes(&s);
  check_velocity(&s);
  tally.agents++;
  tally.walls += s.wall_count;
  tally.neighbours += s.near_count;
}

static void check_step(CrCrowd *crowd) {
  take_snapshot(crowd);
  step_crowd(crowd);
  for (int32_t slot = 0; slot < crowd->slot_count; slot++) {
    if (cr__crowd_slot_active(crowd, slot)) check_agent(crowd, slot);
  }
}

static CrCrowd *recording_crowd(const CrNavMesh *mesh) {
  CrCrowdOptions options = cr_crowd_options_default();
  options.record_constraints = true;
  CrCrowd *crowd;
  REQUIRE_OK(cr_crowd_create(mesh, &options, NULL, &crowd, NULL));
  return crowd;
}

static CrAgentOptions random_options(uint64_t *seed) {
  CrAgentOptions options = rnd_int(seed, 2) ? cr_agent_options_small() : cr_agent_options_humanoid();
  options.quality = (uint8_t)rnd_int(seed, 4);
  options.priority = rnd_int(seed, 3) ? 1.0 : rnd_range(seed, 0.2, 5.0);
  options.separation_distance = rnd_int(seed, 3) ? 0.0 : rnd_range(seed, 0.5, 3.0);
  options.side_preference = rnd_int(seed, 4) ? 0.05 : rnd_range(seed, -1.0, 1.0);
  return options;
}

static void run(CrNavMesh *mesh, int32_t agents, uint64_t seed, int steps) {
  check_seed = seed;
  CrCrowd *crowd = recording_crowd(mesh);
  for (int32_t k = 0; k < agents; k++) {
    CrAgentOptions options = random_options(&seed);
    CrVec3 from = world_random_point(mesh, &seed, NULL);
    for (int again = 0; again < (k % 16 ? 1 : 3); again++) {
      int64_t id = add_agent(crowd, from, &options);
      if (k % 3) CHECK_OK(cr_crowd_set_destination(crowd, id, world_random_point(mesh, &seed, NULL), NULL));
    }
  }
  for (int k = 0; k < steps; k++) check_step(crowd);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

// A few goals that many share: at some the agents queue and come to rest.
static void run_goals(int32_t agents, int32_t goals, uint64_t seed, int steps) {
  check_seed = seed;
  CrNavMesh *mesh = open_world(6, 6, 4.0);
  CrCrowd *crowd = recording_crowd(mesh);
  for (int32_t k = 0; k < agents; k++) {
    CrAgentOptions options = random_options(&seed);
    if (k % 4) options.separation_distance = 0.0;
    int64_t id = add_agent(crowd, world_random_point(mesh, &seed, NULL), &options);
    uint64_t goal = 1000 + (uint64_t)(k % goals);
    CHECK_OK(cr_crowd_set_destination(crowd, id, world_random_point(mesh, &goal, NULL), NULL));
  }
  for (int k = 0; k < steps; k++) check_step(crowd);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

// A hairpin: a way along z at height 0, a steep turn, and the way back at height 8 beside it, with a gap between the two. From
// the upper way the walls of the lower one are in reach and faced.
static CrNavMesh *hairpin(void) {
  CrNavMeshParams params = {0.0, 0.0, 16.0, 0.5, 0.0, 2.0};
  double vertices[] = {0, 0, 0, 2, 0, 0, 2, 0, 8, 0, 0, 8, 3, 8, 0, 5, 8, 0, 5, 8, 8, 3, 8, 8, 5, 8, 10, 0, 0, 10};
  uint8_t counts[] = {4, 4, 6};
  uint32_t corners[] = {0, 1, 2, 3, 4, 5, 6, 7, 3, 2, 7, 6, 8, 9};
  CrTileDescription tile = {.vertex_count = 10,
                            .polygon_count = 3,
                            .vertices = vertices,
                            .polygon_vertex_counts = counts,
                            .polygon_vertices = corners};
  CrBytes bytes;
  CrNavMesh *mesh;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  REQUIRE_OK(cr_tile_encode(&params, &tile, NULL, &bytes, NULL));
  REQUIRE_OK(cr_navmesh_add_tile(mesh, bytes.data, bytes.size, NULL, NULL));
  cr_bytes_free(&bytes);
  return mesh;
}

TEST(half_planes_and_velocities_are_those_of_the_rules) {
  tally = (Tally){0};
  int steps = (int)check_scaled(240);
  run(world_two_floors(50, 14, 14, 2.0, 4.0, 14, 5, NULL), 90, 5, steps);
  run(world_scattered(8, 14, 14, 2.0, 0.25, 5, NULL), 80, 6, steps);
  run(hairpin(), 16, 9, 240 + steps);
  run_goals(40, 2, 10, 480 + steps);
  run_goals(30, 6, 11, 480 + steps);
  run(open_world(10, 10, 8.0), 160, 7, steps);
  run(open_world(5, 5, 16.0), 220, 8, steps);
  printf("  %" PRId64 " agents: %" PRId64 " walls, %" PRId64 " neighbours, %" PRId64 " velocities\n", tally.agents,
         tally.walls, tally.neighbours, tally.velocities);
  printf("  of these %" PRId64 " near walls; queued %" PRId64 ", behind walkers %" PRId64 ", behind standing %" PRId64
         "\n",
         tally.near_walls, tally.queued, tally.behind_walkers, tally.behind_standing);
  printf("  unequal shares %" PRId64 ", crossing %" PRId64 ", on one spot %" PRId64 ", other floor %" PRId64 "\n",
         tally.shares, tally.crossing, tally.one_place, tally.other_floor);
  printf("  separated %" PRId64 ", clamped %" PRId64 ", bias turned %" PRId64 ", blocked %" PRId64 ", limited %" PRId64
         "\n",
         tally.separated, tally.clamped, tally.turned, tally.blocked, tally.limited);
  printf("  held up %" PRId64 ": pressed %" PRId64 ", made way %" PRId64 "\n", tally.held_up, tally.pressed,
         tally.made_way);
  CHECK(tally.held_up > 100 && tally.pressed > 100 && tally.made_way > 100);
  CHECK(tally.walls > 1000 && tally.neighbours > 10000 && tally.velocities > 1000);
  CHECK(tally.near_walls > 1000 && tally.behind_walkers > 100 && tally.behind_standing > 100);
  CHECK(tally.shares > 1000 && tally.crossing > 50 && tally.one_place > 5 && tally.other_floor > 50);
  CHECK(tally.separated > 1000 && tally.clamped > 10 && tally.turned > 100 && tally.blocked > 10 &&
        tally.limited > 1000);
}

TEST_MAIN(RUN(half_planes_and_velocities_are_those_of_the_rules))
