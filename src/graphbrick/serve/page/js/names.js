// Which names of a drawing are written: none covers another, or a node.

const [GAP, HALF] = [3, 8]; // pixels between a node and its name, and half the height of a name

/**
 * The keys of the nodes whose names can be written, those with the most edges first.
 *
 * @param {Array} nodes each `{key, x, y, size, width, weight}`: its centre and radius, the width of its name, and how much
 *   it matters.
 */
export function readableNames(nodes) {
  const taken = nodes.map(({ key, x, y, size }) => ({ key, left: x - size, right: x + size, top: y - size, bottom: y + size }));
  const readable = new Set();
  for (const { key, x, y, size, width } of [...nodes].sort((a, b) => b.weight - a.weight)) {
    const left = x + size + GAP;
    const box = { key, left, right: left + width, top: y - HALF, bottom: y + HALF };
    if (taken.some((one) => one.key !== key && box.right > one.left && box.left < one.right && box.bottom > one.top && box.top < one.bottom)) continue;
    readable.add(key);
    taken.push({ ...box, key: null });
  }
  return readable;
}
