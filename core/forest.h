// Forest: many trees of one table, each from its own draw of rows and attributes; trees are grown side by side.
#pragma once

#include "sampled_grow.h"

namespace quercus {

// The rows drawn for one tree as a table of its own, for the general grower.
class DrawnTable {
 public:
  DrawnTable(const Dataset& from, const std::vector<int32_t>& drawn) {
    std::vector<u32> rows;
    bool once = true;
    for (u32 row = 0; row < from.n_rows; ++row) {
      if (!drawn[row]) continue;
      rows.push_back(row);
      once = once && drawn[row] == 1;
    }
    table.n_rows = static_cast<u32>(rows.size());
    table.n_classes = from.n_classes;
    cells_.resize(from.columns.size());
    places_.resize(from.columns.size());
    std::vector<int32_t> place(from.n_rows, -1);  // of each row among the drawn ones
    for (size_t i = 0; i < rows.size(); ++i) place[rows[i]] = static_cast<int32_t>(i);
    for (size_t c = 0; c < from.columns.size(); ++c) {
      table.columns.push_back(from.columns[c]);
      if (from.columns[c].sparse())
        take_cells(from.columns[c], place, c);
      else if (from.columns[c].kind == ColumnKind::number64)
        take<double>(from.columns[c].data, rows, c);
      else
        take<u32>(from.columns[c].data, rows, c);  // the bits of float32 numbers, or codes
      table.columns[c].data = cells_[c].data();
    }
    for (u32 row : rows) {
      if (from.labels) labels_.push_back(from.labels[row]);
      if (from.target) target_.push_back(from.target[row]);
      if (!once || from.weights) weights_.push_back(drawn[row] * (from.weights ? from.weights[row] : 1.0));
    }
    if (from.labels) table.labels = labels_.data();
    if (from.target) table.target = target_.data();
    if (!weights_.empty()) table.weights = weights_.data();
  }

  Dataset table;

 private:
  template <typename T>
  void take(const void* data, const std::vector<u32>& rows, size_t column) {
    const T* from = static_cast<const T*>(data);
    cells_[column].resize(rows.size() * sizeof(T));
    T* to = reinterpret_cast<T*>(cells_[column].data());
    for (size_t i = 0; i < rows.size(); ++i) to[i] = from[rows[i]];
  }

  // The stored cells of the drawn rows.
  void take_cells(const Column& from, const std::vector<int32_t>& place, size_t column) {
    std::vector<u32> cells;
    for (u32 i = 0; i < from.n_cells; ++i)
      if (place[static_cast<size_t>(from.rows[i])] >= 0) cells.push_back(i);
    for (u32 i : cells) places_[column].push_back(place[static_cast<size_t>(from.rows[i])]);
    if (from.kind == ColumnKind::sparse64)
      take<double>(from.data, cells, column);
    else
      take<float>(from.data, cells, column);
    table.columns[column].rows = places_[column].data();
    table.columns[column].n_cells = static_cast<u32>(cells.size());
  }

  std::vector<Large<std::byte>> cells_;
  std::vector<std::vector<int32_t>> places_;  // sparse columns: the rows of the cells
  std::vector<int32_t> labels_;
  std::vector<double> target_, weights_;
};

// Grows trees of one table, in any number of calls; what all trees share is made once.
class ForestGrower {
 public:
  ForestGrower(const Dataset& data, const Options& options, const Sampling& sampling)
      : options_(options), forest_{data, options, sampling, {data, options, {}, {}}, {}, false, {}, {}} {
    quick_ = sampling.samples_attributes() && !options.off(no_rank_columns) && ForestPlan::suits(data, options);
    bool sparse = data.any_sparse() && options.missing == Missing::own_value && !options.by_quantiles() &&
                  options.criterion != Criterion::poisson && options.selection != Selection::gain_ratio;
    if (sampling.random_thresholds && !quick_ && !sparse)
      throw std::invalid_argument(
          "cuts at random need subset splits, plain gain, and unknown values as a value of their own");
    if (!quick_) return;
    Pool pool(std::max(options.n_threads, 1));
    Plan& plan = forest_.plan;
    plan.width = data.n_classes ? data.n_classes : 2;
    forest_.ranks = rank_columns(data, options.max_bins, pool);
    forest_.counted = data.n_classes && !data.weights && options.class_multipliers.empty();
    if (sampling.attributes_per_node) forest_.unusual = UnusualCells(forest_.ranks, data.n_rows);
    if (forest_.counts_bins()) forest_.binned = BinnedRows(forest_.ranks, data.n_rows, pool);
    u64 drawn = sampling.bootstrap == Bootstrap::no ? data.n_rows : sampling.n_drawn;
    if (forest_.counted) plan.parts = part_table(options.criterion, drawn, pool);
    plan.attributes.resize(data.columns.size());
    for (size_t a = 0; a < data.columns.size(); ++a) {
      plan.attributes[a].nominal = data.columns[a].nominal();
      plan.attributes[a].n_values = static_cast<u32>(std::max(data.columns[a].n_values, 0));
      plan.attributes[a].has_unknown = forest_.ranks[a].has_unknown;
    }
  }

  // The trees first ... first + count - 1. If the growing is stopped, those before the first unfinished one.
  std::vector<ForestTree> grow(u64 first, size_t count, Watch& watch) {
    interrupted = false;
    std::vector<ForestTree> trees(count);
    std::vector<u8> finished(count, 0);
    Pool pool(std::max(options_.n_threads, 1));
    std::vector<std::unique_ptr<SampledGrower>> growers(static_cast<size_t>(pool.threads()));
    watch.total = count;
    try {
      pool.run(count, [&](size_t t, int thread) {
        try {
          watch.check();  // small trees are finished before their growers would check
          trees[t] = one(first + t, growers[static_cast<size_t>(thread)], watch);
          finished[t] = 1;
          watch.done.fetch_add(1, std::memory_order_relaxed);
        } catch (...) {
          watch.stop = true;
          throw;
        }
      });
    } catch (const Interrupted&) {
      interrupted = true;
    }
    size_t whole = 0;
    while (whole < count && finished[whole]) ++whole;
    trees.resize(whole);
    return trees;
  }

  bool interrupted = false;

 private:
  ForestTree one(u64 tree, std::unique_ptr<SampledGrower>& grower, Watch& watch) {
    if (quick_) {
      if (!grower) grower = std::make_unique<SampledGrower>(forest_, watch);
      return grower->grow(tree);
    }
    std::vector<int32_t> drawn;
    draw_rows(forest_.sampling, tree, forest_.data.n_rows, drawn);
    DrawnTable drawn_table(forest_.data, drawn);
    Options options = options_;
    options.n_threads = 1;
    options.attributes_per_node = forest_.sampling.attributes_per_node;
    options.count_constant = forest_.sampling.count_constant;
    options.random_thresholds = forest_.sampling.random_thresholds;
    options.root_key = stream_key(forest_.sampling, tree, Stream::root);
    options.used_attributes =
        draw_tree_attributes(forest_.sampling, tree, static_cast<u32>(forest_.data.columns.size()));
    Watch inner;  // progress is counted in trees; the wish to stop is passed on
    inner.poll = [&](u64, u64, u64) {
      watch.check();
      return true;
    };
    ForestTree result;
    result.plain = quercus::grow(drawn_table.table, options, inner);
    result.packed = packed(result.plain, forest_.data.n_classes, forest_.data.columns.size());
    if (result.packed) result.plain = TreeArrays();
    return result;
  }

  const Options& options_;
  ForestPlan forest_;
  bool quick_ = false;
};

}  // namespace quercus
