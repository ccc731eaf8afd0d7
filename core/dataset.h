// Dataset: borrowed columns of numbers or codes, with the target and the weights beside them.
#pragma once

#include <algorithm>
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

enum class ColumnKind : u8 { number64, number32, nominal, sparse64, sparse32 };

struct Column {
  ColumnKind kind = ColumnKind::number64;
  const void* data = nullptr;
  int32_t n_values = 0;           // declared values of a nominal column
  const int32_t* rows = nullptr;  // sparse: the rows of the numbers in `data`, rising; other rows hold 0
  u32 n_cells = 0;                // sparse: how many these are

  bool nominal() const { return kind == ColumnKind::nominal; }
  bool sparse() const { return kind == ColumnKind::sparse64 || kind == ColumnKind::sparse32; }
  double number(size_t row) const {
    if (kind == ColumnKind::number64) return static_cast<const double*>(data)[row];
    return sparse() ? sparse_number(row) : static_cast<double>(static_cast<const float*>(data)[row]);
  }
  // The number of a sparse column's cell, by its place among those that are stored.
  double cell(size_t place) const {
    return kind == ColumnKind::sparse64 ? static_cast<const double*>(data)[place]
                                        : static_cast<double>(static_cast<const float*>(data)[place]);
  }
  double sparse_number(size_t row) const {
    const int32_t* at = std::lower_bound(rows, rows + n_cells, static_cast<int32_t>(row));
    return at != rows + n_cells && static_cast<size_t>(*at) == row ? cell(static_cast<size_t>(at - rows)) : 0.0;
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

  bool any_sparse() const {
    return std::any_of(columns.begin(), columns.end(), [](const Column& column) { return column.sparse(); });
  }
};

}  // namespace quercus
