// The panel of a node: how it is reached, what it holds, what it asks or answers, and its trace.

class NodePanel {
  constructor(data, view, viewport) {
    Object.assign(this, { data, view, viewport });
    this.tree = view.tree;
    this.place = byId("node-panel");
    this.traces = new Map(((data.trace && data.trace.nodes) || []).map((entry) => [entry.node, entry]));
    view.onChange((what) => what === "selection" && this.show(view.selected));
  }

  go(node) {
    this.view.reveal([node]);
    this.view.select(node);
    this.viewport.show(node);
  }

  show(node) {
    document.body.classList.toggle("node-chosen", node >= 0);
    if (node < 0) return;
    const { tree } = this;
    const traced = this.traces.get(this.data.trace_number ? this.data.trace_number[node] : node);
    empty(
      this.place,
      element("h3", { id: "node-heading" }, `${tree.numberText(node)}${node ? "" : ", the root"}`),
      this.reached(node),
      this.holds(node),
      this.said(node),
      this.removal(node, traced),
      traced ? tracePanel(this.data, traced) : this.untraced(node),
      this.neighbours(node)
    );
  }

  reached(node) {
    if (!node) return null;
    const { tree } = this;
    const steps = tree.path(node).map((at) => element("li", {}, tree.branchText(at, 20)));
    return [element("h4", {}, "Reached when"), element("ol", { class: "path-list" }, steps)];
  }

  holds(node) {
    const { tree } = this;
    if (tree.isEmpty(node)) return element("p", {}, "No training example came here.");
    const weight = shortNumber(tree.weight[node]);
    const rows = tree.count && tree.count[node] !== tree.weight[node] ? ` (${counted(tree.count[node], "row")})` : "";
    const heading = element("h4", {}, `Holds ${weight} ${tree.weight[node] === 1 ? "example" : "examples"}${rows}`);
    if (!tree.classes) {
      const words = `Mean ${significant(tree.mean[node], 6)}, spread ${significant(tree.spread[node])}.`;
      return [heading, element("p", {}, words)];
    }
    return [heading, countBars(tree.classes, tree.value[node], (count) => shortNumber(count))];
  }

  // What the node asks or answers.
  said(node) {
    const { tree } = this;
    const name = tree.asks(node) ? tree.subjectText(node) : "";
    const parts = [];
    if (tree.isLeaf(node)) {
      const borrowed = tree.isEmpty(node) && node ? ", as its parent would" : "";
      parts.push(element("p", {}, "Answers ", element("strong", {}, tree.labelText(node)), `${borrowed}.`));
      if (tree.asks(node)) parts.push(element("p", { class: "muted" }, `At this step of pruning a leaf; it asked ${name}.`));
      return parts;
    }
    const gain = `gain ${significant(tree.gain[node])}`;
    parts.push(element("p", {}, "Asks ", element("strong", {}, name), ` (${gain}); would answer ${tree.labelText(node)}.`));
    const missing = tree.missing_child[node];
    const unknown =
      missing < 0
        ? "An unknown value goes to all branches by their weights."
        : `An unknown value goes where ${tree.branchText(tree.first_child[node] + missing, 10)}.`;
    const standIns = tree.surrogates[node] || [];
    parts.push(element("p", { class: "muted" }, unknown));
    if (standIns.length) {
      parts.push(element("h4", {}, "If unknown, first"));
      parts.push(element("ol", { class: "path-list" }, standIns.map((words) => element("li", {}, words))));
    }
    return parts;
  }

  // Why the model's pruning made a leaf of it.
  removal(node, traced) {
    const reason = this.data.removals[node] || (traced && traced.pruned);
    return reason ? [element("h4", {}, "Why the model pruned it"), element("p", { class: "removed" }, reason)] : null;
  }

  untraced(node) {
    const words = this.data.trace
      ? "No trace of this node is in the report: it is not among the heaviest, or pruning took it away."
      : "How the node was decided is not in this report. Make it with the training rows: report_html(model, X=X, y=y), or " +
        "fit the model with quercus fit, which keeps the trace.";
    return element("p", { class: "muted small" }, words);
  }

  neighbours(node) {
    const { tree } = this;
    const items = tree.children(node).slice(0, 40).map((child) =>
      element("li", {}, button(`${tree.answerText(child, 4)} → ${tree.isLeaf(child) ? tree.labelText(child) : tree.subjectText(child) + " ?"}`,
        () => this.go(child), { class: "link" }))
    );
    return [
      node ? element("p", {}, button("Up to its parent", () => this.go(tree.parent[node]), { class: "link" })) : null,
      items.length ? [element("h4", {}, "Branches"), element("ul", { class: "path-list" }, items)] : null,
    ].flat(2);
  }
}

// Names, bars and numbers; the bars are shares of the whole. Zeros are left out when there are many.
function countBars(names, counts, words) {
  const total = counts.reduce((a, b) => a + b, 0) || 1;
  let order = counts.map((_, i) => i).sort((a, b) => counts[b] - counts[a]);
  if (names.length > 6) order = order.filter((i) => counts[i] > 0);
  const shown = order.slice(0, 12);
  const made = element("div", { class: "counts" });
  for (const i of shown) {
    const bar = element("i");
    bar.style.width = `${(100 * counts[i]) / total}%`;
    bar.style.background = classColour(i);
    made.append(
      element("span", { class: "name" }, names[i]),
      element("span", { class: "bar" }, bar),
      element("span", { class: "value" }, `${words(counts[i])}`)
    );
  }
  if (order.length > shown.length) made.append(element("span", { class: "muted" }, `… ${order.length - shown.length} more`));
  return made;
}
