// The window on the tree: zooming by wheel, pinch, buttons and keys; moving by dragging.

class Viewport {
  constructor(picture) {
    this.picture = picture;
    this.svg = picture.svg;
    this.scale = 1;
    this.x = 0;
    this.y = 0;
    this.listeners = [];
    this.pointers = new Map();
    this.listen();
  }

  onMove(listener) {
    this.listeners.push(listener);
  }

  moved() {
    this.listeners.forEach((listener) => listener());
  }

  size() {
    return { width: this.svg.clientWidth || 800, height: this.svg.clientHeight || 500 };
  }

  transform() {
    return `translate(${this.x.toFixed(2)},${this.y.toFixed(2)}) scale(${this.scale.toFixed(5)})`;
  }

  // The part of the tree's plane that shows.
  window() {
    const { width, height } = this.size();
    const { x, y, scale } = this;
    return { left: -x / scale, top: -y / scale, right: (width - x) / scale, bottom: (height - y) / scale };
  }

  zoom(factor, atX, atY) {
    const { width, height } = this.size();
    const px = atX === undefined ? width / 2 : atX;
    const py = atY === undefined ? height / 2 : atY;
    const next = Math.min(4, Math.max(0.002, this.scale * factor));
    this.x = px - ((px - this.x) * next) / this.scale;
    this.y = py - ((py - this.y) * next) / this.scale;
    this.scale = next;
    this.moved();
  }

  move(dx, dy) {
    this.x += dx;
    this.y += dy;
    this.moved();
  }

  fit(largest = 1.15) {
    const { width, height } = this.size();
    const b = this.picture.view.bounds;
    const edge = 22;
    const scale = Math.min((width - 2 * edge) / (b.right - b.left), (height - 2 * edge) / (b.bottom - b.top), largest);
    this.scale = Math.max(0.002, scale);
    this.x = width / 2 - (this.scale * (b.left + b.right)) / 2;
    this.y = height / 2 - (this.scale * (b.top + b.bottom)) / 2;
    this.moved();
  }

  // A readable beginning: the whole tree if it can be read so, else the root at the edge.
  begin() {
    this.fit();
    if (this.scale >= 0.5) return;
    const { width, height } = this.size();
    const { view } = this.picture;
    this.scale = 0.72;
    this.x = view.turned ? 20 + (this.scale * view.boxWidth) / 2 : width / 2;
    this.y = view.turned ? height / 2 : 30 + (this.scale * BOX.height) / 2;
    this.moved();
  }

  // Brings a node into the middle, readable.
  centre(node) {
    const { view } = this.picture;
    const i = view.place.get(node);
    if (i === undefined) return;
    const { width, height } = this.size();
    this.scale = Math.max(this.scale, 0.7);
    this.x = width / 2 - this.scale * view.x[i];
    this.y = height / 2 - this.scale * view.y[i];
    this.moved();
  }

  // Moves only as far as a node needs to be in the window.
  show(node) {
    const { view } = this.picture;
    const i = view.place.get(node);
    if (i === undefined) return;
    if (this.scale < 0.35) return this.centre(node);
    const { width, height } = this.size();
    const [w, h] = [(view.boxWidth / 2 + 24) * this.scale, (BOX.height / 2 + 24) * this.scale];
    const [px, py] = [this.x + this.scale * view.x[i], this.y + this.scale * view.y[i]];
    const dx = px - w < 0 ? w - px : px + w > width ? width - px - w : 0;
    const dy = py - h < 0 ? h - py : py + h > height ? height - py - h : 0;
    if (dx || dy) this.move(dx, dy);
  }

  // Keeps a node where it is on the screen while the tree around it changes.
  holding(node, change) {
    const { view } = this.picture;
    const before = view.place.get(node);
    const [x, y] = [view.x[before], view.y[before]];
    change();
    const after = view.place.get(node);
    if (before !== undefined && after !== undefined) this.move(this.scale * (x - view.x[after]), this.scale * (y - view.y[after]));
  }

  listen() {
    const { svg } = this;
    svg.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey && !svg.contains(document.activeElement)) return;
        event.preventDefault();
        const box = svg.getBoundingClientRect();
        const step = event.deltaY * (event.deltaMode === 1 ? 20 : 1);
        this.zoom(Math.exp(-Math.max(-200, Math.min(200, step)) / 400), event.clientX - box.left, event.clientY - box.top);
      },
      { passive: false }
    );
    svg.addEventListener("pointerdown", (event) => this.press(event));
    svg.addEventListener("pointermove", (event) => this.drag(event));
    for (const name of ["pointerup", "pointercancel"]) svg.addEventListener(name, (event) => this.release(event));
    // a drag must not choose the node it ends on
    svg.addEventListener("click", (event) => this.dragged && event.stopPropagation(), true);
  }

  press(event) {
    if (event.button > 0) return;
    this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
    if (this.pointers.size === 1) this.dragged = false;
  }

  drag(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = [event.clientX, event.clientY];
    if (this.pointers.size === 2) {
      const other = [...this.pointers].find(([id]) => id !== event.pointerId)[1];
      const apart = ([x, y]) => Math.hypot(x - other[0], y - other[1]);
      const box = this.svg.getBoundingClientRect();
      this.zoom(apart(now) / (apart(before) || 1), (now[0] + other[0]) / 2 - box.left, (now[1] + other[1]) / 2 - box.top);
      this.dragged = true;
    } else {
      if (!this.dragged && Math.hypot(now[0] - before[0], now[1] - before[1]) < 4) return;
      if (!this.dragged) this.svg.setPointerCapture(event.pointerId);
      this.dragged = true;
      this.svg.classList.add("dragging");
      this.move(now[0] - before[0], now[1] - before[1]);
    }
    this.pointers.set(event.pointerId, now);
  }

  release(event) {
    this.pointers.delete(event.pointerId);
    this.svg.classList.remove("dragging");
  }
}
