// DrawnAttributes: the attributes that a node of a forest's tree draws, and what it gathers of those that vary.
#pragma once

#include <numeric>

#include "counted_choice.h"
#include "tree.h"

namespace quercus {

class DrawnAttributes {
 public:
  DrawnAttributes(const ForestPlan& forest, const Instances& instances)
      : forest_(forest),
        data_(forest.data),
        instances_(instances),
        draw_(static_cast<u32>(forest.data.columns.size())),
        pairs_alike_(forest.by_counts() && forest.unlimited() && !forest.joins_values()) {}

  // used: whether the tree may use each attribute.
  void start_tree(Builder& builder, const CountedAttributes& counted, const std::vector<u8>& used) {
    builder_ = &builder;
    counted_ = &counted;
    used_ = &used;
  }

  // The attributes of a node; what is found to be constant there is added to `constants`.
  void draw(const SampledNode& node, Constants& constants) {
    has_node_rows_ = false;
    if (node.sets) may_meet_ = may_meet(forest_.options, node.sets, data_.columns.size());
    if (node.count() == 2 && pairs_alike_)
      draw_for_pair(node, constants);
    else
      draw_attributes(node, constants);
  }
  // One attribute alone, at the first place.
  void gather_alone(const SampledNode& node, u32 attribute) {
    has_node_rows_ = false;
    if (gathered.empty()) gathered.resize(1);
    gather_cells(node, attribute, gathered[0]);
  }
  // The counts of an attribute's bins, kept or made at this node; none: its ranks are gathered.
  const u32* counts_of(const SampledNode& node, u32 attribute) const {
    u32 slot = (node.counts ? *counted_ : local_).slot(attribute);
    if (slot == CountedAttributes::none) return nullptr;
    return (node.counts ? *node.counts : local_counts_).of(slot, static_cast<u32>(data_.n_classes));
  }
  // Goes on where the draw ended.
  Random& random() { return draw_.random(); }

  std::vector<Drawn> chosen;       // the attributes that vary, in the order of the schema
  std::vector<Gathered> gathered;  // what is known of them

 private:
  // At nodes of so few rows, the unusual cells of a wide table are looked at row by row.
  static constexpr u32 FEW_SPARSE_ROWS = 16;

  // Whether an attribute may not meet those asked above the node.
  bool is_apart(const SampledNode& node, u32 attribute) const { return node.sets && !may_meet_[attribute]; }

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

  // Counts of values if there are few; where cuts are drawn at random the numbers themselves; else ranks.
  void gather_cells(const SampledNode& node, u32 attribute, Gathered& to) {
    const RankColumn& column = forest_.ranks[attribute];
    const u32 *rows = instances_.row.data() + node.begin, *tag = instances_.tag.data();
    u32 n = node.count();
    if (forest_.counts_values(column, n)) {
      to.form = Cells::values;
      to.ranks.unknown = 0;
      const double* value = (*builder_).value(node.record);
      if (!forest_.unusual.empty() && column.n_usual && forest_.unusual.effort(attribute) < 2 * size_t{n})
        counter_.count_unusual(column, forest_.unusual, attribute, rows_of(node), instances_.tag_of_row.data(),
                               static_cast<u32>(value[0]), static_cast<u32>(value[1]), to.values);
      else
        counter_.count(column, rows, tag + node.begin, n, to.values);
    } else if (forest_.cuts_numbers(column)) {
      to.gather_numbers(data_.columns[attribute], column.has_unknown, rows, n);
    } else {
      to.form = Cells::ranks;
      gather(column, rows, n, to.ranks);
    }
  }

  // Of a wide table whose cells are mostly alike: the rows of the node that is looked at, and which attributes may vary
  // there at all.
  const RowSet& rows_of(const SampledNode& node) {
    if (!has_node_rows_) node_rows_.fill(instances_.row.data() + node.begin, node.count(), data_.n_rows);
    has_node_rows_ = true;
    return node_rows_;
  }
  // Whether that is known sooner by looking at all unusual cells of the node's rows than by looking at one attribute
  // after the other. met: the attributes that were looked at in vain.
  bool mark_pays(const SampledNode& node, u32 met) const {
    constexpr u32 effort = 64;
    return node.count() <= FEW_SPARSE_ROWS || met * effort > node.count() * forest_.unusual.per_row();
  }
  // The ranks of the attributes drawn whose usual value is known, from the unusual cells of the node's few rows; those
  // of attribute drawn_[d] go to the place `first` + d.
  void gather_by_rows(const SampledNode& node, size_t first) {
    u32 n = node.count();
    place_of_.resize(data_.columns.size(), 0);  // all 0 between uses
    for (size_t d = 0; d < drawn_.size(); ++d) {
      const RankColumn& column = forest_.ranks[drawn_[d]];
      if (!column.n_usual) continue;
      place_of_[drawn_[d]] = static_cast<u32>(first + d + 1);
      gathered[first + d].ranks.rank.assign(n, column.usual);
    }
    for (u32 i = 0; i < n; ++i)
      forest_.unusual.each_of_row(instances_.row[node.begin + i], [&](u32 attribute, u32 rank) {
        if (u32 place = place_of_[attribute]) gathered[place - 1].ranks.rank[i] = rank;
      });
    for (size_t d = 0; d < drawn_.size(); ++d) {
      if (!place_of_[drawn_[d]]) continue;
      place_of_[drawn_[d]] = 0;
      gathered[first + d].form = Cells::ranks;
      bound_ranks(forest_.ranks[drawn_[d]], n, gathered[first + d].ranks);
    }
  }
  void mark_constants(const SampledNode& node, Constants& constants) {
    forest_.unusual.mark(instances_.row.data() + node.begin, node.count(), varying_);
    constants.add_all_but(varying_, static_cast<u32>(data_.columns.size()));
  }

  // Draws attributes until enough of them vary at the node, or, if constant ones count, until there are enough; the
  // ranks of those that vary are gathered, in the order of the schema.
  void draw_attributes(const SampledNode& node, Constants& constants) {
    u32 n = static_cast<u32>(data_.columns.size());
    u32 n_attributes = forest_.sampling.attributes_per_node ? std::min(forest_.sampling.attributes_per_node, n) : n;
    draw_.start(node.key);
    chosen.clear();
    size_t constant = 0;  // those drawn that count
    u32 met = 0;          // those that were not known to be constant
    bool count = counts_drawn(node), marked = forest_.unusual.empty();
    bool by_rows = !marked && node.count() <= FEW_SPARSE_ROWS;
    size_t slot = 0;
    local_.start(count ? n : 0);
    while (chosen.size() + constant < n_attributes && draw_.more()) {
      if (!marked && mark_pays(node, met)) {
        mark_constants(node, constants);
        marked = true;
      }
      drawn_.clear();
      while (chosen.size() + constant + drawn_.size() < n_attributes && draw_.more()) {
        u32 attribute = draw_.next();
        if (!(*used_)[attribute]) continue;
        if (constants.has(attribute) || is_apart(node, attribute))
          constant += forest_.sampling.count_constant;
        else
          drawn_.push_back(attribute);
      }
      if (count) count_drawn(node);
      if (gathered.size() < slot + drawn_.size()) gathered.resize(slot + drawn_.size());
      if (by_rows) gather_by_rows(node, slot);
      for (u32 attribute : drawn_) {
        if (by_rows && forest_.ranks[attribute].n_usual) {
          // gathered already
        } else if (const u32* counts = counts_of(node, attribute))
          sum_up(counts, forest_.ranks[attribute], node, gathered[slot]);
        else
          gather_cells(node, attribute, gathered[slot]);
        size_t at = slot++;
        if (!gathered[at].constant()) {
          chosen.push_back({attribute, at});
          continue;
        }
        ++met;
        constants.add(attribute, n);
        constant += forest_.sampling.count_constant;
      }
    }
    std::sort(chosen.begin(), chosen.end());
  }

  // The same for a node of two rows. Every attribute that varies divides them alike, so only the first of those drawn
  // is gathered.
  void draw_for_pair(const SampledNode& node, Constants& constants) {
    u32 n = static_cast<u32>(data_.columns.size()), first = n, varying = 0;
    u32 n_attributes = forest_.sampling.attributes_per_node ? std::min(forest_.sampling.attributes_per_node, n) : n;
    u32 one = instances_.row[node.begin], other = instances_.row[node.begin + 1];
    if (!forest_.unusual.empty()) mark_constants(node, constants);
    draw_.start(node.key);
    while (varying < n_attributes && draw_.more()) {
      u32 attribute = draw_.next();
      if (!(*used_)[attribute]) continue;
      const RankColumn& column = forest_.ranks[attribute];
      if (!constants.has(attribute) && !is_apart(node, attribute) && column.rank(one) != column.rank(other)) {
        ++varying;
        first = std::min(first, attribute);
      } else {
        varying += forest_.sampling.count_constant;
      }
    }
    chosen.clear();
    if (first == n) return;
    chosen.push_back({first, 0});
    if (gathered.empty()) gathered.resize(1);
    gather_cells(node, first, gathered[0]);
  }

  // What gathering ranks would report, without the ranks themselves; a row counts as often as it was drawn.
  void sum_up(const u32* counts, const RankColumn& column, const SampledNode& node, Gathered& sums) const {
    sums.form = Cells::ranks;
    NodeRanks& to = sums.ranks;
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

  const ForestPlan& forest_;
  const Dataset& data_;
  const Instances& instances_;
  Builder* builder_ = nullptr;
  const CountedAttributes* counted_ = nullptr;  // what nodes keep counts of
  CountedAttributes local_;                     // what this node counted
  BinCounts local_counts_;
  std::vector<u32> drawn_;
  AttributeDraw draw_;
  bool pairs_alike_;  // whether every question divides two rows alike
  ValueCounter counter_;
  std::vector<u64> varying_;   // one bit for each attribute
  std::vector<u32> place_of_;  // by attribute: where it is gathered, from 1 on
  RowSet node_rows_;
  bool has_node_rows_ = false;  // they are those of the node that is looked at
  const std::vector<u8>* used_ = nullptr;
  std::vector<u8> may_meet_;  // whether each attribute may meet those asked above the node
};

}  // namespace quercus
