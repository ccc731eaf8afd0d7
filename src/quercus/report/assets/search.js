// Search: by attribute, value, class or node number; what is found is marked, and one after the other brought into view.

class Search {
  constructor(view, viewport, picture) {
    Object.assign(this, { view, viewport, picture });
    this.field = byId("search");
    this.count = byId("search-count");
    this.results = [];
    this.at = -1;
    this.field.addEventListener("input", () => this.find());
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        this.step(event.shiftKey ? -1 : 1);
      } else if (event.key === "Escape") {
        this.field.value = "";
        this.find();
      }
    });
    byId("search-next").addEventListener("click", () => this.step(1));
    byId("search-previous").addEventListener("click", () => this.step(-1));
    this.report();
  }

  // The words by which a node can be found, made when first asked for and after every pruning.
  words(node) {
    const { tree } = this.view;
    const end = tree.isLeaf(node) ? tree.labelText(node) : tree.subjectText(node);
    return `${tree.branchText(node, 1e9).replace("≤", "<=")}\n${tree.branchText(node, 1e9)}\n${end}`.toLowerCase();
  }

  find() {
    const { tree } = this.view;
    const asked = this.field.value.trim().toLowerCase();
    const number = /^(?:#|node\s+)(\d+)$/.exec(asked);
    this.results = [];
    if (number) {
      const node = tree.nodeOfNumber(Number(number[1]));
      if (node >= 0 && tree.isThere(node)) this.results.push(node);
    } else if (asked) {
      const stack = [0];
      while (stack.length) {
        const node = stack.pop();
        if (this.words(node).includes(asked)) this.results.push(node);
        stack.push(...tree.children(node).reverse());
      }
    }
    this.at = -1;
    this.view.mark(new Set(this.results));
    this.report();
    if (this.results.length) this.step(1);
  }

  step(by) {
    if (!this.results.length) return;
    this.at = (this.at + by + this.results.length) % this.results.length;
    const node = this.results[this.at];
    this.view.reveal([node]);
    this.view.select(node);
    this.viewport.centre(node);
    this.report();
  }

  report() {
    const none = this.results.length === 0;
    byId("search-next").disabled = none;
    byId("search-previous").disabled = none;
    this.count.textContent = this.field.value.trim() === "" ? "" : none ? "nothing found" : `${this.at + 1} of ${grouped(this.results.length)}`;
  }
}
