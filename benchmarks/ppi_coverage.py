"""How often intervals of prediction-powered shares hold the truth, and how wide they are beside labels alone.

For judges of correlation 0, 0.3, 0.6 and 0.9 with the labels, and 30, 150 and 500 labels among 1,000 further answers,
prints a table and writes a figure: ``ppi_coverage.py [--draws 2000] [--svg docs/figures/ppi_coverage.svg]``. A judge
says ``w Y + (1 - w) U`` with U uniform in [0, 1] and the w that gives the correlation, so that its mean is wrong. A
second table is of answers of several kinds of questions, with a share of their own each and a judge of correlation 0.6.
"""

from __future__ import annotations

import argparse
from math import sqrt
from pathlib import Path
from typing import NamedTuple

import numpy as np

from graphbrick.study.statistics.few_labels import share_of
from graphbrick.study.statistics.prediction_powered import Estimate, Sample, mean_of

OTHERS = 1_000
CORRELATIONS = (0.0, 0.3, 0.6, 0.9)
LABELS = (30, 150, 500)
SHARES = (0.7, 0.9)
KINDS = (((0.9, 0.5), (1, 1)), ((0.97, 0.5), (1, 1)), ((0.97, 0.03), (1, 2)), ((0.95, 0.7, 0.3), (1, 1, 2)))
"""Shares of several kinds of questions, and in what proportion the kinds are."""
LABELS_OF_KINDS = (12, 30, 150)
WAYS = ("labels alone", "PPI", "PPI++", "PPI++ normal", "labels normal")
COLOURS = {30: "#d1495b", 150: "#1b6ca8", 500: "#2e8b57"}


class Cell(NamedTuple):
    """Share of draws in which an interval held, and its mean width, by way."""

    coverage: dict[str, float]
    width: dict[str, float]


def draw(rng: np.random.Generator, share: float, correlation: float, n: int, others: int = OTHERS) -> Sample:
    """Return labels, and the judge's probabilities for labelled and other answers."""
    labels = (rng.random(n + others) < share) * 1.0
    odds = correlation / sqrt(1 - correlation**2) * sqrt(1 / 12) / sqrt(share * (1 - share))
    weight = odds / (1 + odds)
    said = weight * labels + (1 - weight) * rng.random(n + others)
    return Sample(labels[:n], said[:n], said[n:])


def kinds_table(draws: int) -> str:
    """Return coverage and width over several kinds of questions as Markdown; their numbers are chance, too."""
    lines = ["| shares | proportion | labels | labels alone | PPI++ |", "|---|---|---:|---:|---:|"]
    for shares, proportion in KINDS:
        parts = np.array(proportion) / sum(proportion)
        true = float(parts @ np.array(shares))
        for n in LABELS_OF_KINDS:
            rng, found = np.random.default_rng([n, len(shares), round(100 * shares[0])]), list[list[Estimate]]()
            labelled = [round(n * part) for part in parts]
            for _ in range(draws):
                sizes = rng.multinomial(OTHERS, parts)
                strata = [draw(rng, *one) for one in zip(shares, [0.6] * len(shares), labelled, sizes, strict=True)]
                found.append([share_of(strata, weight=weight) for weight in (0.0, None)])
            cells = [
                f"{100 * np.mean([one.low <= true <= one.high for one in way]):.1f} "
                f"({100 * np.mean([one.width for one in way]):.1f})"
                for way in zip(*found, strict=True)
            ]
            between = ", ".join(map(str, shares)), " : ".join(map(str, proportion)), str(n)
            lines.append(f"| {' | '.join([*between, *cells])} |")
    return "\n".join(lines)


def estimates(cases: Sample) -> dict[str, Estimate]:
    """Return the estimates of one draw: those of reports, and the normal ones of ppi-python."""
    return {
        "labels alone": share_of([cases], weight=0.0),
        "PPI": share_of([cases], weight=1.0),
        "PPI++": share_of([cases]),
        "PPI++ normal": mean_of(cases),
        "labels normal": mean_of(cases, weight=0.0),
    }


def measure(share: float, correlation: float, n: int, draws: int) -> Cell:
    """Return the figures of one judge and number of labels."""
    rng = np.random.default_rng([round(100 * share), round(100 * correlation), n])
    held, width = dict.fromkeys(WAYS, 0), dict.fromkeys(WAYS, 0.0)
    for _ in range(draws):
        for way, estimate in estimates(draw(rng, share, correlation, n)).items():
            held[way] += estimate.low <= share <= estimate.high
            width[way] += estimate.width
    return Cell({way: held[way] / draws for way in WAYS}, {way: width[way] / draws for way in WAYS})


def table(cells: dict[tuple[float, int, float], Cell]) -> str:
    """Return the figures as Markdown: coverage in percent, and width in points."""
    titles = ["share", "labels", "correlation", *(f"{way}" for way in WAYS)]
    lines = [f"| {' | '.join(titles)} |", f"|{'---:|' * len(titles)}"]
    for (share, n, correlation), cell in cells.items():
        shown = [f"{100 * cell.coverage[way]:.1f} ({100 * cell.width[way]:.1f})" for way in WAYS]
        lines.append(f"| {share} | {n} | {correlation} | {' | '.join(shown)} |")
    return "\n".join(lines)


def svg(cells: dict[tuple[float, int, float], Cell]) -> str:
    """Return a figure: coverage on the left, width beside labels alone on the right; a row for each share."""
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="760" height="600" font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for row, share in enumerate(SHARES):
        top = 30 + 275 * row
        parts += panel(60, top, f"share {share}: intervals that hold, %", (80, 100), (80, 85, 90, 95, 100))
        parts += panel(450, top, f"share {share}: width, % of labels alone", (0, 200), (0, 50, 100, 150, 200))
        parts.append(f'<rect x="60" y="{at(60, top, 0, 97, 80, 100)[1]:.0f}" width="280" height="40" fill="#eee"/>')
        for n in LABELS:
            one = {r: cells[share, n, r] for r in CORRELATIONS}
            whole = {r: 100 * cell.coverage["PPI++"] for r, cell in one.items()}
            normal = {r: max(80.0, 100 * cell.coverage["PPI++ normal"]) for r, cell in one.items()}
            width = {r: 100 * cell.width["PPI++"] / cell.width["labels alone"] for r, cell in one.items()}
            plain = {r: 100 * cell.width["PPI"] / cell.width["labels alone"] for r, cell in one.items()}
            parts.append(line(60, top, whole, (80, 100), COLOURS[n], ""))
            parts.append(line(60, top, normal, (80, 100), COLOURS[n], "5 4"))
            parts.append(line(450, top, width, (0, 200), COLOURS[n], ""))
            parts.append(line(450, top, plain, (0, 200), COLOURS[n], "2 3"))
    for place, n in enumerate(LABELS):
        parts.append(f'<text x="{60 + 90 * place}" y="590" fill="{COLOURS[n]}">{n} labels</text>')
    parts.append('<text x="330" y="590">solid: PPI++ of reports; dashed: its normal interval; dotted: PPI</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def at(left: float, top: float, correlation: float, value: float, low: float, high: float) -> tuple[float, float]:
    """Return the pixels of a point in a panel of 280 by 200."""
    return left + correlation / 0.9 * 280, top + 20 + 200 * (1 - (value - low) / (high - low))


def panel(left: float, top: float, title: str, ends: tuple[float, float], ticks: tuple[float, ...]) -> list[str]:
    """Return the frame of a panel."""
    parts = [f'<text x="{left}" y="{top + 6}">{title}</text>']
    for tick in ticks:
        _, y = at(left, top, 0, tick, *ends)
        parts.append(f'<line x1="{left}" x2="{left + 280}" y1="{y:.0f}" y2="{y:.0f}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 8}" y="{y + 4:.0f}" text-anchor="end">{tick}</text>')
    for correlation in CORRELATIONS:
        x, y = at(left, top, correlation, ends[0], *ends)
        parts.append(f'<text x="{x:.0f}" y="{y + 16:.0f}" text-anchor="middle">{correlation}</text>')
    return [
        *parts,
        f'<text x="{left + 140}" y="{top + 250}" text-anchor="middle">correlation of judge and labels</text>',
    ]


def line(
    left: float, top: float, values: dict[float, float], ends: tuple[float, float], colour: str, dashes: str
) -> str:
    """Return a line through values by correlation."""
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(left, top, r, v, *ends) for r, v in values.items()))
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"/>'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=2_000)
    parser.add_argument("--svg", type=Path)
    arguments = parser.parse_args()
    cells = {
        (share, n, correlation): measure(share, correlation, n, arguments.draws)
        for share in SHARES
        for n in LABELS
        for correlation in CORRELATIONS
    }
    print(table(cells))
    print(f"\n{kinds_table(arguments.draws)}")
    if arguments.svg is not None:
        arguments.svg.write_text(svg(cells), encoding="utf-8")


if __name__ == "__main__":
    main()
