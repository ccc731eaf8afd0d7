// The order of rules: of the classes, of the rules in each; the default class; and the clean-up of the whole list.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "rule_choice.h"

namespace quercus {

// What ordering gives.
struct Ordering {
  std::vector<int32_t> order;  // the rules in their order
  int32_t otherwise = 0;
  std::vector<int32_t> dropped;  // by the clean-up
};

// Orders all rules of the table. Repeatedly the class comes next whose rules cost least on what is left: on the rows of
// other classes that they cover and that their own class's rules, still to come, would catch; ties by the cost on all
// left rows that they cover, then by class. Inside a class by `rank`, ascending. cost [n_classes × n_classes]: of
// answering the column when the row is true.
class RuleOrder {
 public:
  RuleOrder(const CoverTable& table, const double* rank, const double* cost)
      : table_(table), rank_(rank), cost_(cost) {}

  Ordering arrange() {
    order_classes();
    result_.otherwise = -1;
    while (choose_otherwise()) clean_up();
    return std::move(result_);
  }

 private:
  double cost(int32_t truth, int32_t answer) const { return cost_[int64_t{truth} * table_.n_classes + answer]; }
  template <class Use>
  void for_rows(int32_t rule, Use&& use) const {
    for (int64_t i = table_.start[rule]; i < table_.start[rule + 1]; ++i) use(table_.rows[i]);
  }

  void order_classes() {
    auto k = static_cast<size_t>(table_.n_classes), n = static_cast<size_t>(table_.n_rows);
    std::vector<std::vector<int32_t>> rules(k), rows(k);  // of each class: its rules, the rows they cover
    std::vector<std::vector<int32_t>> classes(n);         // of each row: the classes whose rules cover it
    std::vector<u8> own(n, 0);                            // covered by a rule of its own class
    left_.assign(n, 1);
    for (int32_t r = 0; r < table_.n_rules; ++r) rules[static_cast<size_t>(table_.rule_label[r])].push_back(r);
    std::vector<int32_t> last(n, -1);
    for (size_t c = 0; c < k; ++c) {
      auto code = static_cast<int32_t>(c);
      for (int32_t r : rules[c])
        for_rows(r, [&](int32_t row) {
          auto at = static_cast<size_t>(row);
          if (last[at] == code) return;
          last[at] = code;
          rows[c].push_back(row);
          classes[at].push_back(code);
          if (table_.labels[row] == code) own[at] = 1;
        });
      std::stable_sort(rules[c].begin(), rules[c].end(), [&](int32_t a, int32_t b) { return rank_[a] < rank_[b]; });
    }
    std::vector<double> caught(k, 0.0), all(k, 0.0);
    auto add = [&](int32_t row, double sign) {
      int32_t truth = table_.labels[row];
      for (int32_t c : classes[static_cast<size_t>(row)]) {
        double much = sign * table_.weight(row) * cost(truth, c);
        all[static_cast<size_t>(c)] += much;
        if (own[static_cast<size_t>(row)]) caught[static_cast<size_t>(c)] += much;
      }
    };
    for (int32_t row = 0; row < table_.n_rows; ++row) add(row, 1.0);
    std::vector<u8> placed(k, 0);
    for (size_t step = 0; step < k; ++step) {
      size_t next = k;
      for (size_t c = 0; c < k; ++c) {
        if (placed[c]) continue;
        if (next == k || caught[c] < caught[next] - 1e-9 ||
            (caught[c] <= caught[next] + 1e-9 && all[c] < all[next] - 1e-9))
          next = c;
      }
      placed[next] = 1;
      result_.order.insert(result_.order.end(), rules[next].begin(), rules[next].end());
      for (int32_t row : rows[next]) {
        if (!left_[static_cast<size_t>(row)]) continue;
        left_[static_cast<size_t>(row)] = 0;
        add(row, -1.0);
      }
    }
  }

  // The class of least cost for the rows that no rule covers (without costs: the most frequent); ties: all rows. False
  // if the class that was chosen before is as good.
  bool choose_otherwise() {
    auto k = static_cast<size_t>(table_.n_classes);
    std::vector<double> uncovered(k, 0.0), all(k, 0.0), left_weight(k, 0.0), weight(k, 0.0);
    std::fill(left_.begin(), left_.end(), u8{1});
    for (int32_t r : result_.order) for_rows(r, [&](int32_t row) { left_[static_cast<size_t>(row)] = 0; });
    for (int32_t row = 0; row < table_.n_rows; ++row) {
      auto truth = static_cast<size_t>(table_.labels[row]);
      weight[truth] += table_.weight(row);
      if (left_[static_cast<size_t>(row)]) left_weight[truth] += table_.weight(row);
    }
    for (size_t truth = 0; truth < k; ++truth)
      for (size_t c = 0; c < k; ++c) {
        double each = cost(static_cast<int32_t>(truth), static_cast<int32_t>(c));
        uncovered[c] += left_weight[truth] * each;
        all[c] += weight[truth] * each;
      }
    size_t best = 0;
    for (size_t c = 1; c < k; ++c)
      if (uncovered[c] < uncovered[best] - 1e-9 ||
          (uncovered[c] <= uncovered[best] + 1e-9 && all[c] < all[best] - 1e-9))
        best = c;
    int32_t before = result_.otherwise;
    if (before >= 0 && uncovered[static_cast<size_t>(before)] <= uncovered[best] + 1e-9) return false;
    result_.otherwise = static_cast<int32_t>(best);
    return true;
  }

  // While leaving out some rule lowers the cost of the whole list on these rows: leave out the one that lowers it most.
  void clean_up() {
    size_t m = result_.order.size(), n = static_cast<size_t>(table_.n_rows);
    std::vector<int64_t> start(n + 1, 0);
    for (int32_t r : result_.order) for_rows(r, [&](int32_t row) { ++start[static_cast<size_t>(row) + 1]; });
    for (size_t i = 1; i <= n; ++i) start[i] += start[i - 1];
    std::vector<u32> places(static_cast<size_t>(start[n]));  // of each row: the places of its rules, ascending
    std::vector<int64_t> next(start.begin(), start.end() - 1);
    for (size_t p = 0; p < m; ++p)
      for_rows(result_.order[p], [&](int32_t row) {
        places[static_cast<size_t>(next[static_cast<size_t>(row)]++)] = static_cast<u32>(p);
      });
    std::vector<u8> alive(m, 1);
    std::vector<double> saved(m, 0.0);
    auto answer = [&](size_t p) { return table_.rule_label[result_.order[p]]; };
    auto add = [&](int32_t row, double sign) {  // what leaving out the deciding rule saves on this row
      auto at = static_cast<size_t>(row);
      size_t first = m, second = m;
      for (int64_t i = start[at]; i < start[at + 1] && second == m; ++i) {
        size_t p = places[static_cast<size_t>(i)];
        if (alive[p]) (first == m ? first : second) = p;
      }
      if (first == m) return;
      int32_t truth = table_.labels[row], instead = second == m ? result_.otherwise : answer(second);
      saved[first] += sign * table_.weight(row) * (cost(truth, answer(first)) - cost(truth, instead));
    };
    for (int32_t row = 0; row < table_.n_rows; ++row) add(row, 1.0);
    for (;;) {
      size_t worst = m;
      for (size_t p = 0; p < m; ++p)
        if (alive[p] && saved[p] > 1e-9 && (worst == m || saved[p] > saved[worst] + 1e-9)) worst = p;
      if (worst == m) break;
      for_rows(result_.order[worst], [&](int32_t row) { add(row, -1.0); });
      alive[worst] = 0;
      for_rows(result_.order[worst], [&](int32_t row) { add(row, 1.0); });
    }
    std::vector<int32_t> remaining;
    for (size_t p = 0; p < m; ++p) (alive[p] ? remaining : result_.dropped).push_back(result_.order[p]);
    result_.order = std::move(remaining);
  }

  const CoverTable& table_;
  const double *rank_, *cost_;
  std::vector<u8> left_;
  Ordering result_;
};

}  // namespace quercus
