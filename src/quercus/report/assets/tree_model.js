// The tree: its arrays, its names, and which of its nodes are leaves at the chosen step of pruning.

// The name of a value. Of an attribute with very many values the page keeps the first ones, and those that stand in the tree.
function valueName(attribute, code) {
  return code < attribute.values.length ? attribute.values[code] : attribute.named && attribute.named[code];
}

class TreeModel {
  constructor(data) {
    const given = data.tree;
    Object.assign(this, given);
    this.size = given.n_children.length;
    this.attributes = data.attributes;
    this.classes = data.classes;
    this.added = data.added;
    this.costs = data.costs;
    this.decisionThreshold = data.threshold;
    this.parent = new Int32Array(this.size).fill(-1);
    this.depth = new Int32Array(this.size);
    for (let node = 0; node < this.size; node++) {
      for (let child = this.first_child[node], end = child + this.n_children[node]; child < end; child++) {
        this.parent[child] = node;
        this.depth[child] = this.depth[node] + 1;
      }
    }
    if (!this.classes) {
      this.mean = this.mean || this.answer;
      this.lowest = this.answer.reduce((a, b) => Math.min(a, b), Infinity);
      this.highest = this.answer.reduce((a, b) => Math.max(a, b), -Infinity);
    }
    this.routes = given.routes && { ...given.routes, first: this.first_child, size: this.n_children, missing: this.missing_child };
    if (this.routes) this.routes.asks.forEach((ask) => (ask[1] = ask[1] === null ? null : Number(ask[1]))); // "Infinity" is one
    this.cutStep = null;
    this.step = 0;
    this.answerCache = new Array(this.size);
    this.countBelow();
    if (this.routes) Object.assign(this.routes, { answer: Array.from({ length: this.size }, (_, node) => node), answers: Array.from({ length: this.size }, (_, node) => this.shares(node)) });
  }

  // Where a case comes to in the tree as it is now, parents first, and what it is answered: {visits: [{node, share, ends}], shares}.
  classify(row) {
    const visits = [];
    const ends = endsOf(this.routes, row, (node) => this.isLeaf(node), (node, share) => visits.push({ node, share }));
    const last = new Set(ends.map(([node]) => node));
    visits.forEach((visit) => (visit.ends = last.has(visit.node)));
    return { visits, shares: treeAnswer(this.routes, row, ends) };
  }

  // The tree of a step of a walk; null: the whole tree.
  prune(cutStep, step) {
    this.cutStep = cutStep;
    this.step = step;
    this.countBelow();
  }

  // Whether a node asks a question in the whole tree.
  asks(node) {
    return this.n_children[node] > 0;
  }

  // Whether a node is a leaf now.
  isLeaf(node) {
    return !this.asks(node) || (this.cutStep !== null && this.cutStep[node] <= this.step);
  }

  // Whether a node is there now: no question above it has become a leaf.
  isThere(node) {
    for (let above = this.parent[node]; above >= 0; above = this.parent[above]) if (this.isLeaf(above)) return false;
    return true;
  }

  // How many nodes and leaves stand below each node now. Children have higher numbers than their parents.
  countBelow() {
    this.below = new Int32Array(this.size);
    this.leavesBelow = new Int32Array(this.size);
    for (let node = this.size - 1; node >= 0; node--) {
      if (this.isLeaf(node)) {
        this.below[node] = 0;
        this.leavesBelow[node] = 1;
      }
      const above = this.parent[node];
      if (above >= 0 && !this.isLeaf(above)) {
        this.below[above] += this.below[node] + 1;
        this.leavesBelow[above] += this.leavesBelow[node];
      }
    }
  }

  children(node) {
    const first = this.first_child[node];
    return Array.from({ length: this.isLeaf(node) ? 0 : this.n_children[node] }, (_, i) => first + i);
  }

  // The node's number in the model, in words; nodes that pruning took away have their number in the grown tree.
  numberText(node) {
    if (!this.number) return `Node ${node}`;
    return this.number[node] >= 0 ? `Node ${this.number[node]}` : `Node ${node} of the grown tree`;
  }

  shortNumber(node) {
    return !this.number ? `#${node}` : this.number[node] >= 0 ? `#${this.number[node]}` : `(${node})`;
  }

  nodeOfNumber(number) {
    return this.number ? this.number.indexOf(number) : number >= 0 && number < this.size ? number : -1;
  }

  // What a node asks for: mostly the name of an attribute.
  subjectText(node) {
    return this.subjects[this.subject[node]];
  }

  // The text of the branch that leads to a node, without what is asked for: "= Sunny", "≤ 54", "in {a, b}".
  answerText(node, limit = 8) {
    if (this.parent[node] < 0) return "";
    const { attribute, codes, text } = this.tests[node];
    if (!codes) return text;
    if (!codes.length) return "unknown";
    const nameOf = (code) => valueName(this.attributes[attribute], code);
    if (codes.length === 1) return `= ${nameOf(codes[0])}`;
    const names = codes.map(nameOf).filter((name) => name !== undefined).slice(0, limit);
    return `in {${names.join(", ")}${codes.length > names.length ? `, … ${codes.length - names.length} more` : ""}}`;
  }

  branchText(node, limit) {
    return this.parent[node] < 0 ? "" : `${this.subjectText(this.parent[node])} ${this.answerText(node, limit)}`;
  }

  path(node) {
    const steps = [];
    for (let at = node; at > 0; at = this.parent[at]) steps.push(at);
    return steps.reverse();
  }

  // What a node answers: class shares, a number alone, or the quantiles.
  shares(node) {
    if (this.answerCache[node]) return this.answerCache[node];
    let result;
    if (this.quantiles) result = this.quantiles.numbers[node];
    else if (!this.classes) result = [this.answer[node]];
    else {
      const counts = (this.answers[node] || this.value[node]).map((count, i) => count + (this.added ? this.added[i] : 0));
      const total = counts.reduce((a, b) => a + b, 0);
      result = counts.map((count) => (total > 0 ? count / total : 1 / counts.length));
    }
    this.answerCache[node] = result;
    return result;
  }

  label(node) {
    return chosenOf(this.shares(node), this.costs, this.decisionThreshold);
  }

  labelText(node) {
    return this.classes ? this.classes[this.label(node)] : this.numberWords(this.shares(node), 5);
  }

  // What is answered, as short as it can be told: of quantiles the one that stands for all.
  shortText(node) {
    return this.quantiles ? significant(this.answer[node], 5) : this.labelText(node);
  }

  // An answer in numbers as text; of quantiles the one that stands for all, and the others in brackets.
  numberWords(numbers, digits) {
    if (!this.quantiles) return significant(numbers[0], digits);
    const { levels, middle } = this.quantiles;
    const others = levels.map((level, i) => `${level}: ${significant(numbers[i], digits)}`).filter((_, i) => i !== middle);
    const named = levels[middle] === "0.5" ? [] : [`quantile ${levels[middle]}`];
    const told = [...named, ...(others.length ? [others.join(", ")] : [])].join("; ");
    return significant(numbers[middle], digits) + (told ? ` (${told})` : "");
  }

  isEmpty(node) {
    return !(this.weight[node] > 0);
  }

  countOf(node) {
    return this.count ? this.count[node] : this.weight[node];
  }
}
