// The form: a new case goes down the tree (or through the rules) while it is filled in; its paths light up.

class CaseForm {
  constructor(data, tools) {
    this.data = data;
    Object.assign(this, tools); // tree, view, viewport, rules, slider: what there is
    this.form = byId("case-form");
    this.answer = byId("case-answer");
    this.fields = data.used.map((position) => new CaseField(data.attributes[position], position, () => this.update(true)));
    const none = element("p", { class: "muted" }, "The model asks for no attribute: every case gets the same answer.");
    byId("case-fields").append(...(this.fields.length ? this.fields.map((field) => field.made) : [none]));
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("reset", (event) => {
      event.preventDefault();
      this.fields.forEach((field) => field.clear());
      this.update(false);
    });
    if (this.view) this.view.onChange((what) => what === "pruning" && this.update(this.active));
    this.update(false);
  }

  row() {
    const row = new Array(this.data.attributes.length).fill(null);
    this.fields.forEach((field) => (row[field.position] = field.value()));
    return row;
  }

  // active: the reader has entered something, so the paths are shown in the tree.
  update(active) {
    this.active = active;
    const row = this.row();
    if (this.rules) return this.showRules(row, active);
    if (!this.tree.routes) return empty(this.answer, element("p", { class: "notice" }, "This tree asks for several attributes at once, which the form cannot."));
    const { visits, shares } = this.tree.classify(row);
    if (this.view) {
      this.view.light(active ? new Map(visits.map(({ node, share }) => [node, share])) : null);
      if (active) this.openPaths(visits);
    }
    this.showTree(visits, shares);
  }

  // The heaviest paths are opened, so that one sees them whole.
  openPaths(visits) {
    const ends = visits.filter((visit) => visit.ends).sort((a, b) => b.share - a.share);
    this.view.reveal(ends.slice(0, 12).map((visit) => visit.node));
  }

  showTree(visits, shares) {
    const { tree } = this;
    const ends = visits.filter((visit) => visit.ends).sort((a, b) => b.share - a.share);
    const label = tree.classes ? tree.classes[chosenOf(shares, tree.costs, tree.decisionThreshold)] : tree.numberWords(shares, 6);
    const notice = this.slider && !this.slider.isModel() ? element("p", { class: "notice small" }, "By the tree shown, not the model’s own.") : null;
    const items = ends.slice(0, 12).map(({ node, share }) =>
      element(
        "li",
        {},
        `${percent(share, 2)} `,
        button(`${tree.numberText(node)}: ${tree.labelText(node)}`, () => this.go(node), { class: "link" }),
        tree.classes ? ` (${percent(Math.max(...tree.shares(node)))})` : ""
      )
    );
    if (ends.length > 12) items.push(element("li", {}, `… ${grouped(ends.length - 12)} more leaves`));
    const how = ends.length === 1 ? "Its path ends in" : `Its paths end in ${grouped(ends.length)} leaves, by share`;
    empty(
      this.answer,
      notice,
      element("p", { class: "label" }, label),
      tree.classes ? countBars(tree.classes, shares, (share) => percent(share, 2)) : null,
      element("h3", {}, how),
      element("ul", {}, items),
      ends.length === 1 ? this.pathWords(ends[0].node) : null
    );
  }

  pathWords(node) {
    const steps = this.tree.path(node).map((at) => element("li", {}, this.tree.branchText(at, 8)));
    return steps.length ? [element("h3", {}, "Because"), element("ol", {}, steps)] : null;
  }

  go(node) {
    this.view.reveal([node]);
    this.view.select(node);
    this.viewport.centre(node);
  }

  showRules(row, active) {
    const { rules } = this;
    const found = rules.decide(row);
    const label = rules.classes ? rules.classes[found.label] : significant(found.shares[0], 6);
    const words = (place) => `Rule ${rules.rows[place].number}: IF ${rules.rows[place].if.join(" AND ") || "anything"} THEN ${rules.rows[place].then}`;
    const verb = found.byTree ? "No rule holds while a value is unknown; the tree decides, most of it by" : found.votes.length ? "Strongest of the rules that vote" : "It fires";
    const parts = [element("p", { class: "label" }, label)];
    if (rules.classes) parts.push(countBars(rules.classes, found.shares, (share) => percent(share, 2)));
    if (found.fired >= 0) parts.push(element("h3", {}, verb), element("p", { class: "fired" }, words(found.fired)));
    else parts.push(element("p", { class: "fired" }, `No rule fires: the default answers ${rules.default_text}.`));
    const others = found.votes.filter((place) => place !== found.fired);
    if (others.length) parts.push(element("h3", {}, "Also voting"), element("ul", {}, others.slice(0, 12).map((place) => element("li", {}, words(place)))));
    if (!found.votes.length && !found.byTree) parts.push(this.failures(row, found.fired));
    empty(this.answer, parts.flat());
    if (this.table) this.table.light(active ? found.fired : -1);
  }

  // Why the rules before the deciding one did not fire.
  failures(row, fired) {
    const { rules } = this;
    const before = fired < 0 ? rules.rows.length : fired;
    if (!before) return null;
    const items = [];
    for (let place = 0; place < Math.min(before, 15); place++) {
      const failed = rules.failing(place, row);
      items.push(element("li", {}, `Rule ${rules.rows[place].number}: ${rules.rows[place].if[failed]} fails`));
    }
    if (before > 15) items.push(element("li", {}, `… ${grouped(before - 15)} more`));
    return [element("h3", {}, "Rules before it that did not fire"), element("ul", {}, items)];
  }
}
