// Where the entities of some paths stand: a column for each hop from the seeds, and few crossings between columns.
// An answer's graph is small and has a direction, which this shows better than forces would.

const [ROW, CLOSE_ROW, MANY] = [46, 38, 10]; // pixels from row to row, and those of drawings with many rows
const SWEEPS = 6;

/**
 * Lay out paths.
 *
 * @param {Array} paths as of `pathOf`.
 * @param {Function} widthOf gives the width of an entity's box from its key.
 * @param {Function} labelWidth gives the width of a relation's label.
 * @param {boolean} upright whether hops go down instead of to the right, for narrow screens.
 * @returns {{nodes: Map, edges: Array, width: number, height: number}} boxes by key with their centre, and edges once each.
 */
export function layout(paths, widthOf, labelWidth, upright = false) {
  const column = columnsOf(paths);
  const edges = edgesOf(paths);
  const columns = [];
  for (const [key, number] of column) (columns[number] ||= []).push(key);
  const around = neighbours(edges);
  const rows = rowsOf(columns, around);
  const nodes = new Map();
  const place = upright ? placeDown : placeRight;
  const size = place(columns, rows, edges, nodes, column, widthOf, labelWidth);
  return { nodes, edges, ...size };
}

/** The first hop at which each entity is met. */
function columnsOf(paths) {
  const column = new Map();
  for (const { stations } of paths) {
    stations.forEach((key, hop) => column.set(key, Math.min(column.get(key) ?? hop, hop)));
  }
  return column;
}

/** Every triple once, with the paths and hops that follow it. */
function edgesOf(paths) {
  const edges = new Map();
  paths.forEach(({ hops }, path) => hops.forEach((hop, index) => {
    const id = JSON.stringify(hop.triple);
    if (!edges.has(id)) {
      const [head, , tail] = hop.triple;
      edges.set(id, { id, head, tail, relation: hop.relation, uses: [] });
    }
    edges.get(id).uses.push({ path, hop: index });
  }));
  const twins = new Map();
  for (const edge of edges.values()) {
    const pair = [edge.head, edge.tail].sort().join("\u0000");
    edge.twin = twins.get(pair) || 0;
    twins.set(pair, edge.twin + 1);
  }
  return [...edges.values()];
}

function neighbours(edges) {
  const around = new Map();
  const join = (a, b) => (around.get(a) || around.set(a, []).get(a)).push(b);
  for (const { head, tail } of edges) {
    join(head, tail);
    join(tail, head);
  }
  return around;
}

/** The row of each entity as a number, not yet in pixels: near the mean of its neighbours, at least 1 apart. */
function rowsOf(columns, around) {
  const rows = new Map();
  const filled = columns.map((keys) => keys || []);
  for (const keys of filled) keys.forEach((key, i) => rows.set(key, i - (keys.length - 1) / 2));
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const order = sweep % 2 ? filled.map((_, i) => filled.length - 1 - i) : filled.map((_, i) => i);
    for (const number of order) {
      const keys = filled[number];
      const wish = new Map(keys.map((key) => [key, mean((around.get(key) || []).map((other) => rows.get(other)))]));
      keys.sort((a, b) => wish.get(a) - wish.get(b));
      spread(keys, wish, rows);
    }
  }
  return rows;
}

function mean(values) {
  return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : 0;
}

/** Put the entities of a column near their wishes, in order and at least one row apart. */
function spread(keys, wish, rows) {
  let last = -Infinity;
  for (const key of keys) {
    last = Math.max(wish.get(key), last + 1);
    rows.set(key, last);
  }
  // Pushing only goes down, so the column is moved back by the mean of the pushes.
  const shift = mean(keys.map((key) => rows.get(key) - wish.get(key)));
  for (const key of keys) rows.set(key, rows.get(key) - shift);
}

function placeRight(columns, rows, edges, nodes, column, widthOf, labelWidth) {
  const lowest = Math.min(...rows.values());
  const row = Math.max(...rows.values()) - lowest > MANY ? CLOSE_ROW : ROW;
  let x = 8;
  columns.forEach((keys, number) => {
    if (!keys) return;
    const widest = Math.max(...keys.map(widthOf));
    for (const key of keys) {
      nodes.set(key, { key, x: x + widest / 2, y: 30 + (rows.get(key) - lowest) * row, width: widthOf(key), column: number });
    }
    const leaving = edges.filter(({ head, tail }) => Math.min(column.get(head), column.get(tail)) === number);
    x += widest + Math.max(64, ...leaving.map(({ relation }) => labelWidth(relation) + 36));
  });
  const all = [...nodes.values()];
  const right = Math.max(...all.map((node) => node.x + node.width / 2));
  return { width: right + 8, height: Math.max(...all.map((node) => node.y)) + 30 };
}

function placeDown(columns, rows, edges, nodes, column, widthOf) {
  // On a phone one path is drawn at a time, so a row rarely holds more than one entity.
  const widest = Math.max(...[...rows.keys()].map(widthOf));
  const lowest = Math.min(...rows.values());
  columns.forEach((keys, number) => {
    for (const key of keys || []) {
      const x = 8 + widest / 2 + (rows.get(key) - lowest) * (widest + 16);
      nodes.set(key, { key, x, y: 30 + number * 92, width: widthOf(key), column: number });
    }
  });
  const all = [...nodes.values()];
  return {
    width: Math.max(...all.map((node) => node.x + node.width / 2)) + 90,
    height: Math.max(...all.map((node) => node.y)) + 30,
  };
}
