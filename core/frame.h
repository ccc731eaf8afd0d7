// Frame: a set of instances (row, weight) with their columns laid out for growing. The root frame holds all rows; a
// subtree gets a frame of its own when it is small, or when unknown values make copies of rows with fractional weights.
#pragma once

#include <algorithm>
#include <bit>
#include <memory>
#include <stdexcept>
#include <vector>

#include "measures.h"
#include "options.h"
#include "parallel.h"
#include "partition.h"
#include "presort.h"
#include "profile.h"
#include "target.h"

namespace quercus {

enum class Form : u8 {
  list,   // numeric, many values: a sorted list of entries
  code8,  // few values: a byte per instance (255: unknown)
  code32  // nominal, many values: an int per instance (-1: unknown)
};

constexpr u8 UNKNOWN8 = 255;
constexpr u32 MOST_CODES = 254;
constexpr u32 PROFILE_ROWS = 1024;  // shorter lists are read quickly enough

// What is fixed for one attribute during a fit.
struct Attribute {
  Form form = Form::list;
  bool nominal = false;
  bool has_unknown = false;
  bool has_close = false;         // numeric, a list: neighbouring numbers that are too close for a cut
  u32 n_values = 0;               // nominal: declared values
  u32 common = UNKNOWN8;          // code8 numeric: the code of nearly all rows; 255: there is none
  std::vector<double> low, high;  // code8 numeric: smallest and largest number of each code
  std::vector<double> distinct;   // data-value thresholds: all numbers of the column, sorted
};

// One attribute's cells in a frame.
struct FrameColumn {
  u32 attribute = 0;
  Large<u32> list;
  std::vector<u8> code8;
  std::vector<int32_t> code32;
};

struct Frame {
  u32 size = 0;
  std::vector<u32> row;        // empty: instance i is row i
  std::vector<double> weight;  // empty: all one
  std::vector<double> share;   // which part of its row an instance is, where rows are counted; empty: all whole
  std::vector<int32_t> label;  // classification
  std::vector<double> target;  // regression
  Large<u32> order;            // instances by node, ascending in a node; empty when no column needs it
  std::vector<FrameColumn> columns;
  std::vector<u8> side;                    // scratch of a binary partition
  std::shared_ptr<const Profile> profile;  // of the only column, if its list stays as it is

  u32 row_of(u32 instance) const { return row.empty() ? instance : row[instance]; }
  double weight_of(u32 instance) const { return weight.empty() ? 1.0 : weight[instance]; }
  double share_of(u32 instance) const { return share.empty() ? 1.0 : share[instance]; }
};

// The facts that all nodes of a fit share.
struct Plan {
  const Dataset& data;
  const Options& options;
  std::vector<Attribute> attributes;
  std::vector<double> parts;  // of 0, 1, 2, ... by the criterion, where they are costly
  int width = 0;              // of sums: classes, or 2
  u32 label_shift = 31;       // entries hold the class from this bit up, below TIE; 31: not at all
  u32 row_mask = TIE - 1;
  bool order_always = false;  // the options need the instances of a node in their order, whatever its columns are
  bool keep_order = false;    // that, or a column needs it
  bool every_node = false;    // leaves are looked at too, as a trace does
  int wide = 0;               // instructions
  double root_weight = 0.0;
  std::vector<u32> target_rank{};  // quantiles: of each row, the rank of its number among all

  TargetKind target() const { return {data, options}; }
  bool labels_in_entries() const { return label_shift < 31; }
  u32 label_in(u32 entry) const { return (entry & ~TIE) >> label_shift; }
};

namespace detail {

// Turns a sorted column into codes: one per distinct value, or one per bin, the bins holding about equally many rows.
inline void make_codes(const Column& column, const SortScratch& sorted, u32 row_mask, u32 n, u32 distinct, u32 bins,
                       Attribute& attribute, std::vector<u8>& codes) {
  codes.assign(n, UNKNOWN8);
  attribute.form = Form::code8;
  size_t known = sorted.items.size();
  double share = static_cast<double>(known) / bins;
  auto number = [&](size_t i) { return column.number(sorted.items[i].cargo & row_mask); };
  u32 code = 0;
  size_t first = 0;  // of the code
  for (size_t i = 0; i < known; ++i) {
    bool starts = !(sorted.items[i].cargo & TIE);
    if (i == 0) {
      attribute.low.push_back(number(i));
    } else if (starts && code + 1 < bins && (distinct <= bins || static_cast<double>(i) >= (code + 1) * share)) {
      attribute.high.push_back(number(i - 1));
      attribute.low.push_back(number(i));
      ++code;
      first = i;
    }
    if (i - first >= n - n / 8) attribute.common = code;
    codes[sorted.items[i].cargo & row_mask] = static_cast<u8>(code);
  }
  if (known) attribute.high.push_back(number(known - 1));
}

// Puts TIE on every entry whose number equals the one before; returns the number of distinct numbers.
inline u32 mark_ties(const Column& column, SortScratch& sorted, u32 row_mask) {
  Large<SortItem>& items = sorted.items;
  u32 distinct = !items.empty();
  for (size_t i = items.size(); i-- > 1;) {
    bool tie = items[i].key == items[i - 1].key;
    if (tie && !sorted.exact)
      tie = column.number(items[i].cargo & row_mask) == column.number(items[i - 1].cargo & row_mask);
    if (tie)
      items[i].cargo |= TIE;
    else
      ++distinct;
  }
  return distinct;
}

// Whether some neighbouring numbers do not differ by more than the gap.
inline bool any_close(const Column& column, const SortScratch& sorted, u32 row_mask, double gap) {
  auto number = [&](size_t i) { return column.number(sorted.items[i].cargo & row_mask); };
  for (size_t i = 1; i < sorted.items.size(); ++i)
    if (!(sorted.items[i].cargo & TIE) && !(number(i - 1) + gap < number(i))) return true;
  return false;
}

inline void prepare_numeric(Plan& plan, const Column& column, Attribute& attribute, FrameColumn& cells,
                            SortScratch& sorted) {
  u32 n = plan.data.n_rows;
  const int32_t* labels = plan.labels_in_entries() ? plan.data.labels : nullptr;
  u32 shift = plan.label_shift;
  if (labels)
    sort_column(column, n, plan.row_mask, sorted, [=](u32 i) { return i | static_cast<u32>(labels[i]) << shift; });
  else
    sort_column(column, n, plan.row_mask, sorted, [](u32 i) { return i; });
  attribute.has_unknown = !sorted.unknown.empty();
  u32 distinct = mark_ties(column, sorted, plan.row_mask);
  if (plan.options.data_value_threshold) {
    attribute.distinct.reserve(distinct);
    for (const SortItem& item : sorted.items)
      if (!(item.cargo & TIE)) attribute.distinct.push_back(column.number(item.cargo & plan.row_mask));
  }
  u32 bins = plan.options.max_bins > 0 ? std::min<u32>(static_cast<u32>(plan.options.max_bins), MOST_CODES) : 0;
  if (bins || (distinct <= MOST_CODES && !plan.options.off(no_codes))) {
    make_codes(column, sorted, plan.row_mask, n, distinct, bins ? bins : MOST_CODES, attribute, cells.code8);
    return;
  }
  attribute.form = Form::list;
  attribute.has_close =
      plan.options.threshold_gap != 0.0 && any_close(column, sorted, plan.row_mask, plan.options.threshold_gap);
  cells.list.resize(n);
  u32* to = cells.list.data();
  for (const SortItem& item : sorted.items) *to++ = item.cargo;
  for (u32 cargo : sorted.unknown) *to++ = cargo;
}

inline void prepare_nominal(Plan& plan, const Column& column, Attribute& attribute, FrameColumn& cells) {
  u32 n = plan.data.n_rows;
  attribute.nominal = true;
  attribute.n_values = static_cast<u32>(column.n_values);
  bool small = column.n_values <= static_cast<int32_t>(MOST_CODES);
  attribute.form = small ? Form::code8 : Form::code32;
  if (small)
    cells.code8.resize(n);
  else
    cells.code32.resize(n);
  for (u32 i = 0; i < n; ++i) {
    int32_t c = column.code(i);
    if (c >= column.n_values) throw std::invalid_argument("a nominal code is not below the number of declared values");
    attribute.has_unknown = attribute.has_unknown || c < 0;
    if (small)
      cells.code8[i] = c < 0 ? UNKNOWN8 : static_cast<u8>(c);
    else
      cells.code32[i] = c < 0 ? -1 : c;
  }
}

// Whether one of a frame's columns, in a frame by itself, needs no order: every cut of it is a place in its list.
inline bool stands_alone(const Plan& plan, const Frame& frame, const FrameColumn& column) {
  return !plan.order_always && frame.weight.empty() && !column.list.empty() &&
         !plan.attributes[column.attribute].has_unknown;
}

// A list that is alone in its frame is never divided: cuts keep it sorted.
inline void make_profile(const Plan& plan, Frame& frame) {
  if (!frame.order.empty() || plan.options.off(no_profile) || plan.data.n_classes != 2) return;
  if (frame.columns.size() != 1 || frame.size < PROFILE_ROWS || frame.columns[0].list.empty()) return;
  frame.profile = std::make_shared<Profile>(frame.columns[0].list.data(), frame.size, TIE);
}

}  // namespace detail

// Lays out all rows. Sorting is the work here; attributes are prepared in parallel.
inline std::shared_ptr<Frame> root_frame(Plan& plan, Pool& pool) {
  const Dataset& data = plan.data;
  auto frame = std::make_shared<Frame>();
  frame->size = data.n_rows;
  if (data.n_classes) {
    frame->label.assign(data.labels, data.labels + data.n_rows);
    u32 row_bits = std::max(1, static_cast<int>(std::bit_width(data.n_rows)));
    u32 label_bits = std::max(1, static_cast<int>(std::bit_width(static_cast<u32>(data.n_classes - 1))));
    if (row_bits + label_bits <= 31) plan.label_shift = 31 - label_bits;
  } else {
    frame->target.assign(data.target, data.target + data.n_rows);
  }
  plan.row_mask = (u32{1} << plan.label_shift) - 1;
  if (data.weights) frame->weight.assign(data.weights, data.weights + data.n_rows);
  plan.attributes.resize(data.columns.size());
  frame->columns.resize(data.columns.size());
  std::vector<SortScratch> scratch(static_cast<size_t>(pool.threads()));
  pool.run(data.columns.size(), [&](size_t a, int thread) {
    frame->columns[a].attribute = static_cast<u32>(a);
    if (data.columns[a].nominal())
      detail::prepare_nominal(plan, data.columns[a], plan.attributes[a], frame->columns[a]);
    else
      detail::prepare_numeric(plan, data.columns[a], plan.attributes[a], frame->columns[a],
                              scratch[static_cast<size_t>(thread)]);
  });
  plan.order_always = !data.n_classes || data.weights || plan.options.off(no_streaming) || !plan.labels_in_entries() ||
                      !plan.options.class_multipliers.empty() || plan.options.threshold_gap != 0.0 ||
                      plan.options.significance || plan.options.missing == Missing::surrogate;
  plan.keep_order = plan.order_always;
  for (const Attribute& attribute : plan.attributes)
    plan.keep_order = plan.keep_order || attribute.form != Form::list || attribute.has_unknown;
  if (plan.keep_order) {
    frame->order.resize(data.n_rows);
    for (u32 i = 0; i < data.n_rows; ++i) frame->order[i] = i;
  }
  frame->side.resize(data.n_rows);
  detail::make_profile(plan, *frame);
  return frame;
}

// A frame of its own for `instances` (ids in `parent`, in their order) with `weights` (empty: as in the parent), with
// the columns named by `active`; their lists are filtered from the node's part [begin, end) of the parent's lists.
inline std::shared_ptr<Frame> sub_frame(const Plan& plan, const Frame& parent, u32 begin, u32 end,
                                        const std::vector<u32>& instances, std::vector<double> weights,
                                        const std::vector<u32>& active, std::vector<u32>& map) {
  constexpr u32 absent = ~u32{0};
  auto frame = std::make_shared<Frame>();
  u32 m = static_cast<u32>(instances.size());
  frame->size = m;
  if (map.size() < parent.size) map.resize(parent.size, absent);
  for (u32 i = 0; i < m; ++i) map[instances[i]] = i;
  frame->row.resize(m);
  for (u32 i = 0; i < m; ++i) frame->row[i] = parent.row_of(instances[i]);
  if (!weights.empty())
    frame->weight = std::move(weights);
  else if (!parent.weight.empty()) {
    frame->weight.resize(m);
    for (u32 i = 0; i < m; ++i) frame->weight[i] = parent.weight[instances[i]];
  }
  if (!parent.share.empty()) {
    frame->share.resize(m);
    for (u32 i = 0; i < m; ++i) frame->share[i] = parent.share[instances[i]];
  }
  if (!parent.label.empty()) {
    frame->label.resize(m);
    for (u32 i = 0; i < m; ++i) frame->label[i] = parent.label[instances[i]];
  }
  if (!parent.target.empty()) {
    frame->target.resize(m);
    for (u32 i = 0; i < m; ++i) frame->target[i] = parent.target[instances[i]];
  }
  frame->columns.resize(active.size());
  for (size_t c = 0; c < active.size(); ++c) {
    const FrameColumn& from = parent.columns[active[c]];
    FrameColumn& to = frame->columns[c];
    to.attribute = from.attribute;
    if (!from.code8.empty()) {
      to.code8.resize(m);
      for (u32 i = 0; i < m; ++i) to.code8[i] = from.code8[instances[i]];
    } else if (!from.code32.empty()) {
      to.code32.resize(m);
      for (u32 i = 0; i < m; ++i) to.code32[i] = from.code32[instances[i]];
    } else {
      to.list.resize(m);
      u32 at = 0;
      bool started = true;
      for (u32 i = begin; i < end; ++i) {
        u32 e = from.list[i], instance = map[e & plan.row_mask];
        started = started || !(e & TIE);
        if (instance == absent) continue;
        to.list[at++] = (e & ~plan.row_mask & ~TIE) | instance | (started ? 0 : TIE);
        started = false;
      }
    }
  }
  if (plan.keep_order && !(active.size() == 1 && detail::stands_alone(plan, *frame, frame->columns[0]))) {
    frame->order.resize(m);
    for (u32 i = 0; i < m; ++i) frame->order[i] = i;
  }
  frame->side.resize(m);
  for (u32 i : instances) map[i] = absent;
  detail::make_profile(plan, *frame);
  return frame;
}

}  // namespace quercus
