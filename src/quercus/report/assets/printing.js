// Printing: the tree as it is open, or whole if it is small, fitted to the paper; afterwards everything is as before.

const PRINTED = 250;

class Printing {
  constructor(view, picture, viewport) {
    Object.assign(this, { view, picture, viewport });
    this.before = null;
    window.addEventListener("beforeprint", () => this.begin());
    window.addEventListener("afterprint", () => this.end());
    window.matchMedia("print").addEventListener("change", (event) => (event.matches ? this.begin() : this.end()));
  }

  begin() {
    if (this.before) return;
    const { view, picture, viewport } = this;
    this.before = { open: view.open.slice(), x: viewport.x, y: viewport.y, scale: viewport.scale };
    if (view.tree.below[0] < PRINTED) view.openAll();
    else if (view.order.length > PRINTED) {
      view.openHeaviest(PRINTED);
      view.arrange();
    }
    const b = view.bounds;
    const [width, height] = [b.right - b.left + 24, b.bottom - b.top + 24];
    picture.svg.setAttribute("viewBox", `${b.left - 12} ${b.top - 12} ${width} ${height}`);
    Object.assign(viewport, { x: 0, y: 0, scale: 1, window: () => b });
    picture.draw();
  }

  end() {
    if (!this.before) return;
    const { view, picture, viewport } = this;
    const { open, x, y, scale } = this.before;
    this.before = null;
    picture.svg.removeAttribute("viewBox");
    delete viewport.window;
    view.open = open;
    Object.assign(viewport, { x, y, scale });
    view.arrange();
    picture.draw();
  }
}
