// The division of rows at a question: one row at a time, and sixteen at a time for processors that have AVX-512; both
// give the same rows to the same sides.
#pragma once

#include "partition.h"

namespace quercus {

inline bool divides_wide() { return machine_width() == 2; }

}  // namespace quercus

#ifdef QUERCUS_X86
#define QUERCUS_WIDE __attribute__((target("avx512f,avx512bw,avx512vl")))

namespace quercus {

// Rows wait in `rows`; those of the left child are written from the front of `to`, those of the right from its back.
struct WideRows {
  const u16* rows;
  u32 left;  // not read yet
  u16 *front, *back;
  __mmask16 here = 0;
  __m512i row = {};

  // The next rows, at most sixteen, and their places in cells of so many to a row.
  QUERCUS_WIDE __m512i next(__m512i stride) {
    here = left >= 16 ? 0xffff : static_cast<__mmask16>((1u << left) - 1);
    row = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(here, rows));
    u32 step = left >= 16 ? 16 : left;
    rows += step;
    left -= step;
    return _mm512_mullo_epi32(row, stride);
  }
  QUERCUS_WIDE void put(__mmask16 goes_right) {
    auto right = static_cast<__mmask16>(goes_right & here), other = static_cast<__mmask16>(here & ~goes_right);
    auto n_right = static_cast<u32>(__builtin_popcount(right)), n_left = static_cast<u32>(__builtin_popcount(other));
    _mm256_mask_storeu_epi16(front, static_cast<__mmask16>((1u << n_left) - 1),
                             _mm512_cvtepi32_epi16(_mm512_maskz_compress_epi32(other, row)));
    front += n_left;
    back -= n_right;
    _mm256_mask_storeu_epi16(back, static_cast<__mmask16>((1u << n_right) - 1),
                             _mm512_cvtepi32_epi16(_mm512_maskz_compress_epi32(right, row)));
  }
};

// Cells are the bits of numbers; how many rows go left.
QUERCUS_WIDE inline u32 divide_numbers_wide(const u32* cells, u32 stride, const u16* rows, u32 n, u16* to, float key,
                                            bool unknown_right) {
  WideRows wide{rows, n, to, to + n};
  __m512 keys = _mm512_set1_ps(key);
  __m512i strides = _mm512_set1_epi32(static_cast<int>(stride));
  while (wide.left) {
    __m512i place = wide.next(strides);
    __m512 x = _mm512_mask_i32gather_ps(_mm512_setzero_ps(), wide.here, place, cells, 4);
    wide.put(unknown_right ? _mm512_cmp_ps_mask(x, keys, _CMP_NLE_UQ) : _mm512_cmp_ps_mask(x, keys, _CMP_GT_OQ));
  }
  return static_cast<u32>(wide.front - to);
}

QUERCUS_WIDE inline u32 divide_numbers_wide(const u64* cells, u32 stride, const u16* rows, u32 n, u16* to, double key,
                                            bool unknown_right) {
  WideRows wide{rows, n, to, to + n};
  __m512d keys = _mm512_set1_pd(key), none = _mm512_setzero_pd();
  __m512i strides = _mm512_set1_epi32(static_cast<int>(stride));
  while (wide.left) {
    __m512i place = wide.next(strides);
    u32 right = 0;
    for (int half = 0; half < 2; ++half) {
      __m256i eight = half ? _mm512_extracti64x4_epi64(place, 1) : _mm512_castsi512_si256(place);
      auto here = static_cast<__mmask8>(wide.here >> 8 * half);
      __m512d x = _mm512_mask_i32gather_pd(none, here, eight, cells, 8);
      u32 lanes = unknown_right ? _mm512_cmp_pd_mask(x, keys, _CMP_NLE_UQ) : _mm512_cmp_pd_mask(x, keys, _CMP_GT_OQ);
      right |= lanes << 8 * half;
    }
    wide.put(static_cast<__mmask16>(right));
  }
  return static_cast<u32>(wide.front - to);
}

// Cells are codes below 32, or unknown; bit c of `right` tells whether code c goes right.
template <class Cell>
QUERCUS_WIDE u32 divide_codes_wide(const Cell* cells, u32 stride, const u16* rows, u32 n, u16* to, u32 right,
                                   bool unknown_right) {
  WideRows wide{rows, n, to, to + n};
  __m512i bits = _mm512_set1_epi32(static_cast<int>(right)), one = _mm512_set1_epi32(1);
  __m512i most = _mm512_set1_epi32(31), strides = _mm512_set1_epi32(static_cast<int>(stride));
  auto unknown = static_cast<__mmask16>(unknown_right ? 0xffff : 0);
  while (wide.left) {
    __m512i place = wide.next(strides);  // of a wider cell the lower half
    __m512i code = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), wide.here, place, cells, sizeof(Cell));
    __mmask16 known = _mm512_cmple_epu32_mask(code, most);
    __mmask16 set = _mm512_test_epi32_mask(_mm512_srlv_epi32(bits, code), one);  // a shift by more than 31 leaves 0
    wide.put(static_cast<__mmask16>(set | (unknown & ~known)));
  }
  return static_cast<u32>(wide.front - to);
}

// Cells are places in `bits`; a row goes right if the bit of its place is set.
template <class Cell>
QUERCUS_WIDE u32 divide_places_wide(const Cell* cells, u32 stride, const u16* rows, u32 n, u16* to, const u64* bits) {
  WideRows wide{rows, n, to, to + n};
  __m512i one = _mm512_set1_epi32(1), low = _mm512_set1_epi32(31), none = _mm512_setzero_si512();
  __m512i strides = _mm512_set1_epi32(static_cast<int>(stride));
  while (wide.left) {
    __m512i at = wide.next(strides);  // of a wider cell the lower half
    __m512i place = _mm512_mask_i32gather_epi32(none, wide.here, at, cells, sizeof(Cell));
    __m512i word = _mm512_mask_i32gather_epi32(none, wide.here, _mm512_srli_epi32(place, 5), bits, 4);
    wide.put(_mm512_test_epi32_mask(_mm512_srlv_epi32(word, _mm512_and_si512(place, low)), one));
  }
  return static_cast<u32>(wide.front - to);
}

}  // namespace quercus
#undef QUERCUS_WIDE

#else

namespace quercus {

template <class Cell, class Number>
u32 divide_numbers_wide(const Cell*, u32, const u16*, u32, u16*, Number, bool) {
  return 0;
}
template <class Cell>
u32 divide_codes_wide(const Cell*, u32, const u16*, u32, u16*, u32, bool) {
  return 0;
}
template <class Cell>
u32 divide_places_wide(const Cell*, u32, const u16*, u32, u16*, const u64*) {
  return 0;
}

}  // namespace quercus
#endif

namespace quercus {

// One row at a time, on any machine: writes the rows of the left child from the front and those of the right one from
// the back; how many are left.
template <class Right>
u32 divide_by(const u16* rows, u32 n, u16* to, Right&& right) {
  u16 *front = to, *back = to + n - 1;
  for (const u16* end = rows + n; rows != end; ++rows) {
    u16 row = *rows;
    *front = *back = row;
    auto goes_right = static_cast<std::ptrdiff_t>(right(row));
    back -= goes_right;
    front += 1 - goes_right;
  }
  return static_cast<u32>(front - to);
}

}  // namespace quercus
