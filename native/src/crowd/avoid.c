// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The velocity an agent should have: its wanted velocity, kept apart from near agents and turned a little to one side, put
// through the velocity program with walls as hard half-planes and neighbours as soft ones
// (van den Berg, Guy, Lin and Manocha, "Reciprocal n-body collision avoidance", 2011; docs/behaviour/crowds.md).
// order: walls nearest first, then neighbours nearest first.
#include "crowd_struct.h"

#define SAME_PLACE 1e-3    // how far apart two agents at one place are taken to be
#define NO_DISTANCE 1e-9   // closer than this, separation has no direction of its own
#define BIAS_RADII 4.0     // a wall within this many radii turns the side bias round
#define BIAS_FACING 0.5    // when its normal points back against the bias by more than this
#define BLOCKED_SPEED 0.3  // slower than this part of the wanted speed is blocked
#define BLOCKED_RADII 8.0  // nearer to its goal than this an agent queues
#define QUEUE_RADII 1.25   // one this near, in sums of radii, can be queued behind
#define QUEUE_SPEED 0.1    // when it is slower than this part of the agent's top speed
#define QUEUE_GAIN 0.5     // and less than this part of the wanted speed brings the agent nearer
#define JAM_RADII 1.1      // in a jam an agent has another this near, in sums of radii
#define JAM_GAIN 0.7       // and goes less than this part of its wanted speed where it wants to
#define JAM_AHEAD 0.1      // one is ahead of another by more than this part of their distance
#define JAM_PUSH 0.5       // who is behind may be pressed by this part of the top speed
#define APART_RADII 2.0    // agents within this many sums of radii that are about to overlap are moved apart
#define SQRT_HALF 0.7071067811865476

typedef struct Avoider {
  const CrCrowd *crowd;
  CrWorker *worker;
  CrAgent *agent;
  const CrSeen *self;
  int32_t near_count;
  int32_t wall_count, plane_count;  // walls come first
} Avoider;

static const CrSeen *neighbour(const Avoider *avoider, int32_t k) {
  return &avoider->crowd->company->grid.entries[avoider->worker->near[k].entry];
}

// Whether the k-th is within so many sums of radii, were it as large as the largest. Those after it are not when it is not.
static bool within_radii(const Avoider *avoider, int32_t k, double radii) {
  double near = radii * (avoider->self->radius + avoider->crowd->company->grid.max_radius);
  return avoider->worker->near[k].distance_squared <= near * near;
}

static uint8_t flags_of(const Avoider *avoider, const CrSeen *other) {
  return cr__company_flags(avoider->crowd->company, other->order);
}

static void find_neighbours(Avoider *avoider, int32_t slot) {
  const CrCrowd *crowd = avoider->crowd;
  const CrAvoidance *avoidance = &avoider->agent->avoidance;
  double reach = avoidance->neighbour_distance;
  avoider->near_count =
      cr__grid_nearest(&crowd->company->grid, crowd->place[slot], reach * reach, avoidance->max_neighbours,
                       &avoider->agent->neighbour_hint, avoider->worker->near);
}

// --- Wanted velocity --------------------------------------------------------------------------------------------------

static CrVec2 clamp_length(CrVec2 v, double most) {
  double squared = cr__length2_squared(v);
  return squared > most * most ? cr__scale2(v, most / cr__sqrt(squared)) : v;
}

// Unit vector away from a neighbour at this offset and distance. order: at one place the higher class, then slot, goes to +x
static CrVec2 away_along(const CrSeen *self, const CrSeen *other, CrVec2 offset, double distance) {
  if (distance <= NO_DISTANCE) return cr__vec2(other->order < self->order ? 1.0 : -1.0, 0.0);
  return cr__vec2(offset.x / distance, offset.z / distance);
}

static CrVec2 away_from(const CrSeen *self, const CrSeen *other, double distance) {
  return away_along(self, other, cr__vec2(self->x - other->x, self->z - other->z), distance);
}

static CrVec2 add_separation(const Avoider *avoider, CrVec2 wanted) {
  const CrAgentOptions *options = &avoider->agent->options;
  double limit = options->separation_distance;
  if (limit <= 0.0) return wanted;
  for (int32_t k = 0; k < avoider->near_count; k++) {
    double distance = cr__sqrt(avoider->worker->near[k].distance_squared);
    if (distance >= limit) break;  // the rest are farther
    double t = 1.0 - distance / limit;
    CrVec2 away = away_from(avoider->self, neighbour(avoider, k), distance);
    wanted = cr__add2(wanted, cr__scale2(away, options->separation_weight * options->max_speed * (t * t)));
  }
  return clamp_length(wanted, options->max_speed);
}

static bool wall_on_side(const Avoider *avoider, CrVec2 side, double side_length) {
  double limit = BIAS_RADII * avoider->agent->options.radius;
  for (int32_t k = 0; k < avoider->wall_count; k++) {
    if (avoider->worker->wall_out[k] > limit) return false;  // the rest are farther
    if (cr__dot2(avoider->worker->planes[k].normal, side) < -BIAS_FACING * side_length) return true;
  }
  return false;
}

// A turn to one fixed side breaks the symmetry of meetings head on.
static CrVec2 add_side_bias(const Avoider *avoider, CrVec2 wanted) {
  double preference = avoider->agent->options.side_preference;
  CrVec2 bias = cr__scale2(cr__vec2(wanted.z, -wanted.x), preference);
  double length = cr__length2(bias);
  if (length == 0.0) return wanted;
  bool turned = wall_on_side(avoider, bias, length);
  return turned ? cr__sub2(wanted, bias) : cr__add2(wanted, bias);
}

// --- Half-planes ------------------------------------------------------------------------------------------------------

// What the agent does of a change of the two: all of it when the other crosses a link.
static double share_against(const Avoider *avoider, const CrSeen *other) {
  bool crossing = flags_of(avoider, other) & CR_STEP_CROSSING;
  return crossing ? 1.0 : other->priority / (avoider->self->priority + other->priority);
}

static CrTwo shares(const Avoider *avoider, const CrSeen *a, const CrSeen *b) {
  double own = avoider->self->priority;
  CrTwo others = {a->priority, b->priority}, share = others / (own + others);
  if (flags_of(avoider, a) & CR_STEP_CROSSING) share[0] = 1.0;
  if (flags_of(avoider, b) & CR_STEP_CROSSING) share[1] = 1.0;
  return share;
}

static CrOrcaPair pair_of(const Avoider *avoider, const CrSeen *a, const CrSeen *b) {
  const CrSeen *self = avoider->self;
  double ax = a->x - self->x, az = a->z - self->z, bx = b->x - self->x, bz = b->z - self->z;
  // order: at one place the agent of the higher class, then slot, sees the other at +x
  if (ax == 0.0 && az == 0.0) ax = self->order > a->order ? SAME_PLACE : -SAME_PLACE;
  if (bx == 0.0 && bz == 0.0) bx = self->order > b->order ? SAME_PLACE : -SAME_PLACE;
  return (CrOrcaPair){
      .relative_x = {ax, bx},
      .relative_z = {az, bz},
      .velocity_x = {a->velocity_x, b->velocity_x},
      .velocity_z = {a->velocity_z, b->velocity_z},
      .radius_sum = {self->radius + a->radius, self->radius + b->radius},
      .share = shares(avoider, a, b),
  };
}

// Two at a time. There is room for one more after an odd last one.
static void add_neighbour_planes(Avoider *avoider, double dt) {
  const CrSeen *self = avoider->self;
  CrHalfPlane *planes = avoider->worker->planes + avoider->wall_count;
  CrOrcaSelf own = cr__orca_self(cr__vec2(self->velocity_x, self->velocity_z), avoider->agent->avoidance.horizon, dt);
  int32_t last = avoider->near_count - 1;
  for (int32_t k = 0; k <= last; k += 2) {
    CrOrcaPair pair = pair_of(avoider, neighbour(avoider, k), neighbour(avoider, k < last ? k + 1 : last));
    cr__orca_agents(&own, &pair, planes + k);
  }
  avoider->plane_count = avoider->wall_count + avoider->near_count;
}

static CrVec2 solve(const Avoider *avoider, CrVec2 wanted) {
  CrWorker *worker = avoider->worker;
  return cr__orca_solve(worker->planes, avoider->plane_count, avoider->wall_count, avoider->agent->options.max_speed,
                        wanted, worker->scratch, NULL);
}

// --- Blocked ----------------------------------------------------------------------------------------------------------

static bool neighbour_stands(const Avoider *avoider) {
  for (int32_t k = 0; k < avoider->near_count; k++) {
    if (flags_of(avoider, neighbour(avoider, k)) == 0) return true;
  }
  return false;
}

static bool is_blocked(const Avoider *avoider, CrVec2 wanted, CrVec2 solved) {
  double part = BLOCKED_SPEED * BLOCKED_SPEED;
  if (cr__length2_squared(solved) >= part * cr__length2_squared(wanted)) return false;
  const CrFollower *follower = &avoider->agent->follower;
  double far = BLOCKED_RADII * avoider->agent->options.radius;
  return cr__dist2_xz(follower->position, follower->destination) > far * far && neighbour_stands(avoider);
}

// The fastest way past: straight on, or 90 or 45 degrees to either side.
static CrVec2 way_round(const Avoider *avoider, CrVec2 wanted, CrVec2 straight) {
  const CrVec2 turned[] = {
      {-wanted.z, wanted.x},
      {wanted.z, -wanted.x},
      {SQRT_HALF * (wanted.x - wanted.z), SQRT_HALF * (wanted.x + wanted.z)},
      {SQRT_HALF * (wanted.x + wanted.z), SQRT_HALF * (wanted.z - wanted.x)},
  };
  CrVec2 best = straight;
  for (size_t k = 0; k < CR_COUNT_OF(turned); k++) {
    CrVec2 v = solve(avoider, turned[k]);
    // order: of equally fast ways the first
    if (cr__length2_squared(v) > cr__length2_squared(best)) best = v;
  }
  return best;
}

// --- Queue at a shared goal -------------------------------------------------------------------------------------------

// The destination of one that its host drives goes with it, in this very phase: what counts is where the step found it.
static bool goes_to(const Avoider *avoider, const CrSeen *other, CrVec3 goal) {
  const CrAgent *agent = cr__company_agent(avoider->crowd->company, other->order);
  if (agent->step_flags & CR_STEP_DRIVEN) return other->x == goal.x && other->z == goal.z;
  CrVec3 point = agent->follower.destination;
  return point.x == goal.x && point.y == goal.y && point.z == goal.z;
}

// Walks all but stopped, or stands in the way of everybody who wants to get to the goal.
static bool holds_up(const Avoider *avoider, const CrSeen *other, double to_goal_squared) {
  uint8_t flags = flags_of(avoider, other);
  double touch = avoider->self->radius + other->radius, limit = QUEUE_SPEED * avoider->agent->options.max_speed;
  if (flags == 0) return to_goal_squared <= touch * touch;
  CrVec2 velocity = {other->velocity_x, other->velocity_z};
  return flags == CR_STEP_WALKING && cr__length2_squared(velocity) <= limit * limit;
}

// Whether the other is beside the agent, holds it up, and is nearer to the point both want to get to. Nearer in truth: so
// two never wait for each other.
static bool stands_before(const Avoider *avoider, const CrSeen *other, double distance_squared) {
  CrVec3 goal = avoider->agent->follower.destination;
  double beside = QUEUE_RADII * (avoider->self->radius + other->radius);
  if (distance_squared > beside * beside) return false;
  double mine = cr__length2_squared(cr__vec2(avoider->self->x - goal.x, avoider->self->z - goal.z));
  double its = cr__length2_squared(cr__vec2(other->x - goal.x, other->z - goal.z));
  if (its >= mine || !holds_up(avoider, other, its)) return false;
  return goes_to(avoider, other, goal);
}

// One that goes straight to its goal, gets hardly nearer, and has somebody of the same goal before it.
static bool joins_queue(const Avoider *avoider, CrVec2 wanted, CrVec2 solved) {
  if (!avoider->agent->plan.at_end) return false;
  if (cr__dot2(solved, wanted) >= QUEUE_GAIN * cr__length2_squared(wanted)) return false;
  for (int32_t k = 0; k < avoider->near_count && within_radii(avoider, k, QUEUE_RADII); k++) {
    if (stands_before(avoider, neighbour(avoider, k), avoider->worker->near[k].distance_squared)) return true;
  }
  return false;
}

// --- In a jam ---------------------------------------------------------------------------------------------------------

static CrVec2 unit_of(CrVec2 wanted) {
  double length = cr__length2(wanted);
  return length > 0.0 ? cr__scale2(wanted, 1.0 / length) : wanted;
}

static CrVec2 way_of(const Avoider *avoider, const CrSeen *other) {
  return cr__company_way(avoider->crowd->company, other->order);
}

// Who is behind makes way, so it may be pressed: but no faster than it gives in, and a little.
static CrHalfPlane press(const Avoider *avoider, const CrSeen *other, CrVec2 towards, double gap, double horizon) {
  double gives_in = cr__dot2(cr__vec2(other->velocity_x, other->velocity_z), towards);
  double most = gives_in + cr__max(gap, 0.0) / horizon + JAM_PUSH * avoider->agent->options.max_speed;
  return (CrHalfPlane){cr__scale2(towards, most), cr__scale2(towards, -1.0)};
}

// As far ahead as it takes to stop.
static double jam_horizon(const CrAgent *agent) {
  return cr__min(agent->options.max_speed / agent->options.max_acceleration, agent->avoidance.horizon);
}

// An agent in a jam: which way it wants to go, as a unit vector, and how far it looks ahead.
typedef struct Jam {
  CrVec2 way;
  double horizon;
} Jam;

// Where it matters who of the two is ahead: both walk, avoid, and are of one priority. How much of the unit vector towards the
// other is along the mean of where the two want to go says who. Who is ahead need not yield: *share is 1. True: the other
// is behind, and pressed.
static bool is_pressed(const Avoider *avoider, const Jam *jam, int32_t k, double *share, CrHalfPlane *out) {
  const CrSeen *self = avoider->self, *other = neighbour(avoider, k);
  double distance = cr__sqrt(avoider->worker->near[k].distance_squared);
  CrVec2 way = way_of(avoider, other);
  if (!(distance > NO_DISTANCE) || other->priority != self->priority || way.x == CR_NO_WAY) return false;
  CrVec2 towards = cr__scale2(away_from(self, other, distance), -1.0);
  double lead = 0.5 * cr__dot2(towards, cr__add2(jam->way, unit_of(way)));
  if (lead > JAM_AHEAD) *share = 1.0;
  if (!(lead < -JAM_AHEAD)) return false;
  *out = press(avoider, other, towards, distance - self->radius - other->radius, jam->horizon);
  return true;
}

// Two at a time, as add_neighbour_planes.
static void add_jam_planes(const Avoider *avoider, const Jam *jam, const CrOrcaSelf *own) {
  CrHalfPlane *planes = avoider->worker->planes + avoider->wall_count;
  int32_t last = avoider->near_count - 1;
  for (int32_t k = 0; k <= last; k += 2) {
    int32_t next = k < last ? k + 1 : last;
    CrOrcaPair pair = pair_of(avoider, neighbour(avoider, k), neighbour(avoider, next));
    CrHalfPlane pressing[2];
    double share[2] = {pair.share[0], pair.share[1]};
    bool first = is_pressed(avoider, jam, k, &share[0], &pressing[0]);
    bool second = is_pressed(avoider, jam, next, &share[1], &pressing[1]);
    pair.share = (CrTwo){share[0], share[1]};
    if (!first || !second) cr__orca_agents(own, &pair, planes + k);
    if (first) planes[k] = pressing[0];
    if (second) planes[k + 1] = pressing[1];
  }
}

static bool touches_another(const Avoider *avoider) {
  for (int32_t k = 0; k < avoider->near_count && within_radii(avoider, k, JAM_RADII); k++) {
    double near = JAM_RADII * (avoider->self->radius + neighbour(avoider, k)->radius);
    if (avoider->worker->near[k].distance_squared <= near * near) return true;
  }
  return false;
}

static bool is_held_up(const Avoider *avoider, CrVec2 wanted, CrVec2 solved) {
  if (avoider->agent->step_flags != CR_STEP_WALKING) return false;
  return cr__dot2(solved, wanted) < JAM_GAIN * cr__length2_squared(wanted) && touches_another(avoider);
}

// Where everybody yields a half, those at a door hold each other up: nobody can go first. So who is ahead need not yield.
static CrVec2 press_on(const Avoider *avoider, CrVec2 wanted, double dt) {
  const CrSeen *self = avoider->self;
  Jam jam = {unit_of(way_of(avoider, self)), jam_horizon(avoider->agent)};
  CrOrcaSelf own = cr__orca_self(cr__vec2(self->velocity_x, self->velocity_z), jam.horizon, dt);
  add_jam_planes(avoider, &jam, &own);
  return solve(avoider, wanted);
}

// --- Apart ------------------------------------------------------------------------------------------------------------

// Neither stands on a storey above the other's: what is that near is at most a step up or down.
static bool on_one_floor(const CrSeen *self, const CrSeen *other) {
  return cr__abs(self->y - other->y) <= self->radius + other->radius;
}

// How far the agent is moved, besides walking, to undo its share of the overlaps it is about to have.
static CrVec2 come_apart(const Avoider *avoider, double dt) {
  const CrSeen *self = avoider->self;
  CrVec2 sum = {0.0, 0.0};
  for (int32_t k = 0; k < avoider->near_count && within_radii(avoider, k, APART_RADII); k++) {
    const CrSeen *other = neighbour(avoider, k);
    double room = self->radius + other->radius - NO_DISTANCE, near = APART_RADII * (self->radius + other->radius);
    if (avoider->worker->near[k].distance_squared >= near * near || !on_one_floor(self, other)) continue;
    // Seen from where the other will be.
    CrVec2 then = {self->x + (self->velocity_x - other->velocity_x) * dt,
                   self->z + (self->velocity_z - other->velocity_z) * dt};
    CrVec2 offset = {then.x - other->x, then.z - other->z};
    double squared = cr__length2_squared(offset);
    if (squared >= room * room) continue;
    double distance = cr__sqrt(squared), part = (room - distance) * share_against(avoider, other);
    sum = cr__add2(sum, cr__scale2(away_along(self, other, offset, distance), part));
  }
  return clamp_length(sum, avoider->agent->options.max_speed * dt);
}

// ----------------------------------------------------------------------------------------------------------------------

static void record_planes(const Avoider *avoider, int32_t slot) {
  const CrCrowd *crowd = avoider->crowd;
  if (!crowd->recorded) return;
  crowd->recorded_counts[slot] = (CrRecordedPlanes){avoider->plane_count, avoider->wall_count};
  memcpy(&crowd->recorded[(size_t)slot * (size_t)crowd->planes_per_agent], avoider->worker->planes,
         (size_t)avoider->plane_count * sizeof *crowd->recorded);
}

CrVec2 cr__avoid(const CrCrowd *crowd, CrWorker *worker, CrAgent *agent, int32_t slot, double dt, CrVec2 *out_apart) {
  *out_apart = cr__vec2(0.0, 0.0);
  CrVec2 wanted = {agent->wanted_x, agent->wanted_z};
  bool driven = agent->step_flags & CR_STEP_DRIVEN;
  if (driven) wanted = clamp_length(wanted, agent->options.max_speed);
  if (agent->options.quality == CR_QUALITY_OFF) return wanted;
  Avoider avoider = {crowd, worker, agent, cr__crowd_seen_in_grid(crowd, slot), 0, 0, 0};
  find_neighbours(&avoider, slot);
  if (!driven) *out_apart = come_apart(&avoider, dt);
  avoider.wall_count = cr__walls_select(crowd, worker, agent);
  wanted = add_separation(&avoider, wanted);
  if (!driven) wanted = add_side_bias(&avoider, wanted);  // a host's agent goes straight
  add_neighbour_planes(&avoider, dt);
  record_planes(&avoider, slot);
  CrVec2 solved = solve(&avoider, wanted);
  if (joins_queue(&avoider, wanted, solved)) return solve(&avoider, cr__vec2(0.0, 0.0));
  if (is_held_up(&avoider, wanted, solved)) solved = press_on(&avoider, wanted, dt);
  return is_blocked(&avoider, wanted, solved) ? way_round(&avoider, wanted, solved) : solved;
}
