// The picture of the tree: only what lies in the window is in the document; from far away, a few paths stand for all.

const FAR = 700; // more nodes than this in the window are drawn as dots

class TreePicture {
  constructor(view, frame) {
    this.view = view;
    this.frame = frame;
    this.svg = drawn("svg", { role: "tree", "aria-label": "Decision tree", "aria-describedby": "tree-help", focusable: "false", tabindex: "-1" });
    this.world = drawn("g", { role: "none" });
    this.farLayer = drawn("g", { "aria-hidden": "true" });
    this.edges = drawn("g", { "aria-hidden": "true" });
    this.nodes = drawn("g", { role: "none" });
    this.labels = drawn("g", { "aria-hidden": "true" });
    this.world.append(this.farLayer, this.edges, this.nodes, this.labels);
    this.svg.append(this.world);
    frame.replaceChildren(this.svg);
    this.shown = new Map(); // node -> its pictures
    this.waiting = false;
    this.act = { toggle: (node) => view.toggle(node) };
    view.onChange((what) => {
      if (what === "layout") this.forget();
      this.refresh();
    });
  }

  attach(viewport) {
    this.viewport = viewport;
    viewport.onMove(() => this.refresh());
    this.draw();
  }

  forget() {
    this.shown.clear();
    this.restoreFocus = this.nodes.contains(document.activeElement);
    for (const layer of [this.edges, this.nodes, this.labels, this.farLayer]) layer.replaceChildren();
    this.farKey = "";
  }

  // Draws before the next frame, however often it is asked for.
  refresh() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  draw() {
    if (!this.viewport) return;
    const { view } = this;
    this.world.setAttribute("transform", this.viewport.transform());
    const seen = this.inWindow();
    const far = seen.length > FAR;
    const wanted = new Set(far ? [] : seen);
    wanted.add(view.focus);
    if (view.selected >= 0 && view.place.has(view.selected)) wanted.add(view.selected);
    for (const [node, pictures] of this.shown) {
      if (wanted.has(node)) continue;
      pictures.forEach((picture) => picture && picture.remove());
      this.shown.delete(node);
    }
    for (const node of wanted) if (!this.shown.has(node)) this.add(node);
    this.drawFar(far);
    for (const [node, pictures] of this.shown) this.markNode(node, pictures);
    if (this.restoreFocus) {
      this.restoreFocus = false;
      this.focusNode();
    }
  }

  inWindow() {
    const { view } = this;
    const box = this.viewport.window();
    const [w, h] = [view.boxWidth / 2 + 30, BOX.height / 2 + 30];
    const reach = view.turned ? view.boxWidth + 136 : BOX.height + 62; // an edge may come from outside
    const result = [];
    for (let i = 0; i < view.order.length; i++) {
      const x = view.x[i], y = view.y[i];
      if (x + w < box.left || x - w - (view.turned ? reach : 0) > box.right) continue;
      if (y + h < box.top || y - h - (view.turned ? 0 : reach) > box.bottom) continue;
      result.push(view.order[i]);
    }
    return result;
  }

  add(node) {
    const { view } = this;
    const i = view.place.get(node);
    const picture = nodePicture(view, node, this.act);
    picture.setAttribute("transform", `translate(${view.x[i]},${view.y[i]})`);
    picture.addEventListener("click", () => view.select(node));
    picture.node = node;
    this.insertInOrder(picture, i);
    const pictures = [picture];
    if (node > 0) {
      const edge = edgePicture(view, node);
      const label = branchPicture(view, node);
      this.edges.append(edge);
      this.labels.append(label);
      pictures.push(edge, label);
    }
    this.shown.set(node, pictures);
  }

  // Treeitems stand in the document in reading order, so that a screen reader meets them so.
  insertInOrder(picture, place) {
    let low = 0;
    let high = this.nodes.children.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.view.place.get(this.nodes.children[middle].node) < place) low = middle + 1;
      else high = middle;
    }
    this.nodes.insertBefore(picture, this.nodes.children[low] || null);
  }

  markNode(node, [picture, edge, label]) {
    const { view } = this;
    const { tree } = view;
    const share = view.shares ? view.shares.get(node) || 0 : null;
    const lit = share !== null && share > 0;
    const dim = share !== null && !lit;
    picture.classList.toggle("selected", node === view.selected);
    picture.classList.toggle("found", view.found.has(node));
    picture.classList.toggle("lit", lit);
    picture.classList.toggle("dim", dim);
    const above = tree.parent[node];
    const attributes = {
      "aria-level": tree.depth[node] + 1,
      "aria-setsize": above < 0 ? 1 : tree.n_children[above],
      "aria-posinset": above < 0 ? 1 : node - tree.first_child[above] + 1,
      "aria-selected": node === view.selected,
      "aria-label": spokenText(view, node),
      tabindex: node === view.focus ? "0" : "-1",
    };
    if (!tree.isLeaf(node)) attributes["aria-expanded"] = view.isOpen(node);
    for (const [name, value] of Object.entries(attributes)) picture.setAttribute(name, String(value));
    if (edge) {
      edge.classList.toggle("lit", lit);
      edge.classList.toggle("dim", dim);
      label.classList.toggle("dim", dim);
    }
    const old = picture.querySelector(".share-text");
    if (old) old.remove();
    if (lit) {
      const x = view.boxWidth / 2 - 2;
      picture.append(
        drawn("text", { class: "share-text", x, y: -BOX.height / 2 - 5, style: "text-anchor: end" }, percent(share, 2))
      );
    }
  }

  // From far away: one path for all edges, one for the dots of each class, one for the lit paths.
  drawFar(far) {
    const { view } = this;
    const { tree } = view;
    const scale = Math.round(3 * Math.log2(this.viewport.scale));
    const key = far ? `${view.order.length} ${view.turned} ${scale} ${view.shares ? [...view.shares.keys()].join() : ""}` : "";
    if (key === this.farKey) return;
    this.farKey = key;
    this.farLayer.replaceChildren();
    if (!far) return;
    const edges = [];
    const lit = [];
    const dots = new Map();
    const size = Math.max(BOX.height * 0.4, 1.3 / this.viewport.scale); // dots of at least 2.6 pixels
    for (let i = view.order.length - 1; i >= 0; i--) {
      const node = view.order[i];
      if (i > 0) {
        const from = view.place.get(tree.parent[node]);
        const line = `M${view.x[from] | 0},${view.y[from] | 0}L${view.x[i] | 0},${view.y[i] | 0}`;
        edges.push(line);
        if (view.shares && view.shares.has(node)) lit.push(line);
      }
      const colour = tree.classes ? classColour(tree.label(node)) : "var(--number)";
      if (!dots.has(colour)) dots.set(colour, []);
      dots.get(colour).push(`M${(view.x[i] - size) | 0},${(view.y[i] - size) | 0}h${2 * size}v${2 * size}h${-2 * size}z`);
    }
    this.farLayer.append(drawn("path", { class: "far-edges", d: edges.join("") }));
    for (const [colour, paths] of dots) this.farLayer.append(drawn("path", { d: paths.join(""), style: `fill: ${colour}` }));
    if (lit.length) this.farLayer.append(drawn("path", { class: "far-lit", d: lit.join("") }));
  }

  // Moves the keyboard's focus to the node that has it in the view.
  focusNode() {
    const pictures = this.shown.get(this.view.focus);
    if (pictures) pictures[0].focus({ preventScroll: true });
  }
}
