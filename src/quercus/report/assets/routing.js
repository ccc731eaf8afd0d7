// Routing: which way one case takes through the tree, unknown values included, and what it is answered.
// A case is an array with one entry per attribute: a number or code, NaN where the value is unknown.

const TIE = 1e-12;

// Whether the value of a case fulfils a condition: a set of codes, or bounds of which either may be open; undefined: it is unknown.
function fulfils(test, row) {
  const value = row[test.attribute];
  if (Number.isNaN(value)) return undefined;
  if (test.codes) return test.codes.includes(value);
  return !(value <= test.above) && !(value > test.up_to);
}

// The branch that the case's own value takes; -1: none.
function branchOfValue(tree, node, row) {
  const first = tree.first_child[node];
  for (let branch = 0; branch < tree.n_children[node]; branch++) if (fulfils(tree.tests[first + branch], row)) return branch;
  return -1;
}

// The same by the first surrogate that knows.
function branchOfSurrogate(tree, node, row) {
  for (const { tests } of tree.surrogates[node] || []) {
    const branch = tests.findIndex((test) => fulfils(test, row));
    if (branch >= 0) return branch;
  }
  return -1;
}

// All places a case comes to, parents first: [{node, share, ends}].
function follow(tree, row) {
  const visits = [];
  const stack = [{ node: 0, share: 1 }];
  while (stack.length) {
    const { node, share } = stack.pop();
    const visit = { node, share, ends: tree.isLeaf(node) };
    visits.push(visit);
    if (visit.ends) continue;
    const first = tree.first_child[node];
    let child = branchOfValue(tree, node, row);
    if (child < 0) child = branchOfSurrogate(tree, node, row);
    if (child < 0) child = tree.missing_child[node];
    if (child >= 0) {
      stack.push({ node: first + child, share });
      continue;
    }
    let total = 0;
    for (let i = 0; i < tree.n_children[node]; i++) total += tree.weight[first + i];
    visit.ends = !(total > 0);
    visit.spreads = !visit.ends;
    for (let i = tree.n_children[node] - 1; i >= 0 && total > 0; i--) {
      const part = share * (tree.weight[first + i] / total);
      if (part > 0) stack.push({ node: first + i, share: part });
    }
  }
  return visits;
}

// The sum of what the ends of all paths answer, each by its share.
function mixed(visits, answerOf) {
  let result = null;
  for (const { node, share, ends } of visits) {
    if (!ends) continue;
    const answer = answerOf(node);
    result = result || answer.map(() => 0);
    answer.forEach((part, i) => (result[i] += share * part));
  }
  return result;
}

// The class to answer: the most likely, that of least expected cost, or by a threshold; the first if tied.
function chosenClass(shares, costs, threshold) {
  if (threshold !== null && threshold !== undefined) return shares[1] >= threshold - TIE ? 1 : 0;
  let scores = shares;
  let tie = TIE;
  if (costs) {
    scores = costs[0].map((_, j) => -shares.reduce((sum, share, i) => sum + share * costs[i][j], 0));
    tie *= Math.max(1, ...costs.flat().map(Math.abs));
  }
  const best = Math.max(...scores);
  return scores.findIndex((score) => score >= best - tie);
}
