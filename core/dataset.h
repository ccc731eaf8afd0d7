// Dataset: borrowed columns of numbers or codes, with the target and the weights beside them.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

// In the innermost loops: a call costs more than what is called.
#if defined(__GNUC__) || defined(__clang__)
#define QUERCUS_INLINE inline __attribute__((always_inline))
#else
#define QUERCUS_INLINE inline
#endif

namespace quercus {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;

enum class ColumnKind : u8 { number64, number32, nominal };

struct Column {
  ColumnKind kind = ColumnKind::number64;
  const void* data = nullptr;
  int32_t n_values = 0;  // declared values of a nominal column

  bool nominal() const { return kind == ColumnKind::nominal; }
  double number(size_t row) const {
    return kind == ColumnKind::number64 ? static_cast<const double*>(data)[row]
                                        : static_cast<double>(static_cast<const float*>(data)[row]);
  }
  int32_t code(size_t row) const { return static_cast<const int32_t*>(data)[row]; }
  bool unknown(size_t row) const { return nominal() ? code(row) < 0 : std::isnan(number(row)); }
};

struct Dataset {
  u32 n_rows = 0;
  std::vector<Column> columns;
  int32_t n_classes = 0;            // 0: regression
  const int32_t* labels = nullptr;  // classification
  const double* target = nullptr;   // regression
  const double* weights = nullptr;  // null: all one; no zeros
};

}  // namespace quercus
