// The tree: its arrays, its names, and which of its nodes are leaves at the chosen step of pruning.

const LEAF = 0, THRESHOLD = 1, MULTIWAY = 2;

// The name of a value. Of an attribute with very many values the page keeps the first ones, and those that stand in the tree.
function valueName(attribute, code) {
  return code < attribute.values.length ? attribute.values[code] : attribute.named && attribute.named[code];
}

class TreeModel {
  constructor(data) {
    const given = data.tree;
    Object.assign(this, given);
    this.size = given.kind.length;
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
    this.cut = new Float64Array(this.size).fill(NaN);
    this.cutText = new Array(this.size);
    let place = 0;
    for (let node = 0; node < this.size; node++) {
      if (this.kind[node] !== THRESHOLD) continue;
      this.cut[node] = Number(this.threshold[place]);
      this.cutText[node] = this.threshold_text[place++];
    }
    if (!this.classes) {
      this.lowest = this.answer.reduce((a, b) => Math.min(a, b), Infinity);
      this.highest = this.answer.reduce((a, b) => Math.max(a, b), -Infinity);
    }
    this.cutStep = null;
    this.step = 0;
    this.answerCache = new Array(this.size);
    this.countBelow();
  }

  // The tree of a step of a walk; null: the whole tree.
  prune(cutStep, step) {
    this.cutStep = cutStep;
    this.step = step;
    this.countBelow();
  }

  // Whether a node is a leaf now.
  isLeaf(node) {
    return this.kind[node] === LEAF || (this.cutStep !== null && this.cutStep[node] <= this.step);
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

  attributeName(node) {
    return this.attributes[this.attribute[node]].name;
  }

  // The text of the branch that leads to a node, without the attribute's name: "= Sunny", "<= 54", "in {a, b}".
  answerText(node, limit = 8) {
    const above = this.parent[node];
    if (above < 0) return "";
    const place = node - this.first_child[above];
    const attribute = this.attributes[this.attribute[above]];
    if (this.kind[above] === THRESHOLD) {
      if (this.cut[above] === Infinity) return place === 1 ? "unknown" : "known";
      return `${place === 0 ? "≤" : ">"} ${this.cutText[above]}`;
    }
    if (this.kind[above] === MULTIWAY) {
      const name = valueName(attribute, place);
      return name === undefined ? "unknown" : `= ${name}`;
    }
    const codes = [];
    this.groups[above].forEach((child, code) => child === place && codes.push(code));
    if (!codes.length) return "unknown";
    if (codes.length === 1) return `= ${valueName(attribute, codes[0])}`;
    const names = codes.map((code) => valueName(attribute, code)).filter((name) => name !== undefined).slice(0, limit);
    return `in {${names.join(", ")}${codes.length > names.length ? `, … ${codes.length - names.length} more` : ""}}`;
  }

  branchText(node, limit) {
    return this.parent[node] < 0 ? "" : `${this.attributeName(this.parent[node])} ${this.answerText(node, limit)}`;
  }

  path(node) {
    const steps = [];
    for (let at = node; at > 0; at = this.parent[at]) steps.push(at);
    return steps.reverse();
  }

  // What a node answers: class shares, or a number alone.
  shares(node) {
    if (this.answerCache[node]) return this.answerCache[node];
    let result;
    if (!this.classes) result = [this.answer[node]];
    else {
      const counts = (this.answers[node] || this.value[node]).map((count, i) => count + (this.added ? this.added[i] : 0));
      const total = counts.reduce((a, b) => a + b, 0);
      result = counts.map((count) => (total > 0 ? count / total : 1 / counts.length));
    }
    this.answerCache[node] = result;
    return result;
  }

  label(node) {
    return chosenClass(this.shares(node), this.costs, this.decisionThreshold);
  }

  labelText(node) {
    return this.classes ? this.classes[this.label(node)] : significant(this.answer[node], 5);
  }

  isEmpty(node) {
    return !(this.weight[node] > 0);
  }

  countOf(node) {
    return this.count ? this.count[node] : this.weight[node];
  }
}
