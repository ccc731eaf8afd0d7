// Groups: the values of one attribute at a node, in order, each with the sums of its instances.
#pragma once

#include <array>
#include <bit>
#include <numeric>

#include "code_bins.h"

namespace quercus {

// The instances with an unknown value of one attribute.
struct Unknown {
  std::vector<double> sums;
  std::vector<double> rows;  // by class (regression: one number)
  double total = 0.0;

  void reset(const NodeView& node) {
    sums.assign(static_cast<size_t>(node.width()), 0.0);
    rows.assign(node.plan.data.n_classes ? sums.size() : 1, 0.0);
    total = 0.0;
  }
  void add(const NodeView& node, u32 instance) {
    node.add(sums.data(), instance);
    double row = node.frame.share_of(instance);
    rows[node.plan.data.n_classes ? node.place(node.frame.label[instance]) : 0] += row;
    total += row;
  }
};

// How many entries at the front of the node's part of a list are known (unknown ones stand at the end).
inline u32 known_entries(const NodeView& node, const FrameColumn& column) {
  const Attribute& attribute = node.plan.attributes[column.attribute];
  u32 n = node.count();
  if (!attribute.has_unknown) return n;
  const Column& cells = node.plan.data.columns[column.attribute];
  u32 low = 0, high = n;
  while (low < high) {
    u32 middle = low + (high - low) / 2;
    if (std::isnan(cells.number(node.frame.row_of(column.list[node.begin + middle] & node.plan.row_mask))))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// Sums by value of a coded column: values present in ascending order.
struct ValueTable {
  std::vector<u32> codes;
  std::vector<double> sums;     // [codes, width]
  std::vector<double> rows;     // [codes]; a part of a row counts as its share
  std::vector<double> weights;  // [codes]
  Unknown unknown;
  int width = 0;

  size_t size() const { return codes.size(); }
  double* of(size_t i) { return sums.data() + i * static_cast<size_t>(width); }
  const double* of(size_t i) const { return sums.data() + i * static_cast<size_t>(width); }
};

namespace detail {

inline void finish_table(const NodeView& node, ValueTable& table) {
  table.weights.resize(table.size());
  for (size_t i = 0; i < table.size(); ++i) table.weights[i] = node.measure.weight(table.of(i));
}

// Puts the counts of one value into the table, if it occurs.
inline void take_counts(const u32* row, u32 code, bool unknown, const NodeView& node, ValueTable& table) {
  u32 k = static_cast<u32>(node.width());
  static thread_local std::vector<u32> some;
  if (node.classes) {
    some.resize(k);
    for (u32 j = 0; j < k; ++j) some[j] = row[(*node.classes)[j]];
    row = some.data();
  }
  int64_t total = 0;
  for (u32 j = 0; j < k; ++j) total += row[j];
  if (!total) return;
  if (unknown) {
    table.unknown.sums.assign(row, row + k);
    table.unknown.rows.assign(row, row + k);
    table.unknown.total = static_cast<double>(total);
    return;
  }
  table.codes.push_back(code);
  table.rows.push_back(static_cast<double>(total));
  table.sums.insert(table.sums.end(), row, row + k);
}
inline void take_counts(const FixedSum* bin, u32 code, bool unknown, const NodeView& node, ValueTable& table) {
  const FixedPoint& fixed = node.plan.fixed;
  double sums[2] = {static_cast<double>(fixed.count(*bin)), fixed.sum(*bin, node.fixed_center)};
  if (sums[0] == 0.0) return;
  if (unknown) {
    table.unknown.sums.assign(sums, sums + 2);
    table.unknown.rows.assign(1, sums[0]);
    table.unknown.total = sums[0];
    return;
  }
  table.codes.push_back(code);
  table.rows.push_back(sums[0]);
  table.sums.insert(table.sums.end(), sums, sums + 2);
}

// Few codes, unit weights, only the classes that occur: counted here.
inline void tabulate_few_classes(const NodeView& node, const FrameColumn& column, ValueTable& table) {
  static thread_local std::vector<u32> counts;  // zero between calls
  u32 k = static_cast<u32>(node.width()), unknown_code = node.plan.attributes[column.attribute].n_codes();
  if (counts.size() < 256 * static_cast<size_t>(k)) counts.resize(256 * static_cast<size_t>(k), 0);
  std::array<u64, 4> present{};
  for (u32 i = node.begin; i < node.end; ++i) {
    u32 instance = node.frame.order[i], code = std::min<u32>(column.code8[instance], unknown_code);
    ++counts[static_cast<size_t>(code) * k + node.place(node.frame.label[instance])];
    present[code >> 6] |= u64{1} << (code & 63);
  }
  for (u32 word = 0; word < 4; ++word)
    for (u64 bits = present[word]; bits; bits &= bits - 1) {
      u32 code = word * 64 + static_cast<u32>(std::countr_zero(bits));
      u32* row = counts.data() + static_cast<size_t>(code) * k;
      double total = std::accumulate(row, row + k, 0.0);
      if (code == unknown_code) {
        table.unknown.sums.assign(row, row + k);
        table.unknown.rows.assign(row, row + k);
        table.unknown.total = total;
      } else {
        table.codes.push_back(code);
        table.rows.push_back(total);
        table.sums.insert(table.sums.end(), row, row + k);
      }
      std::fill(row, row + k, 0u);
    }
}

// Few codes, unit weights: exact counts and sums.
inline void tabulate_counts(const NodeView& node, const FrameColumn& column, ValueTable& table) {
  with_code_bins(node, column, [&](const auto* bins, u32 width, const std::vector<u32>& present, u32 n_codes) {
    for (u32 code : present) take_counts(bins + static_cast<size_t>(code) * width, code, code == n_codes, node, table);
  });
}

// Any codes, weights and targets.
inline void tabulate_any(const NodeView& node, const FrameColumn& column, ValueTable& table) {
  static thread_local std::vector<u32> slot_of;  // by code, 0: none yet
  static thread_local std::vector<u32> codes_here;
  static thread_local std::vector<double> sums;
  static thread_local std::vector<double> rows;
  int width = table.width;
  bool bytes = column.code32.empty();
  size_t codes = bytes ? 256 : node.plan.attributes[column.attribute].n_values;
  if (slot_of.size() < codes) slot_of.resize(codes, 0);
  codes_here.clear();
  sums.clear();
  rows.clear();
  auto slot_for = [&](int32_t code) {
    u32& slot = slot_of[static_cast<size_t>(code)];
    if (!slot) {
      codes_here.push_back(static_cast<u32>(code));
      slot = static_cast<u32>(codes_here.size());
      sums.resize(sums.size() + static_cast<size_t>(width), 0.0);
      rows.push_back(0.0);
    }
    return size_t{slot} - 1;
  };
  bool counts = node.unit && node.frame.share.empty() && node.plan.data.n_classes && !bytes;
  for (u32 i = node.begin; i < node.end && counts; ++i) {  // the same as below, without weights
    u32 instance = node.frame.order[i];
    int32_t code = column.code32[instance];
    if (code < 0) {
      table.unknown.add(node, instance);
      continue;
    }
    size_t slot = slot_for(code);
    sums[slot * static_cast<size_t>(width) + node.place(node.frame.label[instance])] += 1.0;
    rows[slot] += 1.0;
  }
  for (u32 i = node.begin; i < node.end && !counts; ++i) {
    u32 instance = node.frame.order[i];
    int32_t code = bytes ? column.code8[instance] : column.code32[instance];
    if (code < 0 || (bytes && code == UNKNOWN8)) {
      table.unknown.add(node, instance);
      continue;
    }
    size_t slot = slot_for(code);
    node.add(sums.data() + slot * static_cast<size_t>(width), instance);
    rows[slot] += node.frame.share_of(instance);
  }
  if (codes_here.size() < codes / 16) {
    std::sort(codes_here.begin(), codes_here.end());
  } else {
    codes_here.clear();
    for (u32 code = 0; code < codes; ++code)
      if (slot_of[code]) codes_here.push_back(code);
  }
  for (u32 code : codes_here) {
    size_t slot = slot_of[code] - 1;
    table.codes.push_back(code);
    table.rows.push_back(rows[slot]);
    table.sums.insert(table.sums.end(), sums.begin() + static_cast<std::ptrdiff_t>(slot * width),
                      sums.begin() + static_cast<std::ptrdiff_t>((slot + 1) * width));
    slot_of[code] = 0;
  }
}

// Puts a value whose sums are `sums` into the table.
inline void put_value(ValueTable& table, u32 code, const std::vector<double>& sums, size_t rows) {
  table.codes.push_back(code);
  table.rows.push_back(static_cast<double>(rows));
  table.sums.insert(table.sums.end(), sums.begin(), sums.end());
}

// A sparse column: the stored cells by code; what is left of the node has the code of 0.
inline void tabulate_sparse(const NodeView& node, const FrameColumn& column, ValueTable& table) {
  static thread_local std::vector<SparseNode::Cell> cells;
  static thread_local std::vector<double> sums, zeros;
  SparseNode::Part part = node.cells->of(column.attribute);
  cells.assign(part.begin(), part.end());
  std::stable_sort(cells.begin(), cells.end(), [](const auto& a, const auto& b) { return a.code < b.code; });
  u32 zero = node.plan.attributes[column.attribute].zero;
  size_t zero_rows = node.count() - cells.size(), zero_at = 0;
  zeros.assign(node.sums.begin(), node.sums.end());
  for (size_t first = 0, last = 0; first < cells.size(); first = last) {
    sums.assign(static_cast<size_t>(table.width), 0.0);
    for (last = first; last < cells.size() && cells[last].code == cells[first].code; ++last)
      node.add(sums.data(), cells[last].instance);
    if (cells[first].code > zero && table.size() == zero_at && zero_rows) put_value(table, zero, sums, zero_rows);
    put_value(table, cells[first].code, sums, last - first);
    if (cells[first].code < zero) ++zero_at;
    for (size_t j = 0; j < sums.size(); ++j) zeros[j] -= sums[j];
  }
  if (!zero_rows) return;
  if (table.size() == zero_at) put_value(table, zero, zeros, zero_rows);
  for (size_t j = 0; j < zeros.size(); ++j) {
    bool rounding = node.plan.data.n_classes && !node.unit && zeros[j] <= WEIGHT_SLACK * node.sums[j];
    table.of(zero_at)[j] = rounding ? 0.0 : zeros[j];
  }
}

}  // namespace detail

inline void tabulate(const NodeView& node, const FrameColumn& column, ValueTable& table) {
  table.width = node.width();
  table.codes.clear();
  table.sums.clear();
  table.rows.clear();
  table.unknown.reset(node);
  size_t bins = node.plan.attributes[column.attribute].n_codes() * static_cast<size_t>(node.plan.width);
  bool own_counts = node.classes && !node.counts;
  if (node.plan.attributes[column.attribute].form == Form::sparse)
    detail::tabulate_sparse(node, column, table);
  else if (own_counts && counts_exactly(node) && column.code32.empty())
    detail::tabulate_few_classes(node, column, table);
  else if (!own_counts && counts_exactly(node) && bins < MOST_BINS)
    detail::tabulate_counts(node, column, table);
  else
    detail::tabulate_any(node, column, table);
  detail::finish_table(node, table);
}

// Calls visit(group, where, sums, rows) for each known value of a numeric column in ascending order. `where` is the
// position in the list of the group's first entry, or the code.
template <typename Visit>
void for_each_group(const NodeView& node, const FrameColumn& column, u32 known, const ValueTable& table, Visit visit) {
  if (column.list.empty()) {
    for (size_t i = 0; i < table.size(); ++i) visit(static_cast<u32>(i), table.codes[i], table.of(i), table.rows[i]);
    return;
  }
  int width = node.width();
  static thread_local std::vector<double> sums;
  sums.assign(static_cast<size_t>(width), 0.0);
  double rows = 0.0;
  u32 group = 0, first = node.begin;
  for (u32 i = node.begin; i < node.begin + known; ++i) {
    u32 entry = column.list[i];
    if (i > node.begin && !(entry & TIE)) {
      visit(group++, first, sums.data(), rows);
      std::fill(sums.begin(), sums.end(), 0.0);
      rows = 0.0;
      first = i;
    }
    node.add(sums.data(), entry & node.plan.row_mask);
    rows += node.frame.share_of(entry & node.plan.row_mask);
  }
  if (known) visit(group, first, sums.data(), rows);
}

// The numbers of the value at a place of a list: the smallest and the largest. They differ only in bins.
inline double low_number_at(const NodeView& node, const FrameColumn& column, u32 where) {
  u32 instance = column.list[where] & node.plan.row_mask;
  if (!column.code8.empty()) return node.plan.attributes[column.attribute].low[column.code8[instance]];
  return node.plan.data.columns[column.attribute].number(node.frame.row_of(instance));
}
inline double high_number_at(const NodeView& node, const FrameColumn& column, u32 where) {
  u32 instance = column.list[where] & node.plan.row_mask;
  if (!column.code8.empty()) return node.plan.attributes[column.attribute].high[column.code8[instance]];
  return node.plan.data.columns[column.attribute].number(node.frame.row_of(instance));
}

}  // namespace quercus
