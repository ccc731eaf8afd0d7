// CodedScan: the best cut of a numeric column of few values, by counts or sums for each value; all instances weigh one.
#pragma once

#include <array>
#include <bit>
#include <numeric>

#include "groups.h"
#include "number_scan.h"

namespace quercus {

// The cut found: between the values of two codes, `left` instances below it.
struct CodedCut {
  bool exists = false;
  double purity = 0.0;
  u32 cuts = 0;  // how many are admissible
  u32 before = 0, where = 0;
  double left = 0.0;
};

// What all coded columns of a node read: its instances in their order, with the classes that occur numbered anew, or
// the numbers less the node's mean.
struct CodedNode {
  std::vector<u32> classes;     // the classes that occur
  std::vector<u32> place;       // of each class, its place among them
  std::vector<double> weights;  // of the classes that occur
  std::vector<u32> totals;      // their counts
  std::vector<u32> class_at;    // of each instance, its class's place among them
  std::vector<double> number;   // of each instance
  double base = 0.0;            // the purity of all
  u64 squares = 0;              // the sum of the squared counts

  void prepare(const NodeView& node) {
    const Frame& frame = node.frame;
    u32 n = node.count();
    const u32* order = frame.order.data() + node.begin;
    if (!node.plan.data.n_classes) {
      number.resize(n);
      for (u32 i = 0; i < n; ++i) number[i] = node.target(order[i]);
      return;
    }
    add_up(node);
    class_at.resize(n);
    for (u32 i = 0; i < n; ++i) class_at[i] = place[static_cast<size_t>(frame.label[order[i]])];
  }

  // The counts of the classes.
  void add_up(const NodeView& node) {
    find_classes(node);
    totals.assign(weights.begin(), weights.end());
    base = node.measure.purity(node.sums.data());
    squares = 0;
    for (u32 count : totals) squares += u64{count} * count;
  }

  void find_classes(const NodeView& node) {
    place.resize(node.sums.size());
    classes.clear();
    weights.clear();
    for (u32 j = 0; j < node.sums.size(); ++j) {
      place[j] = static_cast<u32>(classes.size());
      if (!(node.sums[j] > 0.0)) continue;
      classes.push_back(j);
      weights.push_back(node.sums[j]);
    }
  }
};

class CodedScan {
 public:
  CodedScan(const NodeView& node, const FrameColumn& column, const CodedNode& about_node, TieTracker& tracker)
      : node_(node),
        attribute_(node.plan.attributes[column.attribute]),
        options_(node.plan.options),
        shared_(about_node),
        tracker_(tracker),
        codes_(column.code8.data()),
        order_(node.frame.order.data() + node.begin),
        n_(node.count()),
        n_codes_(static_cast<u32>(attribute_.low.size())) {
    double least = std::max(1.0, static_cast<double>(options_.min_samples_leaf));
    least_ = std::max(least, std::ceil(about(least_side(options_, n_, node.plan.data.n_classes))));
  }

  // False if an instance's value is unknown: then there is no answer. `constant`: one value only.
  template <typename C>
  bool classes(CodedCut& cut, u8& constant) {
    return shared_.classes.size() == 2 ? two_classes<C>(cut, constant) : many_classes<C>(cut, constant);
  }

  // `by`: the purity of numbers (number_scan.h). base: that of all instances, by the sums of the values.
  template <typename By>
  bool numbers(const By& by, CodedCut& cut, u8& constant, double& base) {
    Scratch& s = scratch_;
    for (u32 i = 0; i < n_; ++i) {
      u32 code = codes_[order_[i]];
      s.count[code] += 1;
      s.sum[code] += shared_.number[i];
    }
    find_present([&](u32 code) { return s.count[code] != 0; });
    double total = 0.0;
    for_each_present([&](u32 code) { total += s.sum[code]; });
    base = by.purity(n_, total);
    double left = 0.0, sum = 0.0;
    bool known = walk(
        cut, constant, [&](u32 code) { return s.count[code]; },
        [&](u32 code) {
          left += static_cast<double>(s.count[code]);
          sum += s.sum[code];
        },
        [&](u32 where, int before) {
          double right = n_ - left, rest = total - sum;
          if (!by.sensible(left, sum) || !by.sensible(right, rest)) return false;
          if (!by.may_exceed(tracker_.largest, left, sum, right, rest)) return true;
          tracker_.add(by.purity(left, sum) + by.purity(right, rest), where, before);
          return true;
        });
    for_each_present([&](u32 code) {
      s.count[code] = 0;
      s.sum[code] = 0.0;
    });
    s.present = {};
    return known;
  }

 private:
  struct Scratch {
    std::array<u64, 4> present{};        // which codes occur, by bits; nothing between calls
    std::array<u64, 256> count{};        // zero between calls; of two classes: class 1 in the upper half
    std::array<u64, 256> more{};         // the same for every second instance: equal codes do not wait for each other
    std::array<double, 256> sum{};       // zero between calls
    std::array<u8, 256> seen{};          // which codes occur; zero between calls
    std::array<u32, 256> left{};         // instances below a code
    std::vector<u32> table, left_class;  // [code, class], zero between calls; classes on the left
  };
  static Scratch& scratch() {
    static thread_local Scratch buffers;
    return buffers;
  }

  template <typename Visit>
  void for_each_present(Visit visit) const {
    const std::array<u64, 4>& present = scratch_.present;
    for (u32 word = 0; word < 4; ++word)
      for (u64 bits = present[word]; bits; bits &= bits - 1)
        visit(word * 64 + static_cast<u32>(std::countr_zero(bits)));
  }

  // Goes through the codes that occur. size(code): its instances; judge(where, before): takes a cut, and says whether
  // it is admissible; move(code): the code's instances go to the left.
  template <typename Size, typename Move, typename Judge>
  bool walk(CodedCut& cut, u8& constant, Size size, Move move, Judge judge) {
    Scratch& s = scratch_;
    if (s.present[3] >> 63) return false;
    u32 left = 0, values = 0, before = 0;
    for_each_present([&](u32 code) {
      if (values++ && attribute_.high[before] + options_.threshold_gap < attribute_.low[code] && left >= least_ &&
          n_ - left >= least_)
        cut.cuts += judge(code, static_cast<int>(before));
      s.left[code] = left;
      left += static_cast<u32>(size(code));
      move(code);
      before = code;
    });
    constant = values < 2;
    cut.exists = !tracker_.empty();
    if (!cut.exists) return true;
    const TieTracker::Entry& winner = tracker_.winner();
    cut.purity = winner.value;
    cut.where = winner.where;
    cut.before = static_cast<u32>(winner.form);
    cut.left = s.left[winner.where];
    return true;
  }

  // The codes that occur, by occurs(code); of few instances, by their codes.
  template <typename Occurs>
  void find_present(Occurs occurs) {
    Scratch& s = scratch_;
    auto note = [&](u32 code) { s.present[code >> 6] |= u64{1} << (code & 63); };
    if (n_ < n_codes_ / 8) {
      for (u32 i = 0; i < n_; ++i) note(codes_[order_[i]]);
      return;
    }
    for (u32 code = 0; code < n_codes_; ++code)
      if (occurs(code)) note(code);
    if (occurs(UNKNOWN8)) note(UNKNOWN8);
  }

  void count_two_classes() {
    Scratch& s = scratch_;
    const u32* label = shared_.class_at.data();
    if (attribute_.common < UNKNOWN8) {
      u64 rest = n_ + (u64{shared_.totals[1]} << 32);
      for (u32 i = 0; i < n_; ++i)
        if (u32 code = codes_[order_[i]]; code != attribute_.common) {
          s.count[code] += 1 + (u64{label[i]} << 32);
          rest -= 1 + (u64{label[i]} << 32);
        }
      s.count[attribute_.common] = rest;
      find_present([&](u32 code) { return s.count[code] != 0; });
      return;
    }
    u32 i = 0;
    for (; i + 1 < n_; i += 2) {
      s.count[codes_[order_[i]]] += 1 + (u64{label[i]} << 32);
      s.more[codes_[order_[i + 1]]] += 1 + (u64{label[i + 1]} << 32);
    }
    if (i < n_) s.count[codes_[order_[i]]] += 1 + (u64{label[i]} << 32);
    find_present([&](u32 code) { return (s.count[code] | s.more[code]) != 0; });
    for_each_present([&](u32 code) {
      s.count[code] += s.more[code];
      s.more[code] = 0;
    });
  }

  template <typename C>
  bool two_classes(CodedCut& cut, u8& constant) {
    Scratch& s = scratch_;
    count_two_classes();
    u32 left = 0, ones = 0;
    CountParts<C> part{node_.plan.parts.data()};
    bool known = walk(
        cut, constant, [&](u32 code) { return static_cast<u32>(s.count[code]); },
        [&](u32 code) {
          left += static_cast<u32>(s.count[code]);
          ones += static_cast<u32>(s.count[code] >> 32);
        },
        [&](u32 where, int before) {
          tracker_.add(two_class_purity<C>(part, left, ones, n_, shared_.totals[1]), where, before);
          return true;
        });
    for_each_present([&](u32 code) { s.count[code] = 0; });
    s.present = {};
    return known;
  }

  void count_many_classes(u32 k) {
    Scratch& s = scratch_;
    if (s.table.size() < 256 * size_t{k}) s.table.resize(256 * size_t{k}, 0);
    auto row = [&](u32 code) { return s.table.data() + size_t{code} * k; };
    u32 common = attribute_.common;
    if (common < UNKNOWN8) {
      u32* rest = row(common);
      std::copy(shared_.totals.begin(), shared_.totals.end(), rest);
      for (u32 i = 0; i < n_; ++i)
        if (u32 code = codes_[order_[i]]; code != common) {
          ++row(code)[shared_.class_at[i]];
          --rest[shared_.class_at[i]];
          s.seen[code] = 1;
        }
      for (u32 j = 0; j < k; ++j) s.seen[common] |= rest[j] != 0;
    } else {
      for (u32 i = 0; i < n_; ++i) {
        u32 code = codes_[order_[i]];
        s.seen[code] = 1;
        ++row(code)[shared_.class_at[i]];
      }
    }
    find_present([&](u32 code) { return s.seen[code] != 0; });
    for_each_present([&](u32 code) { s.seen[code] = 0; });
  }

  template <typename C>
  bool many_classes(CodedCut& cut, u8& constant) {
    Scratch& s = scratch_;
    u32 k = static_cast<u32>(shared_.classes.size());
    count_many_classes(k);
    s.left_class.assign(k, 0);
    u32* left = s.left_class.data();
    const u32* totals = shared_.totals.data();
    auto row = [&](u32 code) { return s.table.data() + size_t{code} * k; };
    CountParts<C> part{node_.plan.parts.data()};
    u32 n_left = 0;
    auto purity = [&] {
      std::conditional_t<C::parts == Parts::whole, u64, double> a = 0, b = 0;  // whole numbers add up in any order
      for (u32 j = 0; j < k; ++j) {
        if constexpr (C::parts == Parts::whole) {
          a += C::part(u64{left[j]});
          b += C::part(u64{totals[j] - left[j]});
        } else {
          include<C>(a, part(left[j]));
          include<C>(b, part(totals[j] - left[j]));
        }
      }
      return C::whole(static_cast<double>(a), n_left, part) + C::whole(static_cast<double>(b), n_ - n_left, part);
    };
    bool known = walk(
        cut, constant, [&](u32 code) { return std::accumulate(row(code), row(code) + k, 0u); },
        [&](u32 code) {
          const u32* counts = row(code);
          for (u32 j = 0; j < k; ++j) {
            left[j] += counts[j];
            n_left += counts[j];
          }
        },
        [&](u32 where, int before) {
          tracker_.add(purity(), where, before);
          return true;
        });
    for_each_present([&](u32 code) { std::fill(row(code), row(code) + k, 0u); });
    s.present = {};
    return known;
  }

  const NodeView& node_;
  const Attribute& attribute_;
  const Options& options_;
  const CodedNode& shared_;
  TieTracker& tracker_;
  const u8* codes_;
  const u32* order_;
  u32 n_, n_codes_;
  double least_ = 1.0;
  Scratch& scratch_ = scratch();
};

}  // namespace quercus
