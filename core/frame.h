// Frame: a set of instances (row, weight) with their columns laid out for growing. The root frame holds all rows; a
// subtree gets a frame of its own when it is small, or when unknown values make copies of rows with fractional weights.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <stdexcept>
#include <vector>

#include "code_rows.h"
#include "measures.h"
#include "options.h"
#include "parallel.h"
#include "partition.h"
#include "presort.h"
#include "profile.h"
#include "sparse_rows.h"
#include "target.h"

namespace quercus {

enum class Form : u8 {
  list,    // numeric, many values: a sorted list of entries
  code8,   // few values: a byte per instance (255: unknown)
  code32,  // nominal, many values: an int per instance (-1: unknown)
  sparse   // numeric, mostly 0: the codes of the other cells, row by row in the frame's sparse rows
};

constexpr u8 UNKNOWN8 = 255;
constexpr u32 MOST_CODES = 254;
constexpr u32 PROFILE_ROWS = 1024;  // shorter lists are read quickly enough
constexpr u32 LISTED_ROWS = 512;    // frames of at most this many rows keep sorted lists of columns that are binned
constexpr u32 FEW_BINS = 32;        // unless they have only so many bins
constexpr u32 LEAST_COUNTED = 128;  // smaller nodes keep no counts

// What is fixed for one attribute during a fit.
struct Attribute {
  Form form = Form::list;
  bool nominal = false;
  bool has_unknown = false;
  bool has_close = false;         // numeric: neighbouring numbers that are too close for a cut
  u32 n_values = 0;               // nominal: declared values
  u32 common = UNKNOWN8;          // code8 numeric: the code of nearly all rows; 255: there is none
  u32 zero = NO_ZERO;             // sparse: the code of 0
  std::vector<double> low, high;  // code8 numeric, sparse: smallest and largest number of each code
  std::vector<double> distinct;   // data-value thresholds: all numbers of the column, sorted

  u32 n_codes() const { return nominal ? n_values : static_cast<u32>(low.size()); }
};

// One attribute's cells in a frame. A list beside codes is sorted by code.
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
  CodeRows code_rows;                        // the coded columns, where they are counted together
  std::vector<u8> side;                      // scratch of a binary partition
  std::shared_ptr<const Profile> profile;    // of the only column, if its list stays as it is
  std::shared_ptr<const SparseRows> sparse;  // the cells of sparse columns, by row of the table

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
  bool whole_weights = false;      // all weights are whole numbers, and not many together: a row counts as several
  std::vector<u32> target_rank{};  // quantiles: of each row, the rank of its number among all
  FixedPoint fixed{};              // squared error: the target's numbers for exact sums
  bool counts_rows = false;        // frames hold their codes side by side

  TargetKind target() const { return {data, options}; }
  // Whether a column is kept as a sorted list of its bins in a frame of so many rows: a scan of it is quicker than
  // counting them.
  bool lists_bins(const Attribute& attribute, u32 rows) const {
    return options.max_bins > 0 && rows <= LISTED_ROWS && !attribute.nominal && attribute.form == Form::code8 &&
           attribute.low.size() > FEW_BINS && !options.off(no_rebase);
  }
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
  u32 bins = plan.options.max_bins > 0 ? std::min<u32>(static_cast<u32>(plan.options.max_bins), MOST_CODES) : 0;
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
  if (bins || (distinct <= MOST_CODES && !plan.options.off(no_codes))) {
    make_codes(column, sorted, plan.row_mask, n, distinct, bins ? bins : MOST_CODES, attribute, cells.code8);
    double gap = plan.options.threshold_gap;
    for (size_t c = 1; gap != 0.0 && c < attribute.low.size(); ++c)
      attribute.has_close = attribute.has_close || !(attribute.high[c - 1] + gap < attribute.low[c]);
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

// The codes of a sparse column: one for each distinct number, or for each bin as make_codes makes them.
inline void prepare_sparse(const Plan& plan, const Column& column, Attribute& attribute) {
  u32 n = plan.data.n_rows;
  attribute.form = Form::sparse;
  std::vector<double> numbers;
  numbers.reserve(column.n_cells + size_t{1});
  for (size_t i = 0; i < column.n_cells; ++i)
    if (column.cell(i) != 0.0) numbers.push_back(column.cell(i));
  size_t zeros = n - numbers.size();
  std::sort(numbers.begin(), numbers.end());
  auto at_zero = std::lower_bound(numbers.begin(), numbers.end(), 0.0) - numbers.begin();
  std::vector<double> distinct;
  std::vector<size_t> count;
  auto put = [&](double number, size_t rows) {
    if (distinct.empty() || distinct.back() != number) {
      distinct.push_back(number);
      count.push_back(0);
    }
    count.back() += rows;
  };
  for (std::ptrdiff_t i = 0; i < at_zero; ++i) put(numbers[static_cast<size_t>(i)], 1);
  if (zeros) put(0.0, zeros);
  for (size_t i = static_cast<size_t>(at_zero); i < numbers.size(); ++i) put(numbers[i], 1);
  u32 bins = plan.options.max_bins > 0 ? std::min<u32>(static_cast<u32>(plan.options.max_bins), MOST_CODES) : 0;
  size_t before = 0;  // rows below the number
  for (size_t i = 0; i < distinct.size(); ++i) {
    size_t codes = attribute.low.size();
    bool starts =
        !codes || !bins ||
        (codes < bins && (distinct.size() <= bins ||
                          static_cast<double>(before) >= static_cast<double>(codes) * (static_cast<double>(n) / bins)));
    if (starts) {
      attribute.low.push_back(distinct[i]);
      attribute.high.push_back(distinct[i]);
    }
    attribute.high.back() = distinct[i];
    if (distinct[i] == 0.0) attribute.zero = static_cast<u32>(attribute.low.size() - 1);
    before += count[i];
  }
  double gap = plan.options.threshold_gap;
  for (size_t c = 1; gap != 0.0 && c < attribute.low.size(); ++c)
    attribute.has_close = attribute.has_close || !(attribute.high[c - 1] + gap < attribute.low[c]);
  if (plan.options.data_value_threshold) attribute.distinct = std::move(distinct);
}

// The cells of all sparse columns, row by row. Cells in the code of 0 are left out.
inline std::shared_ptr<const SparseRows> sparse_rows(const Plan& plan) {
  auto rows = std::make_shared<SparseRows>();
  rows->start.assign(plan.data.n_rows + size_t{2}, 0);  // one place on: filling moves each start to its place
  auto each_cell = [&](auto visit) {
    for (size_t a = 0; a < plan.data.columns.size(); ++a) {
      const Column& column = plan.data.columns[a];
      if (!column.sparse()) continue;
      const Attribute& attribute = plan.attributes[a];
      for (size_t i = 0; i < column.n_cells; ++i) {
        auto code = static_cast<u32>(std::lower_bound(attribute.high.begin(), attribute.high.end(), column.cell(i)) -
                                     attribute.high.begin());
        if (code != attribute.zero) visit(static_cast<size_t>(column.rows[i]), SparseCell{static_cast<u32>(a), code});
      }
    }
  };
  each_cell([&](size_t row, SparseCell) { ++rows->start[row + 2]; });
  for (size_t i = 2; i < rows->start.size(); ++i) rows->start[i] += rows->start[i - 1];
  rows->cells.resize(rows->start.back());
  each_cell([&](size_t row, SparseCell cell) { rows->cells[rows->start[row + 1]++] = cell; });
  return rows;
}

// The instances of a coded column as a sorted list: by code, unknown ones last.
inline void list_codes(const Plan& plan, const Frame& frame, FrameColumn& column) {
  std::array<u32, 257> at{};
  for (u8 code : column.code8) ++at[code + 1];
  for (size_t code = 0; code < 256; ++code) at[code + 1] += at[code];
  std::array<u8, 256> tie{};
  column.list.resize(frame.size);
  for (u32 i = 0; i < frame.size; ++i) {
    u8 code = column.code8[i];
    u32 label = plan.labels_in_entries() ? static_cast<u32>(frame.label[i]) << plan.label_shift : 0;
    column.list[at[code]++] = i | label | (tie[code] ? TIE : 0);
    tie[code] = code != UNKNOWN8;
  }
}

// Where the codes of a frame's columns stand in its rows.
inline void place_codes(const Plan& plan, const Frame& frame, CodeRows& rows) {
  size_t head = plan.data.n_classes ? sizeof(u32) : sizeof(FixedSum), at = head;
  u32 bins = 0;
  for (const FrameColumn& column : frame.columns) {
    const Attribute& attribute = plan.attributes[column.attribute];
    bool coded = !column.code8.empty() && column.list.empty();
    rows.place.push_back(coded ? static_cast<u32>(at) : NOT_CODED);
    rows.start.push_back(bins);
    at += coded;
    if (coded) bins += attribute.n_codes() + attribute.has_unknown;
  }
  rows.start.push_back(bins);
  rows.stride = at == head ? 0 : (at + head - 1) / head * head;
}

// Puts the codes of a frame side by side.
inline void make_code_rows(const Plan& plan, Frame& frame, Pool* pool) {
  CodeRows& rows = frame.code_rows;
  place_codes(plan, frame, rows);
  rows.cells.resize(frame.size * rows.stride);
  if (!rows.stride) return;
  constexpr u32 block = 4096;
  auto fill = [&](size_t b, int) {
    u32 first = static_cast<u32>(b) * block, end = std::min(first + block, frame.size);
    for (u32 i = first; i < end; ++i) {
      u8* row = rows.cells.data() + i * rows.stride;
      if (plan.data.n_classes) {
        std::memcpy(row, &frame.label[i], sizeof(u32));
      } else {
        FixedSum number = plan.fixed.of(frame.target[i]);
        std::memcpy(row, &number, sizeof number);
      }
    }
    for (size_t c = 0; c < frame.columns.size(); ++c) {
      if (rows.place[c] == NOT_CODED) continue;
      const u8* codes = frame.columns[c].code8.data();
      u8* cell = rows.cells.data() + first * rows.stride + rows.place[c];
      u8 unknown = static_cast<u8>(plan.attributes[frame.columns[c].attribute].n_codes());
      for (u32 i = first; i < end; ++i, cell += rows.stride) *cell = codes[i] == UNKNOWN8 ? unknown : codes[i];
    }
  };
  size_t blocks = (frame.size + block - 1) / block;
  if (pool) return pool->run(blocks, fill);
  for (size_t b = 0; b < blocks; ++b) fill(b, 0);
}

// The codes of some instances of a frame and some of its columns, in a frame of their own. Where codes lie side by
// side, row by row.
inline void copy_codes(const Plan& plan, const Frame& parent, const std::vector<u32>& instances,
                       const std::vector<u32>& active, Frame& frame) {
  const CodeRows& rows = parent.code_rows;
  struct Copied {
    u32 place, unknown;
    u8* to;
  };
  std::vector<Copied> copied;
  for (size_t c = 0; c < active.size(); ++c) {
    const FrameColumn& from = parent.columns[active[c]];
    if (from.code8.empty()) continue;
    std::vector<u8>& to = frame.columns[c].code8;
    to.resize(instances.size());
    if (rows.empty() || rows.place[active[c]] == NOT_CODED)
      for (size_t i = 0; i < instances.size(); ++i) to[i] = from.code8[instances[i]];
    else
      copied.push_back({rows.place[active[c]], plan.attributes[from.attribute].n_codes(), to.data()});
  }
  if (copied.empty()) return;
  size_t i = 0;
  each_row(rows, instances.data(), static_cast<u32>(instances.size()), [&](const u8* row) {
    for (const Copied& column : copied) {
      u8 code = row[column.place];
      column.to[i] = code == column.unknown ? UNKNOWN8 : code;
    }
    ++i;
  });
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
    else if (data.columns[a].sparse())
      detail::prepare_sparse(plan, data.columns[a], plan.attributes[a]);
    else
      detail::prepare_numeric(plan, data.columns[a], plan.attributes[a], frame->columns[a],
                              scratch[static_cast<size_t>(thread)]);
  });
  if (data.any_sparse()) frame->sparse = detail::sparse_rows(plan);
  plan.order_always = data.weights || plan.options.off(no_streaming) || !plan.labels_in_entries() ||
                      !plan.options.class_multipliers.empty() || plan.options.threshold_gap != 0.0 ||
                      plan.options.significance || plan.options.missing == Missing::surrogate ||
                      plan.options.has_order();
  plan.keep_order = plan.order_always;
  if (plan.options.criterion == Criterion::squared_error && !data.weights && !plan.options.off(no_streaming))
    plan.fixed = FixedPoint(data.target, data.n_rows);
  plan.counts_rows = !data.weights && !plan.options.off(no_siblings) && !plan.options.off(no_streaming) &&
                     (data.n_classes || plan.fixed.usable()) && data.n_rows > LEAST_COUNTED;
  for (FrameColumn& column : frame->columns)
    if (plan.lists_bins(plan.attributes[column.attribute], data.n_rows)) detail::list_codes(plan, *frame, column);
  if (plan.counts_rows) detail::make_code_rows(plan, *frame, &pool);
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
  frame->sparse = parent.sparse;
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
  detail::copy_codes(plan, parent, instances, active, *frame);
  for (size_t c = 0; c < active.size(); ++c) {
    const FrameColumn& from = parent.columns[active[c]];
    FrameColumn& to = frame->columns[c];
    to.attribute = from.attribute;
    if (!from.code8.empty()) {
      if (from.list.empty() && plan.lists_bins(plan.attributes[to.attribute], m)) detail::list_codes(plan, *frame, to);
    } else if (!from.code32.empty()) {
      to.code32.resize(m);
      for (u32 i = 0; i < m; ++i) to.code32[i] = from.code32[instances[i]];
    }
    if (!from.list.empty()) {
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
  if (plan.counts_rows && frame->weight.empty() && m > LEAST_COUNTED) detail::make_code_rows(plan, *frame, nullptr);
  for (u32 i : instances) map[i] = absent;
  detail::make_profile(plan, *frame);
  return frame;
}

}  // namespace quercus
