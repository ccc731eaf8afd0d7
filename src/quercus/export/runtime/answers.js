// How the tables of a model answer a row. The sums are added up in the order in which Quercus adds them, so that the
// numbers are the same to the last bit. A row is an array with one number or code per attribute; null is unknown.

const TIE = 1e-12;

// The branch of a row at a question; -1: its value is unknown, or has none.
function branchOf(tree, ask, row) {
  const [attribute, cut, table, swapped] = tree.asks[ask];
  const value = row[attribute];
  if (value === null) return -1;
  if (cut === null) {
    const branch = tree.tables[table][value];
    return branch === undefined ? -1 : branch;
  }
  return (value <= cut ? 0 : 1) ^ swapped;
}

// The branch that a row takes at a node: by its value, a surrogate or the branch of the unknown; -1: by shares.
function branchAt(tree, node, row) {
  let branch = branchOf(tree, tree.ask[node], row);
  const others = (tree.surrogates && tree.surrogates[node]) || [];
  for (let i = 0; branch < 0 && i < others.length; i++) branch = branchOf(tree, others[i], row);
  return branch < 0 ? tree.missing[node] : branch;
}

// The nodes where a row ends, each with the part of the row that ends there: [[node, part]]. stops: tells the nodes whose
// question is not asked, of a tree that is pruned; seen: is called with every node that the row comes to, and its part.
function endsOf(tree, row, stops, seen) {
  const stack = [[0, 1]];
  const ends = [];
  while (stack.length) {
    let [node, part] = stack.pop();
    let branch = 0;
    for (;;) {
      if (seen) seen(node, part);
      if (tree.ask[node] < 0 || (stops && stops(node))) {
        ends.push([node, part]);
        branch = 0;
        break;
      }
      branch = branchAt(tree, node, row);
      if (branch < 0) break;
      node = tree.first[node] + branch;
    }
    if (branch >= 0) continue;
    let spread = false;
    for (let i = tree.size[node] - 1; i >= 0; i--) {
      const share = part * tree.share[tree.first[node] + i];
      if (share > 0) {
        stack.push([tree.first[node] + i, share]);
        spread = true;
      }
    }
    if (!spread) ends.push([node, part]);
  }
  return ends;
}

// What a tree answers: the class shares, or a number alone. ends: where the row ends in it.
function treeAnswer(tree, row, ends = endsOf(tree, row)) {
  if (ends.length === 1 && ends[0][1] === 1) return tree.answers[tree.answer[ends[0][0]]].slice();
  const result = tree.answers[0].map(() => 0);
  for (const [node, part] of ends) tree.answers[tree.answer[node]].forEach((number, i) => (result[i] += part * number));
  return result;
}

// Whether a row fulfils a condition of a rule.
function fulfilsTest(test, row) {
  const value = row[test.attribute];
  if (value === null) return Boolean(test.unknown);
  if (test.codes) return test.codes.includes(value);
  return !(value <= test.above) && !(value > test.up_to);
}

const fulfilsAll = (tests, row) => tests.every((test) => fulfilsTest(test, row));

// The position of the class to answer: the most likely, that of least expected cost, or by a threshold.
function chosenOf(shares, costs, threshold) {
  if (threshold !== null && threshold !== undefined) return shares[1] >= threshold - TIE ? 1 : 0;
  let scores = shares;
  let tie = TIE;
  if (costs) {
    scores = shares.map((_, j) => -shares.reduce((sum, share, i) => sum + share * costs[i][j], 0));
    tie = TIE * Math.max(1, ...costs.flat().map(Math.abs));
  }
  if (scores.length === 2) return scores[1] > scores[0] + tie ? 1 : 0;
  const least = Math.max(...scores) - tie;
  return scores.findIndex((score) => score >= least);
}

// The shares of the votes of all rules that cover a row, and the class of most votes (or the number).
function votesOf(member, row, classes) {
  const sums = member.answers[0].map(() => 0);
  let total = 0;
  member.rules.forEach((tests, place) => {
    if (!fulfilsAll(tests, row)) return;
    const strength = member.strengths[place];
    if (classes) sums[member.labels[place]] += strength;
    else sums[0] += strength * member.labels[place];
    total += strength;
  });
  const shares = total > 0 ? sums.map((sum) => sum / total) : member.answers[member.rules.length].slice();
  if (!classes) return [shares, shares[0]];
  const usual = member.labels[member.rules.length];
  return [shares, shares[usual] >= Math.max(...shares) - TIE ? usual : chosenOf(shares)];
}

// What a rule list answers: shares (or a number alone), and the position of the class (or the number).
function ruleAnswer(member, row, classes) {
  if (member.mode === "voting") return votesOf(member, row, classes);
  const place = member.rules.findIndex((tests) => fulfilsAll(tests, row));
  if (place >= 0) return [member.answers[place].slice(), member.labels[place]];
  const last = member.rules.length;
  if (!member.tree) return [member.answers[last].slice(), member.labels[last]];
  const shares = treeAnswer(member.tree, row);
  return [shares, classes ? chosenOf(shares, member.costs, member.threshold) : shares[0]];
}

// What scores mean: class shares, or a number alone.
function linkedOf(link, scores) {
  if (link === "identity") return scores.slice();
  const largest = link === "softmax" ? Math.max(...scores) : 0;
  const powers = scores.map((score) => Math.exp(score - largest));
  const total = link === "softmax" ? powers.reduce((sum, power) => sum + power, 0) : 1;
  return powers.map((power) => power / total);
}

// The same where the members' numbers are added up to scores, which a link turns into the answer.
function scoredAnswerOf(model, row) {
  const { classes, members, weights, costs, threshold, scores } = model;
  const sums = scores.base.map(() => 0);
  members.forEach((member, number) => (sums[scores.places[number]] += weights[number] * treeAnswer(member, row)[0]));
  scores.base.forEach((base, place) => (sums[place] = base + sums[place]));
  const shares = linkedOf(scores.link, sums);
  if (!classes) return [shares, shares[0]];
  return [shares, scores.decide ? chosenOf(sums) : chosenOf(shares, costs, threshold)];
}

// The shares (or the number) of a row, and the position of its class (or the number).
function answerOf(model, row) {
  const { classes, members, weights, majority, costs, threshold } = model;
  if (model.scores) return scoredAnswerOf(model, row);
  let shares;
  if (!model.together) {
    if (members[0].rules) {
      const [said, label] = ruleAnswer(members[0], row, classes);
      return [said, classes && costs ? chosenOf(said, costs) : label];
    }
    shares = treeAnswer(members[0], row);
  } else {
    shares = new Array(classes ? classes.length : 1).fill(0);
    let used = 0;
    members.forEach((member, number) => {
      let [said, label] = member.rules ? ruleAnswer(member, row, classes) : [treeAnswer(member, row), null];
      if (majority) {
        if (label === null) label = chosenOf(said);
        said = said.map((_, place) => (place === label ? 1 : 0));
      }
      said.forEach((one, place) => (shares[place] += weights[number] * one));
      used += weights[number];
    });
    shares = shares.map((share) => share / used);
  }
  return [shares, classes ? chosenOf(shares, costs, threshold) : shares[0]];
}
