// SampledSearch: the search for the split of a node that looks at some attributes only, drawn anew at each node
// (drawn_attributes.h).
#pragma once

#include <any>
#include <numeric>

#include "drawn_attributes.h"

namespace quercus {

class SampledSearch {
 public:
  SampledSearch(const ForestPlan& forest, const Instances& instances)
      : forest_(forest),
        data_(forest.data),
        options_(forest.options),
        instances_(instances),
        attributes_(forest, instances) {}

  // used: whether the tree may use each attribute.
  void start_tree(Builder& builder, const CountedAttributes& counted, const std::vector<u8>& used) {
    builder_ = &builder;
    attributes_.start_tree(builder, counted, used);
    root_weight_ = builder.nodes[0].weight;
  }

  bool find_split(const SampledNode& node, SampledSplit& best_split) {
    best_split.constants = node.constants;
    attributes_.draw(node, best_split.constants);
    if (chosen_.empty()) return false;
    if (!data_.n_classes) {
      const double* value = (*builder_).value(node.record);
      return search(node, DeviationTally{instances_, value[1]}, best_split);
    }
    return with_class_criterion(options_.criterion, [&](auto criterion) {
      using C = decltype(criterion);
      if (forest_.by_counts()) return search_counted<C>(node, best_split);
      Measure measure = measure_of(node);
      auto width = static_cast<u32>(data_.n_classes);
      if (forest_.counted)
        return search(node, CountedTally<C>{instances_, {forest_.plan.parts.data()}, width}, best_split);
      return search(node, WeightedTally<C>{instances_, measure, width}, best_split);
    });
  }

  NodeView look(const SampledNode& node) {
    const double* value = (*builder_).value(node.record);
    NodeView view{forest_.plan, no_frame_, 0, 0, false, {}, {}};
    view.bounds = node.bounds.get();
    view.measure = measure_of(node);
    view.weight = (*builder_).nodes[node.record].weight;
    if (data_.n_classes) {
      view.sums.assign(value, value + data_.n_classes);
      view.scale = view.measure.multiplied_weight(view.sums.data());
      view.tolerance = TIE_GAIN;
      view.unit = counts_nominal();
      if (!(view.scale > 0.0)) view.scale = std::numeric_limits<double>::infinity();
      return view;
    }
    view.scale = view.weight;
    view.center = value[1];
    view.variance = value[2] / view.weight;
    view.tolerance = TIE_REGRESSION * view.variance;
    return view;
  }

  // What a split was found in; gathered anew if other nodes were looked at since.
  const Gathered& gathered(const SampledSplit& best_split) const { return gathered_[best_split.slot]; }
  void gather_again(const SampledNode& node, SampledSplit& best_split) {
    best_split.slot = 0;
    attributes_.gather_alone(node, best_split.attribute);
  }

 private:
  Measure measure_of(const SampledNode& node) {
    Measure measure;
    measure.criterion = options_.criterion;
    measure.width = forest_.plan.width;
    measure.multipliers = options_.class_multipliers.empty() ? nullptr : options_.class_multipliers.data();
    const double* value = (*builder_).value(node.record);
    if (data_.n_classes)
      measure.totals = value;
    else
      measure.mean = value[1];
    return measure;
  }

  // ---- rows that count as often as they were drawn ----
  CountedNode counted_node(const SampledNode& node) {
    const double* value = (*builder_).value(node.record);
    CountedNode counted;
    counted.n = node.count();
    counted.tag = instances_.tag.data() + node.begin;
    counted.weight = static_cast<u32>((*builder_).nodes[node.record].weight);
    counted.width = static_cast<u32>(data_.n_classes);
    total_counts_.resize(counted.width);
    u32 present = 0;
    for (u32 j = 0; j < counted.width; ++j) {
      u32 total = total_counts_[j] = static_cast<u32>(value[j]);
      if (!total) continue;
      counted.squares += u64{total} * total;
      (present ? counted.second : counted.first) = j;
      ++present;
    }
    counted.total = total_counts_.data();
    counted.two = present == 2;
    counted.least = least();
    counted.slack = TIE_GAIN * counted.weight;
    return counted;
  }
  Least least() const {
    return {about(std::max(options_.min_objects, options_.min_weight_leaf)),
            std::max<int64_t>(options_.min_samples_leaf, 1)};
  }

  template <typename C>
  bool search_counted(const SampledNode& node, SampledSplit& best_split) {
    if (!choice_.has_value()) choice_.emplace<CountedChoice<C>>(forest_, instances_);
    CountedChoice<C>& choice = *std::any_cast<CountedChoice<C>>(&choice_);
    CountedNode counted = counted_node(node);
    auto general = [&](size_t c, Candidate& candidate) {
      NodeView view = look(node);
      search_nominal(node, view, CountedTally<C>{instances_, {forest_.plan.parts.data()}, counted.width}, c, candidate);
    };
    if (forest_.sampling.random_thresholds)
      choice.find_random(
          counted, node.begin, chosen_, gathered_,
          [&](size_t c, u32 low, u32 high) { return random_rank(node, c, low, high); },
          [&] { return attributes_.random().next() >> 63; }, [&] { return attributes_.random().share(); }, general);
    else
      choice.find_all(counted, node.begin, chosen_, gathered_, general);
    best_split.by_bins = false;
    if (!choice.choose(counted, chosen_, gathered_, best_split)) return false;
    NodeView view{forest_.plan, no_frame_, 0, 0, false, {}, {}};
    view.weight = counted.weight;
    view.tolerance = TIE_GAIN;
    return why_refused(options_, view, root_weight_, best_split.candidate) == Stop::no;
  }

  template <typename Tally>
  bool search(const SampledNode& node, const Tally& tally, SampledSplit& best_split) {
    using Sum = typename Tally::Sum;
    NodeView view = look(node);
    std::vector<Sum>& total = totals<Sum>();
    total.assign(tally.width, 0);
    fill_total(node, view, tally, total);
    auto& searches = cut_searches<Tally>();
    if (searches.size() < chosen_.size()) searches.resize(chosen_.size());
    if (candidates_.size() < chosen_.size()) candidates_.resize(chosen_.size());
    double slack = view.tolerance * view.scale, base = tally.purity(total.data());
    double floor = -std::numeric_limits<double>::infinity();
    for (size_t c = 0; c < chosen_.size(); ++c) {
      candidates_[c] = Candidate{};
      const RankColumn& column = forest_.ranks[chosen_[c].first];
      const NodeRanks& ranks = gathered_[chosen_[c].second].ranks;
      if (column.nominal) {
        search_nominal(node, view, tally, c, candidates_[c]);
        if (candidates_[c].exists) floor = std::max(floor, candidates_[c].improvement + base);
        continue;
      }
      if (view.bounds && options_.sign(chosen_[c].first)) {
        searches[c].set(tally, ranks, column.n_ranks, node.begin, total.data(), least(), slack);
        try_in_order(node, tally, searches[c], total, view, c);
      } else if (forest_.sampling.random_thresholds) {
        searches[c].set(tally, ranks, column.n_ranks, node.begin, total.data(), least(), slack);
        searches[c].try_one(random_rank(node, c, ranks.low, ranks.high));
      } else if (const u32* counts = attributes_.counts_of(node, chosen_[c].first)) {
        if constexpr (Tally::counts)
          searches[c].look_at(counts, tally, ranks, column.n_ranks, total.data(), least(), slack);
      } else {
        searches[c].look(tally, ranks, column.n_ranks, node.begin, total.data(), least(), slack);
      }
      floor = std::max(floor, searches[c].best());
    }
    if (options_.selection != Selection::gain) floor = -std::numeric_limits<double>::infinity();
    for (size_t c = 0; c < chosen_.size(); ++c) {
      if (forest_.ranks[chosen_[c].first].nominal) continue;
      searches[c].finish(floor);
      if (!searches[c].tracker().empty()) keep_cut(searches[c].tracker().winner(), base, view, candidates_[c]);
    }
    bool chosen = choose(view, best_split);
    const u32* counts = chosen ? attributes_.counts_of(node, best_split.attribute) : nullptr;
    best_split.by_bins = counts != nullptr;
    if (counts) describe_cut(counts, best_split);
    return chosen;
  }

  // The cuts, or the one at random, of an attribute that orders the answers.
  template <typename Tally, typename Sum>
  void try_in_order(const SampledNode& node, const Tally& tally, CutSearch<Tally>& search,
                    const std::vector<Sum>& total, const NodeView& view, size_t c) {
    OrderCheck order(view, chosen_[c].first);
    std::vector<double> left(tally.width), right(tally.width);
    auto allows = [&](const Sum* sums) {
      for (u32 j = 0; j < tally.width; ++j) {
        left[j] = static_cast<double>(sums[j]);
        right[j] = static_cast<double>(total[j] - sums[j]);
      }
      return order.allows(left.data(), right.data());
    };
    const NodeRanks& ranks = gathered_[chosen_[c].second].ranks;
    if (forest_.sampling.random_thresholds)
      search.try_one(random_rank(node, c, ranks.low, ranks.high), allows);
    else
      search.try_all(allows);
  }

  // What dividing the node needs to know of a cut that was found by counts.
  void describe_cut(const u32* counts, SampledSplit& best_split) const {
    const RankColumn& column = forest_.ranks[best_split.attribute];
    auto width = static_cast<u32>(data_.n_classes);
    best_split.unknown = gathered_[best_split.slot].ranks.unknown > 0;
    best_split.below = best_split.rank;
    best_split.above = std::min(best_split.rank + 1, column.n_ranks);
    while (best_split.below && !BinCounts::present(counts, best_split.below, width)) --best_split.below;
    while (best_split.above < column.n_ranks && !BinCounts::present(counts, best_split.above, width))
      ++best_split.above;
  }

  template <typename Tally>
  void fill_total(const SampledNode& node, const NodeView& view, const Tally& tally,
                  std::vector<typename Tally::Sum>& total) const {
    if (!data_.n_classes)
      for (u32 i = node.begin; i < node.end; ++i) tally.add(total.data(), i);
    else
      for (u32 j = 0; j < tally.width; ++j) total[j] = static_cast<typename Tally::Sum>(view.sums[j]);
  }

  void keep_cut(const TieTracker::Entry& cut, double base, const NodeView& view, Candidate& c) const {
    c.exists = true;
    c.kind = SplitKind::threshold;
    c.branches = 2;
    c.improvement = cut.value - base;
    c.gain = c.improvement / view.scale;
    c.cut = cut.where;
    c.missing_child = cut.form == 0 ? 0 : 1;
    c.known_against_unknown = cut.form == 2;
  }

  // Whether nominal values are divided by counts: nothing asks for rows, so that a row counts as often as it was drawn,
  // and running sums are exact.
  bool counts_nominal() const {
    return forest_.counted && forest_.unlimited() && options_.criterion == Criterion::gini;
  }

  // The values of a nominal attribute with their sums, then the search that all growers share.
  template <typename Tally>
  void search_nominal(const SampledNode& node, const NodeView& view, const Tally& tally, size_t c, Candidate& out) {
    const RankColumn& column = forest_.ranks[chosen_[c].first];
    const NodeRanks& ranks = gathered_[chosen_[c].second].ranks;
    FrameColumn cells;
    cells.attribute = chosen_[c].first;
    NominalSearch search(view, cells, out);
    tabulate(node, tally, column, ranks, search.table());
    detail::finish_table(view, search.table());
    u8 constant = 0;
    if (forest_.sampling.random_thresholds)
      search.try_division([&] { return static_cast<int32_t>(attributes_.random().next() >> 63); });
    else
      search.search(constant);
  }

  template <typename Tally>
  void tabulate(const SampledNode& node, const Tally& tally, const RankColumn& column, const NodeRanks& ranks,
                ValueTable& table) {
    using Sum = typename Tally::Sum;
    u32 width = tally.width, n_sums = data_.n_classes ? width : 2;
    table.width = static_cast<int>(n_sums);
    table.codes.clear();
    table.sums.clear();
    table.rows.clear();
    table.unknown.sums.assign(n_sums, 0.0);
    table.unknown.rows.assign(static_cast<size_t>(std::max(data_.n_classes, 1)), 0.0);
    table.unknown.total = 0;
    auto take = [&](u32 code, const Sum* sums, int64_t rows) {
      if (code == column.n_ranks) {
        for (u32 j = 0; j < n_sums; ++j) table.unknown.sums[j] = static_cast<double>(sums[j]);
        table.unknown.total = counts_nominal() ? static_cast<double>(std::accumulate(sums, sums + n_sums, Sum{0}))
                                               : static_cast<double>(rows);
        return;
      }
      table.codes.push_back(code);
      auto weight = static_cast<double>(std::accumulate(sums, sums + n_sums, Sum{0}));
      table.rows.push_back(counts_nominal() ? weight : static_cast<double>(rows));
      for (u32 j = 0; j < n_sums; ++j) table.sums.push_back(static_cast<double>(sums[j]));
    };
    each_value(node, tally, column, ranks, take);
  }

  // Calls take(code, sums, rows) for each value present, in ascending order.
  template <typename Tally, typename Take>
  void each_value(const SampledNode& node, const Tally& tally, const RankColumn& column, const NodeRanks& ranks,
                  Take take) {
    using Sum = typename Tally::Sum;
    std::vector<Sum>& sums = value_sums<Sum>();
    u32 width = tally.width, n = ranks.n;
    if (column.n_ranks < 4 * n + 64) {
      u32 codes = column.n_ranks + 1;
      sums.assign(static_cast<size_t>(codes) * width, 0);
      value_rows_.assign(codes, 0);
      for (u32 i = 0; i < n; ++i) {
        tally.add(sums.data() + static_cast<size_t>(ranks.rank[i]) * width, node.begin + i);
        ++value_rows_[ranks.rank[i]];
      }
      for (u32 code = 0; code < codes; ++code)
        if (value_rows_[code]) take(code, sums.data() + static_cast<size_t>(code) * width, value_rows_[code]);
      return;
    }
    items_.clear();
    for (u32 i = 0; i < n; ++i) items_.push_back(u64{ranks.rank[i]} << 32 | i);
    std::sort(items_.begin(), items_.end());
    for (size_t i = 0; i < items_.size();) {
      u32 code = static_cast<u32>(items_[i] >> 32);
      sums.assign(width, 0);
      size_t first = i;
      for (; i < items_.size() && static_cast<u32>(items_[i] >> 32) == code; ++i)
        tally.add(sums.data(), node.begin + static_cast<u32>(items_[i]));
      take(code, sums.data(), static_cast<int64_t>(i - first));
    }
  }

  // ---- cuts at random ----
  // The last rank on the left of a random cut, below the largest. A small node looks through its own ranks only: those
  // between them divide it alike.
  u32 random_rank(const SampledNode& node, size_t c, u32 lowest, u32 highest) {
    constexpr u32 few_rows = 24;
    u32 attribute = chosen_[c].first;
    const RankColumn& column = forest_.ranks[attribute];
    const Gathered& gathered = gathered_[chosen_[c].second];
    double low = lowest_of(column, data_.columns[attribute], lowest);
    double high = highest_of(column, data_.columns[attribute], highest);
    double cut = low + attributes_.random().share() * (high - low);
    u32 left = lowest, right = highest;
    if (node.count() <= few_rows && gathered.form == Cells::ranks) {
      for (u32 i = 0; i < node.count(); ++i) {
        u32 r = gathered.ranks.rank[i];
        if (r > left && r < highest && lowest_of(column, data_.columns[attribute], r) <= cut) left = r;
      }
      return left;
    }
    while (left + 1 < right) {
      u32 middle = left + (right - left) / 2;
      if (lowest_of(column, data_.columns[attribute], middle) <= cut)
        left = middle;
      else
        right = middle;
    }
    return left;
  }

  // ---- the choice among attributes ----
  bool choose(const NodeView& view, SampledSplit& best_split) {
    Choice choice(view, candidates_, chosen_.size(), [this](size_t c) { return chosen_[c].first; });
    choice.rate();
    size_t best = choice.best();
    if (best == chosen_.size()) return false;
    best_split.candidate = std::move(candidates_[best]);
    best_split.attribute = chosen_[best].first;
    best_split.slot = chosen_[best].second;
    best_split.rank = best_split.candidate.cut;
    best_split.by_number = false;
    best_split.take_division();
    return why_refused(options_, view, root_weight_, best_split.candidate) == Stop::no;
  }

  template <typename Sum>
  std::vector<Sum>& totals() {
    if constexpr (std::is_same_v<Sum, u32>)
      return total_counts_;
    else
      return total_numbers_;
  }
  template <typename Sum>
  std::vector<Sum>& value_sums() {
    if constexpr (std::is_same_v<Sum, u32>)
      return value_counts_;
    else
      return value_numbers_;
  }
  // All nodes are searched with the same kind of tally.
  template <typename Tally>
  std::vector<CutSearch<Tally>>& cut_searches() {
    using Searches = std::vector<CutSearch<Tally>>;
    if (!searches_.has_value()) searches_.emplace<Searches>();
    return *std::any_cast<Searches>(&searches_);
  }

  const ForestPlan& forest_;
  const Dataset& data_;
  const Options& options_;
  const Instances& instances_;
  Builder* builder_ = nullptr;
  DrawnAttributes attributes_;
  std::vector<Drawn>& chosen_ = attributes_.chosen;
  std::vector<Gathered>& gathered_ = attributes_.gathered;
  std::any choice_;  // a CountedChoice; all nodes are searched by the same criterion
  std::vector<Candidate> candidates_;
  std::any searches_;  // of cuts, one for each attribute
  std::vector<u32> total_counts_, value_counts_;
  std::vector<double> total_numbers_, value_numbers_;
  std::vector<int64_t> value_rows_;
  std::vector<u64> items_;
  Frame no_frame_;
  double root_weight_ = 0.0;
};

}  // namespace quercus
