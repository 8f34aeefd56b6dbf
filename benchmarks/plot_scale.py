"""Draws milliseconds against triples from what `ppr_scale.py` printed: ``plot_scale.py OUTPUT ... > scale.svg``."""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from pathlib import Path

WIDTH, HEIGHT, LEFT, TOP = 640, 360, 60, 30
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


if __name__ == "__main__":
    print(svg(medians("\n".join(Path(file).read_text(encoding="utf-8") for file in sys.argv[1:]))), end="")
