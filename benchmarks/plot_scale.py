"""Draws milliseconds against triples from what `ppr_scale.py` printed: ``plot_scale.py OUTPUT ... > scale.svg``.

Of rows that `scale_of_all.py` printed it draws both tasks, with a line for each system, on logarithmic axes.
"""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from pathlib import Path

WIDTH, HEIGHT, LEFT, TOP = 640, 360, 60, 30
OURS = "graphbrick"
TITLES = {
    "two hops": "Entities within two triples of one, processor time",
    "ppr": "1,000 best by personalized PageRank, processor time",
}
SYSTEM_COLOURS = ["#0072b2", "#b26a00", "#009e73", "#c05f95", "#d55e00", "#555555", "#7a5cc9"]
COLOURS = ["#1b6ca8", "#d1495b", "#2e8b57", "#8e5ea2"]


def medians(text: str) -> dict[str, dict[int, float]]:
    """Warm medians for ordinary seeds, by setting and number of triples."""
    found: dict[str, dict[int, float]] = defaultdict(dict)
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 12 and cells[3] == "ordinary":
            found[f"restart {cells[1]}, {cells[2]}"][int(cells[0].replace(",", ""))] = float(cells[5])
    return found


def svg(series: dict[str, dict[int, float]]) -> str:
    """A line for each setting: triples on a logarithmic axis, milliseconds on a linear one from 0."""
    sizes = sorted({size for points in series.values() for size in points})
    top = max(ms for points in series.values() for ms in points.values()) * 1.2
    low, high = math.log10(sizes[0]), math.log10(sizes[-1])

    def place(size: int, ms: float) -> tuple[float, float]:
        x = LEFT + (math.log10(size) - low) / max(high - low, 1e-9) * (WIDTH - LEFT - 20)
        return x, HEIGHT - 40 - ms / top * (HEIGHT - 40 - TOP)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif">']
    parts += ['<rect width="100%" height="100%" fill="white"/>', f'<g font-size="12"><text x="{LEFT}" y="16">']
    parts += ["PPR(k=1000), median of the stage in milliseconds, against triples</text>"]
    for step in range(6):
        x, y = place(sizes[0], top * step / 5)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - 20}" y1="{y:.0f}" y2="{y:.0f}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.0f}" text-anchor="end">{top * step / 5:.0f}</text>')
    for size in sizes:
        x, y = place(size, 0)
        parts.append(f'<text x="{x:.0f}" y="{y + 18:.0f}" text-anchor="middle">{size:.1e}</text>')
    for number, (name, points) in enumerate(sorted(series.items())):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(f"{x:.0f},{y:.0f}" for x, y in (place(*point) for point in sorted(points.items())))
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{LEFT + 12 + 140 * number}" y="{HEIGHT - 6}" fill="{colour}">{name}</text>')
    return "\n".join([*parts, "</g></svg>"]) + "\n"


def of_systems(text: str) -> dict[str, dict[str, dict[int, float]]]:
    """Return median milliseconds of the processor by task, system and triples, from rows of `scale_of_all.py`."""
    found: dict[str, dict[str, dict[int, float]]] = {task: defaultdict(dict) for task in TITLES}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 10 and cells[0] in TITLES:
            triples = float(f"{int(cells[2].replace(',', '')):.0e}")
            found[cells[0]][cells[1]][int(triples)] = float(cells[7].replace(",", ""))
    return found


def apart(heights: dict[str, float], least: float = 14) -> dict[str, float]:
    """Return heights of labels that do not overlap, in the same order."""
    placed, before = dict[str, float](), -math.inf
    for name, y in sorted(heights.items(), key=lambda item: item[1]):
        placed[name] = before = max(y, before + least)
    return placed


def panel(title: str, series: dict[str, dict[int, float]], colours: dict[str, str], left: int) -> list[str]:
    """Return the parts of a drawing of one task, both axes logarithmic."""
    width, bottom, top = 300, HEIGHT - 40, 50
    sizes = sorted({size for points in series.values() for size in points})
    values = [ms for points in series.values() for ms in points.values()]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    first, last = math.log10(sizes[0]), math.log10(sizes[-1])

    def place(size: int, ms: float) -> tuple[float, float]:
        x = left + (math.log10(size) - first) / max(last - first, 1e-9) * width
        return x, bottom - (math.log10(ms) - low) / (high - low) * (bottom - top)

    parts = [f'<text x="{left}" y="24" font-weight="bold">{title}</text>']
    for power in range(low, high + 1):
        y = place(sizes[0], 10.0**power)[1]
        shown = f"{10**power:,} ms" if power >= 0 else f"{10.0**power:g} ms"
        parts.append(f'<line x1="{left}" x2="{left + width}" y1="{y:.0f}" y2="{y:.0f}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 8}" y="{y + 4:.0f}" text-anchor="end" fill="#555">{shown}</text>')
    for size in sizes:
        x = place(size, 10.0**low)[0]
        parts.append(f'<text x="{x:.0f}" y="{bottom + 20}" text-anchor="middle" fill="#555">{size:,}</text>')
    parts.append(f'<text x="{left + width / 2:.0f}" y="{bottom + 36}" text-anchor="middle" fill="#555">triples</text>')
    ends = {name: place(max(points), points[max(points)]) for name, points in series.items()}
    labels = apart({name: y for name, (_, y) in ends.items() if ends[name][0] > left + width - 1})
    labels |= {name: y - 8 for name, (_, y) in ends.items() if name not in labels}
    for name, points in series.items():
        placed = [place(*point) for point in sorted(points.items())]
        path, thick = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed), 3 if name == OURS else 1.5
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colours[name]}" stroke-width="{thick}"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{thick + 1}" fill="{colours[name]}"/>' for x, y in placed]
        parts.append(
            f'<text x="{ends[name][0] + 8:.0f}" y="{labels[name] + 4:.0f}" fill="{colours[name]}">{name}</text>'
        )
    return parts


def systems_svg(tasks: dict[str, dict[str, dict[int, float]]]) -> str:
    """Return a drawing with a panel for each task, with the same colour of a system in both."""
    names = list(dict.fromkeys(name for series in tasks.values() for name in series))
    colours = dict(zip(names, SYSTEM_COLOURS, strict=False))
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="960" height="{HEIGHT}" font-family="sans-serif">']
    parts += ['<rect width="100%" height="100%" fill="white"/>', '<g font-size="12">']
    for number, (task, series) in enumerate(tasks.items()):
        parts += panel(TITLES[task], series, colours, 80 + 460 * number)
    return "\n".join([*parts, "</g></svg>"]) + "\n"


def main() -> None:
    text = "\n".join(Path(file).read_text(encoding="utf-8") for file in sys.argv[1:])
    tasks = of_systems(text)
    print(systems_svg(tasks) if all(tasks.values()) else svg(medians(text)), end="")


if __name__ == "__main__":
    main()
