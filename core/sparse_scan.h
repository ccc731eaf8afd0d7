// SparseScan: the best cut of a sparse column. Only the stored cells are read: what is left of the node has the value
// 0.
#pragma once

#include "coded_scan.h"
#include "random.h"

namespace quercus {

// One side of a cut, by counts of the classes that occur; the other side is the rest of the node.
template <typename C>
class ClassSide {
 public:
  ClassSide(const NodeView& node, const CodedNode& shared)
      : node_(node), shared_(shared), part_{node.plan.parts.data()} {
    if (counts_.size() < shared.totals.size()) counts_.resize(shared.totals.size(), 0);
    restart();
  }
  ~ClassSide() { restart(); }
  ClassSide(const ClassSide&) = delete;
  ClassSide& operator=(const ClassSide&) = delete;
  void restart() {
    for (u32 j : touched_) counts_[j] = 0;
    touched_.clear();
    weight_ = 0;
    own_ = 0;
    rest_ = shared_.squares;
  }
  void add(u32 instance) {
    u32 j = shared_.place[static_cast<size_t>(node_.frame.label[instance])];
    u32 w = static_cast<u32>(node_.frame.weight_of(instance));
    u32 before = counts_[j], other = shared_.totals[j] - before;
    if (!before) touched_.push_back(j);
    counts_[j] = before + w;
    weight_ += w;
    own_ += u64{w} * (2 * u64{before} + w);
    rest_ -= u64{w} * (2 * u64{other} - w);
  }
  double weight() const { return weight_; }
  bool sensible() const { return true; }
  double purity() const {
    u32 other = static_cast<u32>(node_.weight) - weight_;
    if constexpr (C::parts == Parts::whole)  // of Gini the parts are squares
      return C::whole(static_cast<double>(own_), weight_, part_) + C::whole(static_cast<double>(rest_), other, part_);
    double own = 0.0, rest = 0.0;
    for (size_t j = 0; j < shared_.totals.size(); ++j) {
      include<C>(own, part_(counts_[j]));
      include<C>(rest, part_(shared_.totals[j] - counts_[j]));
    }
    return C::whole(own, weight_, part_) + C::whole(rest, other, part_);
  }

 private:
  // Kept from column to column: counts are 0 between them, `touched` is empty.
  struct Buffers {
    std::vector<u32> counts, touched;
  };
  static Buffers& buffers() {
    static thread_local Buffers kept;
    return kept;
  }

  const NodeView& node_;
  const CodedNode& shared_;
  CountParts<C> part_;
  std::vector<u32>&counts_ = buffers().counts, &touched_ = buffers().touched;
  u32 weight_ = 0;
  u64 own_ = 0, rest_ = 0;  // sums of squares
};

// The same by sums of numbers.
template <typename By>
class NumberSide {
 public:
  NumberSide(const NodeView& node, const By& by) : node_(node), by_(by) {}
  void restart() { weight_ = sum_ = 0.0; }
  void add(u32 instance) {
    double w = node_.frame.weight_of(instance);
    weight_ += w;
    sum_ += w * node_.target(instance);
  }
  double weight() const { return weight_; }
  bool sensible() const { return by_.sensible(weight_, sum_) && by_.sensible(other(), node_.sums[1] - sum_); }
  double purity() const { return by_.purity(weight_, sum_) + by_.purity(other(), node_.sums[1] - sum_); }

 private:
  double other() const { return node_.sums[0] - weight_; }
  const NodeView& node_;
  const By& by_;
  double weight_ = 0.0, sum_ = 0.0;
};

class SparseScan {
 public:
  // random: what the only cut is drawn from; null: all cuts are tried.
  SparseScan(const NodeView& node, const FrameColumn& column, TieTracker& tracker, Random* random)
      : node_(node),
        attribute_(node.plan.attributes[column.attribute]),
        tracker_(tracker),
        least_weight_(about(least_side(node.plan.options, node.weight, node.plan.data.n_classes))) {
    SparseNode::Part part = node.cells->of(column.attribute);
    cells_.assign(part.begin(), part.end());
    std::sort(cells_.begin(), cells_.end(), [](const auto& a, const auto& b) {
      return a.code != b.code ? a.code < b.code : a.instance < b.instance;
    });
    find_values();
    if (random && values_.size() > 1) draw(*random);
  }

  bool constant() const { return values_.size() < 2; }

  template <typename Side>
  void run(Side& side, CodedCut& cut) {
    size_t n = values_.size(), zero = n;  // the value that is not stored
    for (size_t i = 0; i < n; ++i)
      if (!values_[i].stored) zero = i;
    judged_.assign(n, {});
    side.restart();
    u32 rows = 0;
    for (size_t i = 0; i + 1 < n && zero < n && i < zero; ++i) {  // values below 0, from the lowest
      take(side, values_[i], rows);
      judge(i + 1, side, rows);
    }
    side.restart();
    rows = 0;
    size_t last = zero < n ? zero + 1 : 1;
    for (size_t i = n; i-- > last;) {  // values above 0, from the highest
      take(side, values_[i], rows);
      judge(i, side, rows);
    }
    for (size_t i = 1; i < n; ++i) {
      if (!judged_[i].admissible) continue;
      ++cut.cuts;
      tracker_.add(judged_[i].purity, values_[i].code, static_cast<int>(values_[i - 1].code));
    }
    cut.exists = !tracker_.empty();
    if (!cut.exists) return;
    const TieTracker::Entry& winner = tracker_.winner();
    cut.purity = winner.value;
    cut.where = winner.where;
    cut.before = static_cast<u32>(winner.form);
    for (size_t i = 1; i < n; ++i)
      if (values_[i].code == cut.where)
        cut.left = zero < n && i <= zero ? judged_[i].weight : node_.weight - judged_[i].weight;
  }

 private:
  struct Value {
    u32 code, first, last;  // cells
    bool stored;
  };
  struct Judged {
    bool admissible = false;
    double purity = 0.0, weight = 0.0;  // of the side that was added up
  };

  void find_values() {
    values_.clear();
    u32 n = static_cast<u32>(cells_.size());
    bool zeros = n < node_.count();
    for (u32 first = 0, last = 0; first < n; first = last) {
      while (last < n && cells_[last].code == cells_[first].code) ++last;
      if (zeros && cells_[first].code > attribute_.zero) {
        values_.push_back({attribute_.zero, 0, 0, false});
        zeros = false;
      }
      values_.push_back({cells_[first].code, first, last, true});
    }
    if (zeros) values_.push_back({attribute_.zero, 0, 0, false});
  }

  // The first value on the right of a number that is drawn between the lowest and the highest.
  void draw(Random& random) {
    double low = attribute_.low[values_.front().code], high = attribute_.high[values_.back().code];
    double cut = low + random.share() * (high - low);
    for (only_ = 1; only_ + 1 < values_.size() && attribute_.low[values_[only_].code] <= cut;) ++only_;
  }

  template <typename Side>
  void take(Side& side, const Value& value, u32& rows) const {
    for (u32 c = value.first; c < value.last; ++c) side.add(cells_[c].instance);
    rows += value.last - value.first;
  }

  // The cut before a value, where `side` holds all that is on one side of it.
  template <typename Side>
  void judge(size_t value, const Side& side, u32 rows) {
    if (only_ && value != only_) return;
    const Options& options = node_.plan.options;
    if (!(attribute_.high[values_[value - 1].code] + options.threshold_gap < attribute_.low[values_[value].code]))
      return;
    double weight = side.weight();
    if (!branch_counts(options, weight, rows, least_weight_) ||
        !branch_counts(options, node_.weight - weight, node_.count() - rows, least_weight_) || !side.sensible())
      return;
    judged_[value] = {true, side.purity(), weight};
  }

  static std::vector<SparseNode::Cell>& cell_buffer() {
    static thread_local std::vector<SparseNode::Cell> buffer;
    return buffer;
  }
  static std::vector<Value>& value_buffer() {
    static thread_local std::vector<Value> buffer;
    return buffer;
  }
  static std::vector<Judged>& judged_buffer() {
    static thread_local std::vector<Judged> buffer;
    return buffer;
  }

  const NodeView& node_;
  const Attribute& attribute_;
  TieTracker& tracker_;
  double least_weight_;
  size_t only_ = 0;
  std::vector<SparseNode::Cell>& cells_ = cell_buffer();
  std::vector<Value>& values_ = value_buffer();
  std::vector<Judged>& judged_ = judged_buffer();
};

}  // namespace quercus
