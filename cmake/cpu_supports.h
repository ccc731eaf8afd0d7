// What the processor offers, asked with cpuid: for toolchains whose run-time library lacks __builtin_cpu_supports.
// CMake includes this file before every source if a probe of the builtin does not link (zig); elsewhere it is unused.
#pragma once
#if defined(__x86_64__)
#include <cpuid.h>

namespace quercus_processor {

inline constexpr bool same(const char* a, const char* b) {
  while (*a && *a == *b) ++a, ++b;
  return *a == *b;
}

// Registers b and the saved-state mask say everything that is asked for below.
struct Features {
  unsigned leaf7 = 0;  // EBX of leaf 7: AVX2 bit 5, BMI2 bit 8, AVX-512 F 16, DQ 17, BW 30, VL 31
  unsigned saved = 0;  // XCR0: the vector registers that the operating system saves

  Features() {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & (1u << 27))) return;
    __asm__("xgetbv" : "=a"(saved), "=d"(d) : "c"(0));
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) leaf7 = b;
  }
  bool wide(unsigned bit) const { return (saved & 0xE6) == 0xE6 && (leaf7 >> bit & 1); }
};

// An unknown name answers false: the plain code is always right.
inline bool supports(const char* name) {
  static const Features found;
  if (same(name, "avx2")) return (found.saved & 6) == 6 && (found.leaf7 >> 5 & 1);
  if (same(name, "bmi")) return found.leaf7 >> 3 & 1;
  if (same(name, "bmi2")) return found.leaf7 >> 8 & 1;
  if (same(name, "avx512f")) return found.wide(16);
  if (same(name, "avx512dq")) return found.wide(17);
  if (same(name, "avx512bw")) return found.wide(30);
  if (same(name, "avx512vl")) return found.wide(31);
  return false;
}

}  // namespace quercus_processor

#define __builtin_cpu_supports(name) quercus_processor::supports(name)
#endif
