// Asked column: cells that prediction reads where the caller has them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dataset.h"

namespace quercus {

// A column to be read, borrowed: of numbers or of codes, each cell so many bytes behind the one before.
struct AskedColumn {
  const std::byte* data = nullptr;
  int64_t stride = 0;
  ColumnKind kind = ColumnKind::number64;

  bool nominal() const { return kind == ColumnKind::nominal; }
  template <class T>
  T cell(int64_t row) const {
    return *reinterpret_cast<const T*>(data + row * stride);
  }
  double number(int64_t row) const {
    return kind == ColumnKind::number64 ? cell<double>(row) : static_cast<double>(cell<float>(row));
  }
  int32_t code(int64_t row) const { return cell<int32_t>(row); }
};

inline AskedColumn asked_column(const Column& column) {
  return {static_cast<const std::byte*>(column.data), column.kind == ColumnKind::number64 ? 8 : 4, column.kind};
}

}  // namespace quercus
