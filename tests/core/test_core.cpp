// The core on its own: trees of random tables keep every invariant, whatever the kinds, weights, policies and threads.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "delimited.h"
#include "forest.h"
#include "forest_predict.h"
#include "grow.h"
#include "invariants.h"
#include "retrace.h"

namespace quercus_test {
namespace {

int failures = 0;
int64_t nodes_seen[5] = {};  // by kind, so that a run that grew nothing does not pass
int64_t surrogates_seen = 0;

void report(const std::string& test, uint64_t seed, const std::string& found) {
  if (found.empty()) return;
  ++failures;
  std::printf("FAILED %s, seed %llu: %s\n", test.c_str(), static_cast<unsigned long long>(seed), found.c_str());
}

TreeArrays grown(const Table& table, const Options& options) {
  Watch watch;
  TreeArrays tree = grow(table.data, options, watch);
  for (uint8_t kind : tree.kind) ++nodes_seen[std::min<int>(kind, 4)];
  surrogates_seen += static_cast<int64_t>(tree.surrogate_kind.size());
  return tree;
}

int random_classes(Random& random) { return random.one_of({0, 0, 2, 2, 3, 4}); }

// A table's tree keeps the invariants, and predicts what it was grown from.
void small_trees_are_sound(int tables) {
  for (int seed = 0; seed < tables; ++seed) {
    Random random(static_cast<uint64_t>(seed));
    u32 rows = static_cast<u32>(random.one_of({1, 2, 5, 20, 60, 200, 200}));
    Table table = random_table(random, rows, 1 + random.upto(6), random_classes(random));
    Options options = random_options(random, table);
    TreeArrays tree = grown(table, options);
    std::string found = check_arrays(tree, table, options);
    if (found.empty()) found = check_tallies(tree, table, options);
    if (found.empty()) found = check_predictions(tree, table);
    report("small_trees_are_sound", static_cast<uint64_t>(seed), found);
  }
}

// Threads change nothing, bit for bit; a speed-up switched off changes nothing but the last bits of sums.
void big_trees_do_not_depend_on_threads_or_switches(int tables) {
  for (int seed = 0; seed < tables; ++seed) {
    Random random(1'000'000 + static_cast<uint64_t>(seed));
    u32 rows = static_cast<u32>(random.one_of({3000, 5000, 9000}));
    Table table = random_table(random, rows, 2 + random.upto(3), random_classes(random));
    Options options = random_options(random, table);
    if (options.by_quantiles()) options.max_depth = 3;
    TreeArrays tree = grown(table, options);
    std::string found = check_arrays(tree, table, options);
    if (found.empty()) found = check_tallies(tree, table, options);
    Options threads = options;
    threads.n_threads = 3;
    if (found.empty()) found = check_same(tree, grown(table, threads), true);
    Options plain = options;
    plain.switches = static_cast<uint32_t>(random.one_of({1, 2, 4, 8, 16, 32, 127}));
    if (found.empty()) found = check_same(tree, grown(table, plain), false);
    report("big_trees_do_not_depend_on_threads_or_switches", static_cast<uint64_t>(seed), found);
  }
}

// Binned growing is inexact but must be as sound.
void binned_trees_are_sound(int tables) {
  for (int seed = 0; seed < tables; ++seed) {
    Random random(2'000'000 + static_cast<uint64_t>(seed));
    Table table = random_table(random, 2000, 3, random_classes(random));
    Options options = random_options(random, table);
    if (options.by_quantiles()) {
      options.criterion = Criterion::squared_error;
      options.quantiles.clear();
    }
    options.max_bins = random.one_of({2, 16, 255});
    TreeArrays tree = grown(table, options);
    report("binned_trees_are_sound", static_cast<uint64_t>(seed), check_arrays(tree, table, options));
  }
}

// A watcher that says no stops the growing, on one thread and on three.
void growing_stops_when_told() {
  for (int threads : {1, 3}) {
    Random random(3);
    Table table = random_table(random, 60000, 4, 2);
    Options options;
    options.attribute_costs.assign(4, 1.0);
    options.n_threads = threads;
    Watch watch;
    watch.poll = [](u64, u64, u64) { return false; };
    bool stopped = false;
    try {
      grow(table.data, options, watch);
    } catch (const Interrupted&) {
      stopped = true;
    }
    report("growing_stops_when_told", static_cast<uint64_t>(threads), stopped ? "" : "growing went on");
  }
}

// The checks themselves: each way of spoiling a sound tree must be noticed.
void spoiled_trees_are_noticed() {
  Table table;
  table.data.n_rows = 8;
  table.numbers = {{1, 2, 3, 4, 5, 6, 7, 8}};
  table.labels = {0, 0, 1, 1, 0, 0, 1, 1};
  table.data.columns = {{ColumnKind::number64, table.numbers[0].data(), 0}};
  table.data.n_classes = 2;
  table.data.labels = table.labels.data();
  Options options;
  options.attribute_costs = {1.0};
  const TreeArrays sound = grown(table, options);
  report("spoiled_trees_are_noticed: sound", 0,
         check_arrays(sound, table, options) + check_tallies(sound, table, options) + check_predictions(sound, table));
  struct Spoil {
    const char* what;
    std::function<void(TreeArrays&)> apply;
  };
  const Spoil spoils[] = {
      {"child before parent", [](TreeArrays& t) { t.first_child[0] = 0; }},
      {"child out of range", [](TreeArrays& t) { t.first_child[0] = 1000; }},
      {"weight of a child", [](TreeArrays& t) { t.weight[1] += 1; }},
      {"count of a child", [](TreeArrays& t) { t.count[1] -= 1; }},
      {"class weights", [](TreeArrays& t) { t.value[0] += 0.5; }},
      {"gain", [](TreeArrays& t) { t.gain[0] = -1; }},
      {"leaf with a test", [](TreeArrays& t) { t.gain.back() = 1; }},
      {"length", [](TreeArrays& t) { t.gain.pop_back(); }},
      {"attribute", [](TreeArrays& t) { t.attribute[0] = 7; }},
      {"threshold", [](TreeArrays& t) { t.threshold[0] += 1; }},
      {"leaf limit", [](TreeArrays& t) { t.kind.back() = 9; }},
  };
  for (const Spoil& spoil : spoils) {
    TreeArrays tree = sound;
    spoil.apply(tree);
    std::string found = check_arrays(tree, table, options);
    if (found.empty()) found = check_tallies(tree, table, options);
    report(std::string("spoiled_trees_are_noticed: ") + spoil.what, 0, found.empty() ? "not noticed" : "");
  }
  Options tight = options;
  tight.max_depth = 1;
  report("spoiled_trees_are_noticed: depth", 0, check_arrays(sound, table, tight).empty() ? "not noticed" : "");
  TreeArrays other = sound;
  other.threshold[0] = 0.0;
  report("spoiled_trees_are_noticed: another tree", 0, check_same(sound, other, false).empty() ? "not noticed" : "");
}

Sampling random_sampling(Random& random, const Table& table) {
  Sampling sampling;
  auto attributes = static_cast<int>(table.data.columns.size());
  sampling.bootstrap = static_cast<Bootstrap>(random.upto(2));
  sampling.n_drawn = 1 + table.data.n_rows / 2;
  sampling.attributes_per_node = static_cast<u32>(1 + random.upto(attributes - 1));
  sampling.attributes_per_tree = static_cast<u32>(random.upto(attributes));
  sampling.count_constant = random.upto(3) == 0;
  sampling.seed = static_cast<u64>(random.upto(1'000'000));
  return sampling;
}

std::vector<ForestTree> forest(const Table& table, const Options& options, const Sampling& sampling,
                               bool& interrupted) {
  Watch watch;
  ForestGrower grower(table.data, options, sampling);
  std::vector<ForestTree> trees = grower.grow(0, 1, watch), others = grower.grow(1, 2, watch);
  std::move(others.begin(), others.end(), std::back_inserter(trees));
  interrupted = grower.interrupted;
  return trees;
}

// The questions of two packed trees; last bits of thresholds included, of gains not.
std::string same_packed(const ForestTree& a, const ForestTree& b) {
  if (a.packed.has_value() != b.packed.has_value()) return "one tree is packed, the other is not";
  if (!a.packed) return check_same(a.plain, b.plain, false);
  if (a.packed->nodes.size() != b.packed->nodes.size()) return "packed trees of different size";
  for (size_t i = 0; i < a.packed->nodes.size(); ++i) {
    const PackedNode &x = a.packed->nodes[i], &y = b.packed->nodes[i];
    bool numbers = x.kind == 0 && std::abs(x.key - y.key) <= 1e-9 * std::abs(x.key);
    if (x.kind != y.kind || x.attribute != y.attribute || x.first_child != y.first_child ||
        (std::bit_cast<u64>(x.key) != std::bit_cast<u64>(y.key) && !numbers))
      return "packed trees differ at node " + std::to_string(i);
  }
  return "";
}

// Rows that are divided at every node end where each of them ends alone.
template <class Number>
std::string check_routes(const PackedView& tree, const std::vector<AskedColumn>& columns, int64_t n, bool wide) {
  std::vector<int32_t> ends(static_cast<size_t>(n), -1);
  Router<Number> router;
  router.wide = wide;
  router.block.fill(columns, 0, static_cast<u32>(n));
  router.start(static_cast<u32>(n), [](u32) { return true; });
  Trouble met = router.route(tree, [&](int32_t leaf, const u16* rows, u32 count) {
    for (u32 i = 0; i < count; ++i) ends[rows[i]] = leaf;
  });
  bool spreads = false;
  for (int64_t row = 0; row < n; ++row) {
    int32_t end = 0;
    bool alone = walk_alone(tree, columns, row, end) == Trouble::spreads;
    spreads |= alone;
    if (!alone && ends[static_cast<size_t>(row)] != end) return "a row ends elsewhere than alone";
  }
  return spreads == (met == Trouble::spreads) ? "" : "a row that spreads was not noticed, or one was that does not";
}

// Every training row reaches a leaf, and what is predicted adds up.
std::string check_forest_predictions(const std::vector<ForestTree>& trees, const Table& table) {
  std::vector<PackedView> views;
  for (const ForestTree& tree : trees) {
    if (!tree.packed) return "";
    const PackedTree& packed = *tree.packed;
    bool drawn = !tree.leaf_draws.empty();
    const void* values = drawn ? static_cast<const void*>(tree.leaf_draws.data()) : packed.leaf_value.data();
    views.push_back({packed.nodes.data(),
                     static_cast<int64_t>(packed.nodes.size()),
                     static_cast<int64_t>(packed.leaf_count.size()),
                     {packed.group.data(), packed.group.size()},
                     values,
                     static_cast<u8>(!table.data.n_classes ? 0
                                     : drawn               ? 2
                                                           : 8)});
  }
  int64_t n = table.data.n_rows, width = std::max(table.data.n_classes, 1);
  ForestQuestion question{width, table.data.n_classes == 0, false, std::vector<double>(trees.size(), 1.0), {}};
  std::vector<double> out(static_cast<size_t>(n * width)), used(static_cast<size_t>(n));
  std::vector<AskedColumn> columns;
  for (const Column& column : table.data.columns) columns.push_back(asked_column(column));
  Trouble met = predict_forest(views, columns, n, question, Running{2, {}}, out.data(), used.data());
  if (met == Trouble::unsound) return "a grown forest is called damaged";
  for (const PackedView& view : views) {
    for (bool wide : {false, divides_wide()}) {
      std::string found = check_routes<double>(view, columns, n, wide);
      if (found.empty() && floats_hold(columns, n)) found = check_routes<float>(view, columns, n, wide);
      if (!found.empty()) return found;
    }
  }
  if (met == Trouble::spreads) return "";
  for (int64_t r = 0; r < n; ++r) {
    double sum = 0.0;
    for (int64_t j = 0; j < width; ++j) sum += out[static_cast<size_t>(r * width + j)];
    if (table.data.n_classes && std::abs(sum - 3.0) > 1e-9) return "the shares of a row do not add up";
  }
  std::vector<PackedNode> spoiled(views[0].nodes, views[0].nodes + views[0].n_nodes);
  spoiled.back().first_child = static_cast<int32_t>(spoiled.size());
  views[0].nodes = spoiled.data();
  met = predict_forest(views, columns, n, question, Running{1, {}}, out.data(), used.data());
  return met == Trouble::unsound ? "" : "a damaged forest was followed";
}

// The quick grower of forests and the general one agree; packed trees predict.
void forests_are_sound(int tables) {
  for (int seed = 0; seed < tables; ++seed) {
    Random random(4'000'000 + static_cast<uint64_t>(seed));
    u32 rows = static_cast<u32>(random.one_of({2, 20, 60, 200, 1500}));
    Table table = random_table(random, rows, 1 + random.upto(5), random_classes(random));
    Options options = random_options(random, table);
    if (random.upto(3)) {  // mostly what the quick grower follows
      options.nominal = NominalSplit::subset;
      options.missing = Missing::own_value;
      options.selection = Selection::gain;
      options.collapse = Collapse::no;
      options.significance = options.threshold_cost = options.min_cut = options.data_value_threshold = false;
      options.threshold_gap = 0.0;
      if (is_of_numbers(options.criterion)) options.criterion = Criterion::squared_error;
      options.quantiles.clear();
    }
    Sampling sampling = random_sampling(random, table);
    options.n_threads = 2;
    Options general = options;
    general.switches |= no_rank_columns;
    bool interrupted = false;
    std::vector<ForestTree> quick = forest(table, options, sampling, interrupted);
    std::vector<ForestTree> plain = forest(table, general, sampling, interrupted);
    std::string found = quick.size() == 3 && plain.size() == 3 && !interrupted ? "" : "trees are missing";
    for (size_t t = 0; found.empty() && t < 3; ++t) found = same_packed(quick[t], plain[t]);
    if (found.empty()) found = check_forest_predictions(quick, table);
    report("forests_are_sound", static_cast<uint64_t>(seed), found);
    if (!ForestPlan::suits(table.data, options)) continue;
    sampling.random_thresholds = true;
    found = check_forest_predictions(forest(table, options, sampling, interrupted), table);
    report("forests_are_sound: random cuts", static_cast<uint64_t>(seed), found);
  }
}

// The columns of a text that is given in pieces of this size, each in memory of its own.
std::vector<CellColumn> columns_of(const std::string& text, size_t piece, const Dialect& dialect, size_t n_columns) {
  DelimitedReader reader(dialect, std::vector<CellColumn>(n_columns), text.size());
  std::string kept;
  for (size_t at = 0;; at += piece) {
    bool last = at >= text.size();
    std::string next = kept + (last ? "" : text.substr(at, piece));
    int64_t done = reader.read(std::vector<char>(next.begin(), next.end()).data(), next.size(), last);
    if (done < 0) return {};
    if (last) return std::move(reader.columns);
    kept = next.substr(static_cast<size_t>(done));
  }
}

void text_is_read_in_pieces_as_in_one(int texts) {
  for (int seed = 0; seed < texts; ++seed) {
    Random random(5'000'000 + static_cast<uint64_t>(seed));
    const std::string signs = "1,\n\"0.a\r e-5 2;\xc3\xa4";
    size_t length = static_cast<size_t>(random.upto(200)), n_columns = 1 + static_cast<size_t>(random.upto(3));
    std::string text;
    while (text.size() < length) {
      for (size_t k = 0; k < n_columns; ++k) {
        for (int n = random.upto(6); n > 0; --n) text += random.upto(4) ? '7' : signs[random.upto(14)];
        text += k + 1 < n_columns ? ',' : '\n';
      }
    }
    Dialect dialect{',', random.upto(3) ? '"' : '\0', random.upto(3) == 0};
    std::vector<CellColumn> whole = columns_of(text, text.size() + 1, dialect, n_columns);
    std::string found;
    for (size_t piece : {1, 3, 17}) {
      std::vector<CellColumn> parts = columns_of(text, piece, dialect, n_columns);
      if (parts.size() != whole.size()) found = "one has a fault, the other not";
      for (size_t k = 0; found.empty() && k < parts.size(); ++k) {
        bool same = parts[k].codes == whole[k].codes && parts[k].texts.bytes == whole[k].texts.bytes &&
                    parts[k].numbers.size() == whole[k].numbers.size() && parts[k].signs == whole[k].signs;
        for (size_t i = 0; same && i < parts[k].numbers.size(); ++i)
          same = std::isnan(parts[k].numbers[i]) ? std::isnan(whole[k].numbers[i])
                                                 : parts[k].numbers[i] == whole[k].numbers[i];
        if (!same) found = "a column differs";
      }
    }
    report("text_is_read_in_pieces_as_in_one", static_cast<uint64_t>(seed), found);
  }
}

void every_kind_of_test_was_grown() {
  std::printf("core: %lld leaves, %lld threshold, %lld multiway, %lld grouped, %lld subset tests, %lld surrogates\n",
              static_cast<long long>(nodes_seen[0]), static_cast<long long>(nodes_seen[1]),
              static_cast<long long>(nodes_seen[2]), static_cast<long long>(nodes_seen[3]),
              static_cast<long long>(nodes_seen[4]), static_cast<long long>(surrogates_seen));
  bool all = surrogates_seen >= 50;
  for (int64_t seen : nodes_seen) all = all && seen >= 50;
  report("every_kind_of_test_was_grown", 0, all ? "" : "some kind hardly occurred: the tables are too poor");
}

}  // namespace

// The rows go down a tree again as growing sent them; thresholds that growing did not choose do no harm.
void trees_are_retraced(int tables) {
  for (int seed = 0; seed < tables; ++seed) {
    Random random(5'000'000 + static_cast<uint64_t>(seed));
    Table table = random_table(random, static_cast<u32>(random.one_of({1, 5, 60})), 1 + random.upto(3), 2);
    Options options = random_options(random, table);
    TreeArrays tree = grown(table, options);
    std::vector<u8> marked(tree.kind.size(), DECIDE);
    Details details{std::vector<u8>(table.data.columns.size(), 1), true};
    Retracer retracer(table.data, options);
    Watch watch;
    Decisions decisions = retracer.walk(view_of(tree), marked, details, watch);
    std::string found = decisions.node.size() == tree.kind.size() ? "" : "not every node is retraced";
    for (size_t i = 0; found.empty() && i < decisions.node.size(); ++i) {
      double weight = tree.weight[static_cast<size_t>(decisions.node[i])];
      if (std::abs(decisions.weight[i] - weight) > 1e-9 * (1.0 + weight)) found = "a node has another weight";
    }
    report("trees_are_retraced", static_cast<uint64_t>(seed), found);
    for (double& threshold : tree.threshold)
      threshold = random.one_of({threshold, -1e300, 1e300, -std::numeric_limits<double>::infinity(), 0.0});
    try {
      retracer.walk(view_of(tree), marked, details, watch);
    } catch (const std::invalid_argument&) {  // no branch for a row
    }
  }
}

int run(int scale) {
  spoiled_trees_are_noticed();
  small_trees_are_sound(400 * scale);
  big_trees_do_not_depend_on_threads_or_switches(8 * scale);
  binned_trees_are_sound(8 * scale);
  forests_are_sound(150 * scale);
  growing_stops_when_told();
  trees_are_retraced(300 * scale);
  text_is_read_in_pieces_as_in_one(3000 * scale);
  every_kind_of_test_was_grown();
  std::printf(failures ? "core: %d checks failed\n" : "core: all checks passed\n", failures);
  return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}

}  // namespace quercus_test

// test_core [scale]: a larger scale tries more tables.
int main(int argc, char** argv) { return quercus_test::run(argc > 1 ? std::max(1, std::atoi(argv[1])) : 1); }
