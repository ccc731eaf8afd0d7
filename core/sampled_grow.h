// SampledGrower: one tree whose nodes look at some attributes only, drawn anew at each. The columns are ranks shared by
// all trees; a node gathers the ranks it needs, so that nothing is kept sorted for attributes that no node
// looks at.
#pragma once

#include <set>

#include "grow.h"
#include "sampled_pack.h"
#include "sampled_search.h"

namespace quercus {

class SampledGrower {
 public:
  SampledGrower(const ForestPlan& forest, Watch& watch)
      : forest_(forest), data_(forest.data), options_(forest.options), watch_(watch), search_(forest, instances_) {}

  ForestTree grow(u64 tree) {
    place_rows(tree);
    builder().clear();
    builder().width = data_.n_classes ? data_.n_classes : 3;
    builder().add(1);
    divisions_.clear();
    Node root{0, static_cast<u32>(instances_.row.size()), 0, 0, stream_key(forest_.sampling, tree, Stream::root)};
    used_ = draw_tree_attributes(forest_.sampling, tree, static_cast<u32>(data_.columns.size()));
    choose_kept();
    measure(root);
    if (options_.has_order()) root.bounds = std::make_shared<Bounds>(options_.n_watched());
    root.sets = all_sets(options_);
    if (!counted_.attributes.empty() && root.count() >= least_kept_) root.counts = counts_of(root);
    search_.start_tree(builder(), counted_, used_);
    if (options_.max_leaf_nodes > 0)
      best_first(std::move(root));
    else
      depth_first(std::move(root));
    return SampledPack(builders_, divisions_, forest_).run();
  }

 private:
  using Node = SampledNode;
  static constexpr u32 CHECKED_ROWS = 2048;

  Builder& builder() { return builders_[0]; }

  // ---- the rows of the tree ----
  void place_rows(u64 tree) {
    draw_rows(forest_.sampling, tree, data_.n_rows, drawn_);
    instances_.row.clear();
    for (u32 row = 0; row < data_.n_rows; ++row)
      if (drawn_[row]) instances_.row.push_back(row);
    size_t n = instances_.row.size();
    bool classes = data_.n_classes > 0;
    instances_.tag.resize(classes ? n : 0);
    instances_.weight.resize(forest_.counted ? 0 : n);
    instances_.target.resize(classes ? 0 : n);
    for (size_t i = 0; i < n; ++i) {
      u32 row = instances_.row[i];
      auto times = static_cast<u32>(drawn_[row]);
      if (classes) instances_.tag[i] = std::min(times, 65535u) << 16 | static_cast<u32>(data_.labels[row]);
      if (!forest_.counted) instances_.weight[i] = times * (data_.weights ? data_.weights[row] : 1.0);
      if (!classes) instances_.target[i] = data_.target[row];
    }
    instances_.tag_of_row.resize(classes && !forest_.unusual.empty() ? data_.n_rows : 0);
    for (size_t i = 0; i < n && !instances_.tag_of_row.empty(); ++i)
      instances_.tag_of_row[instances_.row[i]] = instances_.tag[i];
    spare_.resize(n);
    spare_tags_.resize(classes ? n : 0);
    spare_numbers_.resize(forest_.counted ? 0 : n);
    side_.resize(n);
  }

  // ---- the counts of bins ----
  // Large nodes that look at all attributes of the tree keep their counts. For small nodes, counting again costs less
  // time or memory.
  void choose_kept() {
    counted_.start(used_.size());
    if (forest_.binned.codes.empty() || forest_.sampling.attributes_per_node) return;
    for (u32 a = 0; a < used_.size(); ++a)
      if (used_[a] && !forest_.ranks[a].nominal) counted_.add(a);
    size_t counters = counted_.attributes.size() * BINS * static_cast<size_t>(data_.n_classes);
    least_kept_ = static_cast<u32>(std::max<size_t>(128, counters / 32));
  }
  std::shared_ptr<BinCounts> counts_of(const Node& node) {
    auto counts = std::make_shared<BinCounts>();
    counts->count(forest_.binned, counted_, 0, instances_, node.begin, node.end, static_cast<u32>(data_.n_classes));
    return counts;
  }
  // The smaller child is counted, the larger one takes what is left of the parent's counts.
  void hand_down_counts(Node& node, Node& left, Node& right) {
    Node &small = left.count() < right.count() ? left : right, &large = left.count() < right.count() ? right : left;
    if (!node.counts || large.count() < least_kept_) return;
    small.counts = counts_of(small);
    large.counts = std::move(node.counts);
    large.counts->subtract(*small.counts);
    if (small.count() < least_kept_) small.counts.reset();
  }

  double weight_of(u32 i) const {
    return forest_.counted ? static_cast<double>(instances_.tag[i] >> 16) : instances_.weight[i];
  }

  // ---- a node's own numbers ----
  void measure(const Node& node) {
    NodeRecord& record = builder().nodes[node.record];
    double* value = builder().value(node.record);
    record.count = node.count();
    record.weight = 0.0;
    if (data_.n_classes) {
      if (forest_.counted)
        count_classes(node, value);
      else
        for (u32 i = node.begin; i < node.end; ++i) value[instances_.tag[i] & 0xffff] += weight_of(i);
      if (forest_.counted)
        for (u32 i = node.begin; i < node.end; ++i) record.weight += instances_.tag[i] >> 16;
      else
        for (int j = 0; j < data_.n_classes; ++j) record.weight += value[j];
      return;
    }
    double sum = 0.0, low = instances_.target[node.begin], high = low;
    for (u32 i = node.begin; i < node.end; ++i) {
      double w = instances_.weight[i], y = instances_.target[i];
      record.weight += w;
      sum += w * y;
      low = std::min(low, y);
      high = std::max(high, y);
    }
    double mean = low == high ? low : sum / record.weight, squares = 0.0;
    for (u32 i = node.begin; i < node.end; ++i) {
      double d = instances_.target[i] - mean;
      squares += instances_.weight[i] * d * d;
    }
    value[0] = value[1] = mean;
    value[2] = low == high ? 0.0 : squares;
  }

  void count_classes(const Node& node, double* value) {
    if (data_.n_classes == 2) {
      u64 all = 0, second = 0;
      for (u32 i = node.begin; i < node.end; ++i) {
        u32 tag = instances_.tag[i], times = tag >> 16;
        all += times;
        second += times & (0u - (tag & 1));
      }
      value[0] = static_cast<double>(all - second);
      value[1] = static_cast<double>(second);
      return;
    }
    for (u32 i = node.begin; i < node.end; ++i) value[instances_.tag[i] & 0xffff] += instances_.tag[i] >> 16;
  }

  // Whether a node, its numbers known, must be a leaf.
  bool settle(const Node& node) {
    const NodeRecord& record = builder().nodes[node.record];
    if (options_.max_depth >= 0 && node.depth >= options_.max_depth) return true;
    if (record.weight < about(2 * options_.min_objects)) return true;
    if (record.weight < about(2 * options_.min_weight_leaf)) return true;
    if (record.count < options_.min_samples_split) return true;
    const double* value = builder().value(node.record);
    if (!data_.n_classes) return pure_numbers(node);
    if (one_class(node)) return true;
    return options_.sufficient_majority > 0.0 &&
           options_.enough(*std::max_element(value, value + data_.n_classes), record.weight);
  }
  bool one_class(const Node& node) const {
    u32 first = instances_.tag[node.begin] & 0xffff, i = node.begin + 1;
    while (i < node.end && (instances_.tag[i] & 0xffff) == first) ++i;
    return i == node.end;
  }
  bool pure_numbers(const Node& node) const {
    for (u32 i = node.begin + 1; i < node.end; ++i)
      if (instances_.target[i] != instances_.target[node.begin]) return false;
    return true;
  }

  // ---- the order of growing ----
  void depth_first(Node root) {
    std::vector<Node> stack;
    if (!settle(root)) stack.push_back(std::move(root));
    SampledSplit best;
    u32 unchecked = 0;  // rows of the nodes since the last check: small nodes take less time than one
    while (!stack.empty()) {
      Node node = std::move(stack.back());
      stack.pop_back();
      unchecked += 16 + std::min(node.count(), CHECKED_ROWS);
      if (unchecked >= CHECKED_ROWS) {
        watch_.check();
        unchecked = 0;
      }
      if (search_.find_split(node, best))
        split(node, best, [&](Node child) { stack.push_back(std::move(child)); });
      else
        builder().close(node.record);
    }
  }

  struct Open {
    Node node;
    SampledSplit best;
  };
  void best_first(Node root) {
    std::vector<Open> open_nodes;
    auto heavier = [&](size_t a, size_t b) {
      double x = open_nodes[a].best.candidate.improvement, y = open_nodes[b].best.candidate.improvement;
      return x != y ? x > y : a < b;
    };
    std::set<size_t, decltype(heavier)> waiting(heavier);
    double floor = 1e-12 * root_scale(root);
    auto consider = [&](Node node) {
      SampledSplit best;
      watch_.check();
      if (!search_.find_split(node, best)) return;
      open_nodes.push_back({std::move(node), std::move(best)});
      waiting.insert(open_nodes.size() - 1);
    };
    if (!settle(root)) consider(std::move(root));
    int64_t leaves = 1;
    std::vector<Node> children;
    while (!waiting.empty() && leaves < options_.max_leaf_nodes) {
      double most = open_nodes[*waiting.begin()].best.candidate.improvement,
             least = most - 1e-10 * std::abs(most) - floor;
      size_t chosen = *waiting.begin();
      for (size_t i : waiting) {
        if (open_nodes[i].best.candidate.improvement < least) break;
        chosen = std::min(chosen, i);
      }
      waiting.erase(chosen);
      ++leaves;
      if (!open_nodes[chosen].best.by_bins) search_.gather_again(open_nodes[chosen].node, open_nodes[chosen].best);
      children.clear();
      split(open_nodes[chosen].node, open_nodes[chosen].best,
            [&](Node child) { children.push_back(std::move(child)); });
      if (leaves >= options_.max_leaf_nodes) return;
      for (size_t i = children.size(); i-- > 0;) consider(std::move(children[i]));
    }
  }
  double root_scale(const Node& root) {
    if (!data_.n_classes) return builder().value(0)[2];
    return search_.look(root).scale;
  }
  // ---- the children ----
  template <typename Keep>
  void split(Node& node, SampledSplit& best, Keep keep) {
    u32 left = divide(node, best);
    Candidate& c = best.candidate;
    int32_t first = builder().add(2);
    NodeRecord& record = builder().nodes[node.record];
    record.kind = c.kind;
    record.attribute = static_cast<int32_t>(best.attribute);
    record.gain = c.gain;
    record.n_children = 2;
    record.first_child = first;
    if (c.kind == SplitKind::threshold) record.threshold = threshold_;
    if (c.kind == SplitKind::subset) record.subtree = divisions_.add(best.division);
    Node child[2];
    for (u32 s = 0; s < 2; ++s) {
      child[s] = {s ? node.begin + left : node.begin,
                  s ? node.end : node.begin + left,
                  first + static_cast<int32_t>(s),
                  node.depth + 1,
                  key_of(node.key, s),
                  best.constants,
                  nullptr};
      measure(child[s]);
    }
    constrain(node, best, child);
    hand_down_counts(node, child[0], child[1]);
    record.missing_child = missing_child(best, builder().nodes[first].weight, builder().nodes[first + 1].weight);
    if (forest_.counted && !node.bounds)
      builder().forget(node.record);
    else
      builder().close(node.record);
    for (u32 s = 2; s-- > 0;) {
      if (settle(child[s]))
        builder().close(child[s].record);
      else
        keep(std::move(child[s]));
    }
  }

  // What the node and its split demand of the children.
  void constrain(const Node& node, const SampledSplit& best, Node (&child)[2]) {
    for (Node& side : child) side.sets = sets_with(options_, node.sets, best.attribute);
    if (!node.bounds) return;
    std::shared_ptr<const Bounds> side[2] = {node.bounds, node.bounds};
    if (options_.sign(best.attribute) && !best.candidate.known_against_unknown) {
      Bounds sides[2];
      divide_bounds(options_, *node.bounds, best.attribute,
                    stored_answers(options_, builder().value(child[0].record), data_.n_classes),
                    stored_answers(options_, builder().value(child[1].record), data_.n_classes), sides);
      for (u32 s = 0; s < 2; ++s) side[s] = std::make_shared<Bounds>(std::move(sides[s]));
    }
    for (u32 s = 0; s < 2; ++s) {
      child[s].bounds = side[s];
      builder().bound(child[s].record, side[s]);
    }
  }

  int32_t missing_child(const SampledSplit& best, double left, double right) const {
    if (options_.missing == Missing::fractional) return -1;
    bool known = best.by_bins                                  ? best.unknown
                 : best.candidate.kind == SplitKind::threshold ? search_.gathered(best).ranks.unknown > 0
                                                               : best.candidate.missing_child >= 0;
    if (known) return best.candidate.missing_child;
    return left >= right - WEIGHT_SLACK * (left + right) ? 0 : 1;
  }

  // The same for a cut that was found by counts.
  u32 divide_bins(const Node& node, const SampledSplit& best) {
    const RankColumn& column = forest_.ranks[best.attribute];
    u32 n = node.count(), left = 0, right = 0, cut = best.rank;
    u32 end = best.candidate.missing_child == 0 ? column.n_ranks : BINS;  // unknown left: bins from here on
    u32 *row = instances_.row.data() + node.begin, *tag = instances_.tag.data() + node.begin;
    auto pass = [&](auto&& bin_of) {
      for (u32 i = 0; i < n; ++i) {
        u32 bin = bin_of(i), r = row[i], t = tag[i];
        auto s = static_cast<u32>((bin > cut) & (bin < end));
        row[left] = r;
        tag[left] = t;
        spare_[right] = r;
        spare_tags_[right] = t;
        right += s;
        left += 1 - s;
      }
    };
    if (n > data_.n_rows / 8)  // most rows: their column, else their cells side by side, which are counted next
      pass([&](u32 i) { return column.narrow[row[i]]; });
    else
      pass([&](u32 i) { return forest_.binned.at(row, i, n - 1)[best.attribute]; });
    std::copy_n(spare_.data(), right, row + left);
    std::copy_n(spare_tags_.data(), right, tag + left);
    threshold_ = best.candidate.known_against_unknown ? std::numeric_limits<double>::infinity()
                                                      : cut_between(column.high[best.below], column.low[best.above],
                                                                    options_.threshold_scale(best.attribute));
    return left;
  }

  // Brings the instances of the left branch to the front, in their order; returns how many they are.
  u32 divide(const Node& node, const SampledSplit& best) {
    if (best.by_bins) return divide_bins(node, best);
    const Gathered& from = search_.gathered(best);
    const RankColumn& column = forest_.ranks[best.attribute];
    const u32* row = instances_.row.data() + node.begin;
    u32 left = 0;
    if (from.by_number())
      from.with_numbers(best.number, [&](const auto* x, auto cut) { left = cut_numbers(node, best, x, cut); });
    else if (from.form == Cells::values)
      left = take_branches(node, best, [&](u32 i) { return u32{column.narrow[row[i]]}; });
    else
      left = take_branches(node, best, [&](u32 i) { return from.ranks.rank[i]; });
    return left;
  }
  template <typename RankOf>
  u32 take_branches(const Node& node, const SampledSplit& best, RankOf rank_of) {
    return best.candidate.kind == SplitKind::threshold ? cut_ranks(node, best, rank_of)
                                                       : take_sides(node, best, rank_of);
  }
  template <typename RankOf>
  u32 cut_ranks(const Node& node, const SampledSplit& best, RankOf rank_of) {
    const RankColumn& column = forest_.ranks[best.attribute];
    u32 low = 0, high = column.n_ranks, cut = best.rank, left = 0;
    auto side_of = [&](u32 i) {
      u32 r = rank_of(i);
      bool right = r > cut;
      low = std::max(low, right ? 0 : r);
      high = std::min(high, right ? r : high);
      return static_cast<u32>(right);
    };
    if (column.has_unknown)
      left = divide_rows(node, [&](u32 i) {
        u32 side = side_of(i);
        return rank_of(i) == column.n_ranks ? static_cast<u32>(best.candidate.missing_child) : side;
      });
    else
      left = divide_rows(node, side_of);
    const Column& numbers = data_.columns[best.attribute];
    threshold_ = best.candidate.known_against_unknown
                     ? std::numeric_limits<double>::infinity()
                     : cut_between(highest_of(column, numbers, low), lowest_of(column, numbers, high),
                                   options_.threshold_scale(best.attribute));
    return left;
  }
  template <typename Number>
  u32 cut_numbers(const Node& node, const SampledSplit& best, const Number* numbers, Number cut) {
    Number low = -std::numeric_limits<Number>::infinity(), high = -low;
    auto side_of = [&](u32 i) {
      Number x = numbers[i];
      bool right = x > cut;
      low = !right && x > low ? x : low;  // unknown is not above any number
      high = right && x < high ? x : high;
      return static_cast<u32>(right);
    };
    u32 left = 0;
    if (search_.gathered(best).ranks.unknown)
      left = divide_rows(node, [&](u32 i) {
        u32 side = side_of(i);
        return std::isnan(numbers[i]) ? static_cast<u32>(best.candidate.missing_child) : side;
      });
    else
      left = divide_rows(node, side_of);
    threshold_ = best.candidate.known_against_unknown
                     ? std::numeric_limits<double>::infinity()
                     : cut_between(low, high, options_.threshold_scale(best.attribute));
    return left;
  }
  template <typename RankOf>
  u32 take_sides(const Node& node, const SampledSplit& best, RankOf rank_of) {
    const Division& division = best.division;
    u32 unknown = forest_.ranks[best.attribute].n_ranks;
    if (side_of_value_.size() <= unknown) side_of_value_.resize(unknown + size_t{1});
    for (size_t i = 0; i < division.code.size(); ++i) side_of_value_[division.code[i]] = division.right[i];
    side_of_value_[unknown] = static_cast<u8>(best.candidate.missing_child);
    const u8* sides = side_of_value_.data();
    return divide_rows(node, [&](u32 i) { return u32{sides[rank_of(i)]}; });
  }
  // side_of(i): 1 if instance i goes right; asked once for each, in their order, before its row is moved.
  template <typename SideOf>
  QUERCUS_INLINE u32 divide_rows(const Node& node, SideOf side_of) {
    u32 n = node.count();
    if (forest_.counted) return divide_tagged(node.begin, n, side_of);
    for (u32 i = 0; i < n; ++i) side_[i] = static_cast<u8>(side_of(i));
    auto kept = [this](u32 i) { return u32{side_[i]}; };
    u32 left =
        data_.n_classes ? divide_tagged(node.begin, n, kept) : divide_array(instances_.row, node.begin, n, spare_);
    divide_array(instances_.weight, node.begin, n, spare_numbers_);
    if (!data_.n_classes) divide_array(instances_.target, node.begin, n, spare_numbers_);
    return left;
  }
  // Rows together with their tags.
  template <typename SideOf>
  QUERCUS_INLINE u32 divide_tagged(u32 begin, u32 n, SideOf side_of) {
    u32 *row = instances_.row.data() + begin, *tag = instances_.tag.data() + begin, left = 0, right = 0;
    u32 *spare = spare_.data(), *spare_tags = spare_tags_.data();
    for (u32 i = 0; i < n; ++i) {
      u32 s = side_of(i), r = row[i], t = tag[i];
      row[left] = r;
      tag[left] = t;
      spare[right] = r;
      spare_tags[right] = t;
      left += 1 - s;
      right += s;
    }
    std::copy_n(spare_.data(), right, row + left);
    std::copy_n(spare_tags_.data(), right, tag + left);
    return left;
  }
  template <typename T>
  u32 divide_array(std::vector<T>& array, u32 begin, u32 n, std::vector<T>& spare) {
    T* at = array.data() + begin;
    u32 left = 0, right = 0;
    for (u32 i = 0; i < n; ++i) {
      T item = at[i];
      u8 s = side_[i];
      at[left] = item;
      spare[right] = item;
      left += !s;
      right += s;
    }
    std::copy_n(spare.data(), right, at + left);
    return left;
  }

  const ForestPlan& forest_;
  const Dataset& data_;
  const Options& options_;
  Watch& watch_;
  Instances instances_;
  CountedAttributes counted_;  // what large nodes keep counts of
  u32 least_kept_ = 0;
  SampledSearch search_;
  std::vector<int32_t> drawn_;
  std::vector<Builder> builders_{1};
  std::vector<u32> spare_, spare_tags_;
  std::vector<double> spare_numbers_;
  std::vector<u8> side_, side_of_value_, used_;  // used_: whether the tree may use each attribute
  Divisions divisions_;
  double threshold_ = 0.0;
};

}  // namespace quercus
