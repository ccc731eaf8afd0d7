// The chart of pruning: accuracy (or error) of every set of rows against the number of leaves, and where we are.

class PruningChart {
  constructor(place, measure) {
    this.place = place;
    this.measure = measure;
  }

  // Draws the lines of a walk; the marks of the step come with move().
  draw(walk) {
    const [width, height] = [Math.max(280, this.place.clientWidth || 560), 168];
    const inner = { left: 50, right: width - 84, top: 12, bottom: height - 30 };
    const sets = Object.entries(walk.sets);
    const all = sets.flatMap(([, values]) => values);
    let low = Math.min(...all), high = Math.max(...all);
    if (!(high > low)) [low, high] = [low - 0.01, high + 0.01];
    const fewest = walk.leaves[walk.n_steps - 1];
    const range = Math.log(walk.leaves[0] / fewest) || 1;
    this.xOf = (leaves) => inner.left + ((inner.right - inner.left) * Math.log(leaves / fewest)) / range;
    this.x = (step) => this.xOf(walk.leaves[step]);
    this.y = (value) => inner.bottom - ((inner.bottom - inner.top) * (value - low)) / (high - low);
    this.walk = walk;
    this.inner = inner;
    const words = sets.map(([name, values]) => `${name} from ${this.value(values[0])} to ${this.value(values[values.length - 1])}`).join("; ");
    const label = `${this.measure} against the number of leaves, from ${walk.leaves[0]} to ${walk.leaves[walk.n_steps - 1]}: ${words}`;
    const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
    this.axes(svg, low, high);
    const ends = [];
    sets.forEach(([name, values]) => {
      const points = values.map((value, step) => `${this.x(step).toFixed(1)},${this.y(value).toFixed(1)}`);
      svg.append(drawn("path", { class: `set-${name}`, d: `M${points.join("L")}` }));
      ends.push({ name, y: this.y(values[0]) });
    });
    ends.sort((a, b) => a.y - b.y);
    ends.forEach((end, i) => {
      if (i) end.y = Math.max(end.y, ends[i - 1].y + 14);
      svg.append(drawn("rect", { class: `set-${end.name}`, x: inner.right + 8, y: end.y - 4, width: 8, height: 8 }));
      svg.append(drawn("text", { class: "set-name", x: inner.right + 20, y: end.y + 4 }, end.name));
    });
    this.now = drawn("g");
    svg.append(this.now);
    empty(this.place, svg);
  }

  axes(svg, low, high) {
    const { left, right, bottom } = this.inner;
    for (const value of [low, (low + high) / 2, high]) {
      const y = this.y(value);
      svg.append(drawn("line", { class: "axis", x1: left, x2: right, y1: y, y2: y }));
      svg.append(drawn("text", { x: left - 6, y: y + 4, style: "text-anchor: end" }, this.value(value)));
    }
    const most = this.walk.leaves[0];
    const fewest = this.walk.leaves[this.walk.n_steps - 1];
    const factor = Math.max(2, (most / fewest) ** (1 / 6)); // about six marks, the first at the smallest tree
    for (let mark = fewest; mark <= most; mark *= factor) {
      const leaves = Math.round(mark);
      const x = this.xOf(leaves);
      if (x > right - 14 && leaves < most) break;
      svg.append(drawn("text", { x, y: bottom + 15, style: "text-anchor: middle" }, grouped(leaves)));
    }
    svg.append(drawn("text", { x: right + 30, y: bottom + 15 }, "leaves"));
  }

  value(number) {
    return this.measure === "accuracy" ? percent(number) : significant(number, 3);
  }

  move(step) {
    const x = this.x(step);
    const parts = [drawn("line", { class: "now", x1: x, x2: x, y1: this.inner.top - 6, y2: this.inner.bottom })];
    Object.entries(this.walk.sets).forEach(([name, values]) => {
      parts.push(drawn("circle", { class: `set-${name}`, cx: x, cy: this.y(values[step]), r: 4 }));
    });
    empty(this.now, parts);
  }
}
