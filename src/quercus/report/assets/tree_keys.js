// The keyboard in the tree, as in any tree: arrows walk, Enter chooses, plus and minus zoom.

class TreeKeys {
  constructor(view, picture, viewport) {
    Object.assign(this, { view, picture, viewport });
    picture.svg.addEventListener("keydown", (event) => this.press(event));
    picture.svg.addEventListener("focusin", (event) => {
      const item = event.target.closest(".node");
      if (item && item.node !== view.focus) {
        view.focus = item.node;
        picture.refresh();
      }
    });
  }

  press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { view, viewport } = this;
    const { tree } = view;
    const node = view.focus;
    const place = view.place.get(node);
    const actions = {
      ArrowDown: () => this.go(view.order[place + 1]),
      ArrowUp: () => this.go(view.order[place - 1]),
      Home: () => this.go(0),
      End: () => this.go(view.order[view.order.length - 1]),
      ArrowRight: () => {
        if (tree.isLeaf(node)) return;
        if (view.isOpen(node)) this.go(tree.first_child[node]);
        else viewport.holding(node, () => view.toggle(node));
      },
      ArrowLeft: () => {
        if (view.isOpen(node)) viewport.holding(node, () => view.toggle(node));
        else if (node > 0) this.go(tree.parent[node]);
      },
      Enter: () => view.select(node),
      " ": () => view.select(node),
      "+": () => viewport.zoom(1.25),
      "=": () => viewport.zoom(1.25),
      "-": () => viewport.zoom(0.8),
      0: () => viewport.fit(),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  go(node) {
    if (node === undefined) return;
    this.view.focus = node;
    this.viewport.show(node);
    this.picture.draw();
    this.picture.focusNode();
  }
}
