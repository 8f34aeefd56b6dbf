"""Measure how fluently the workbench draws parts of a graph, in headless Chromium without a graphics card.

    python -m pip install playwright==1.65.0
    python benchmarks/drawing.py --sizes 1000 3000 5000

For each size: frames a second while forces lay the nodes out, while the drawing is dragged, and while the wheel zooms;
and, as the machine may do other things too, the processor time of a frame in the page and in the process that draws.
The size 0 is an empty drawing: what the browser itself needs for canvases of this size without a graphics card.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "browser"))

WIDTH, HEIGHT = 860, 640  # of the drawing, as on a screen of 1280 by 900

# Triples as of a graph that was opened by hand: hubs with neighbours of their own, and some links between.
DRAW = """async ({ nodes, width, height }) => {
  const { graphCanvas } = await import(new URL("page/js/canvas.js", document.baseURI));
  const box = document.createElement("div");
  box.style.width = `${width}px`; box.style.height = `${height}px`;
  document.querySelector("main").replaceChildren(box);
  const canvas = await graphCanvas(box, { select: () => {}, expand: () => {} });
  let seed = 7;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  for (let i = 0; i < nodes; i += 1) {
    const hub = i < 2 ? 0 : Math.floor(random() * Math.min(i, 2 + i / 12));
    canvas.addNode({ key: `n${i}`, label: `Entity number ${i}`, types: [`type ${i % 7}`] }, `n${hub}`);
    if (i) canvas.addTriple(`n${hub}`, "r", `n${i}`, "relation");
    if (i > 3 && i % 2) canvas.addTriple(`n${i}`, "s", `n${Math.floor(random() * i)}`, "other");
  }
  globalThis.drawn = canvas;
  globalThis.counted = { frames: 0, last: performance.now(), longest: 0 };
  const tick = (now) => {
    const counted = globalThis.counted;
    counted.frames += 1;
    counted.longest = Math.max(counted.longest, now - counted.last);
    counted.last = now;
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
  return [canvas.graph.order, canvas.graph.size];
}"""
LAY_OUT = """() => new Promise((resolve) => {
  const begun = performance.now();
  drawn.onSettled(() => resolve(performance.now() - begun));
  drawn.settle(160);
  drawn.fit();
})"""


def main() -> None:
    """Print a line of figures for each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[0, 1000, 3000, 5000], help="nodes drawn")
    parser.add_argument("--out", type=Path, help="folder for a picture of each drawing")
    arguments = parser.parse_args()
    from graphbrick.graphs.build.builder import build

    listening = import_module("conftest").listening
    sync_playwright = import_module("playwright.sync_api").sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        place = build([("a", "b", "c")], Path(folder) / "small.graph").path
        system = Path("/usr/bin/chromium")
        path = {"executable_path": str(system)} if system.exists() else {}
        with listening(graphs={"small": str(place)}) as address:
            browser = playwright.chromium.launch(args=["--no-sandbox"], **path)
            for size in arguments.sizes:
                page = browser.new_page(viewport={"width": 1280, "height": 900})
                page.on("console", lambda message: message.type == "error" and print(message.text, file=sys.stderr))
                page.goto(f"{address}/#/graph")
                page.wait_for_selector(".graph-stage")
                print(json.dumps(measure(page, size, arguments.out)), flush=True)
                page.close()
            browser.close()


def measure(page: Any, size: int, out: Path | None) -> dict[str, Any]:
    """Return the figures of a drawing of so many nodes."""
    drawn = page.evaluate(DRAW, {"nodes": size, "width": WIDTH, "height": HEIGHT})
    found: dict[str, Any] = {"nodes": drawn[0], "triples": drawn[1]}
    if size > 1:
        with Meter(page, found, "layout"):
            found["layout_s"] = round(page.evaluate(LAY_OUT) / 1000, 1)
        page.wait_for_timeout(300)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        page.locator("main").screenshot(path=out / f"drawing-{size}.png")
    box = page.locator("main > div").bounding_box()
    left, top = box["x"] + 6, box["y"] + 6
    with Meter(page, found, "drag"):
        page.mouse.move(left, top)
        page.mouse.down()
        for step in range(150):
            page.mouse.move(left + 2 * (step % 75), top + (step % 50))
            page.wait_for_timeout(10)
        page.mouse.up()
    page.wait_for_timeout(300)
    with Meter(page, found, "wheel"):
        page.mouse.move(left + WIDTH / 2, top + HEIGHT / 2)
        for step in range(20):
            page.mouse.wheel(0, -240 if step < 10 else 240)
            page.wait_for_timeout(120)
    return found


class Meter:
    """Counts frames, and the processor time of the page and of the process that draws, while a block runs."""

    def __init__(self, page: Any, found: dict[str, Any], name: str) -> None:
        self._page, self._found, self._name = page, found, name

    def __enter__(self) -> None:
        self._page.evaluate("() => { counted.frames = 0; counted.longest = 0; counted.last = performance.now(); }")
        self._begun, self._used = time.perf_counter(), cpu_seconds()

    def __exit__(self, *_: object) -> None:
        counted = self._page.evaluate("counted")
        seconds, frames = time.perf_counter() - self._begun, max(1, counted["frames"])
        used = {name: value - self._used.get(name, 0.0) for name, value in cpu_seconds().items()}
        self._found[self._name] = {
            "fps": round(frames / seconds, 1),
            "longest_ms": round(counted["longest"]),
            **{f"{name}_ms": round(1000 * value / frames, 1) for name, value in used.items()},
        }


def cpu_seconds() -> dict[str, float]:
    """Return the processor time of the pages and of the drawing process of browsers that this process started."""
    parents, used, kinds = {}, {}, {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                kinds[int(folder.name)] = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            parents[int(folder.name)] = int(fields[1])
            used[int(folder.name)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    total = {"page": 0.0, "draw": 0.0}
    for process, kind in kinds.items():
        name = "page" if b"--type=renderer" in kind else "draw" if b"--type=gpu-process" in kind else ""
        if name and _is_own(process, parents):
            total[name] += used[process]
    return total


def _is_own(process: int, parents: dict[int, int]) -> bool:
    while process > 1:
        process = parents.get(process, 0)
        if process == os.getpid():
            return True
    return False


if __name__ == "__main__":
    main()
