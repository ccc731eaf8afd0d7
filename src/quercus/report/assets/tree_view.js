// The view of the tree: which nodes are open, where each stands, which is chosen, found or on a case's path.

const BOX = { height: 46, least: 104, most: 176 };
const FIRST_OPEN = 60;

class TreeView {
  constructor(tree) {
    this.tree = tree;
    this.open = new Uint8Array(tree.size);
    this.selected = -1;
    this.focus = 0;
    this.found = new Set();
    this.shares = null; // node -> share of the case
    this.turned = tree.leavesBelow[0] > 14;
    this.boxWidth = this.widthOfBoxes();
    this.listeners = [];
    this.openHeaviest(FIRST_OPEN);
    this.arrange();
  }

  onChange(listener) {
    this.listeners.push(listener);
  }

  changed(what) {
    this.listeners.forEach((listener) => listener(what));
  }

  widthOfBoxes() {
    const names = [...this.tree.attributes.map((a) => a.name + " ?"), ...(this.tree.classes || [])].slice(0, 300);
    const widest = names.reduce((most, name) => Math.max(most, textWidth(name, BOLD)), 0);
    return Math.round(Math.min(BOX.most, Math.max(BOX.least, widest + 20)));
  }

  // Opens the heaviest questions, as long as no more nodes are open than that.
  openHeaviest(most) {
    this.open.fill(0);
    let shown = 1;
    let candidates = [0];
    while (candidates.length) {
      let best = 0;
      candidates.forEach((node, i) => this.tree.weight[node] > this.tree.weight[candidates[best]] && (best = i));
      const node = candidates.splice(best, 1)[0];
      const size = this.tree.isLeaf(node) ? 0 : this.tree.n_children[node];
      if (!size) continue;
      if (shown + size > most && shown > 1) continue;
      this.open[node] = 1;
      shown += size;
      candidates.push(...this.tree.children(node));
    }
  }

  openAll() {
    this.open.fill(1);
    this.arrange();
  }

  closeAll() {
    this.open.fill(0);
    this.open[0] = 1;
    this.arrange();
  }

  // Opens every question that shows now.
  openLevel() {
    for (const node of this.order) this.open[node] = 1;
    this.arrange();
  }

  toggle(node) {
    if (this.tree.isLeaf(node)) return;
    this.open[node] = this.open[node] ? 0 : 1;
    this.arrange();
  }

  // Opens what stands above some nodes, so that they show.
  reveal(nodes) {
    let news = false;
    for (const node of nodes) {
      for (let above = this.tree.parent[node]; above >= 0; above = this.tree.parent[above]) {
        if (!this.open[above]) news = true;
        this.open[above] = 1;
      }
    }
    if (news) this.arrange();
  }

  isOpen(node) {
    return this.open[node] === 1 && !this.tree.isLeaf(node);
  }

  // The open nodes, their places, and the size of the whole picture.
  arrange() {
    const { tree } = this;
    const order = [];
    const stack = [0];
    while (stack.length) {
      const node = stack.pop();
      order.push(node);
      if (!this.isOpen(node)) continue;
      const first = tree.first_child[node];
      for (let child = first + tree.n_children[node] - 1; child >= first; child--) stack.push(child);
    }
    this.order = order; // as one reads them: each node, then its subtrees
    this.place = new Map(order.map((node, i) => [node, i]));
    const childrenOf = (i) => {
      const node = order[i];
      if (!this.isOpen(node)) return [];
      return Array.from({ length: tree.n_children[node] }, (_, c) => this.place.get(tree.first_child[node] + c));
    };
    this.spread(tidyLayout(order, childrenOf));
    if (!this.place.has(this.focus)) this.focus = this.nearestShown(this.focus);
    this.changed("layout");
  }

  spread(breadth) {
    const across = this.turned ? BOX.height + 12 : this.boxWidth + 18;
    const along = this.turned ? this.boxWidth + 136 : BOX.height + 62;
    const n = this.order.length;
    this.x = new Float64Array(n);
    this.y = new Float64Array(n);
    let low = Infinity, high = -Infinity, deepest = 0;
    for (let i = 0; i < n; i++) {
      const b = breadth[i] * across;
      const d = this.tree.depth[this.order[i]] * along;
      low = Math.min(low, b);
      high = Math.max(high, b);
      deepest = Math.max(deepest, d);
      this.x[i] = this.turned ? d : b;
      this.y[i] = this.turned ? b : d;
    }
    const [w, h] = [this.boxWidth, BOX.height];
    this.bounds = this.turned
      ? { left: -w / 2, right: deepest + w / 2 + 46, top: low - h / 2, bottom: high + h / 2 }
      : { left: low - w / 2, right: high + w / 2, top: -h / 2, bottom: deepest + h / 2 + 26 };
  }

  nearestShown(node) {
    while (node > 0 && !this.place.has(node)) node = this.tree.parent[node];
    return node;
  }

  select(node) {
    this.selected = node;
    this.focus = node;
    this.changed("selection");
  }

  light(shares) {
    this.shares = shares;
    this.changed("marks");
  }

  mark(found) {
    this.found = found;
    this.changed("marks");
  }

  turn() {
    this.turned = !this.turned;
    this.arrange();
  }

  // After pruning: what is gone cannot be chosen any more.
  pruned() {
    const there = (node) => (node >= 0 && !this.tree.isThere(node) ? this.tree.parent[node] : node);
    while (there(this.selected) !== this.selected) this.selected = there(this.selected);
    while (there(this.focus) !== this.focus) this.focus = there(this.focus);
    this.arrange();
  }
}
