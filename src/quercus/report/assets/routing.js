// Routing: which way one case takes through the tree, unknown values included, and what it is answered.
// A case is an array with one entry an attribute: a number or code, NaN where the value is unknown.

const TIE = 1e-12;

// The branch that the case's own value takes; -1: unknown there.
function branchOfValue(tree, node, row) {
  const value = row[tree.attribute[node]];
  if (Number.isNaN(value)) return -1;
  if (tree.kind[node] === THRESHOLD) return value <= tree.cut[node] ? 0 : 1;
  if (tree.kind[node] === MULTIWAY) return value >= 0 && value < tree.n_children[node] ? value : -1;
  const children = tree.groups[node] || [];
  return value >= 0 && value < children.length ? children[value] : -1;
}

function branchOfSurrogate(tree, node, row) {
  for (const test of (tree.surrogates && tree.surrogates[node]) || []) {
    const value = row[test.attribute];
    if (Number.isNaN(value)) continue;
    if (test.group) {
      const child = value >= 0 && value < test.group.length ? test.group[value] : -1;
      if (child >= 0) return child;
    } else {
      return value <= Number(test.threshold) ? test.low_child : 1 - test.low_child;
    }
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
