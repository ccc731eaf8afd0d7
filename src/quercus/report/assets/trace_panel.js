// The trace of a node: the impurity with its numbers, every candidate with its gain, and why one of them won.

const SELECTIONS = { gain: "Gain", gain_ratio: "Gain ratio", tan_schlimmer: "Gain²/cost", nunez: "Nuñez" };

function tracePanel(data, traced) {
  const { selection, classes } = data.trace;
  return [
    element("h4", {}, "How it was decided"),
    traced.decision ? element("p", { class: "decision" }, traced.decision) : null,
    traced.formula
      ? [
          element("p", { class: "small muted" }, `${data.impurity} here`),
          element("p", { class: "formula" }, traced.formula),
        ]
      : null,
    traced.candidates && traced.candidates.length ? candidateTable(traced, selection, classes) : null,
  ].flat();
}

function candidateTable(traced, selection, classes) {
  const some = (name) => traced.candidates.some((c) => c[name] !== null && c[name] !== undefined);
  const ratio = selection !== "gain" && some("worth");
  const heads = ["Candidate", "Gain"];
  if (ratio && some("split_information")) heads.push("Split info.");
  if (ratio) heads.push(SELECTIONS[selection] || selection);
  const head = element("tr", {}, heads.map((name, i) => element("th", { scope: "col", class: i ? "number" : null }, name)));
  const order = traced.candidates.map((_, i) => i);
  const worth = (i) => (traced.candidates[i].worth ?? -Infinity);
  order.sort((a, b) => (b === traced.chosen) - (a === traced.chosen) || worth(b) - worth(a) || a - b);
  const rows = order.map((i) => candidateRow(traced.candidates[i], i === traced.chosen, heads.length, ratio, classes));
  const table = element("table", { class: "mini" }, element("thead", {}, head), element("tbody", {}, rows));
  return element("div", { class: "candidates", tabindex: "0", role: "region", "aria-label": "Candidates" }, table);
}

function candidateRow(candidate, chosen, width, ratio, classes) {
  const cells = [element("td", { class: "number" }, significant(candidate.gain))];
  if (width === 4) cells.push(element("td", { class: "number" }, significant(candidate.split_information)));
  if (ratio) cells.push(element("td", { class: "number" }, significant(candidate.worth)));
  return element("tr", { class: chosen ? "chosen" : null }, element("th", { scope: "row" }, candidateName(candidate, classes)), cells);
}

// The question, what became of it, and on demand what each branch would receive.
function candidateName(candidate, classes) {
  const notes = [];
  if (candidate.status && candidate.status !== "lost") notes.push(candidate.status);
  if (candidate.n_cuts) notes.push(counted(candidate.n_cuts, "threshold"));
  const status = notes.length ? element("span", { class: "status" }, ` ${notes.join(", ")}`) : null;
  const branches = candidate.branches || [];
  if (!branches.length) return [candidate.test || candidate.attribute, status];
  const formulas = [
    ["Gain", candidate.gain_formula],
    ["Split information", candidate.split_information_formula],
    ["Worth", candidate.worth_formula],
  ].filter(([, text]) => text);
  const shown = branches.slice(0, 30).map((branch) => element("li", {}, branchWords(branch, classes)));
  if (branches.length > 30) shown.push(element("li", {}, `… ${branches.length - 30} more`));
  return element(
    "details",
    {},
    element("summary", {}, candidate.test || candidate.attribute, status),
    candidate.why ? element("p", { class: "branches" }, candidate.why) : null,
    element("ul", { class: "branches" }, shown),
    formulas.map(([name, text]) => element("p", { class: "formula" }, `${name}: ${text}`))
  );
}

function branchWords(branch, classes) {
  const impurity = branch.impurity === null || branch.impurity === undefined ? "" : `, impurity ${significant(branch.impurity, 3)}`;
  const values = branch.values || [];
  const held = classes
    ? values.map((count, i) => [count, classes[i]]).filter(([count]) => count > 0).slice(0, 8)
        .map(([count, name]) => `${shortNumber(count)} ${typeof name === "object" ? JSON.stringify(name) : name}`).join(", ")
    : `mean ${significant(values[0])}`;
  return `${branch.text}: ${shortNumber(branch.weight)} (${held})${impurity}`;
}
