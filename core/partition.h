// Partition: dividing a sorted list between branches, stably, in place, at the width the machine allows.
#pragma once

#include <cstring>
#include <vector>

#include "dataset.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define QUERCUS_X86 1
#include <immintrin.h>
#endif

namespace quercus {

// An entry of a sorted list: the instance in the low bits, the class above it where it fits, and TIE in the top bit:
// "equal to the entry before me".
constexpr u32 TIE = u32{1} << 31;

// The side (0 or 1) of every instance: a byte each and, where it pays, a bit each too.
struct Sides {
  const u8* bytes;
  const u32* bits;  // null: not packed
};

namespace detail {

// One-by-one form. An entry kept on a side ties only if it and all entries skipped since the last kept one tie.
inline u32 partition_plain(u32* list, u32 from, u32 n, u32 left, u32 right, u32 tie_left, u32 tie_right, u32* spare,
                           u32 row_mask, const u8* side) {
  for (u32 i = from; i < n; ++i) {
    u32 e = list[i], s = side[e & row_mask], tie = e & TIE, base = e & ~TIE;
    tie_left &= tie;
    tie_right &= tie;
    list[left] = base | tie_left;
    spare[right] = base | tie_right;
    tie_left = s ? tie_left : TIE;
    tie_right = s ? TIE : tie_right;
    left += !s;
    right += s;
  }
  std::memcpy(list + left, spare, right * sizeof(u32));
  return left;
}

#ifdef QUERCUS_X86
// Marks, among kept entries, those that start a new value: they start one themselves, or an entry skipped before them
// did. Adding the skipped starts to the mask of skipped entries carries each start to the next kept entry.
inline u32 kept_starts(u32 starts, u32 kept, u32 width_mask, u32 width, u32& pending) {
  starts |= pending;
  u32 skipped = ~kept & width_mask;
  u32 sum = (starts & skipped) + skipped;
  pending = (sum >> width) & 1u;
  return ((starts | sum) & kept);
}

// The sides of 16 entries, from bytes. Single loads beat a gather here.
inline u32 sides_of_16(const u32* list, u32 row_mask, const u8* side) {
  u32 low = 0, high = 0;
  for (u32 j = 0; j < 8; ++j) {
    low |= static_cast<u32>(side[list[j] & row_mask]) << j;
    high |= static_cast<u32>(side[list[j + 8] & row_mask]) << j;
  }
  return low | high << 8;
}

// The same from bits, by a gather.
__attribute__((target("avx512f"))) inline u32 packed_sides_of_16(__m512i entries, u32 row_mask, const u32* bits) {
  __m512i row = _mm512_and_si512(entries, _mm512_set1_epi32(static_cast<int>(row_mask)));
  __m512i word = _mm512_i32gather_epi32(_mm512_srli_epi32(row, 5), bits, 4);
  __m512i bit = _mm512_sllv_epi32(_mm512_set1_epi32(1), _mm512_and_si512(row, _mm512_set1_epi32(31)));
  return _mm512_test_epi32_mask(word, bit);
}

template <bool Packed>
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2,popcnt"))) u32
partition_512(u32* list, u32 n, u32* spare, u32 row_mask, Sides side) {
  const __m512i tie = _mm512_set1_epi32(static_cast<int>(TIE));
  u32 left = 0, right = 0, i = 0, pending_left = 1, pending_right = 1;
  for (; i + 16 <= n; i += 16) {
    __m512i e = _mm512_loadu_si512(list + i);
    u32 to_right;
    if constexpr (Packed)
      to_right = packed_sides_of_16(e, row_mask, side.bits);
    else
      to_right = sides_of_16(list + i, row_mask, side.bytes);
    u32 to_left = ~to_right & 0xFFFFu;
    u32 starts = ~static_cast<u32>(_mm512_movepi32_mask(e)) & 0xFFFFu;
    __m512i base = _mm512_andnot_si512(tie, e);
    u32 start_left = kept_starts(starts, to_left, 0xFFFFu, 16, pending_left);
    u32 start_right = kept_starts(starts, to_right, 0xFFFFu, 16, pending_right);
    __m512i marked =
        _mm512_mask_or_epi32(base, static_cast<__mmask16>(~(start_left | start_right) & 0xFFFFu), base, tie);
    _mm512_storeu_si512(list + left, _mm512_maskz_compress_epi32(static_cast<__mmask16>(to_left), marked));
    _mm512_storeu_si512(spare + right, _mm512_maskz_compress_epi32(static_cast<__mmask16>(to_right), marked));
    u32 r = static_cast<u32>(_mm_popcnt_u32(to_right));
    left += 16 - r;
    right += r;
  }
  return partition_plain(list, i, n, left, right, pending_left ? 0 : TIE, pending_right ? 0 : TIE, spare, row_mask,
                         side.bytes);
}

__attribute__((target("avx512f,avx512bw"))) inline void pack_sides_512(const u8* bytes, u32 n, u32* bits) {
  u32 i = 0;
  for (; i + 64 <= n; i += 64) {
    __m512i v = _mm512_loadu_si512(bytes + i);
    u64 mask = _mm512_test_epi8_mask(v, v);
    std::memcpy(bits + i / 32, &mask, sizeof mask);
  }
  for (u32 word = i / 32; word < (n + 31) / 32; ++word) bits[word] = 0;
  for (; i < n; ++i) bits[i / 32] |= static_cast<u32>(bytes[i]) << (i & 31);
}

// For each 8-bit mask the lanes it keeps, packed to the front.
struct PackTable {
  u32 lanes[256][8];
  constexpr PackTable() : lanes() {
    for (u32 mask = 0; mask < 256; ++mask) {
      u32 k = 0;
      for (u32 bit = 0; bit < 8; ++bit)
        if (mask >> bit & 1) lanes[mask][k++] = bit;
    }
  }
};
inline constexpr PackTable pack_table{};

__attribute__((target("avx2,bmi,bmi2,popcnt"))) inline u32 partition_256(u32* list, u32 n, u32* spare, u32 row_mask,
                                                                         const u8* side) {
  const __m256i tie = _mm256_set1_epi32(static_cast<int>(TIE)), bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  u32 left = 0, right = 0, i = 0, pending_left = 1, pending_right = 1;
  for (; i + 8 <= n; i += 8) {
    __m256i e = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(list + i));
    u32 to_right = 0;
    for (u32 j = 0; j < 8; ++j) to_right |= static_cast<u32>(side[list[i + j] & row_mask]) << j;
    u32 to_left = ~to_right & 0xFFu;
    u32 starts = ~static_cast<u32>(_mm256_movemask_ps(_mm256_castsi256_ps(e))) & 0xFFu;
    u32 ties = ~(kept_starts(starts, to_left, 0xFFu, 8, pending_left) |
                 kept_starts(starts, to_right, 0xFFu, 8, pending_right));
    __m256i on = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(static_cast<int>(ties)), bit), bit);
    __m256i marked = _mm256_or_si256(_mm256_andnot_si256(tie, e), _mm256_and_si256(on, tie));
    __m256i lanes_left = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(pack_table.lanes[to_left]));
    __m256i lanes_right = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(pack_table.lanes[to_right]));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(list + left), _mm256_permutevar8x32_epi32(marked, lanes_left));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(spare + right), _mm256_permutevar8x32_epi32(marked, lanes_right));
    u32 r = static_cast<u32>(_mm_popcnt_u32(to_right));
    left += 8 - r;
    right += r;
  }
  return partition_plain(list, i, n, left, right, pending_left ? 0 : TIE, pending_right ? 0 : TIE, spare, row_mask,
                         side);
}
#endif

}  // namespace detail

// What the processor offers: 0 plain, 1 AVX2, 2 AVX-512.
inline int machine_width() {
#ifdef QUERCUS_X86
  static const int width = [] {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2")) return 0;
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
               ? 2
               : 1;
  }();
  return width;
#else
  return 0;
#endif
}

// Packs the sides of n instances into bits[(n + 31) / 32], where dividing long lists by bits is quicker than by bytes:
// the bytes of many instances outgrow the cache. False if the machine has no quick way.
inline bool pack_sides(const u8* bytes, u32 n, u32* bits, int width) {
#ifdef QUERCUS_X86
  if (width >= 2) {
    detail::pack_sides_512(bytes, n, bits);
    return true;
  }
#endif
  (void)bytes, (void)n, (void)bits, (void)width;
  return false;
}

// Divides list[0..n) by the side of each instance: zeros first, order kept, tie bits kept right. `spare` has room for
// n + 16 entries. Returns the number of zeros.
inline u32 partition_two(u32* list, u32 n, u32* spare, u32 row_mask, Sides side, int width) {
#ifdef QUERCUS_X86
  if (width >= 2 && n >= 32 && side.bits) return detail::partition_512<true>(list, n, spare, row_mask, side);
  if (width >= 2 && n >= 32) return detail::partition_512<false>(list, n, spare, row_mask, side);
  if (width >= 1 && n >= 16) return detail::partition_256(list, n, spare, row_mask, side.bytes);
#endif
  (void)width;
  return detail::partition_plain(list, 0, n, 0, 0, 0, 0, spare, row_mask, side.bytes);
}

// Divides list[0..n) among many branches; start[b] is where branch b begins (start[branches] = n).
inline void partition_many(u32* list, u32 n, u32* spare, u32 row_mask, const std::vector<u32>& branch,
                           const std::vector<u32>& start) {
  static thread_local std::vector<u32> cursor, stamp;
  cursor.assign(start.begin(), start.end() - 1);
  stamp.assign(start.size() - 1, 0);  // the number of values started when the branch last kept an entry
  u32 starts = 0;
  for (u32 i = 0; i < n; ++i) {
    u32 e = list[i], b = branch[e & row_mask];
    starts += i == 0 || !(e & TIE);
    spare[cursor[b]++] = (e & ~TIE) | (stamp[b] == starts ? TIE : 0);
    stamp[b] = starts;
  }
  std::memcpy(list, spare, n * sizeof(u32));
}

}  // namespace quercus
