// CountedChoice: the question of a node of a forest's tree from the attributes that it drew, where rows count as often
// as they were drawn and the largest gain wins.
#pragma once

#include "choice.h"
#include "counted_search.h"
#include "forest_plan.h"
#include "nominal.h"

namespace quercus {

// The form in which an attribute was gathered at a node.
enum class Cells : u8 {
  ranks,      // of the instances
  values,     // those that are present, with their counts
  numbers32,  // of the instances, for a cut that is drawn at random
  numbers64,
};

// What is gathered of one attribute at a node.
struct Gathered {
  Cells form = Cells::ranks;
  NodeRanks ranks;
  std::vector<CountedValue> values;
  std::vector<float> numbers32;
  std::vector<double> numbers64;
  double low = 0.0, high = 0.0;  // of the numbers, those that are known
  Division division;             // of a nominal attribute

  bool by_number() const { return form == Cells::numbers32 || form == Cells::numbers64; }
  bool constant() const {
    return by_number()             ? low >= high && (!ranks.unknown || ranks.unknown == ranks.n)
           : form == Cells::values ? values.size() < 2
                                   : ranks.constant();
  }

  void gather_numbers(const Column& column, bool has_unknown, const u32* rows, u32 n) {
    ranks.n = n;
    ranks.unknown = 0;
    auto from = [&](const auto* cells, auto& numbers) {
      if (numbers.size() < n) numbers.resize(n);
      if (has_unknown)
        gather_known(cells, rows, n, numbers.data());
      else
        gather_all(cells, rows, n, numbers.data());
    };
    form = column.kind == ColumnKind::number64 ? Cells::numbers64 : Cells::numbers32;
    if (form == Cells::numbers64)
      from(static_cast<const double*>(column.data), numbers64);
    else
      from(static_cast<const float*>(column.data), numbers32);
  }
  // Calls use(numbers, cut), both of the same type; a number is above the cut in this type if it is in any.
  template <typename Use>
  void with_numbers(double cut, Use use) const {
    if (form == Cells::numbers64) {
      use(numbers64.data(), cut);
      return;
    }
    auto narrow = static_cast<float>(cut);
    if (static_cast<double>(narrow) > cut) narrow = std::nextafter(narrow, -std::numeric_limits<float>::infinity());
    use(numbers32.data(), narrow);
  }

 private:
  template <typename Number>
  void gather_known(const Number* from, const u32* rows, u32 n, Number* to) {
    Number least = std::numeric_limits<Number>::infinity(), most = -least;
    u32 unknown = 0;
    for (u32 i = 0; i < n; ++i) {
      Number x = to[i] = from[rows[i]];
      unknown += std::isnan(x);
      least = x < least ? x : least;
      most = x > most ? x : most;
    }
    ranks.unknown = unknown;
    low = static_cast<double>(least);
    high = static_cast<double>(most);
  }
  template <typename Number>
  void gather_all(const Number* from, const u32* rows, u32 n, Number* to) {
    Number least[2] = {from[rows[0]], from[rows[0]]}, most[2] = {least[0], least[0]};
    auto take = [&](u32 i, u32 lane) {
      Number x = to[i] = from[rows[i]];
      least[lane] = x < least[lane] ? x : least[lane];
      most[lane] = x > most[lane] ? x : most[lane];
    };
    u32 i = 0;
    for (; i + 2 <= n; i += 2) {
      take(i, 0);
      take(i + 1, 1);
    }
    if (i < n) take(i, 0);
    low = static_cast<double>(std::min(least[0], least[1]));
    high = static_cast<double>(std::max(most[0], most[1]));
  }
};

// An attribute that was drawn and varies, and the place of what was gathered.
using Drawn = std::pair<u32, size_t>;

template <typename C>
class CountedChoice {
 public:
  using Tally = CountedTally<C>;

  CountedChoice(const ForestPlan& forest, const Instances& instances)
      : forest_(forest),
        tally_{instances, {forest.plan.parts.data()}, static_cast<u32>(forest.data.n_classes)},
        search_(forest.plan.parts.data()) {}

  // The best question of every attribute drawn. other(c, candidate): by the general search for nominal attributes.
  template <typename Other>
  void find_all(const CountedNode& node, u32 begin, const std::vector<Drawn>& drawn, std::vector<Gathered>& gathered,
                Other other) {
    start(node, drawn.size());
    double best = -std::numeric_limits<double>::infinity();
    for (size_t c = 0; c < drawn.size(); ++c) {
      Gathered& from = gathered[drawn[c].second];
      const RankColumn& column = forest_.ranks[drawn[c].first];
      Found& found = found_[c];
      if (from.form == Cells::values) {
        if (column.nominal)
          search_.subsets(node, from.values, from.division);
        else
          search_.cuts(node, from.values);
        found.take(search_.tracker);
      } else if (column.nominal && (!node.two || forest_.joins_values())) {
        other(c, found.candidate);
        found.take(base_);
      } else if (column.nominal) {
        search_.subsets(node, from.ranks, from.division);
        found.take(search_.tracker);
      } else if (search_.serves(node) && !search_.too_large(node, from.ranks)) {
        if (from.ranks.unknown)
          search_.cuts_and_unknown(node, from.ranks, column.n_ranks);
        else
          search_.cuts(node, from.ranks);
        found.take(search_.tracker);
      } else {
        searches_[c].look(tally_, from.ranks, column.n_ranks, begin, node.total, node.least, node.slack);
        found.value = searches_[c].best();
        found.pending = true;
      }
      best = std::max(best, found.value);
    }
    for (size_t c = 0; c < drawn.size(); ++c) {
      if (!found_[c].pending) continue;
      searches_[c].finish(best);
      found_[c].take(searches_[c].tracker());
    }
  }

  // One cut of every attribute drawn, at random. rank(c, low, high): the last rank on the left, drawn; coin(): 0 or 1.
  template <typename Rank, typename Coin, typename Share, typename Other>
  void find_random(const CountedNode& node, u32 begin, const std::vector<Drawn>& drawn, std::vector<Gathered>& gathered,
                   Rank rank, Coin coin, Share share, Other other) {
    start(node, drawn.size());
    for (size_t c = 0; c < drawn.size(); ++c) {
      Gathered& from = gathered[drawn[c].second];
      const RankColumn& column = forest_.ranks[drawn[c].first];
      Found& found = found_[c];
      if (from.form == Cells::values) {
        if (column.nominal)
          toss(from.division, [&](size_t i) { return from.values[i].code; }, from.values.size(), coin);
        else
          found.where = rank(c, from.values.front().code, from.values.back().code);
        judge_values(node, from, column.nominal, found);
      } else if (column.nominal && forest_.joins_values()) {
        other(c, found.candidate);
        found.take(base_);
      } else if (column.nominal) {
        divide_by_coins(node, from, coin);
        judge(node, found, [&](u32 i) { return !side_of_[from.ranks.rank[i] - from.ranks.low]; });
      } else if (from.by_number()) {
        found.cut = from.low + share() * (from.high - from.low);
        if (!(found.cut < from.high)) found.cut = std::nextafter(from.high, from.low);
        from.with_numbers(found.cut, [&](const auto* x, auto cut) {
          if (from.ranks.unknown)
            judge_with_unknown(node, from, found, x, cut);
          else
            judge(node, found, [&](u32 i) { return x[i] <= cut; });
        });
      } else if (!from.ranks.unknown) {
        u32 last = found.where = rank(c, from.ranks.low, from.ranks.high);
        judge(node, found, [&](u32 i) { return from.ranks.rank[i] <= last; });
      } else {
        searches_[c].set(tally_, from.ranks, column.n_ranks, begin, node.total, node.least, node.slack);
        searches_[c].try_one(rank(c, from.ranks.low, from.ranks.high));
        found.take(searches_[c].tracker());
      }
    }
  }

  // The first of those within the tolerance of the best; false: there is none.
  bool choose(const CountedNode& node, const std::vector<Drawn>& drawn, std::vector<Gathered>& gathered,
              SampledSplit& best_split) {
    double largest = -std::numeric_limits<double>::infinity();
    for (size_t c = 0; c < drawn.size(); ++c)
      if (found_[c].exists) largest = std::max(largest, found_[c].gain(base_, node.weight));
    for (size_t c = 0; c < drawn.size(); ++c) {
      if (!found_[c].exists || found_[c].gain(base_, node.weight) < largest - TIE_GAIN) continue;
      describe(node, drawn[c], gathered[drawn[c].second], found_[c], best_split);
      return true;
    }
    return false;
  }

 private:
  // The best question of one attribute: from a tracker, or a candidate of the general search.
  struct Found {
    bool exists = false, pending = false, general = false;
    double value = -std::numeric_limits<double>::infinity();  // purity
    u32 where = 0;
    int form = 1;
    double cut = 0.0;
    Candidate candidate;

    void reset() {
      if (general) candidate = Candidate{};
      exists = pending = general = false;
      value = -std::numeric_limits<double>::infinity();
      form = 1;
    }
    void take(const TieTracker& tracker) {
      exists = !tracker.empty();
      if (!exists) return;
      value = tracker.winner().value;
      where = tracker.winner().where;
      form = tracker.winner().form;
    }
    void take(double base) {
      general = true;
      exists = candidate.exists;
      if (exists) value = candidate.improvement + base;
    }
    double improvement(double base) const { return general ? candidate.improvement : value - base; }
    double gain(double base, u32 weight) const { return improvement(base) / static_cast<double>(weight); }
  };

  void start(const CountedNode& node, size_t n) {
    base_ = search_.base(node);
    if (found_.size() < n) {
      found_.resize(n);
      searches_.resize(n);
    }
    for (size_t c = 0; c < n; ++c) found_[c].reset();
  }

  // Judges the division in which is_left(i) says where instance i goes.
  template <typename IsLeft>
  void judge(const CountedNode& node, Found& found, IsLeft is_left) {
    u32 rows = 0, weight = 0;
    if (C::parts == Parts::whole && node.n < tally_.width) {
      judge_few(node, found, is_left);
      return;
    }
    left_.assign(tally_.width, 0);
    if (tally_.width == 2) {
      u32 ones = 0;
      for (u32 i = 0; i < node.n; ++i) {
        u32 inside = 0u - static_cast<u32>(is_left(i)), times = (node.tag[i] >> 16) & inside;
        weight += times;
        ones += times & (0u - (node.tag[i] & 1));
        rows -= inside;
      }
      left_[0] = weight - ones;
      left_[1] = ones;
    } else {
      for (u32 i = 0; i < node.n; ++i) {
        auto inside = static_cast<u32>(is_left(i));
        u32 times = (node.tag[i] >> 16) * inside;
        left_[node.tag[i] & 0xffff] += times;
        weight += times;
        rows += inside;
      }
    }
    found.exists = node.admits(rows, weight);
    if (found.exists) found.value = tally_.sides(left_.data(), node.total);
  }
  // The same for a cut of numbers of which some are unknown: these go left (0), or right (1). If there is one known
  // number only, it stands left and they right (2).
  template <typename Number>
  void judge_with_unknown(const CountedNode& node, const Gathered& from, Found& found, const Number* x, Number cut) {
    u32 width = tally_.width, rows[3] = {0, 0, 0};  // above the cut, unknown, up to the cut
    left_.assign(3 * size_t{width}, 0);
    for (u32 i = 0; i < node.n; ++i) {
      u32 part = static_cast<u32>(std::isnan(x[i])) + 2 * static_cast<u32>(x[i] <= cut);
      left_[part * width + (node.tag[i] & 0xffff)] += node.tag[i] >> 16;
      ++rows[part];
    }
    u32 *above = left_.data(), *unknown = above + width, *left = unknown + width;
    bool alone = from.low == from.high;
    search_.tracker.reset(node.slack);
    if (alone) {
      for (u32 j = 0; j < width; ++j) left[j] += above[j];
      consider(node, left, rows[0] + rows[2], 2);
      found.cut = std::numeric_limits<double>::infinity();
    } else {
      for (u32 j = 0; j < width; ++j) above[j] = left[j] + unknown[j];
      consider(node, above, rows[1] + rows[2], 0);
      consider(node, left, rows[2], 1);
    }
    found.take(search_.tracker);
  }
  void consider(const CountedNode& node, const u32* left, u32 rows, int form) {
    u32 weight = std::accumulate(left, left + tally_.width, 0u);
    if (node.admits(rows, weight)) search_.tracker.add(tally_.sides(left, node.total), 0, form);
  }
  // Of many classes only those that are there: the sums of their parts change with each instance.
  template <typename IsLeft>
  void judge_few(const CountedNode& node, Found& found, IsLeft is_left) {
    u32 rows = 0;
    search_.start_sides(node);
    for (u32 i = 0; i < node.n; ++i)
      if (is_left(i)) {
        search_.move(node, node.tag[i]);
        ++rows;
      }
    found.exists = node.admits(rows, search_.left());
    if (found.exists) found.value = search_.sides(node);
    search_.forget_sides(node);
  }
  void judge_values(const CountedNode& node, const Gathered& from, bool nominal, Found& found) {
    u32 weight = 0, ones = 0;
    for (size_t i = 0; i < from.values.size(); ++i) {
      if (nominal ? from.division.right[i] : from.values[i].code > found.where) continue;
      weight += from.values[i].weight;
      ones += from.values[i].ones;
    }
    found.exists = true;  // values are counted only where a branch may be of any size
    u32 left[2] = {weight - ones, ones};
    found.value = tally_.sides(left, node.total);
  }

  template <typename Coin>
  void divide_by_coins(const CountedNode& node, Gathered& from, Coin coin) {
    const NodeRanks& ranks = from.ranks;
    Division& division = from.division;
    u32 range = ranks.high - ranks.low + 1;
    if (side_of_.size() < range) side_of_.resize(range, 0);
    division.code.clear();
    if (node.n <= 8) {
      division.code.assign(ranks.rank.begin(), ranks.rank.begin() + node.n);
      for (u32 i = 1; i < node.n; ++i)
        for (u32 at = i; at && division.code[at - 1] > division.code[at]; --at)
          std::swap(division.code[at - 1], division.code[at]);
      division.code.erase(std::unique(division.code.begin(), division.code.end()), division.code.end());
    } else if (PresentValues::serves(range, node.n)) {
      present_.start(range);
      for (u32 i = 0; i < node.n; ++i) present_.add(ranks.rank[i] - ranks.low);
      present_.take([&](u32 value) { division.code.push_back(ranks.low + value); });
    } else {
      division.code.assign(ranks.rank.begin(), ranks.rank.begin() + node.n);
      std::sort(division.code.begin(), division.code.end());
      division.code.erase(std::unique(division.code.begin(), division.code.end()), division.code.end());
    }
    toss(division, [&](size_t i) { return division.code[i]; }, division.code.size(), coin);
    for (size_t i = 0; i < division.code.size(); ++i) side_of_[division.code[i] - ranks.low] = division.right[i];
  }
  // Every value but the first goes left or right by a coin, the last one right if all else is left.
  template <typename CodeOf, typename Coin>
  void toss(Division& division, CodeOf code_of, size_t n, Coin coin) {
    division.code.resize(n);
    division.right.assign(n, 0);
    bool any = false;
    for (size_t i = 0; i < n; ++i) {
      division.code[i] = code_of(i);
      if (i) division.right[i] = static_cast<u8>(coin());
      if (i + 1 == n && !any) division.right[i] = 1;
      any = any || division.right[i];
    }
  }

  void describe(const CountedNode& node, const Drawn& drawn, Gathered& from, Found& found, SampledSplit& best_split) {
    Candidate& c = best_split.candidate;
    best_split.attribute = drawn.first;
    best_split.slot = drawn.second;
    best_split.by_number = from.by_number();
    best_split.number = found.cut;
    if (found.general) {
      c = std::move(found.candidate);
      best_split.take_division();
    } else {
      c.kind = forest_.ranks[drawn.first].nominal ? SplitKind::subset : SplitKind::threshold;
      c.improvement = found.improvement(base_);
      c.missing_child = c.kind == SplitKind::threshold ? (found.form == 0 ? 0 : 1) : -1;
      c.known_against_unknown = c.kind == SplitKind::threshold && found.form == 2;
      if (c.kind == SplitKind::subset) {
        std::swap(best_split.division, from.division);
        c.missing_child = best_split.division.take_unknown(forest_.ranks[drawn.first].n_ranks);
      }
    }
    c.gain = c.worth = found.general ? c.gain : c.improvement / static_cast<double>(node.weight);
    best_split.rank = found.where;
  }

  const ForestPlan& forest_;
  Tally tally_;
  CountedSearch<C> search_;
  std::vector<CutSearch<Tally>> searches_;
  std::vector<Found> found_;
  std::vector<u32> left_;
  std::vector<u8> side_of_;  // by value, from the smallest on
  PresentValues present_;
  double base_ = 0.0;
};

}  // namespace quercus
