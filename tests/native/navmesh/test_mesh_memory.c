// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Memory that runs out at the k-th allocation, for every k and every public call of the mesh: the status, what is left
// behind, what has changed. And calls that never allocate.
#include "check.h"
#include "navmesh_internal.h"
#include "tile_kit.h"

static TileKit kit;

static const CrNavMeshParams params = {.origin_x = -3.5, .origin_z = 1.25, .tile_size = 7.5, .climb = 0.5};

#define SIDE 3
#define TILES (SIDE * SIDE * 2)

// What every attempt starts from.
typedef struct Ground {
  CrBytes tiles[TILES], another;  // `another` stands at (1, 1, 0)
  CrBytes full, referenced;
  CrTileData data[TILES];
  uint32_t data_count;
} Ground;

static CrNavMesh *build_mesh(const Ground *ground, const CrAllocator *allocator) {
  CrNavMesh *mesh = NULL;
  REQUIRE_OK(cr_navmesh_create(&params, allocator, &mesh, NULL));
  for (int i = 0; i < TILES; i++) {
    if (i != 3) REQUIRE_OK(cr_navmesh_add_tile(mesh, ground->tiles[i].data, ground->tiles[i].size, NULL, NULL));
  }
  REQUIRE_OK(cr_navmesh_remove_tile(mesh, 2, 2, 1, NULL));
  return mesh;
}

static Ground new_ground(uint64_t seed) {
  Ground ground = {.data_count = 0};
  for (int32_t i = 0; i < TILES; i++) {
    kit_random(&kit, &params, &seed, i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE));
    ground.tiles[i] = kit_encode(&kit, &params);
    ground.data[ground.data_count++] = (CrTileData){ground.tiles[i].data, ground.tiles[i].size};
  }
  kit_random(&kit, &params, &seed, 1, 1, 0);
  ground.another = kit_encode(&kit, &params);
  CrNavMesh *mesh = build_mesh(&ground, NULL);
  REQUIRE_OK(cr_navmesh_save(mesh, NULL, &ground.full, NULL));
  REQUIRE_OK(cr_navmesh_save_referenced(mesh, NULL, &ground.referenced, NULL));
  cr_navmesh_destroy(mesh);
  return ground;
}

static void free_ground(Ground *ground) {
  for (int i = 0; i < TILES; i++) cr_bytes_free(&ground->tiles[i]);
  cr_bytes_free(&ground->another);
  cr_bytes_free(&ground->full);
  cr_bytes_free(&ground->referenced);
}

// --- The calls ------------------------------------------------------------------------------------------------------

typedef struct Call {
  const Ground *ground;
  CrNavMesh *mesh;               // made with `allocator`
  const CrAllocator *allocator;  // may fail
  CrNavMesh *made;               // what the call gave
  CrBytes bytes;
  CrError error;
} Call;

static CrStatus create(Call *c) { return cr_navmesh_create(&params, c->allocator, &c->made, &c->error); }
static CrStatus encode(Call *c) {
  return cr_tile_encode(&params, kit_describe(&kit), c->allocator, &c->bytes, &c->error);
}
static CrStatus add(Call *c) {
  return cr_navmesh_add_tile(c->mesh, c->ground->tiles[3].data, c->ground->tiles[3].size, NULL, &c->error);
}
static CrStatus replace(Call *c) {
  return cr_navmesh_replace_tile(c->mesh, c->ground->another.data, c->ground->another.size, NULL, &c->error);
}
static CrStatus remove_it(Call *c) { return cr_navmesh_remove_tile(c->mesh, 1, 1, 0, &c->error); }
static CrStatus tile_bytes(Call *c) { return cr_navmesh_tile_bytes(c->mesh, 4, c->allocator, &c->bytes, &c->error); }
static CrStatus save(Call *c) { return cr_navmesh_save(c->mesh, c->allocator, &c->bytes, &c->error); }
static CrStatus save_referenced(Call *c) {
  return cr_navmesh_save_referenced(c->mesh, c->allocator, &c->bytes, &c->error);
}
static CrStatus load(Call *c) {
  return cr_navmesh_load(c->ground->full.data, c->ground->full.size, c->allocator, &c->made, &c->error);
}
static CrStatus load_referenced(Call *c) {
  const Ground *g = c->ground;
  return cr_navmesh_load_referenced(g->referenced.data, g->referenced.size, g->data, g->data_count, c->allocator,
                                    &c->made, &c->error);
}
static CrStatus from_polygons(Call *c) {
  CrPolygonSoup soup = {.position_count = kit.tile.vertex_count,
                        .polygon_count = kit.tile.polygon_count,
                        .positions = kit.vertices,
                        .corner_counts = kit.counts,
                        .corners = kit.corners,
                        .off_mesh_count = kit.tile.off_mesh_count,
                        .off_mesh_links = kit.links};
  return cr_navmesh_from_polygons(&soup, c->allocator, &c->made, &c->error);
}

typedef struct CallKind {
  const char *name;
  CrStatus (*run)(Call *);
  bool edits;
} CallKind;
static const CallKind kinds[] = {{"create", create, false},
                                 {"encode", encode, false},
                                 {"add_tile", add, true},
                                 {"replace_tile", replace, true},
                                 {"remove_tile", remove_it, true},
                                 {"tile_bytes", tile_bytes, false},
                                 {"save", save, false},
                                 {"save_referenced", save_referenced, false},
                                 {"load", load, false},
                                 {"load_referenced", load_referenced, false},
                                 {"from_polygons", from_polygons, false}};

static uint64_t mesh_hash(const CrNavMesh *mesh) {
  CrBytes bytes;
  REQUIRE_OK(cr_navmesh_save(mesh, NULL, &bytes, NULL));
  uint64_t hash = cr_hash_bytes(bytes.data, bytes.size);
  cr_bytes_free(&bytes);
  return hash;
}

// One call whose k-th allocation fails, then once more with all the memory it wants. True: it no longer failed.
static bool fail_at(const CallKind *kind, const Ground *ground, int64_t k) {
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  Call call = {.ground = ground, .allocator = &allocator, .mesh = build_mesh(ground, &allocator)};
  uint64_t before = mesh_hash(call.mesh);
  int64_t blocks = memory.live_blocks;
  memory.fail_at = memory.total_allocations + k;
  CrStatus status = kind->run(&call);
  memory.fail_at = 0;
  const char *broken = cr__navmesh_invariant(call.mesh);
  if (broken) printf("  %s: %s\n", kind->name, broken);
  CHECK(!broken && (mesh_hash(call.mesh) == before) == (status != CR_STATUS_OK || !kind->edits));
  if (status != CR_STATUS_OK) {
    CHECK(status == CR_STATUS_OUT_OF_MEMORY && call.error.status == status && !call.made && !call.bytes.data);
    // Arrays of the mesh that merely grew before may stay grown.
    CHECK(kind->edits ? memory.live_blocks <= blocks + 2 : memory.live_blocks == blocks);
    CHECK_OK(kind->run(&call));
    CHECK(!cr__navmesh_invariant(call.mesh));
  }
  if (call.made) CHECK(!cr__navmesh_invariant(call.made));
  cr_navmesh_destroy(call.made);
  cr_bytes_free(&call.bytes);
  cr_navmesh_destroy(call.mesh);
  CHECK(memory.live_blocks == 0 && memory.live_bytes == 0);
  return status == CR_STATUS_OK;
}

TEST(every_allocation_of_every_call_may_fail) {
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    int64_t failures = 0;
    for (uint64_t seed = 1; seed <= 3; seed++) {
      check_seed = seed;
      Ground ground = new_ground(seed);
      int64_t k = 1;
      while (!fail_at(&kinds[i], &ground, k)) k++;
      failures += k - 1;
      free_ground(&ground);
    }
    printf("  %-16s %4" PRId64 " failures survived\n", kinds[i].name, failures);
    CHECK(failures >= 3);
  }
}

TEST(reading_and_marking_allocate_nothing) {
  Ground ground = new_ground(4);
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  CrNavMesh *mesh = build_mesh(&ground, &allocator);
  int64_t before = memory.total_allocations;
  CrVec3 low, high;
  CrOffMeshId open[8];
  CrTileNeed needs[8];
  uint32_t count;
  uint64_t hash;
  for (uint32_t slot = 0; slot < cr_navmesh_slot_count(mesh); slot++) {
    CrTileInfo info;
    CrPolygonInfo polygon;
    CrPolyRef ref = cr_navmesh_ref(mesh, slot, 0);
    cr_navmesh_tile_info(mesh, slot, &info);
    if (cr_navmesh_polygon(mesh, ref, &polygon) != CR_STATUS_OK) continue;
    CHECK_OK(cr_navmesh_set_area(mesh, ref, polygon.area ^ 1, NULL));
    CHECK_OK(cr_navmesh_set_flags(mesh, ref, polygon.flags ^ 1, NULL));
  }
  CHECK(cr_navmesh_bounds(mesh, &low, &high) && cr_navmesh_unconnected_links(mesh, open, 8) > 0);
  CHECK_INT(memory.total_allocations, before);
  CHECK_OK(cr_navmesh_snapshot_needs(ground.referenced.data, ground.referenced.size, needs, 8, &count, NULL));
  CHECK_OK(cr_tile_content_hash(ground.another.data, ground.another.size, &hash, NULL));
  cr_navmesh_destroy(mesh);
  free_ground(&ground);
}

TEST_MAIN(RUN(every_allocation_of_every_call_may_fail), RUN(reading_and_marking_allocate_nothing))
