// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Open fields as heightfield layers, and those as bytes (docs/formats/tile-cache.md, "Layers").
#ifndef CR_LAYERS_INTERNAL_H
#define CR_LAYERS_INTERNAL_H

#include "build_internal.h"

#define CR_LAYERS_MAX_SPANS (1u << 24)           // of one tile
#define CR_LAYERS_MAX_BYTES (1u << 30)           // of one tile before packing
#define CR_LAYERS_MAX_FLOOR INT32_C(1073741824)  // floors are 0..this: as many cell heights as a build may have

// --- Splitting (layers.c) -------------------------------------------------------------------------------------------------

// The spans of a field that later stages can read, in layers of at most one span per column.
typedef struct CrLayers {
  uint32_t count;       // layers
  uint32_t span_count;  // spans kept
  uint32_t *first;      // count + 1: spans[first[l]..first[l + 1]) are layer l's, columns rising
  uint32_t *spans;      // indices into the field
  uint32_t *layer_of;   // per span of the field: its layer, or CR_NO_SPAN for those left out
  uint32_t *column;     // per span of the field
} CrLayers;

bool cr__layers_split(const CrOpenField *field, CrArena *arena, CrLayers *out);

// --- Bytes (layer_pack.c, layer_unpack.c) ---------------------------------------------------------------------------------

// The layers of one tile, packed.
typedef struct CrPackedLayers {
  uint8_t *data;
  uint32_t size;
  uint32_t raw_size;  // before packing
  uint32_t span_count, layer_count;
} CrPackedLayers;

// `out->data` comes from `allocator`. CR_STATUS_OUT_OF_MEMORY; CR_STATUS_LIMIT "settings.tileCells".
CrStatus cr__layers_pack(const CrOpenField *field, CrPacker *packer, CrArena *arena, const CrAllocator *allocator,
                         CrPackedLayers *out, CrError *error);
void cr__layers_free(CrPackedLayers *layers, const CrAllocator *allocator);
// The field again, without headroom (null: no stage after erosion reads it) and the spans left out; regions are zero. Trusts
// nothing: CR_STATUS_BAD_VALUE when the bytes are not of a field of this grid. CR_STATUS_OUT_OF_MEMORY.
CrStatus cr__layers_unpack(const CrPackedLayers *layers, const CrGrid *grid, const CrCells *cells, CrArena *arena,
                           CrOpenField *out);

// --- What both sides share ------------------------------------------------------------------------------------------------

typedef enum CrLayerPredictor { CR_PREDICT_CLAMPED = 0, CR_PREDICT_PLANE = 1, CR_PREDICT_COUNT = 2 } CrLayerPredictor;

// Floor symbols, two bits each.
enum { CR_FLOOR_SAME = 0, CR_FLOOR_UP = 1, CR_FLOOR_DOWN = 2, CR_FLOOR_OTHER = 3 };

// Where the spans of the layer under way stand: per column the number of the last span placed there plus one, in rows with
// one entry more to the left and one row more on top, which stay empty. Numbers rise over all layers, so a span
// belongs to the layer under way when its number is at least the layer's first.
typedef struct CrLayerPlaces {
  uint32_t *at;
  size_t stride;
  uint32_t first;  // number of the layer's first span
} CrLayerPlaces;

static inline bool cr__layer_places(const CrGrid *grid, CrArena *arena, CrLayerPlaces *out) {
  out->stride = (size_t)grid->width + 1;
  out->at = cr__arena_zeroed(arena, out->stride * ((size_t)grid->depth + 1), sizeof *out->at);
  out->first = 0;
  return out->at != NULL;
}

static inline size_t cr__layer_place(const CrLayerPlaces *places, uint32_t x, uint32_t z) {
  return ((size_t)z + 1) * places->stride + x + 1;
}

// The layer's spans around a place, CR_NO_SPAN where there is none.
typedef struct CrLayerAround {
  uint32_t left, above, corner;  // towards -x, towards -z, and both
} CrLayerAround;

static inline CrLayerAround cr__layer_around(const CrLayerPlaces *places, size_t place) {
  const uint32_t *at = places->at + place;
  uint32_t left = at[-1], above = at[-(ptrdiff_t)places->stride], corner = at[-(ptrdiff_t)places->stride - 1];
  return (CrLayerAround){left > places->first ? left - 1 : CR_NO_SPAN, above > places->first ? above - 1 : CR_NO_SPAN,
                         corner > places->first ? corner - 1 : CR_NO_SPAN};
}

// What a floor is expected to be. `floors` by number; `last` is the floor before it in the layer, 0 for the first.
static inline int32_t cr__layer_predict(const int32_t *floors, const CrLayerAround *around, int32_t last,
                                        CrLayerPredictor predictor) {
  if (around->left == CR_NO_SPAN) return around->above == CR_NO_SPAN ? last : floors[around->above];
  int32_t a = floors[around->left];
  if (around->above == CR_NO_SPAN || around->corner == CR_NO_SPAN) return a;
  int32_t b = floors[around->above], c = floors[around->corner];
  int64_t plane = (int64_t)a + b - c;
  int32_t low = a < b ? a : b, high = a < b ? b : a;
  if (predictor == CR_PREDICT_PLANE) low = 0, high = CR_LAYERS_MAX_FLOOR;
  return (int32_t)(plane < low ? low : plane > high ? high : plane);
}

// Whether two spans of a layer side by side are expected to be linked.
static inline bool cr__layer_linked(const int32_t *floors, uint32_t a, uint32_t b, int32_t climb) {
  if (b == CR_NO_SPAN) return false;
  int32_t step = floors[a] - floors[b];
  return step <= climb && -step <= climb;
}

#endif
