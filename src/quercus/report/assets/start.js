// Start: read the data, build what the model has, connect the parts.

function startTabs() {
  const tabs = [...document.querySelectorAll("[role=tab]")];
  const choose = (tab, focus) => {
    for (const other of tabs) {
      other.setAttribute("aria-selected", String(other === tab));
      other.tabIndex = other === tab ? 0 : -1;
      byId(other.getAttribute("aria-controls")).hidden = other !== tab;
    }
    if (focus) tab.focus();
  };
  tabs.forEach((tab, i) => {
    tab.addEventListener("click", () => choose(tab));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) choose(tabs[(i + step + tabs.length) % tabs.length], true);
    });
  });
  return choose;
}

function startLegend(classes) {
  if (!classes) return;
  const shown = classes.slice(0, 24).map((name, position) => {
    const swatch = element("i", { class: "swatch" });
    swatch.style.background = classColour(position);
    return element("span", {}, swatch, name);
  });
  if (classes.length > 24) shown.push(element("span", {}, `… ${classes.length - 24} more classes`));
  empty(byId("legend"), shown);
}

function startTree(data, choose) {
  const tree = new TreeModel(data);
  const view = new TreeView(tree);
  const picture = new TreePicture(view, byId("canvas"));
  const viewport = new Viewport(picture);
  picture.act.toggle = (node) => viewport.holding(node, () => view.toggle(node));
  startLegend(data.classes);
  const panel = new NodePanel(data, view, viewport);
  view.onChange((what) => {
    if (what === "selection") choose(byId("tab-node"));
    if (what !== "layout") return;
    const hidden = tree.below[0] + 1 - view.order.length;
    byId("tree-size").textContent = `${counted(view.order.length, "node")} shown${hidden ? `, ${grouped(hidden)} closed` : ""}`;
  });
  const slider = data.pruning ? new PruningSlider(data, view, viewport) : null;
  if (!slider) view.arrange();
  picture.attach(viewport);
  viewport.begin();
  new TreeKeys(view, picture, viewport);
  new Search(view, viewport, picture);
  new Printing(view, picture, viewport);
  const actions = {
    "zoom-in": () => viewport.zoom(1.25),
    "zoom-out": () => viewport.zoom(0.8),
    "zoom-fit": () => viewport.fit(),
    "open-more": () => viewport.holding(0, () => view.openLevel()),
    "open-all": () => viewport.holding(0, () => view.openAll()),
    "close-all": () => {
      view.closeAll();
      viewport.fit();
    },
    turn: () => {
      view.turn();
      viewport.begin();
    },
  };
  for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", action);
  new ResizeObserver(() => picture.refresh()).observe(picture.svg);
  return { tree, view, viewport, panel, picture, slider };
}

function start() {
  startTheme();
  const data = JSON.parse(byId("report-data").textContent);
  if (data.answers_by === "members") {
    document.documentElement.dataset.ready = "true"; // many trees together: nothing to walk through
    return;
  }
  const choose = startTabs();
  const parts = data.tree ? startTree(data, choose) : {};
  const rules = data.rules.decides ? new RuleModel(data, parts.tree) : null;
  const showLeaf = (number) => {
    const node = parts.tree.nodeOfNumber(number);
    if (parts.slider && !parts.tree.isThere(node)) parts.slider.home();
    parts.panel.go(node);
    parts.viewport.centre(node);
    byId("canvas").scrollIntoView({ block: "center" });
  };
  const table = new RulesTable(data, data.tree ? showLeaf : null);
  const form = new CaseForm(data, rules ? { rules, table } : { ...parts, table });
  const link = byId("case-link");
  link.addEventListener("click", () => byId("tab-case") && choose(byId("tab-case")));
  // for scripts and tests: the answer to an encoded case (numbers and codes by attribute, null: unknown)
  window.quercus = {
    classify: (row) => (rules ? rules.decide(row) : parts.tree.classify(row)).shares,
    label: (shares) => (data.classes ? data.classes[chosenOf(shares, data.costs, data.threshold)] : shares[data.tree?.quantiles?.middle ?? 0]),
    form,
    ...parts,
  };
  document.documentElement.dataset.ready = "true";
}

start();
