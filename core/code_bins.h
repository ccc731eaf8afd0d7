// CodeBins: the counts of one coded column at a node, at hand or counted here; unit weights.
#pragma once

#include "node_view.h"

namespace quercus {

// Whether the codes of a node are counted exactly: classes, or numbers in fixed point.
inline bool counts_exactly(const NodeView& node) {
  if (!node.unit || !node.frame.share.empty() || node.plan.options.off(no_streaming)) return false;
  return node.plan.data.n_classes > 0 || node.plan.fixed.precise(node.variance);
}

constexpr size_t MOST_BINS =
    size_t{1} << 22;  // of one column; where there could be more, only those that occur are made

namespace detail {

inline void add_instance(const NodeView& node, u32 instance, u32* bin) { ++bin[node.frame.label[instance]]; }
inline void add_instance(const NodeView& node, u32 instance, FixedSum* bin) {
  bin->add(node.plan.fixed.of(node.frame.target[instance]));
}
inline bool occurs(const u32* bin, u32 width) {
  if (width == 2) return (bin[0] | bin[1]) != 0;
  return std::any_of(bin, bin + width, [](u32 count) { return count > 0; });
}
inline bool occurs(const FixedSum* bin, u32) { return bin->upper > 0; }

// Counts the codes here; the bins are empty again after use. Few instances: their codes are noted on the way.
template <typename Bin, typename Use>
void with_own_bins(const NodeView& node, const FrameColumn& column, u32 width, u32 n_codes, Use use) {
  static thread_local std::vector<Bin> bins;
  static thread_local std::vector<u32> present;
  if (bins.size() < 256 * static_cast<size_t>(width)) bins.resize(256 * static_cast<size_t>(width), Bin{});
  std::array<u64, 4> noted{};
  for (u32 i = node.begin; i < node.end; ++i) {
    u32 instance = node.frame.order[i], code = std::min<u32>(column.code8[instance], n_codes);
    add_instance(node, instance, bins.data() + static_cast<size_t>(code) * width);
    noted[code >> 6] |= u64{1} << (code & 63);
  }
  present.clear();
  for (u32 word = 0; word < 4; ++word)
    for (u64 bits = noted[word]; bits; bits &= bits - 1)
      present.push_back(word * 64 + static_cast<u32>(std::countr_zero(bits)));
  use(bins.data(), width, present, n_codes);
  for (u32 code : present) std::fill_n(bins.data() + static_cast<size_t>(code) * width, width, Bin{});
}

// The same for columns of many values.
template <typename Bin, typename Use>
void with_many_bins(const NodeView& node, const FrameColumn& column, u32 width, u32 n_codes, Use use) {
  static thread_local std::vector<Bin> bins;
  static thread_local std::vector<u32> present;
  size_t size = (static_cast<size_t>(n_codes) + 1) * width;
  if (bins.size() < size) bins.resize(size, Bin{});
  present.clear();
  for (u32 i = node.begin; i < node.end; ++i) {
    u32 instance = node.frame.order[i], code = std::min(static_cast<u32>(column.code32[instance]), n_codes);
    Bin* bin = bins.data() + static_cast<size_t>(code) * width;
    if (!occurs(bin, width)) present.push_back(code);
    add_instance(node, instance, bin);
  }
  if (present.size() > n_codes / 8) {
    present.clear();
    for (u32 code = 0; code <= n_codes; ++code)
      if (occurs(bins.data() + static_cast<size_t>(code) * width, width)) present.push_back(code);
  } else {
    std::sort(present.begin(), present.end());
  }
  use(bins.data(), width, present, n_codes);
  for (u32 code : present) std::fill_n(bins.data() + static_cast<size_t>(code) * width, width, Bin{});
}

template <typename Bin, typename Use>
void with_counted_bins(const Bin* bins, u32 width, u32 n_codes, bool has_unknown, Use use) {
  static thread_local std::vector<u32> present;
  present.resize(n_codes + 1);
  u32 *codes = present.data(), n = 0;
  for (u32 code = 0; code < n_codes + has_unknown; ++code) {
    codes[n] = code;
    n += occurs(bins + static_cast<size_t>(code) * width, width);
  }
  present.resize(n);
  use(bins, width, present, n_codes);
}

}  // namespace detail

// Calls use(bins, width, present, n_codes): bins[code, width] are the counts by class, or one FixedSum for each code;
// `present` are the codes that occur, in order. Unknown values have the code n_codes.
template <typename Use>
void with_code_bins(const NodeView& node, const FrameColumn& column, Use use) {
  const Attribute& attribute = node.plan.attributes[column.attribute];
  u32 n_codes = attribute.n_codes(), width = static_cast<u32>(node.plan.width);
  if (!column.code32.empty()) {
    if (node.plan.data.n_classes)
      detail::with_many_bins<u32>(node, column, width, n_codes, use);
    else
      detail::with_many_bins<FixedSum>(node, column, 1, n_codes, use);
  } else if (node.counts) {
    size_t start = node.frame.code_rows.start[static_cast<size_t>(&column - node.frame.columns.data())];
    if (node.plan.data.n_classes)
      detail::with_counted_bins(node.counts->classes.data() + start * width, width, n_codes, attribute.has_unknown,
                                use);
    else
      detail::with_counted_bins(node.counts->numbers.data() + start, 1, n_codes, attribute.has_unknown, use);
  } else if (node.plan.data.n_classes) {
    detail::with_own_bins<u32>(node, column, width, n_codes, use);
  } else {
    detail::with_own_bins<FixedSum>(node, column, 1, n_codes, use);
  }
}

}  // namespace quercus
