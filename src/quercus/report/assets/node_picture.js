// The picture of one node: box, words, class bar, the knob that opens it; and of the edge that leads to it.

function nodePicture(view, node, act) {
  const { tree, boxWidth: w } = view;
  const h = BOX.height;
  const leaf = tree.isLeaf(node);
  const inner = w - 18;
  const title = leaf ? tree.shortText(node) : tree.subjectText(node) + " ?";
  const made = drawn("g", { class: `node${leaf ? " leaf" : ""}`, role: "treeitem", tabindex: "-1" });
  made.append(
    drawn("rect", { class: "focus-ring", x: -w / 2 - 4, y: -h / 2 - 4, width: w + 8, height: h + 8, rx: 9 }),
    drawn("rect", { class: "box", x: -w / 2, y: -h / 2, width: w, height: h, rx: leaf ? 11 : 4 }),
    drawn("text", { class: "title", x: -w / 2 + 9, y: -h / 2 + 17 }, fitted(title, inner, BOLD)),
    drawn("text", { class: "detail", x: -w / 2 + 9, y: -h / 2 + 32 }, fitted(detailText(tree, node), inner, DETAIL)),
    drawn("title", {}, spokenText(view, node))
  );
  made.append(...barPicture(tree, node, -w / 2 + 9, h / 2 - 10, inner));
  if (!leaf) made.append(knobPicture(view, node, act));
  return made;
}

function detailText(tree, node) {
  if (tree.isEmpty(node)) return "no example";
  const size = shortNumber(tree.weight[node]);
  if (!tree.classes) return `${size} · mean ${significant(tree.mean[node], 4)}`;
  const label = tree.label(node);
  const share = percent(tree.value[node][label] / tree.weight[node], 0);
  return tree.isLeaf(node) ? `${size} · ${share}` : `${size} · ${beside(share, tree.classes[label])}`;
}

// A count or share beside its class; a class that looks like a number stands in front, so that neither is misread.
function beside(amount, name) {
  return /\d$/.test(name) && !Number.isNaN(Number(name)) ? `${name}: ${amount}` : `${amount} ${name}`;
}

// The class weights as parts of a bar; for numbers, where the prediction lies between the least and the greatest.
function barPicture(tree, node, x, y, width) {
  const parts = [drawn("rect", { class: "track", x, y, width, height: 5, rx: 2 })];
  if (!tree.classes) {
    const range = tree.highest - tree.lowest || 1;
    const at = ((tree.answer[node] - tree.lowest) / range) * (width - 5);
    parts.push(drawn("rect", { x: x + at, y: y - 2, width: 5, height: 9, rx: 1.5, style: "fill: var(--number)" }));
    return parts;
  }
  if (tree.isEmpty(node)) return parts;
  const total = tree.value[node].reduce((a, b) => a + b, 0) || 1;
  let from = x;
  tree.value[node].forEach((count, position) => {
    const size = (width * count) / total;
    if (size > 0) parts.push(drawn("rect", { x: from, y, width: size, height: 5, style: `fill: ${classColour(position)}` }));
    from += size;
  });
  return parts;
}

// The knob at a question's far side: it says − if the node is open, + and how much it hides if not.
function knobPicture(view, node, act) {
  const { tree, boxWidth: w } = view;
  const open = view.isOpen(node);
  const [x, y] = view.turned ? [w / 2 + 11, 0] : [0, BOX.height / 2 + 11];
  const made = drawn("g", { class: "toggle", transform: `translate(${x},${y})`, "aria-hidden": "true" });
  made.append(drawn("circle", { r: 8 }), drawn("text", { y: 4 }, open ? "−" : "+"));
  if (!open) {
    const words = grouped(tree.below[node]);
    made.append(drawn("text", { class: "stub", x: 12, y: 4, style: "text-anchor: start" }, words));
  }
  made.addEventListener("click", (event) => {
    event.stopPropagation();
    act.toggle(node);
  });
  return made;
}

// What a screen reader says of a node.
function spokenText(view, node) {
  const { tree } = view;
  const parts = [];
  if (node > 0) parts.push(tree.branchText(node, 5));
  parts.push(tree.isLeaf(node) ? `leaf, answers ${tree.labelText(node)}` : `asks ${tree.subjectText(node)}`);
  if (tree.isEmpty(node)) parts.push("no training example");
  else if (!tree.classes) parts.push(`weight ${shortNumber(tree.weight[node])}, mean ${significant(tree.mean[node], 5)}`);
  else {
    const counts = tree.value[node]
      .map((count, i) => [count, tree.classes[i]])
      .filter(([count]) => count > 0)
      .sort((a, b) => b[0] - a[0])
      .slice(0, 4);
    parts.push(counts.map(([count, name]) => beside(shortNumber(count), name)).join(", "));
  }
  if (!tree.isLeaf(node) && !view.isOpen(node)) parts.push(`closed, ${counted(tree.below[node], "node")} below`);
  const share = view.shares && view.shares.get(node);
  if (share) parts.push(`${percent(share)} of the new case`);
  parts.push(tree.numberText(node));
  return parts.join("; ");
}

// The edge from a node's parent to it, as wide as its part of the training weight.
function edgePicture(view, node) {
  const { tree, boxWidth: w } = view;
  const above = tree.parent[node];
  const from = view.place.get(above);
  const to = view.place.get(node);
  const h = BOX.height;
  const [x1, y1] = view.turned ? [view.x[from] + w / 2 + 19, view.y[from]] : [view.x[from], view.y[from] + h / 2 + 19];
  const [x2, y2] = view.turned ? [view.x[to] - w / 2, view.y[to]] : [view.x[to], view.y[to] - h / 2];
  const bend = view.turned ? `C${(x1 + x2) / 2},${y1} ${(x1 + x2) / 2},${y2}` : `C${x1},${(y1 + y2) / 2} ${x2},${(y1 + y2) / 2}`;
  const width = 1 + 7 * Math.sqrt(tree.weight[node] / (tree.weight[0] || 1));
  return drawn("path", { class: "edge", d: `M${x1},${y1} ${bend} ${x2},${y2}`, "stroke-width": width.toFixed(2) });
}

function branchPicture(view, node) {
  const { tree, boxWidth: w } = view;
  const at = view.place.get(node);
  const text = tree.answerText(node, 4).replace(/^= /, "");
  if (view.turned) {
    return drawn(
      "text",
      { class: "branch-text", x: view.x[at] - w / 2 - 6, y: view.y[at] - 6, style: "text-anchor: end" },
      fitted(text, 96, BRANCH)
    );
  }
  return drawn(
    "text",
    { class: "branch-text", x: view.x[at], y: view.y[at] - BOX.height / 2 - 7, style: "text-anchor: middle" },
    fitted(text, w + 6, BRANCH)
  );
}
