// The pruning slider: it walks through the trees of a pruning, from the grown one to a single leaf.

class PruningSlider {
  constructor(data, view, viewport) {
    Object.assign(this, { data, view, viewport });
    this.pruning = data.pruning;
    this.chooser = byId("walk");
    this.slider = byId("step");
    this.chart = new PruningChart(byId("pruning-chart"), this.pruning.measure);
    byId("pruning").hidden = view.tree.size < 2;
    this.pruning.walks.forEach((walk, i) => this.chooser.append(element("option", { value: i }, walk.title)));
    this.chooser.disabled = this.pruning.walks.length < 2;
    this.chooser.addEventListener("change", () => this.choose(Number(this.chooser.value)));
    // to the right the tree grows, as in the chart beside it
    this.slider.addEventListener("input", () => this.go(this.walk.n_steps - 1 - Number(this.slider.value)));
    byId("model-step").addEventListener("click", () => this.home());
    new ResizeObserver(() => {
      this.chart.draw(this.walk);
      this.chart.move(this.step);
    }).observe(byId("pruning-chart"));
    const home = this.pruning.walks.findIndex((walk) => walk.model_step !== null);
    this.homeWalk = home;
    this.chooser.value = String(Math.max(home, 0));
    this.choose(Math.max(home, 0));
    this.view.openHeaviest(FIRST_OPEN);
    this.view.pruned();
  }

  // Back to the tree that the model answers with.
  home() {
    this.chooser.value = String(Math.max(this.homeWalk, 0));
    this.choose(Math.max(this.homeWalk, 0));
  }

  choose(number) {
    this.walk = this.pruning.walks[number];
    this.walk.cut = this.walk.cut || Int32Array.from(this.walk.cut_step);
    this.slider.max = this.walk.n_steps - 1;
    this.chart.draw(this.walk);
    this.go(this.walk.model_step === null ? 0 : this.walk.model_step);
  }

  go(step) {
    const { tree } = this.view;
    this.step = step;
    this.slider.value = this.walk.n_steps - 1 - step;
    tree.prune(this.walk.cut, step);
    this.view.pruned();
    this.chart.move(step);
    this.report(step);
    this.view.changed("pruning");
  }

  // Whether the tree that shows is the one the model answers with.
  isModel() {
    return this.walk.model_step === this.step;
  }

  report(step) {
    const { walk } = this;
    const alpha = walk.alphas && walk.alphas[step] !== null ? `, α = ${significant(walk.alphas[step])}` : "";
    const size = `${counted(walk.leaves[step], "leaf", "leaves")}, ${counted(walk.nodes[step], "node")}${alpha}`;
    const which = this.isModel() ? " – the model’s tree" : step === 0 && this.pruning.tree === "grown" ? " – the tree as grown" : "";
    byId("step-text").textContent = size + which;
    this.slider.setAttribute("aria-valuetext", size + which);
    byId("model-step").disabled = this.isModel() || this.homeWalk < 0;
    const figures = Object.entries(walk.sets).map(([name, values]) =>
      element("span", {}, `${name} ${this.pruning.measure} `, element("b", {}, this.chart.value(values[step])))
    );
    empty(byId("step-figures"), figures);
  }
}
