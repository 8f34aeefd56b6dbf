// The layout by forces: a worker computes it, so that the page stays quick, and the page takes over places as they come.

/**
 * Make the layout of a graph.
 *
 * @param {object} graph the graph of graphology; its nodes get `x` and `y`.
 * @param {Function} moved called after places were taken over, with whether they are the last ones.
 */
export function forceLayout(graph, moved) {
  let worker = null;
  let run = 0;
  let numbers = new Map(); // key to number, of the nodes that are laid out

  function take({ data }) {
    if (data.run !== run) return; // of a graph that has changed since
    graph.updateEachNodeAttributes((key, node) => {
      const i = numbers.get(key);
      return i === undefined || node.fixed ? node : { ...node, x: data.x[i], y: data.y[i] };
    }, { attributes: ["x", "y"] });
    moved(data.isDone);
    if (!data.isDone) requestAnimationFrame(() => worker?.postMessage({ next: run }));
  }

  return {
    /** Begin anew with the graph as it is now: at most so many rounds, of which only the last is told if `atOnce`. */
    start(rounds, atOnce) {
      run += 1;
      if (graph.order < 2) return;
      if (!worker) {
        worker = new Worker(new URL("./forces-worker.js", import.meta.url));
        worker.addEventListener("message", take);
        worker.addEventListener("error", () => moved(true)); // the console says why; nodes stay where they are
      }
      numbers = new Map(graph.nodes().map((key, i) => [key, i]));
      const places = graph.mapNodes((_, { x, y, fixed }) => [x, y, fixed ? 1 : 0]);
      const ends = graph.mapEdges((_edge, _data, head, tail) => [numbers.get(head), numbers.get(tail)]);
      worker.postMessage({ run, rounds, atOnce, places, ends });
    },
    /** Hold a node where the reader has put it. */
    fix(key, { x, y }) {
      if (numbers.has(key)) worker?.postMessage({ fix: numbers.get(key), x, y });
    },
    end() {
      worker?.terminate();
      worker = null;
    },
  };
}
