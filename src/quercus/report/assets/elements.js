// Elements: the only way in which this page makes markup; every text stays text.

const SVG = "http://www.w3.org/2000/svg";

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    made.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat()) {
    if (child === null || child === undefined) continue;
    made.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return made;
}

// An HTML element with attributes and children; strings and numbers become text.
function element(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

// The same for SVG.
function drawn(name, attributes, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function byId(id) {
  return document.getElementById(id);
}

function empty(parent, ...children) {
  parent.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
}

function button(label, action, attributes) {
  const made = element("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", action);
  return made;
}

// The colour of a class, as CSS.
function classColour(position) {
  return position < 8 ? `var(--class-${position})` : "var(--class-other)";
}
