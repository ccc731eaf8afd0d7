// Tidy layout: every node over the middle of its children, subtrees as near to each other as their outlines allow.
// One pass up and one down over the open nodes, no recursion. An outline holds a number for each depth, deepest first,
// so that a parent is added at the end; joining two outlines touches only as many depths as the shorter one has.

// order: open nodes, parents first. childrenOf(i): positions in order. Returns breadth positions, neighbours 1 apart.
function tidyLayout(order, childrenOf) {
  const n = order.length;
  const offset = new Float64Array(n); // from the parent
  const outlines = new Array(n);
  for (let i = n - 1; i >= 0; i--) {
    const children = childrenOf(i);
    if (!children.length) {
      outlines[i] = { left: [0], right: [0], leftBase: 0, rightBase: 0 };
      continue;
    }
    const places = [0];
    let joint = outlines[children[0]];
    for (let c = 1; c < children.length; c++) {
      const next = outlines[children[c]];
      const shift = gap(joint, next);
      places.push(shift);
      joint = join(joint, next, shift);
      outlines[children[c]] = null;
    }
    outlines[children[0]] = null;
    const middle = places[places.length - 1] / 2;
    children.forEach((child, c) => (offset[child] = places[c] - middle));
    joint.leftBase -= middle;
    joint.rightBase -= middle;
    joint.left.push(-joint.leftBase);
    joint.right.push(-joint.rightBase);
    outlines[i] = joint;
  }
  const x = new Float64Array(n);
  for (let i = 0; i < n; i++) for (const child of childrenOf(i)) x[child] = x[i] + offset[child];
  return x;
}

// How far right of the first outline's root the second one's must stand.
function gap(one, other) {
  let shift = -Infinity;
  const depths = Math.min(one.right.length, other.left.length);
  for (let d = 1; d <= depths; d++) {
    const between = one.right[one.right.length - d] + one.rightBase - (other.left[other.left.length - d] + other.leftBase) + 1;
    if (between > shift) shift = between;
  }
  return shift;
}

// The outline of both, the second one moved right by the shift.
function join(one, other, shift) {
  const short = Math.min(one.left.length, other.left.length);
  if (other.left.length <= one.left.length) {
    for (let d = 1; d <= short; d++) {
      one.right[one.right.length - d] = other.right[other.right.length - d] + other.rightBase + shift - one.rightBase;
    }
    return one;
  }
  const leftBase = other.leftBase + shift;
  for (let d = 1; d <= short; d++) {
    other.left[other.left.length - d] = one.left[one.left.length - d] + one.leftBase - leftBase;
  }
  return { left: other.left, right: other.right, leftBase, rightBase: other.rightBase + shift };
}
