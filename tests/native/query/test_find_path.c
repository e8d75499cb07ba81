// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Path search against a Dijkstra that knows the graph only from its definition (docs/behaviour/queries.md), in both node
// models; slices; partial results against a flood fill.
#include "query_internal.h"
#include "query_worlds.h"

// --- The graph, by definition ---------------------------------------------------------------------------------------------

typedef struct Arc {
  uint32_t from, to;  // polygon numbers
  bool off_mesh;
  CrVec3 a, b;       // portal ends, or entry and exit
  double link_cost;  // per unit, off-mesh
} Arc;

typedef struct Graph {
  const CrNavMesh *mesh;
  const CrQueryFilter *filter;
  CrPolyRef *refs;
  uint32_t count;
  Arc *arcs;
  uint32_t arc_count, arc_capacity;
  uint32_t *first;  // count + 1: arcs by polygon left
} Graph;

static double cost_of(const Graph *graph, uint32_t polygon) {
  const CrTile *tile = cr__resolve(graph->mesh, graph->refs[polygon]);
  uint8_t area = tile->areas[cr__ref_polygon(graph->refs[polygon])];
  return graph->filter ? graph->filter->area_cost[area] : 1.0;
}

static bool flags_pass(const CrQueryFilter *filter, uint16_t flags) {
  return !filter || ((flags & filter->include_flags) && !(flags & filter->exclude_flags));
}

static bool polygon_passes(const Graph *graph, CrPolyRef ref) {
  const CrTile *tile = cr__resolve(graph->mesh, ref);
  return flags_pass(graph->filter, tile->flags[cr__ref_polygon(ref)]);
}

static uint32_t number_of(const Graph *graph, CrPolyRef ref) {
  uint32_t low = 0, high = graph->count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (graph->refs[middle] < ref)
      low = middle + 1;
    else
      high = middle;
  }
  REQUIRE(low < graph->count && graph->refs[low] == ref);
  return low;
}

static int compare_refs(const void *a, const void *b) {
  CrPolyRef p = *(const CrPolyRef *)a, q = *(const CrPolyRef *)b;
  return p < q ? -1 : p > q;
}

// Adds the way p -> q, or widens the surface way there is (edges and portals of one pair lie end to end).
static void add_arc(Graph *graph, Arc arc) {
  for (uint32_t i = graph->arc_count; i-- > 0 && graph->arcs[i].from == arc.from;) {
    Arc *other = &graph->arcs[i];
    if (other->to != arc.to) continue;
    if (!other->off_mesh && !arc.off_mesh) {
      if (cr__dist_xz(other->b, arc.a) < 1e-5)
        other->b = arc.b;
      else if (cr__dist_xz(other->a, arc.b) < 1e-5)
        other->a = arc.a;
    } else if (other->off_mesh &&
               cr__dist(arc.a, arc.b) * arc.link_cost < cr__dist(other->a, other->b) * other->link_cost) {
      *other = arc;
    }
    return;
  }
  if (graph->arc_count == graph->arc_capacity) {
    graph->arc_capacity = graph->arc_capacity ? 2 * graph->arc_capacity : 256;
    graph->arcs = realloc(graph->arcs, graph->arc_capacity * sizeof *graph->arcs);
  }
  graph->arcs[graph->arc_count++] = arc;
}

static void add_arcs_of(Graph *graph, uint32_t p) {
  CrPolyRef ref = graph->refs[p];
  const CrTile *tile = cr__resolve(graph->mesh, ref);
  uint32_t polygon = cr__ref_polygon(ref);
  for (uint32_t k = 0; k < cr__polygon_vertex_count(tile, polygon); k++) {
    uint32_t neighbour = tile->corner_neighbour[tile->polygon_first[polygon] + k];
    if (neighbour >= tile->polygon_count) continue;
    CrPolyRef target = cr__tile_ref(graph->mesh, tile, neighbour);
    if (!polygon_passes(graph, target)) continue;
    Arc arc = {.from = p, .to = number_of(graph, target)};
    cr__polygon_edge(tile, polygon, k, &arc.a, &arc.b);
    add_arc(graph, arc);
  }
  for (int pass = 0; pass < 2; pass++) {
    for (uint32_t i = tile->link_first[polygon]; i < tile->link_first[polygon + 1]; i++) {
      const CrLink *link = &tile->links[i];
      bool off_mesh = link->edge == CR_LINK_NO_EDGE;
      if (off_mesh != (pass == 1) || !polygon_passes(graph, link->target)) continue;
      if (off_mesh && !flags_pass(graph->filter, link->flags)) continue;
      double cost = graph->filter ? graph->filter->area_cost[link->area] : 1.0;
      add_arc(graph, (Arc){p, number_of(graph, link->target), off_mesh, link->a, link->b, cost});
    }
  }
}

static Graph make_graph(const CrNavMesh *mesh, const CrQueryFilter *filter) {
  Graph graph = {mesh, filter, NULL, 0, NULL, 0, 0, NULL};
  graph.refs = world_all_polygons(mesh, &graph.count);
  qsort(graph.refs, graph.count, sizeof *graph.refs, compare_refs);
  graph.first = calloc(graph.count + 1, sizeof *graph.first);
  for (uint32_t p = 0; p < graph.count; p++) {
    graph.first[p] = graph.arc_count;
    add_arcs_of(&graph, p);
  }
  graph.first[graph.count] = graph.arc_count;
  return graph;
}

static void free_graph(Graph *graph) {
  free(graph->refs);
  free(graph->arcs);
  free(graph->first);
}

// --- Dijkstra on any number of nodes, with an unsorted frontier -------------------------------------------------------------

typedef struct Frontier {
  double *g;
  uint8_t *done;
  uint32_t *open;
  uint32_t open_count, node_count;
} Frontier;

static Frontier make_frontier(uint32_t nodes) {
  Frontier frontier = {malloc(nodes * sizeof(double)), calloc(nodes, 1), malloc(nodes * sizeof(uint32_t)), 0, nodes};
  for (uint32_t i = 0; i < nodes; i++) frontier.g[i] = INFINITY;
  return frontier;
}

static void free_frontier(Frontier *frontier) {
  free(frontier->g);
  free(frontier->done);
  free(frontier->open);
}

static void improve(Frontier *frontier, uint32_t node, double g) {
  if (frontier->g[node] == INFINITY) frontier->open[frontier->open_count++] = node;
  if (g < frontier->g[node]) frontier->g[node] = g;
}

static bool take_least(Frontier *frontier, uint32_t *out) {
  if (!frontier->open_count) return false;
  uint32_t best = 0;
  for (uint32_t i = 1; i < frontier->open_count; i++) {
    if (frontier->g[frontier->open[i]] < frontier->g[frontier->open[best]]) best = i;
  }
  *out = frontier->open[best];
  frontier->open[best] = frontier->open[--frontier->open_count];
  frontier->done[*out] = 1;
  return true;
}

// Node of each polygon in the search's pool, or CR_NO_NODE.
static uint32_t *nodes_by_polygon(const Graph *graph, const CrNodePool *pool) {
  uint32_t *nodes = malloc((graph->count + 1) * sizeof *nodes);
  for (uint32_t p = 0; p < graph->count; p++) nodes[p] = CR_NO_NODE;
  for (uint32_t n = 0; n < pool->count; n++) nodes[number_of(graph, pool->nodes[n].ref)] = n;
  return nodes;
}

// Cost of one step between polygon nodes at the given places.
static double polygon_step(const Graph *graph, const Arc *arc, CrVec3 from, CrVec3 to) {
  double c0 = cost_of(graph, arc->from), c1 = cost_of(graph, arc->to);
  if (arc->off_mesh) {
    return cr__dist(from, arc->a) * c0 + cr__dist(arc->a, arc->b) * arc->link_cost + cr__dist(arc->b, to) * c1;
  }
  CrVec3 entry = cr__nearest_on_portal(arc->a, arc->b, from, to);
  return cr__dist(from, entry) * c0 + cr__dist(entry, to) * c1;
}

// A polygon's node stands where one of the expanded nodes beside it would have put it.
static void check_places(const Graph *graph, const CrNavMeshQuery *query, const uint32_t *nodes) {
  const CrNodePool *pool = &query->pool;
  const CrSearch *search = &query->search;
  uint8_t *explained = calloc(graph->count + 1, 1);
  for (uint32_t i = 0; i < graph->arc_count; i++) {
    const Arc *arc = &graph->arcs[i];
    uint32_t m = nodes[arc->from], n = nodes[arc->to];
    if (m == CR_NO_NODE || n == CR_NO_NODE || pool->nodes[m].heap_index != CR_NODE_CLOSED) continue;
    CrVec3 place = arc->off_mesh ? arc->b : cr__nearest_on_portal(arc->a, arc->b, pool->nodes[m].position, search->end);
    explained[arc->to] |= cr__same_point(place, pool->nodes[n].position);
  }
  for (uint32_t p = 0; p < graph->count; p++) {
    if (nodes[p] == CR_NO_NODE) continue;
    CrVec3 at = pool->nodes[nodes[p]].position;
    if (graph->refs[p] == search->start_ref)
      CHECK(cr__same_point(at, search->start));
    else if (graph->refs[p] == search->end_ref)
      CHECK(cr__same_point(at, search->end));
    else
      CHECK(explained[p]);
  }
  free(explained);
}

// On the nodes the search made: no node it did not make can be on a cheaper way, for each is reached only through open ones.
static double dijkstra_polygons(const Graph *graph, const CrNavMeshQuery *query, uint32_t s, uint32_t e) {
  uint32_t *nodes = nodes_by_polygon(graph, &query->pool);
  check_places(graph, query, nodes);
  Frontier frontier = make_frontier(graph->count);
  improve(&frontier, s, 0.0);
  for (uint32_t p; take_least(&frontier, &p) && p != e;) {
    for (uint32_t i = graph->first[p]; i < graph->first[p + 1]; i++) {
      const Arc *arc = &graph->arcs[i];
      if (nodes[arc->to] == CR_NO_NODE) continue;
      CrVec3 from = query->pool.nodes[nodes[p]].position, to = query->pool.nodes[nodes[arc->to]].position;
      improve(&frontier, arc->to, frontier.g[p] + polygon_step(graph, arc, from, to));
    }
  }
  double g = frontier.g[e];
  free_frontier(&frontier);
  free(nodes);
  return g;
}

// For each arc the node the search made of it, or CR_NO_NODE; checks that a polygon's ways out all became nodes or none did, each
// at the place the first crossing into the polygon gives.
static uint32_t *nodes_by_arc(const Graph *graph, const CrNavMeshQuery *query) {
  const CrNodePool *pool = &query->pool;
  uint32_t *nodes = malloc((graph->arc_count + 1) * sizeof *nodes);
  for (uint32_t i = 0; i < graph->arc_count; i++) nodes[i] = CR_NO_NODE;
  for (uint32_t r = 0; r < pool->room_count; r++) {
    const CrRoom *room = &pool->rooms[r];
    uint32_t p = number_of(graph, room->ref);
    CHECK_INT(room->count, graph->first[p + 1] - graph->first[p]);
    for (uint32_t n = room->first; n < room->first + room->count; n++) {
      uint32_t to = number_of(graph, pool->nodes[n].ref), matches = 0;
      for (uint32_t i = graph->first[p]; i < graph->first[p + 1]; i++) {
        const Arc *arc = &graph->arcs[i];
        if (arc->to != to) continue;
        CrVec3 place =
            arc->off_mesh ? arc->b : cr__nearest_on_portal(arc->a, arc->b, room->first_position, query->search.end);
        CHECK(cr__same_point(place, pool->nodes[n].position));
        nodes[i] = n;
        matches++;
      }
      CHECK_INT(matches, 1);
    }
  }
  return nodes;
}

// The steps straight through two polygons: from the first crossing into one, past the first crossing into the next, to what
// leaves that. `from` is a node of the search's.
static void go_straight_on(const Graph *graph, const CrNavMeshQuery *query, const uint32_t *nodes, uint32_t from,
                           uint32_t e, Frontier *frontier, double g, double *goal) {
  const CrNodePool *pool = &query->pool;
  for (uint32_t r = 0; r < pool->room_count; r++) {
    const CrRoom *room = &pool->rooms[r];
    const CrNode *entry = &pool->nodes[room->entry];
    if (entry->source == CR_NO_NODE || entry->link != CR_NO_LINK) continue;
    const CrRoom *left = &pool->rooms[entry->source];
    if (left->entry != from) continue;
    uint32_t p = number_of(graph, left->ref), q = number_of(graph, room->ref), portal = graph->first[p];
    if (cost_of(graph, p) != cost_of(graph, q)) continue;
    while (graph->arcs[portal].to != q) portal++;
    CrVec3 a = graph->arcs[portal].a, b = graph->arcs[portal].b, s = pool->nodes[from].position;
    for (uint32_t i = graph->first[q]; i <= graph->first[q + 1]; i++) {
      bool is_goal = i == graph->first[q + 1];
      if (is_goal ? q != e : graph->arcs[i].off_mesh) continue;
      const CrNode *node = &pool->nodes[is_goal ? CR_GOAL_NODE : nodes[i]];
      double right = cr__cross_xz(s, node->position, a), left_of = cr__cross_xz(s, node->position, b);
      if (right > 0.0 || left_of < 0.0 || right == left_of) continue;
      CrVec3 at = cr__lerp(a, b, right / (right - left_of));
      double step = (cr__dist(s, at) + cr__dist(at, node->position)) * cost_of(graph, p);
      double cost = fmax(g + step, entry->g + entry->h - node->h);
      if (is_goal) {
        *goal = fmin(*goal, cost);
      } else {
        improve(frontier, i + 1, cost);
      }
    }
  }
}

static double dijkstra_crossings(const Graph *graph, const CrNavMeshQuery *query, uint32_t s, uint32_t e) {
  uint32_t *nodes = nodes_by_arc(graph, query);
  const CrNode *made = query->pool.nodes;
  Frontier frontier = make_frontier(graph->arc_count + 1);  // node 0 the start, node i + 1 arc i
  double goal = INFINITY;
  improve(&frontier, 0, 0.0);
  for (uint32_t node; take_least(&frontier, &node) && frontier.g[node] < goal;) {
    uint32_t p = node ? graph->arcs[node - 1].to : s;
    CrVec3 from = node ? made[nodes[node - 1]].position : query->search.start;
    double cost = cost_of(graph, p), g = frontier.g[node];
    if (p == e) goal = fmin(goal, g + cr__dist(from, query->search.end) * cost);
    go_straight_on(graph, query, nodes, node ? nodes[node - 1] : 0, e, &frontier, g, &goal);
    for (uint32_t i = graph->first[p]; i < graph->first[p + 1]; i++) {
      const Arc *arc = &graph->arcs[i];
      if (nodes[i] == CR_NO_NODE) continue;
      double step = arc->off_mesh ? cr__dist(from, arc->a) * cost + cr__dist(arc->a, arc->b) * arc->link_cost
                                  : cr__dist(from, made[nodes[i]].position) * cost;
      improve(&frontier, i + 1, g + step);
    }
  }
  free_frontier(&frontier);
  free(nodes);
  return goal;
}

// --- Comparing --------------------------------------------------------------------------------------------------------------

#define PATH_CAPACITY 4096

static CrNavMeshQuery *make_query(const CrNavMesh *mesh, CrNodeModel model, int32_t nodes) {
  CrQueryOptions options = {nodes, model, false};
  CrNavMeshQuery *query = NULL;
  REQUIRE_OK(cr_query_create(mesh, &options, NULL, &query, NULL));
  return query;
}

static void check_route(const CrNavMesh *mesh, const CrQueryFilter *filter, const CrPolyRef *path, int32_t count,
                        CrPolyRef first, bool no_repeats) {
  CHECK(count >= 1 && path[0] == first);
  for (int32_t i = 1; i < count; i++) {
    CHECK(cr__connected(mesh, path[i - 1], path[i], filter));
    for (int32_t j = 0; no_repeats && j < i; j++) CHECK(path[i] != path[j]);
  }
}

static double found_cost(const CrNavMeshQuery *query) { return query->pool.nodes[query->search.goal].g; }

typedef struct Tally {
  int64_t pairs, success, partial;
  double worst;
} Tally;

static void compare_pair(const Graph *graph, CrNavMeshQuery *query, uint64_t *seed, Tally *tally) {
  static CrPolyRef path[PATH_CAPACITY];
  CrPolyRef start_ref, end_ref;
  CrVec3 start, end;
  if (!random_place(graph->mesh, graph->filter, seed, &start_ref, &start)) return;
  if (!random_place(graph->mesh, graph->filter, seed, &end_ref, &end)) return;
  CrPathResult result;
  CHECK_OK(
      cr_query_find_path(query, start_ref, start, end_ref, end, graph->filter, path, PATH_CAPACITY, &result, NULL));
  uint32_t s = number_of(graph, start_ref), e = number_of(graph, end_ref);
  bool crossing = cr_query_node_model(query) == CR_NODE_MODEL_CROSSING;
  double expected = s == e     ? 0.0
                    : crossing ? dijkstra_crossings(graph, query, s, e)
                               : dijkstra_polygons(graph, query, s, e);
  tally->pairs++;
  check_route(graph->mesh, graph->filter, path, result.count, start_ref, !crossing);
  CHECK(!result.out_of_nodes && !result.truncated);
  if (expected == INFINITY) {
    tally->partial++;
    CHECK_INT(result.outcome, CR_PATH_PARTIAL);
    return;
  }
  tally->success++;
  CHECK_INT(result.outcome, CR_PATH_SUCCESS);
  if (result.outcome != CR_PATH_SUCCESS) return;
  CHECK(path[result.count - 1] == end_ref);
  CHECK(cr__dist(result.end, end) == 0.0);
  double error = fabs(found_cost(query) - expected) / (1.0 + expected);
  tally->worst = fmax(tally->worst, error);
  CHECK_NEAR(found_cost(query), expected, 1e-9 * (1.0 + expected));
}

static void compare_model(CrNodeModel model) {
  Tally tally = {0};
  for (int number = 0; number < 50; number++) {
    check_seed = (uint64_t)number;
    CrQueryFilter storage;
    CrNavMesh *mesh = world_number(number);
    Graph graph = make_graph(mesh, filter_number(number / 2, &storage));
    CrNavMeshQuery *query = make_query(mesh, model, CR_QUERY_DEFAULT_NODES);
    uint64_t seed = 9000 + (uint64_t)number;
    for (int64_t i = check_scaled(200); i > 0; i--) {
      compare_pair(&graph, query, &seed, &tally);
    }
    cr_query_destroy(query);
    free_graph(&graph);
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld pairs on 50 meshes: %lld routes, %lld unreachable; worst relative cost difference %.2g\n",
         (long long)tally.pairs, (long long)tally.success, (long long)tally.partial, tally.worst);
  CHECK(tally.success > tally.pairs / 3);
  CHECK(tally.partial > 0);
}

// By ternary search: the distance from a point of a segment to another segment is a convex function.
static double least_distance(CrVec3 a, CrVec3 b, CrVec3 s, CrVec3 e) {
  double low = 0.0, high = 1.0, distance = INFINITY;
  for (int i = 0; i < 100; i++) {
    double m = low + (high - low) / 3.0, n = high - (high - low) / 3.0;
    CrVec3 p = cr__lerp(a, b, m), q = cr__lerp(a, b, n);
    double dp = cr__dist_xz(p, cr__lerp(s, e, cr__segment_t_xz(s, e, p)));
    double dq = cr__dist_xz(q, cr__lerp(s, e, cr__segment_t_xz(s, e, q)));
    distance = fmin(distance, fmin(dp, dq));
    if (dp <= dq)
      high = n;
    else
      low = m;
  }
  return distance;
}

TEST(the_nearest_point_of_a_portal_is_nearest) {
  uint64_t seed = 11;
  for (int64_t i = check_scaled(20000); i > 0; i--) {
    check_seed = seed;
    CrVec3 p[4];
    // Half of the cases on a small lattice: touching, collinear and zero-length ones.
    bool lattice = rnd_int(&seed, 2);
    for (int k = 0; k < 4; k++) {
      double x = lattice ? rnd_int(&seed, 4) : rnd_range(&seed, -5, 5);
      double z = lattice ? rnd_int(&seed, 4) : rnd_range(&seed, -5, 5);
      p[k] = cr__vec(x, 0, z);
    }
    CrVec3 found = cr__nearest_on_portal(p[0], p[1], p[2], p[3]);
    CHECK(cr__dist_xz(found, cr__lerp(p[0], p[1], cr__segment_t_xz(p[0], p[1], found))) < 1e-12);
    double distance = cr__dist_xz(found, cr__lerp(p[2], p[3], cr__segment_t_xz(p[2], p[3], found)));
    CHECK(distance <= least_distance(p[0], p[1], p[2], p[3]) + 1e-9);
  }
}

TEST(polygon_nodes_cost_what_dijkstra_finds) { compare_model(CR_NODE_MODEL_POLYGON); }
TEST(crossing_nodes_cost_what_dijkstra_finds) { compare_model(CR_NODE_MODEL_CROSSING); }

// --- Slices -----------------------------------------------------------------------------------------------------------------

static bool same_result(const CrPathResult *a, const CrPathResult *b) {
  return a->outcome == b->outcome && a->out_of_nodes == b->out_of_nodes && a->truncated == b->truncated &&
         a->count == b->count && a->iterations == b->iterations && cr__same_point(a->end, b->end);
}

TEST(any_slicing_gives_the_same_route) {
  static CrPolyRef whole[PATH_CAPACITY], sliced[PATH_CAPACITY];
  static const int64_t budgets[] = {1, 2, 3, 5, 17, 100};
  for (int number = 0; number < 40; number++) {
    CrQueryFilter storage;
    const CrQueryFilter *filter = filter_number(number, &storage);
    CrNavMesh *mesh = world_number(number);
    // The small pool runs out of nodes on some of the pairs.
    int32_t nodes = number % 4 == 3 ? 64 : CR_QUERY_DEFAULT_NODES;
    CrNavMeshQuery *query = make_query(mesh, (CrNodeModel)(number / 2 % 2), nodes);
    uint64_t seed = 500 + (uint64_t)number;
    for (int i = 0; i < 20; i++) {
      CrPolyRef start_ref, end_ref;
      CrVec3 start, end;
      check_seed = seed;
      if (!random_place(mesh, filter, &seed, &start_ref, &start)) continue;
      if (!random_place(mesh, filter, &seed, &end_ref, &end)) continue;
      CrPathResult expected, result;
      CHECK_OK(
          cr_query_find_path(query, start_ref, start, end_ref, end, filter, whole, PATH_CAPACITY, &expected, NULL));
      for (size_t b = 0; b < CR_COUNT_OF(budgets); b++) {
        int64_t total = 0, calls = 0, expanded;
        CrPathOutcome outcome = cr_query_begin_path(query, start_ref, start, end_ref, end, filter);
        while (outcome == CR_PATH_IN_PROGRESS) {
          outcome = cr_query_update_path(query, budgets[b], &expanded);
          CHECK(expanded <= budgets[b]);
          total += expanded;
          calls++;
        }
        result = cr_query_finish_path(query, sliced, PATH_CAPACITY);
        CHECK(same_result(&result, &expected));
        CHECK_INT(total, expected.iterations);
        CHECK(calls <= expected.iterations / budgets[b] + 1);
        CHECK(memcmp(whole, sliced, sizeof *whole * (size_t)result.count) == 0);
      }
    }
    cr_query_destroy(query);
    cr_navmesh_destroy(mesh);
  }
}

// --- Partial results --------------------------------------------------------------------------------------------------------

static void flood(const Graph *graph, uint32_t s, uint8_t *reached) {
  uint32_t *stack = malloc((graph->count + 1) * sizeof *stack), depth = 0;
  memset(reached, 0, graph->count);
  stack[depth++] = s;
  reached[s] = 1;
  while (depth) {
    uint32_t p = stack[--depth];
    for (uint32_t i = graph->first[p]; i < graph->first[p + 1]; i++) {
      uint32_t to = graph->arcs[i].to;
      if (!reached[to]) stack[depth++] = to;
      reached[to] = 1;
    }
  }
  free(stack);
}

static double distance_to(const Graph *graph, uint32_t p, CrVec3 point) {
  const CrTile *tile = cr__resolve(graph->mesh, graph->refs[p]);
  return cr__dist(cr__polygon_closest(tile, cr__ref_polygon(graph->refs[p]), point, NULL), point);
}

TEST(partial_routes_lead_to_the_closest_reachable_polygon) {
  static CrPolyRef path[PATH_CAPACITY];
  int64_t partial = 0, success = 0;
  for (int number = 0; number < 30; number++) {
    CrQueryFilter storage;
    CrNavMesh *mesh = world_number(number);
    Graph graph = make_graph(mesh, filter_number(number / 2, &storage));
    uint8_t *reached = malloc(graph.count + 1);
    uint64_t seed = 700 + (uint64_t)number;
    CrNavMeshQuery *query = make_query(mesh, (CrNodeModel)(number / 3 % 2), CR_QUERY_DEFAULT_NODES);
    for (int i = 0; i < 60; i++) {
      CrPolyRef start_ref, end_ref;
      CrVec3 start, end;
      check_seed = seed;
      if (!random_place(mesh, graph.filter, &seed, &start_ref, &start)) continue;
      if (!random_place(mesh, graph.filter, &seed, &end_ref, &end)) continue;
      flood(&graph, number_of(&graph, start_ref), reached);
      CrPathResult result;
      CHECK_OK(
          cr_query_find_path(query, start_ref, start, end_ref, end, graph.filter, path, PATH_CAPACITY, &result, NULL));
      bool reachable = reached[number_of(&graph, end_ref)];
      CHECK_INT(result.outcome, reachable ? CR_PATH_SUCCESS : CR_PATH_PARTIAL);
      success += reachable;
      if (reachable) continue;
      partial++;
      double best = INFINITY;
      for (uint32_t p = 0; p < graph.count; p++) {
        if (reached[p]) best = fmin(best, distance_to(&graph, p, end));
      }
      uint32_t last = number_of(&graph, path[result.count - 1]);
      CHECK(reached[last]);
      CHECK_NEAR(cr__dist(result.end, end), best, 1e-12);
      CHECK_NEAR(distance_to(&graph, last, end), best, 1e-12);
    }
    cr_query_destroy(query);
    free(reached);
    free_graph(&graph);
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld partial, %lld complete\n", (long long)partial, (long long)success);
  CHECK(partial > 50 && success > 50);
}

TEST_MAIN(RUN(the_nearest_point_of_a_portal_is_nearest), RUN(polygon_nodes_cost_what_dijkstra_finds),
          RUN(crossing_nodes_cost_what_dijkstra_finds), RUN(any_slicing_gives_the_same_route),
          RUN(partial_routes_lead_to_the_closest_reachable_polygon))
