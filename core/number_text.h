// Number text: what a cell of text is as a number, exactly rounded; 01234, nan and inf are no numbers.
#pragma once

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <system_error>

#include "dataset.h"

namespace quercus {

// What numbers show of how they are written, as bits that can be joined.
enum NumberSigns : u8 {
  whole_sign = 0,      // neither a decimal sign nor an exponent
  fraction_sign = 1,   // one of the two
  decimal_sign = 2,    // a decimal sign
  clear_sign = 4,      // a decimal sign that cannot stand between thousands, unlike that of 1.234
  too_large_sign = 8,  // beyond the range of 64-bit floats, or closer to 0 than they are
  empty_sign = 16,     // no number: an empty cell is among them
  large_sign = 32,     // a whole number from 2^53 on, beyond which floats do not hold all
};

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// Adds the digits from p on to a number; up to 8 at a time by arithmetic on one word, where they lie before `limit`.
inline const char* add_digits(const char* p, const char* limit, u64& number) {
  static constexpr u64 powers[] = {1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};
  if constexpr (std::endian::native == std::endian::little) {
    while (limit - p >= 8) {
      u64 word;
      std::memcpy(&word, p, 8);
      constexpr u64 zeros = 0x3030303030303030, tops = 0x8080808080808080;
      u64 others =
          ((word + 0x4646464646464646) | (word - zeros)) & tops;  // exact up to the first byte that is no digit
      int n = others == 0 ? 8 : std::countr_zero(others) / 8;
      if (n == 0) return p;
      word = (word - zeros) << (64 - 8 * n);  // with zeros in front
      word = word * 10 + (word >> 8);         // pairs of digits, in every second byte
      constexpr u64 pairs = 0x000000FF000000FF, high = 0x000F424000000064, low = 0x0000271000000001;
      number = number * powers[n] + (((word & pairs) * high + ((word >> 16) & pairs) * low) >> 32);
      p += n;
      if (n < 8) return p;
    }
  }
  for (; is_digit(*p); ++p) number = number * 10 + static_cast<u64>(*p - '0');
  return p;
}

// digits / 10^n, if 64 bits of the quotient tell its 53 bits beyond doubt; both factors are exact.
inline bool quotient(u64 digits, int64_t n, double& value) {
  if constexpr (std::numeric_limits<long double>::digits == 64 && std::endian::native == std::endian::little) {
    static constexpr long double powers[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
                                             1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
                                             1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
    if (n < 0 || n > 27) return false;
    long double exact = static_cast<long double>(digits) / powers[n];
    u64 bits;
    std::memcpy(&bits, &exact, 8);
    value = static_cast<double>(exact);
    return (bits & 0x7FF) != 0x400;  // halfway between two doubles
  }
  return false;
}

// The number that the text from p to end is, its decimal sign given; false if it is beyond the range of floats.
inline bool exact_number(const char* p, const char* end, char decimal, double& value) {
  std::string text;
  if (decimal != '.') {
    text.assign(p, end);
    for (char& c : text)
      if (c == decimal) c = '.';
    p = text.data();
    end = p + text.size();
  }
#ifdef __cpp_lib_to_chars
  auto [stop, error] = std::from_chars(p, end, value);
  return error == std::errc() && stop == end;
#else
  if (text.empty()) text.assign(p, end);
  value = std::strtod(text.c_str(), nullptr);
  return value - value == 0.0 && value != 0.0;
#endif
}

// Reads the number that begins at p, if one does, and returns its end; null: none. The byte after it must be readable,
// as must all before `limit`.
inline const char* read_number(const char* p, const char* limit, char decimal, double& value, u8& signs) {
  static constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  bool negative = *p == '-';
  const char* start = p;
  if (negative || *p == '+') ++p;
  const char* first = p;
  u64 digits = 0;
  if (*p == '0') {
    if (is_digit(*++p)) return nullptr;
  } else {
    p = add_digits(p, limit, digits);
  }
  int64_t n_before = p - first, n_after = 0, exponent = 0;
  bool point = *p == decimal;
  if (point) {
    const char* fraction = ++p;
    p = add_digits(p, limit, digits);
    n_after = p - fraction;
  }
  if (n_before + n_after == 0) return nullptr;
  bool power = *p == 'e' || *p == 'E';
  if (power) {
    bool down = *++p == '-';
    if (down || *p == '+') ++p;
    if (!is_digit(*p)) return nullptr;
    for (; is_digit(*p); ++p)
      if (exponent < 100'000) exponent = exponent * 10 + (*p - '0');
    if (down) exponent = -exponent;
  }
  signs = whole_sign;
  if (point || power) signs = fraction_sign;
  if (point) signs |= decimal_sign;
  if (point && (power || n_after != 3 || n_before < 1 || n_before > 3 || *first == '0')) signs |= clear_sign;
  exponent -= n_after;
  constexpr u64 exact = u64{1} << 53;
  if (signs == whole_sign && (n_before > 16 || digits >= exact)) signs = large_sign;
  if (n_before + n_after <= 19 && digits <= exact && exponent >= -22 && exponent <= 22) {  // both factors are exact
    double number = static_cast<double>(digits);
    number = exponent < 0 ? number / powers[-exponent] : number * powers[exponent];
    value = negative ? -number : number;
  } else if (n_before + n_after <= 19 && quotient(digits, -exponent, value)) {
    if (negative) value = -value;
  } else if (!exact_number(negative ? start : first, p, decimal, value)) {
    signs |= too_large_sign;
  }
  return p;
}

}  // namespace quercus
