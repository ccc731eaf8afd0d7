// Evaluate: the search for the split of one node: each attribute's best candidate, then the choice among attributes.
#pragma once

#include <optional>

#include "choice.h"
#include "code_scan.h"
#include "coded_scan.h"
#include "many_class_scan.h"
#include "nominal.h"
#include "number_scan.h"
#include "sparse_scan.h"
#include "surrogates.h"
#include "threshold.h"
#include "two_class_scan.h"
#include "weighted_scan.h"

namespace quercus {

class Evaluator {
 public:
  Evaluator(const Plan& plan, Pool* pool) : plan_(plan), options_(plan.options), pool_(pool) {}

  // Finds the split of a node.
  bool evaluate(const NodeView& node, const std::vector<u32>& active, Candidate& winner) {
    node_ = &node;
    active_ = &active;
    size_t n = active.size();
    constant_.assign(n, 0);
    if (entries_.size() < n) entries_.resize(n);
    counts_codes_ = can_count_codes();
    if (counts_codes_)
      coded_.prepare(node);
    else if (node.cells && plan_.data.n_classes)
      coded_.add_up(node);
    few_classes_.reset();
    leave_classes_out();
    run(n, [&](size_t i) { first_look(i, constant_[i]); });
    double floor = common_floor(n);
    run(n, [&](size_t i) { second_look(i, floor); });
    Choice choice(node, entries_, n, [this](size_t i) { return column(i).attribute; });
    choice.rate();
    size_t place = choice.best();
    if (place == n) return false;
    resolve(place);
    Entry& entry = entries_[place];
    winner = std::move(entry.candidate);
    if (winner.cut) {
      winner.low = high_number_at(node, column(place), node.begin + winner.cut - 1);
      winner.high = low_number_at(node, column(place), node.begin + winner.cut);
      if (!node.unit) weigh_sides(place, winner);
    }
    winner.column = active[place];
    winner.worth = entry.worth;
    winner.constant = constant_;
    return why_refused(options_, node, plan_.root_weight, winner) == Stop::no;
  }

  // From now on each numeric attribute offers one cut, drawn at random. (One thread.)
  void draw_cuts(Random& random) { random_ = &random; }

  // Which of the attributes looked at have one value at the node.
  const std::vector<u8>& constant() const { return constant_; }

 private:
  // The weights of both sides of a cut, where entries do not weigh one.
  void weigh_sides(size_t i, Candidate& c) const {
    const ListPart& part = entries_[i].part;
    c.branch_weight = {0.0, 0.0};
    for (u32 p = 0; p < part.n; ++p)
      c.branch_weight[p >= c.cut] += node_->frame.weight_of(part.entries[p] & plan_.row_mask);
  }

  enum class Path : u8 { none, two_class, many_class, weighted, numbers, counted, coded, sparse, general };

  // One attribute's state while a node is evaluated.
  struct Entry {
    Path path = Path::none;
    bool exists = false, resolved = false;
    double gain = 0.0, improvement = 0.0, worth = 0.0;
    ListPart part{};
    u32 cuts = 1;
    TwoClassTotals totals{};  // two classes: of both sides, and of unknown instances that stand on one of them
    double base = 0.0, best = 0.0;
    u32 cut = 0;  // the best cut, and on which side of it unknown instances stand
    int form = 1;
    double unknown_weight = 0.0;  // of the instances on neither side
    CodedCut coded;
    std::vector<u8> ones;
    std::vector<u32> marked;  // the list with TIE where numbers are too close for a cut
    Candidate candidate;
  };

  template <typename Work>
  void run(size_t n, const Work& work) {
    if (pool_ && pool_->threads() > 1 && node_->count() * static_cast<u64>(n) > 40000) {
      pool_->run(n, [&](size_t i, int) { work(i); });
    } else {
      for (size_t i = 0; i < n; ++i) work(i);
    }
  }

  const FrameColumn& column(size_t i) const { return node_->frame.columns[(*active_)[i]]; }

  // Form 0: unknown instances on the left; form 1: on the right, or out of the evaluation.
  template <typename Use>
  auto with_scan(Entry& e, int form, bool count, Use use) const {
    TwoClassTotals totals = e.totals;
    if (form == 1) totals.extra = totals.extra_ones = 0;
    return with_class_criterion(options_.criterion, [&](auto criterion) {
      const Profile* profile = e.marked.empty() ? node_->frame.profile.get() : nullptr;
      return use(TwoClassScan<decltype(criterion)>(plan_, e.part, totals, e.ones, count, profile, node_->begin));
    });
  }

  Path path_of(const FrameColumn& cells, u32 known) const {
    if (options_.sign(cells.attribute)) return Path::general;
    if (plan_.attributes[cells.attribute].form == Form::sparse) return scans_sparse() ? Path::sparse : Path::general;
    if (by_codes(cells)) return Path::counted;
    if (counts_codes_ && is_coded(cells)) return Path::coded;
    bool streams = !cells.list.empty() && !options_.off(no_streaming);
    bool only_known = options_.missing == Missing::fractional || options_.missing == Missing::surrogate;
    bool own =
        options_.missing == Missing::own_value && !options_.threshold_cost && (node_->unit || !plan_.data.n_classes);
    if (!node_->frame.share.empty() && options_.min_samples_leaf > 1) return Path::general;
    if (!streams || (known < node_->count() && !only_known && !own)) return Path::general;
    if (options_.criterion == Criterion::squared_error || options_.criterion == Criterion::poisson)
      return Path::numbers;
    if (!plan_.labels_in_entries() || !options_.class_multipliers.empty()) return Path::general;
    if (!node_->unit) return plan_.data.n_classes == 2 ? Path::weighted : Path::general;
    return plan_.data.n_classes == 2 ? Path::two_class : Path::many_class;
  }

  bool is_coded(const FrameColumn& cells) const {
    return cells.list.empty() && !cells.code8.empty() && !plan_.attributes[cells.attribute].nominal;
  }
  // Whether the numeric columns of few values, if there are any, can be searched by counts or sums for each value.
  bool can_count_codes() const {
    if (!node_->unit || !node_->frame.share.empty() || options_.off(no_streaming)) return false;
    if (fills(options_.missing)) return false;
    bool numbers = options_.criterion == Criterion::squared_error || options_.criterion == Criterion::poisson;
    if (plan_.data.n_classes ? !options_.class_multipliers.empty() : !numbers) return false;
    return std::any_of(active_->begin(), active_->end(), [&](u32 c) {
      const FrameColumn& cells = node_->frame.columns[c];
      return is_coded(cells) && !by_codes(cells);
    });
  }

  // For the general search, a view of the node with only the classes that occur: tables of values and classes are
  // smaller by the others.
  void leave_classes_out() {
    if (plan_.data.n_classes < 3 || !options_.class_multipliers.empty()) return;
    if (fills_by_class(options_.missing) || options_.off(no_streaming)) return;
    size_t present = 0;
    for (double sum : node_->sums) present += sum > 0.0;
    if (present == node_->sums.size()) return;
    if (!counts_codes_) coded_.find_classes(*node_);
    few_classes_.emplace(*node_);
    few_classes_->sums.assign(coded_.weights.begin(), coded_.weights.end());
    few_classes_->classes = &coded_.classes;
    few_classes_->place_of_class = coded_.place.data();
    few_classes_->measure.width = static_cast<int>(present);
    few_classes_->measure.totals = few_classes_->sums.data();
  }

  // Whether the cuts of a coded column follow from exact counts. (Of unknown values that are neither left out nor a
  // value of their own the general search takes care.)
  bool by_codes(const FrameColumn& cells) const {
    const Attribute& attribute = plan_.attributes[cells.attribute];
    if (!cells.list.empty() || attribute.nominal || !counts_exactly(*node_)) return false;
    if (plan_.data.n_classes > 2 && !node_->counts) return false;  // counts of the classes that occur are fewer
    if (options_.threshold_gap != 0.0 || !options_.class_multipliers.empty()) return false;
    if (!plan_.data.n_classes && options_.criterion != Criterion::squared_error) return false;
    return !attribute.has_unknown || options_.missing == Missing::fractional ||
           options_.missing == Missing::surrogate ||
           (options_.missing == Missing::own_value && !options_.threshold_cost);
  }

  // Everything but the close search of two-class lists.
  void first_look(size_t i, u8& constant) {
    Entry& e = entries_[i];
    const FrameColumn& cells = column(i);
    e.exists = false;
    e.resolved = true;
    e.path = Path::none;
    e.cuts = 1;
    bool sparse = plan_.attributes[cells.attribute].form == Form::sparse;
    if (sparse && !node_->cells->varies(cells.attribute, node_->count())) {
      constant = 1;
      return;
    }
    u32 known = cells.list.empty() ? node_->count() : known_entries(*node_, cells);
    if (!cells.list.empty() && (!known || (known == node_->count() && all_tied(cells)))) {
      constant = 1;
      return;
    }
    e.path = path_of(cells, known);
    if (e.path == Path::general) {
      general(i, constant);
      return;
    }
    if (e.path == Path::sparse) return sparse_cuts(i);
    if (e.path == Path::counted) return code_cuts(i, constant);
    if (e.path == Path::coded) return coded_cuts(i, constant);
    e.unknown_weight = node_->weight - known;
    if (e.path == Path::numbers) return number_cuts(i, known);
    if (e.path == Path::weighted) return weighted_cuts(i, known);
    u32 placed = own(known) ? node_->count() : known;  // instances that stand on one side or the other
    double least = std::ceil(about(least_side(options_, placed, plan_.data.n_classes)));
    least = std::max({least, 1.0, static_cast<double>(options_.min_samples_leaf)});
    if (placed < 2 * least) {
      e.path = Path::none;
      return;
    }
    e.part = {entries_of(i), known, static_cast<u32>(least)};
    if (e.path == Path::many_class) return many_class(i, known);
    u32 ones = ones_in(e.part.entries, known), unknown_ones = ones_in(e.part.entries + known, placed - known);
    e.totals = {placed, ones + unknown_ones, placed - known, unknown_ones};
    e.base = base_of(std::array<u32, 2>{placed - e.totals.all_ones, e.totals.all_ones});
    e.best = with_scan(e, 1, true, [](const auto& scan) { return scan.coarse(); });
  }

  // The node's part of a list. Where neighbouring numbers may be too close for a cut, a copy says so by TIE.
  const u32* entries_of(size_t i) {
    const FrameColumn& cells = column(i);
    std::vector<u32>& marked = entries_[i].marked;
    const u32* entries = cells.list.data() + node_->begin;
    marked.clear();
    if (!plan_.attributes[cells.attribute].has_close) return entries;
    marked.assign(entries, entries + node_->count());
    double below = high_number_at(*node_, cells, node_->begin);
    for (u32 p = 1; p < node_->count(); ++p) {
      if (!(below + options_.threshold_gap < low_number_at(*node_, cells, node_->begin + p))) marked[p] |= TIE;
      below = high_number_at(*node_, cells, node_->begin + p);
    }
    return marked.data();
  }

  // Whether unknown instances of a list are a value of their own here.
  bool own(u32 known) const { return options_.missing == Missing::own_value && known < node_->count(); }

  bool all_tied(const FrameColumn& cells) const {
    const u32* list = cells.list.data();
    for (u32 i = node_->begin + 1; i < node_->end; ++i)
      if (!(list[i] & TIE)) return false;
    return true;
  }
  u32 ones_in(const u32* entries, u32 n) const {
    if (n == node_->count()) return static_cast<u32>(node_->sums[1]);
    u32 ones = 0;
    for (u32 i = 0; i < n; ++i) ones += (entries[i] >> 30) & 1u;
    return ones;
  }
  template <typename Counts>
  double base_of(const Counts& counts) const {
    static thread_local std::vector<double> sums;
    sums.assign(counts.begin(), counts.end());
    return node_->measure.purity(sums.data());
  }

  void general(size_t i, u8& constant, bool in_full = false) {
    Entry& e = entries_[i];
    e.candidate = Candidate{};
    const FrameColumn& cells = column(i);
    const NodeView& node = few_classes_ ? *few_classes_ : *node_;
    bool nominal = plan_.attributes[cells.attribute].nominal;
    // the subsets of the attribute that is chosen are searched again, for the branches of the values
    bool brief = nominal && options_.nominal == NominalSplit::subset && options_.selection != Selection::gain_ratio;
    e.resolved = !brief || in_full;
    if (nominal)
      NominalSearch(node, cells, e.candidate, nullptr, !e.resolved).run(constant);
    else
      ThresholdSearch(node, cells, e.candidate, nullptr, random_).run(constant);
    e.exists = e.candidate.exists;
    e.gain = e.candidate.gain;
    e.improvement = e.candidate.improvement;
  }

  void many_class(size_t i, u32 known) {
    Entry& e = entries_[i];
    static thread_local std::vector<u32> totals, unknown;
    totals.assign(static_cast<size_t>(plan_.data.n_classes), 0);
    unknown.assign(totals.size(), 0);
    if (known == node_->count()) {
      for (size_t j = 0; j < totals.size(); ++j) totals[j] = static_cast<u32>(node_->sums[j]);
    } else {
      for (u32 p = 0; p < known; ++p) ++totals[plan_.label_in(e.part.entries[p])];
    }
    if (own(known)) {
      for (u32 p = known; p < node_->count(); ++p) ++unknown[plan_.label_in(e.part.entries[p])];
      for (size_t j = 0; j < totals.size(); ++j) totals[j] += unknown[j];
    }
    e.base = base_of(totals);
    TieTracker& tracker = fresh_tracker();
    u32 cuts = 0;
    auto visit = [&](u32 cut, double purity, int form) {
      ++cuts;
      tracker.add(purity, cut, form);
    };
    with_class_criterion(options_.criterion, [&](auto criterion) {
      many_class_scan<decltype(criterion)>(plan_, e.part, totals, unknown, visit);
    });
    try_known_against_unknown(e, known, tracker, [&] {
      std::vector<u32> known_counts(totals);
      for (size_t j = 0; j < known_counts.size(); ++j) known_counts[j] -= unknown[j];
      return base_of(known_counts) + base_of(unknown);
    });
    if (tracker.empty()) return;
    keep(i, tracker.winner(), cuts);
  }

  void coded_cuts(size_t i, u8& constant) {
    Entry& e = entries_[i];
    TieTracker& tracker = fresh_tracker();
    e.coded = {};
    CodedScan scan(*node_, column(i), coded_, tracker);
    bool known;
    if (plan_.data.n_classes) {
      e.base = coded_.base;
      known = with_class_criterion(
          options_.criterion, [&](auto criterion) { return scan.classes<decltype(criterion)>(e.coded, constant); });
    } else {
      known = with_number_criterion(*node_, [&](auto by) { return scan.numbers(by, e.coded, constant, e.base); });
    }
    if (!known) {
      e.path = Path::general;
      return general(i, constant);
    }
    if (e.coded.exists) keep(i, tracker.winner(), e.coded.cuts);
  }

  // Whether the cuts of sparse columns follow from the stored cells alone.
  bool scans_sparse() const {
    if (options_.off(no_streaming) || options_.by_quantiles()) return false;
    return plan_.data.n_classes ? options_.class_multipliers.empty() && (node_->unit || plan_.whole_weights) : true;
  }
  void sparse_cuts(size_t i) {
    Entry& e = entries_[i];
    TieTracker& tracker = fresh_tracker();
    e.coded = {};
    SparseScan scan(*node_, column(i), tracker, random_);
    if (plan_.data.n_classes) {
      e.base = coded_.base;
      with_class_criterion(options_.criterion, [&](auto criterion) {
        ClassSide<decltype(criterion)> side(*node_, coded_);
        scan.run(side, e.coded);
      });
    } else {
      with_number_criterion(*node_, [&](auto by) {
        e.base = by.purity(node_->sums[0], node_->sums[1]);
        NumberSide<decltype(by)> side(*node_, by);
        scan.run(side, e.coded);
      });
    }
    if (e.coded.exists) keep(i, tracker.winner(), e.coded.cuts);
  }

  // Keeps the best cut of a list or of codes; the candidate is made of it when it is asked for.
  void keep(size_t i, const TieTracker::Entry& winner, u32 cuts) {
    Entry& e = entries_[i];
    set_improvement(e, winner.value, cuts);
    e.cut = winner.where;
    e.form = winner.form;
    e.resolved = !e.exists;
    if (options_.selection == Selection::gain_ratio) resolve(i);
  }

  TieTracker& fresh_tracker() const {
    static thread_local TieTracker tracker;
    tracker.reset(node_->tolerance * node_->scale);
    return tracker;
  }

  // The last candidate of a value of its own: known | unknown. Rows count; weights are checked by the caller.
  template <typename Purity>
  void try_known_against_unknown(const Entry& e, u32 known, TieTracker& tracker, Purity purity) const {
    if (own(known) && known >= e.part.least && node_->count() - known >= e.part.least) tracker.add(purity(), known, 2);
  }

  void weighted_cuts(size_t i, u32 known) {
    Entry& e = entries_[i];
    e.part = {entries_of(i), known, static_cast<u32>(std::max<int64_t>(options_.min_samples_leaf, 1))};
    if (known < 2 * u64{e.part.least}) return;
    double known_weight = node_->weight;
    if (known < node_->count()) {
      known_weight = 0.0;
      for (u32 p = 0; p < known; ++p) known_weight += node_->frame.weight_of(e.part.entries[p] & plan_.row_mask);
    }
    double slack = node_->tolerance * node_->scale;
    double least = about(least_side(options_, known_weight, plan_.data.n_classes));
    TieTracker& tracker = fresh_tracker();
    u32 cuts = with_class_criterion(options_.criterion, [&](auto criterion) {
      WeightedScan<decltype(criterion)> scan(plan_, node_->measure, e.part, node_->frame.weight.data(), least,
                                             2 * slack);
      e.base = node_->measure.purity(scan.total().data());
      return scan.run([&](u32 cut, double purity) { tracker.add(purity, cut); });
    });
    if (tracker.empty()) return;
    e.unknown_weight = known < node_->count() ? node_->weight - known_weight : 0.0;
    keep(i, {tracker.winner().value, tracker.winner().where, 1}, cuts);
    if (e.exists && options_.selection == Selection::gain_ratio) weigh_sides(i, e.candidate);
  }

  void number_cuts(size_t i, u32 known) {
    Entry& e = entries_[i];
    const Frame& frame = node_->frame;
    const double* weight = node_->unit ? nullptr : frame.weight.data();
    e.part = {entries_of(i), known, static_cast<u32>(std::max<int64_t>(options_.min_samples_leaf, 1))};
    NumberColumn numbers{frame.target.data(), weight, node_->center, node_->sums[0], node_->sums[1], 0.0, 0.0, 0, 0.0,
                         plan_.row_mask};
    for (u32 p = known; p < node_->count(); ++p) {
      u32 instance = e.part.entries[p] & plan_.row_mask;
      numbers.unknown_weight += frame.weight_of(instance);
      numbers.unknown_sum += frame.weight_of(instance) * node_->target(instance);
    }
    double unknown_weight = numbers.unknown_weight, unknown_sum = numbers.unknown_sum;
    if (own(known)) {
      numbers.unknown_rows = node_->count() - known;
    } else {
      numbers.total_weight -= unknown_weight;
      numbers.total_sum -= unknown_sum;
      numbers.unknown_weight = numbers.unknown_sum = 0.0;
    }
    numbers.least_weight = about(least_side(options_, numbers.total_weight, 0));
    double known_weight = node_->sums[0] - unknown_weight, known_sum = node_->sums[1] - unknown_sum;
    bool heavy = known_weight >= numbers.least_weight && unknown_weight >= numbers.least_weight;
    TieTracker& tracker = fresh_tracker();
    u32 cuts = with_number_criterion(*node_, [&](auto by) {
      e.base = by.purity(numbers.total_weight, numbers.total_sum);
      u32 found =
          weight ? number_scan<true>(e.part, numbers, by, tracker) : number_scan<false>(e.part, numbers, by, tracker);
      if (heavy && by.sensible(known_weight, known_sum) && by.sensible(unknown_weight, unknown_sum))
        try_known_against_unknown(e, known, tracker, [&] {
          return by.purity(known_weight, known_sum) + by.purity(unknown_weight, unknown_sum);
        });
      return found;
    });
    if (tracker.empty()) return;
    e.unknown_weight = own(known) || known == node_->count() ? 0.0 : unknown_weight;
    keep(i, tracker.winner(), cuts);
  }

  void code_cuts(size_t i, u8& constant) {
    Entry& e = entries_[i];
    CodeScan scan(*node_, options_.missing == Missing::own_value);
    scan.start(column(i));
    const std::vector<u32>& codes = scan.codes();
    constant = codes.size() + (scan.unknown() > 0) < 2;
    if (codes.empty() || constant) return;
    double side = about(least_side(options_, scan.placed(), plan_.data.n_classes));
    u32 least = static_cast<u32>(std::max({std::ceil(side), 1.0, static_cast<double>(options_.min_samples_leaf)}));
    TieTracker& tracker = fresh_tracker();
    u32 cuts = scan.cuts(least, [&](u32 value, double purity, int form) { tracker.add(purity, value, form); });
    if (scan.own() && scan.known() >= least && scan.unknown() >= least)
      tracker.add(scan.known_against_unknown(), static_cast<u32>(codes.size()), 2);
    if (tracker.empty()) return;
    e.base = scan.base();
    set_improvement(e, tracker.winner().value, cuts);
    if (e.exists) keep_code_cut(i, scan, tracker.winner().where, tracker.winner().form);
  }

  void keep_code_cut(size_t i, const CodeScan& scan, u32 value, int form) {
    Candidate& c = entries_[i].candidate;
    const Attribute& attribute = plan_.attributes[column(i).attribute];
    start_threshold(entries_[i]);
    double left = scan.rows_before(value);
    c.branch_weight = {left, scan.known() - left};
    c.unknown_weight = scan.own() ? 0.0 : scan.unknown();
    if (scan.own()) set_side_of_unknown(c, form, scan.unknown());
    if (form == 2) return;
    c.low = attribute.high[scan.codes()[value - 1]];
    c.high = attribute.low[scan.codes()[value]];
  }

  // In a choice by gain, what a block must reach to matter at all.
  double common_floor(size_t n) const {
    double floor = -std::numeric_limits<double>::infinity();
    if (options_.selection != Selection::gain || options_.threshold_cost) return floor;
    for (size_t i = 0; i < n; ++i) {
      const Entry& e = entries_[i];
      if (e.path == Path::two_class) floor = std::max(floor, e.best - e.base);
      if (e.exists) floor = std::max(floor, e.improvement);
    }
    return floor - 2 * node_->tolerance * node_->scale;
  }

  void second_look(size_t i, double floor) {
    Entry& e = entries_[i];
    if (e.path != Path::two_class) return;
    double best = with_scan(e, 1, false, [&](const auto& scan) {
      if (options_.threshold_cost) e.cuts = scan.count_cuts();
      return e.cuts ? scan.fine(std::max(e.best, floor + e.base)) : -std::numeric_limits<double>::infinity();
    });
    if (e.totals.extra) {
      double other =
          with_scan(e, 0, false, [&](const auto& scan) { return scan.fine(std::max(best, floor + e.base)); });
      best = std::max({best, other, known_against_unknown(e)});
    }
    if (best == -std::numeric_limits<double>::infinity()) return;
    e.best = best;
    set_improvement(e, best, e.cuts);
    if (!e.exists) return;
    e.resolved = false;
    if (options_.selection == Selection::gain_ratio) resolve(i);
  }

  void set_improvement(Entry& e, double purity, u32 cuts) const {
    e.improvement = purity - e.base;
    e.gain = e.improvement / node_->scale;
    if (options_.threshold_cost) e.gain -= std::log2(static_cast<double>(cuts)) / node_->weight;
    e.exists = !options_.threshold_cost || e.gain > node_->tolerance;
  }

  // Makes the candidate of an attribute. A two-class list's best purity is known: find the lowest cut that reaches it.
  void resolve(size_t i) {
    Entry& e = entries_[i];
    if (e.resolved) return;
    e.resolved = true;
    if (e.path == Path::general) return general(i, constant_[i], true);
    if (e.path == Path::coded || e.path == Path::sparse) return keep_coded(i);
    if (e.path != Path::two_class) return keep_cut(i, e.cut, e.form);
    double slack = node_->tolerance * node_->scale;
    // the lowest cut that comes within the tolerance; at one cut form 0 before form 1; known | unknown after all cuts
    u32 where = 0;
    int form = 2;
    double purity = known_against_unknown(e);
    for (int f = 1; f >= (e.totals.extra ? 0 : 1); --f)
      with_scan(e, f, false, [&](const auto& scan) {
        auto cut = scan.first(e.best - slack, slack);
        if (!cut.where || (where && cut.where > where)) return;
        where = cut.where;
        form = f;
        purity = cut.purity;
      });
    set_improvement(e, purity, e.cuts);
    e.exists = true;
    keep_cut(i, form == 2 ? e.part.n : where, form);
  }

  // Two classes: the purity of known | unknown; -inf where that is no candidate.
  double known_against_unknown(const Entry& e) const {
    const TwoClassTotals& t = e.totals;
    if (!t.extra || e.part.n < e.part.least || t.extra < e.part.least) return -std::numeric_limits<double>::infinity();
    u32 known_ones = t.all_ones - t.extra_ones;
    return base_of(std::array<u32, 2>{e.part.n - known_ones, known_ones}) +
           base_of(std::array<u32, 2>{t.extra - t.extra_ones, t.extra_ones});
  }

  void keep_cut(size_t i, u32 cut, int form) {
    Entry& e = entries_[i];
    Candidate& c = e.candidate;
    start_threshold(e);
    u32 known = e.part.n;
    c.unknown_weight = own(known) ? 0.0 : e.unknown_weight;
    c.branch_weight = {static_cast<double>(cut), static_cast<double>(known - cut)};
    if (!own(known)) {
      c.cut = cut;
      return;
    }
    set_side_of_unknown(c, form, node_->count() - known);
    if (form == 2) return;
    c.low = high_number_at(*node_, column(i), node_->begin + cut - 1);
    c.high = low_number_at(*node_, column(i), node_->begin + cut);
  }

  static void start_threshold(Entry& e) {
    Candidate& c = e.candidate;
    c = Candidate{};
    c.exists = true;
    c.kind = SplitKind::threshold;
    c.branches = 2;
    c.gain = e.gain;
    c.improvement = e.improvement;
  }
  // Unknown values as one of their own: they stand left (form 0), right (1), or right and alone (2).
  static void set_side_of_unknown(Candidate& c, int form, u32 unknown) {
    c.missing_child = form == 0 ? 0 : 1;
    c.branch_weight[static_cast<size_t>(c.missing_child)] += unknown;
    c.known_against_unknown = form == 2;
    c.low = c.high = std::numeric_limits<double>::infinity();
  }

  void keep_coded(size_t i) {
    Entry& e = entries_[i];
    Candidate& c = e.candidate;
    const Attribute& attribute = plan_.attributes[column(i).attribute];
    c = Candidate{};
    c.exists = true;
    c.kind = SplitKind::threshold;
    c.branches = 2;
    c.gain = e.gain;
    c.improvement = e.improvement;
    c.branch_weight = {e.coded.left, node_->weight - e.coded.left};
    c.low = attribute.high[e.coded.before];
    c.high = attribute.low[e.coded.where];
  }

  const Plan& plan_;
  const Options& options_;
  Pool* pool_;
  CodedNode coded_;
  std::optional<NodeView> few_classes_;
  bool counts_codes_ = false;
  Random* random_ = nullptr;
  const NodeView* node_ = nullptr;
  const std::vector<u32>* active_ = nullptr;
  std::vector<Entry> entries_;
  std::vector<u8> constant_;
};

}  // namespace quercus
