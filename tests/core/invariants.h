// What must hold for every grown tree; each check answers with the complaint, or with nothing.
#pragma once

#include <string>

#include "random_table.h"
#include "routing.h"
#include "tree.h"

namespace quercus_test {

// A tree's arrays as prediction reads them.
TreeView view_of(const TreeArrays& tree);

// Lengths, order, leaves, weights, counts, class weights, limits.
std::string check_arrays(const TreeArrays& tree, const Table& table, const Options& options);

// The training rows sent down the tree again add up to what growing stored at every node. (Not with class_most_common:
// prediction does not know the class.)
std::string check_tallies(const TreeArrays& tree, const Table& table, const Options& options);

// Leaves, paths and distributions of the training rows agree with each other.
std::string check_predictions(const TreeArrays& tree, const Table& table);

// Two trees are one: `exactly`, or but for the last bits of sums that were taken in another order.
std::string check_same(const TreeArrays& a, const TreeArrays& b, bool exactly);

}  // namespace quercus_test
