// SampledSearch: the search for the split of a node that looks at some attributes only, drawn anew at each node.
#pragma once

#include "forest_plan.h"

namespace quercus {

class SampledSearch {
 public:
  SampledSearch(const ForestPlan& forest, const Instances& instances)
      : forest_(forest),
        data_(forest.data),
        options_(forest.options),
        instances_(instances),
        draw_(static_cast<u32>(forest.data.columns.size())) {}

  void start_tree(Builder& builder, const CountedAttributes& counted) {
    builder_ = &builder;
    kept_ = &counted;
    root_weight_ = builder.nodes[0].weight;
  }

  bool find_split(const SampledNode& node, SampledSplit& found) {
    found.settled = node.settled;
    draw_attributes(node, found);
    if (chosen_.empty()) return false;
    if (!data_.n_classes) {
      const double* value = (*builder_).value(node.record);
      return search(node, DeviationTally{instances_, value[1]}, found);
    }
    if (forest_.counted)
      return search(
          node, CountedTally{instances_, forest_.plan.g.data(), options_.criterion, static_cast<u32>(data_.n_classes)},
          found);
    Measure measure = measure_of(node);
    return search(node, WeightedTally{instances_, measure, static_cast<u32>(data_.n_classes)}, found);
  }

  NodeView look(const SampledNode& node) {
    const double* value = (*builder_).value(node.record);
    NodeView view{forest_.plan, no_frame_, 0, 0, false, {}, {}};
    view.measure = measure_of(node);
    view.weight = (*builder_).nodes[node.record].weight;
    if (data_.n_classes) {
      view.sums.assign(value, value + data_.n_classes);
      view.scale = view.measure.multiplied_weight(view.sums.data());
      view.tolerance = TIE_GAIN;
      if (!(view.scale > 0.0)) view.scale = std::numeric_limits<double>::infinity();
      return view;
    }
    view.scale = view.weight;
    view.center = value[1];
    view.variance = value[2] / view.weight;
    view.tolerance = TIE_REGRESSION * view.variance;
    return view;
  }

  // The ranks that a split was found in; gathered anew if other nodes were looked at since.
  const NodeRanks& ranks(const SampledSplit& found) const { return ranks_[found.slot]; }
  void gather_again(const SampledNode& node, SampledSplit& found) {
    found.slot = 0;
    if (ranks_.empty()) ranks_.resize(1);
    gather(forest_.ranks[found.attribute], instances_.row.data() + node.begin, node.count(), ranks_[0]);
  }

 private:
  Measure measure_of(const SampledNode& node) {
    Measure measure;
    measure.criterion = options_.criterion;
    measure.width = forest_.plan.width;
    measure.multipliers = options_.class_multipliers.empty() ? nullptr : options_.class_multipliers.data();
    if (!data_.n_classes) measure.mean = (*builder_).value(node.record)[1];
    return measure;
  }

  // Whether a node counts the bins of the attributes that it draws.
  bool counts_drawn(const SampledNode& node) const {
    u32 least = std::max(64u, 16 * static_cast<u32>(data_.n_classes));
    return !forest_.binned.codes.empty() && !node.counts && node.count() >= least;
  }
  void count_drawn(const SampledNode& node) {
    size_t before = local_.attributes.size();
    for (u32 attribute : drawn_)
      if (!forest_.ranks[attribute].nominal) local_.add(attribute);
    local_counts_.count(forest_.binned, local_, before, instances_, node.begin, node.end,
                        static_cast<u32>(data_.n_classes));
  }
  // The counts of an attribute's bins, kept or made at this node; none: its ranks are gathered.
  const u32* counts_of(const SampledNode& node, u32 attribute) const {
    u32 slot = (node.counts ? *kept_ : local_).slot(attribute);
    if (slot == CountedAttributes::none) return nullptr;
    return (node.counts ? *node.counts : local_counts_).of(slot, static_cast<u32>(data_.n_classes));
  }

  // Draws attributes until enough of them vary at the node, or, if constant ones count, until there are enough; the
  // ranks of those that vary are gathered, in the order of the schema.
  void draw_attributes(const SampledNode& node, SampledSplit& found) {
    u32 n = static_cast<u32>(data_.columns.size());
    u32 wanted = forest_.sampling.attributes_per_node ? std::min(forest_.sampling.attributes_per_node, n) : n;
    draw_.start(node.key);
    chosen_.clear();
    std::shared_ptr<std::vector<u8>> settled;
    size_t constant = 0;  // those drawn that count
    bool count = counts_drawn(node);
    local_.start(count ? n : 0);
    while (chosen_.size() + constant < wanted && draw_.more()) {
      drawn_.clear();
      while (chosen_.size() + constant + drawn_.size() < wanted && draw_.more()) {
        u32 attribute = draw_.next();
        u8 known = (*found.settled)[attribute];
        if (known == may_vary) drawn_.push_back(attribute);
        constant += known == is_constant && forest_.sampling.count_constant;
      }
      if (count) count_drawn(node);
      for (u32 attribute : drawn_) {
        size_t slot = chosen_.size();
        if (ranks_.size() <= slot) ranks_.resize(slot + 1);
        if (const u32* counts = counts_of(node, attribute))
          sum_up(counts, forest_.ranks[attribute], node, ranks_[slot]);
        else
          gather(forest_.ranks[attribute], instances_.row.data() + node.begin, node.count(), ranks_[slot]);
        if (!ranks_[slot].constant()) {
          chosen_.push_back({attribute, slot});
          continue;
        }
        if (!settled) found.settled = settled = std::make_shared<std::vector<u8>>(*found.settled);
        (*settled)[attribute] = is_constant;
        constant += forest_.sampling.count_constant;
      }
    }
    std::sort(chosen_.begin(), chosen_.end());
  }

  // What gathering ranks tells, but for the ranks themselves; rows are counted as often as they were drawn.
  void sum_up(const u32* counts, const RankColumn& column, const SampledNode& node, NodeRanks& to) const {
    auto width = static_cast<u32>(data_.n_classes);
    to.n = static_cast<u32>((*builder_).nodes[node.record].weight);
    const u32* unknown = counts + static_cast<size_t>(column.n_ranks) * width;
    to.unknown = column.has_unknown ? std::accumulate(unknown, unknown + width, 0u) : 0;
    to.low = to.high = 0;
    if (to.unknown == to.n) return;
    while (!BinCounts::present(counts, to.low, width)) ++to.low;
    to.high = column.n_ranks - 1;
    while (!BinCounts::present(counts, to.high, width)) --to.high;
  }

  template <typename Tally>
  bool search(const SampledNode& node, const Tally& tally, SampledSplit& found) {
    using Sum = typename Tally::Sum;
    NodeView view = look(node);
    std::vector<Sum>& total = totals<Sum>();
    total.assign(tally.width, 0);
    fill_total(node, view, tally, total);
    auto& searches = cut_searches<Tally>();
    if (searches.size() < chosen_.size()) searches.resize(chosen_.size());
    if (candidates_.size() < chosen_.size()) candidates_.resize(chosen_.size());
    Least least{about(std::max(options_.min_objects, options_.min_weight_leaf)),
                std::max<int64_t>(options_.min_samples_leaf, 1)};
    double slack = view.tolerance * view.scale, base = tally.purity(total.data());
    double floor = -std::numeric_limits<double>::infinity();
    for (size_t c = 0; c < chosen_.size(); ++c) {
      candidates_[c] = Candidate{};
      const RankColumn& column = forest_.ranks[chosen_[c].first];
      const NodeRanks& ranks = ranks_[chosen_[c].second];
      if (column.nominal) {
        search_nominal(node, view, tally, c);
        if (candidates_[c].found) floor = std::max(floor, candidates_[c].improvement + base);
        continue;
      }
      if (forest_.sampling.random_thresholds) {
        searches[c].set(tally, ranks, column.n_ranks, node.begin, total.data(), least, slack);
        searches[c].try_one(random_rank(chosen_[c].first, ranks));
      } else if (const u32* counts = counts_of(node, chosen_[c].first)) {
        if constexpr (std::is_same_v<Tally, CountedTally>)
          searches[c].look_at(counts, tally, ranks, column.n_ranks, total.data(), least, slack);
      } else {
        searches[c].look(tally, ranks, column.n_ranks, node.begin, total.data(), least, slack);
      }
      floor = std::max(floor, searches[c].best());
    }
    if (options_.selection != Selection::gain) floor = -std::numeric_limits<double>::infinity();
    for (size_t c = 0; c < chosen_.size(); ++c) {
      if (forest_.ranks[chosen_[c].first].nominal) continue;
      searches[c].finish(floor);
      if (!searches[c].tracker().empty()) keep_cut(searches[c].tracker().winner(), base, view, candidates_[c]);
    }
    bool chosen = choose(view, found);
    const u32* counts = chosen ? counts_of(node, found.attribute) : nullptr;
    found.by_bins = counts != nullptr;
    if (counts) describe_cut(counts, found);
    return chosen;
  }

  // What dividing the node needs to know of a cut that was found by counts.
  void describe_cut(const u32* counts, SampledSplit& found) const {
    const RankColumn& column = forest_.ranks[found.attribute];
    auto width = static_cast<u32>(data_.n_classes);
    found.unknown = ranks_[found.slot].unknown > 0;
    found.below = found.rank;
    found.above = std::min(found.rank + 1, column.n_ranks);
    while (found.below && !BinCounts::present(counts, found.below, width)) --found.below;
    while (found.above < column.n_ranks && !BinCounts::present(counts, found.above, width)) ++found.above;
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
    c.found = true;
    c.kind = SplitKind::threshold;
    c.branches = 2;
    c.improvement = cut.value - base;
    c.gain = c.improvement / view.scale;
    c.cut = cut.where;
    c.missing_child = cut.form == 0 ? 0 : 1;
    c.known_against_unknown = cut.form == 2;
  }

  // The values of a nominal attribute with their sums, then the search that all growers share.
  template <typename Tally>
  void search_nominal(const SampledNode& node, const NodeView& view, const Tally& tally, size_t c) {
    const RankColumn& column = forest_.ranks[chosen_[c].first];
    const NodeRanks& ranks = ranks_[chosen_[c].second];
    FrameColumn cells;
    cells.attribute = chosen_[c].first;
    NominalSearch search(view, cells, candidates_[c]);
    tabulate(node, tally, column, ranks, search.table());
    detail::finish_table(view, search.table());
    u8 constant = 0;
    if (forest_.sampling.random_thresholds)
      search.try_division([&] { return static_cast<int32_t>(draw_.random().next() >> 63); });
    else
      search.search(constant);
  }

  template <typename Tally>
  void tabulate(const SampledNode& node, const Tally& tally, const RankColumn& column, const NodeRanks& ranks,
                ValueTable& table) {
    using Sum = typename Tally::Sum;
    u32 width = tally.width, kept = data_.n_classes ? width : 2;
    table.width = static_cast<int>(kept);
    table.codes.clear();
    table.sums.clear();
    table.rows.clear();
    table.unknown.sums.assign(kept, 0.0);
    table.unknown.rows.assign(static_cast<size_t>(std::max(data_.n_classes, 1)), 0.0);
    table.unknown.total = 0;
    auto take = [&](u32 code, const Sum* sums, int64_t rows) {
      if (code == column.n_ranks) {
        for (u32 j = 0; j < kept; ++j) table.unknown.sums[j] = static_cast<double>(sums[j]);
        table.unknown.total = static_cast<double>(rows);
        return;
      }
      table.codes.push_back(code);
      table.rows.push_back(static_cast<double>(rows));
      for (u32 j = 0; j < kept; ++j) table.sums.push_back(static_cast<double>(sums[j]));
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
  u32 random_rank(u32 attribute, const NodeRanks& ranks) {
    const RankColumn& column = forest_.ranks[attribute];
    double low = lowest_of(column, data_.columns[attribute], ranks.low);
    double high = highest_of(column, data_.columns[attribute], ranks.high);
    double cut = low + draw_.random().share() * (high - low);
    u32 left = ranks.low, right = ranks.high;  // the last rank whose numbers are not above the cut, below the largest
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
  bool choose(const NodeView& view, SampledSplit& found) {
    double best = -std::numeric_limits<double>::infinity();
    for (size_t c = 0; c < chosen_.size(); ++c) {
      if (!candidates_[c].found) continue;
      candidates_[c].worth = worth(candidates_[c].gain, chosen_[c].first);
      best = std::max(best, candidates_[c].worth);
    }
    for (size_t c = 0; c < chosen_.size(); ++c) {
      if (!candidates_[c].found || candidates_[c].worth < best - view.tolerance) continue;
      found.candidate = std::move(candidates_[c]);
      found.attribute = chosen_[c].first;
      found.slot = chosen_[c].second;
      found.rank = found.candidate.cut;
      return accepted(view, found.candidate);
    }
    return false;
  }
  double worth(double gain, u32 attribute) const {
    if (options_.selection == Selection::tan_schlimmer) return gain * gain / options_.attribute_costs[attribute];
    if (options_.selection == Selection::nunez)
      return (std::exp2(gain) - 1.0) / std::pow(options_.attribute_costs[attribute] + 1.0, options_.cost_exponent);
    return gain;
  }
  bool accepted(const NodeView& view, const Candidate& c) const {
    if (c.gain < options_.min_gain - view.tolerance) return false;
    if (view.weight / root_weight_ * c.gain < options_.min_impurity_decrease - view.tolerance) return false;
    return !options_.require_gain || c.worth > view.tolerance;
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
  template <typename Tally>
  std::vector<CutSearch<Tally>>& cut_searches() {
    if constexpr (std::is_same_v<Tally, CountedTally>)
      return counted_;
    else if constexpr (std::is_same_v<Tally, WeightedTally>)
      return weighted_;
    else
      return numbers_;
  }

  const ForestPlan& forest_;
  const Dataset& data_;
  const Options& options_;
  const Instances& instances_;
  Builder* builder_ = nullptr;
  const CountedAttributes* kept_ = nullptr;  // what nodes keep counts of
  CountedAttributes local_;                  // what this node counted
  BinCounts local_counts_;
  std::vector<u32> drawn_;
  AttributeDraw draw_;
  std::vector<NodeRanks> ranks_;
  std::vector<std::pair<u32, size_t>> chosen_;  // attribute, and where its ranks are
  std::vector<Candidate> candidates_;
  std::vector<CutSearch<CountedTally>> counted_;
  std::vector<CutSearch<WeightedTally>> weighted_;
  std::vector<CutSearch<DeviationTally>> numbers_;
  std::vector<u32> total_counts_, value_counts_;
  std::vector<double> total_numbers_, value_numbers_;
  std::vector<int64_t> value_rows_;
  std::vector<u64> items_;
  Frame no_frame_;
  double root_weight_ = 0.0;
};

}  // namespace quercus
