// The table of rules: sorted by any column, filtered by words, a part at a time.

const ROWS_AT_ONCE = 100;

class RulesTable {
  constructor(data, choose) {
    this.rules = data.rules;
    this.choose = choose; // what a click on a leaf's number does; null: no tree
    this.limit = ROWS_AT_ONCE;
    this.order = "number";
    this.falling = false;
    this.lit = -1;
    const numbers = !data.classes;
    this.columns = [
      { key: "number", title: "No.", number: true, of: (row) => row.number },
      { key: "if", title: "If", of: (row) => row.if.join(" AND ") || "anything" },
      { key: "then", title: "Then", of: (row) => (numbers ? row.value : row.then) },
      { key: "covered", title: "Covers", number: true, of: (row) => row.covered, text: (row) => shortNumber(row.covered) },
      numbers
        ? { key: "spread", title: "Spread", number: true, of: (row) => Number(row.spread), text: (row) => row.spread }
        : { key: "precision", title: "Precision", number: true, of: (row) => row.precision ?? -1, text: (row) => (row.precision === null ? "–" : percent(row.precision)) },
      { key: "conditions", title: "Conditions", number: true, of: (row) => row.if.length },
    ];
    if (choose && this.rules.rows.some((row) => row.leaf !== null)) this.columns.push({ key: "leaf", title: "Leaf", number: true, of: (row) => row.leaf ?? -1, leaf: true });
    byId("rules-filter").addEventListener("input", () => {
      this.limit = ROWS_AT_ONCE;
      this.show();
    });
    this.show();
  }

  sort(key) {
    this.falling = this.order === key ? !this.falling : false;
    this.order = key;
    this.show();
  }

  chosen() {
    const words = byId("rules-filter").value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const column = this.columns.find(({ key }) => key === this.order);
    const sign = this.falling ? -1 : 1;
    const text = (row) => `${row.if.join(" and ")} then ${row.then}`.toLowerCase();
    return this.rules.rows
      .filter((row) => words.every((word) => text(row).includes(word)))
      .sort((a, b) => {
        const [one, other] = [column.of(a), column.of(b)];
        const compared = typeof one === "string" ? one.localeCompare(other, undefined, { numeric: true }) : one - other;
        return sign * compared || a.number - b.number;
      });
  }

  show() {
    const rows = this.chosen();
    const head = this.columns.map((column) => {
      const sorted = this.order === column.key ? (this.falling ? "descending" : "ascending") : null;
      return element(
        "th",
        { scope: "col", class: column.number ? "number" : null, "aria-sort": sorted },
        button(column.title, () => this.sort(column.key), { "data-column": column.key })
      );
    });
    const body = rows.slice(0, this.limit).map((row) => this.row(row));
    const focused = document.activeElement && document.activeElement.getAttribute("data-column");
    const table = element("table", {}, element("thead", {}, element("tr", {}, head)), element("tbody", {}, body));
    const more = rows.length > this.limit ? button(`Show more of ${grouped(rows.length)}`, () => this.more()) : null;
    empty(byId("rules"), table, more);
    if (focused) byId("rules").querySelector(`[data-column="${focused}"]`).focus();
    this.report(rows.length);
  }

  more() {
    this.limit *= 4;
    this.show();
  }

  report(found) {
    const { total, rows, default_text } = this.rules;
    const hidden = total > rows.length ? ` (the ${grouped(rows.length)} heaviest of ${grouped(total)})` : "";
    const filtered = found < rows.length ? `${grouped(found)} of ` : "";
    const otherwise = this.rules.decides ? `; otherwise ${default_text}` : "";
    byId("rules-count").textContent = `${filtered}${counted(rows.length, "rule")}${hidden}${otherwise}`;
  }

  row(row) {
    const cells = this.columns.map((column) => {
      const text = column.text ? column.text(row) : column.key === "then" ? row.then : column.of(row);
      if (column.leaf) {
        const link = row.leaf === null ? "–" : button(`#${row.leaf}`, () => this.choose(row.leaf), { class: "link", "aria-label": `Show leaf ${row.leaf} in the tree` });
        return element("td", { class: "number" }, link);
      }
      const look = column.number ? "number" : column.key === "if" ? "wide" : null;
      return element(column.key === "number" ? "th" : "td", { class: look, scope: column.key === "number" ? "row" : null }, text);
    });
    return element("tr", { class: row.number - 1 === this.lit ? "lit" : null, "data-rule": row.number }, cells);
  }

  // Marks the rule that decides the new case.
  light(place) {
    if (place === this.lit) return;
    this.lit = place;
    this.show();
  }
}
