"""Quotations from documents: how often they answer, and how often questions without an answer are refused.

python benchmarks/quotes.py DATA FOLDER [--set wild] [--half a] [--pipeline "..."] [--gnome FOLDER]
    [--handbook FOLDER] [--debian FOLDER] [--folders FOLDER] [--fit]

The questions of quotes.jsonl were written from the documents before the product was asked: scraped web pages (wild),
health documents (medquad), the Python language reference (python), the German help of GNOME (gnome-de, Debian's package
gnome-user-docs), and the Debian Administrator's Handbook in Chinese and Arabic (debian-zh, debian-ar, Debian's package
debian-handbook). The pages of a town in English and German, of a port and of a university stand in
benchmarks/quote_pages (town, town-de, port, campus): hours, timetables, fees, names. The constitution of Debian and
what else its package doc-debian has is debian-en. Twenty more sets are folders under --folders: sqlite (26 pages of
Debian's sqlite3-doc), rules (texts of nethack-common and debian-policy), pdf (manuals of shared-mime-info and
libtasn1), faq-de and faq-fr (debian-faq-de, debian-faq-fr), guide-fr (the PDF of maint-guide-fr), click, flask and
gunicorn (docs of their source packages), zoo (PDFs of r-cran-zoo), angband (help of angband-data), aptitude-es
(aptitude-doc-es), fastify (docs of the npm package), privoxy (its HTML manual and FAQ). Two readers who had not seen
this software wrote their questions. A third one did for pillow (its release notes), copier (docs of its source
package), gammu (gammu-doc), nut (PDFs of nut-doc), licences (texts of base-files) and dcru (the Russian help of
doublecmd-help-ru). quote_documents.py makes the folders of printer, devref, manuals and mailtools, and of book,
science, music, home-es and school-pt, whose questions are mostly not in the words of the documents. Half «a» is for
choosing weights, half «b» is for measuring; the confidence was fitted to both halves of town to flask. A quotation
answers if it holds one of the answers, whatever case and emphasis. Questions without an answer are those of
quotes.jsonl that have none, and for wild and medquad each other's questions.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

from graphbrick import MiniLM, Quote, index, parse
from graphbrick.bricks.generate.document_confidence import features
from graphbrick.bricks.generate.sentence_scores import sentence_scores
from graphbrick.core import Answer, Evidence
from graphbrick.demo.reference import reference_documents
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.opening import open as open_graph
from graphbrick.learn.default import default_pipeline, withholding
from graphbrick.models.indexes.embed_graph import embed_graph
from graphbrick.models.logistic import newton
from graphbrick.pipeline import Pipeline
from graphbrick.text.documents.quotable import quotable, snippet
from graphbrick.text.sources.tables import SourceOptions

QUESTIONS = Path(__file__).with_suffix(".jsonl")
SETS = (
    "wild",
    "medquad",
    "python",
    "gnome-de",
    "debian-zh",
    "debian-ar",
    "debian-en",
    "town",
    "town-de",
    "port",
    "campus",
    "sqlite",
    "rules",
    "pdf",
    "faq-de",
    "faq-fr",
    "guide-fr",
    "click",
    "flask",
    "gunicorn",
    "zoo",
    "angband",
    "aptitude-es",
    "fastify",
    "privoxy",
    "pillow",
    "copier",
    "gammu",
    "nut",
    "licences",
    "dcru",
    "printer",
    "devref",
    "manuals",
    "mailtools",
    "book",
    "science",
    "music",
    "home-es",
    "school-pt",
)
PAGES = Path(__file__).with_name("quote_pages")
_DEBIAN = (
    "bug-log-access bug-log-mailserver bug-mailserver-refcard bug-maint-info bug-maint-mailcontrol bug-reporting "
    "constitution debian-manifesto mailing-lists social-contract source-unpack"
).split()
_HANDBOOKS = {"debian-zh": "zh-CN", "debian-ar": "ar-MA"}
_MALLARD = "{http://projectmallard.org/1.0/}"
_SAMPLE = 100  # questions of another set that are asked


class Result(NamedTuple):
    """One question with what was quoted.

    Attributes:
        has_answer: Whether the documents answer it.
        confidence: The confidence of the answer.
        quotes: Which of the quotations answer; empty if that is not known.
        passages: Which of the passages hold an answer.
    """

    has_answer: bool
    confidence: float
    quotes: list[bool]
    passages: list[bool]


def add_places(parser: argparse.ArgumentParser) -> None:
    """Add the folders of the sets whose documents are not part of this repository."""
    parser.add_argument("--gnome", type=Path, default=Path("/usr/share/help/de/gnome-help"))
    parser.add_argument("--handbook", type=Path, default=Path("/usr/share/doc/debian-handbook/html"))
    parser.add_argument("--debian", type=Path, default=Path("/usr/share/doc/debian"))
    parser.add_argument("--folders", type=Path, default=Path("documents"), help="a folder for each further set")


def main() -> None:
    """Ask every question of the sets, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--set", action="append", choices=SETS)
    parser.add_argument("--half", choices=("a", "b"))
    parser.add_argument("--pipeline")
    add_places(parser)
    parser.add_argument("--show", action="store_true", help="print the quotations that do not answer")
    parser.add_argument("--fit", action="store_true", help="print weights of the confidence, fitted to these questions")
    args = parser.parse_args()
    everything: list[Result] = []
    facts: list[Any] = []
    print("| set | questions | first quote | first three | passage at 1 | at 5 | at 10 | ms |")
    print(f"|{'---|' * 8}")
    for name in args.set or SETS:
        graph = _graph(name, args)
        if graph is None:
            print(f"| {name} | its documents are not there | | | | | | |")
            continue
        pipeline = default_pipeline(graph) if args.pipeline is None else parse(args.pipeline)
        pipeline = withholding(pipeline, 0) or pipeline
        start = time.perf_counter()
        results = [_asked(pipeline, graph, *row, show=args.show) for row in _rows(name, args)]
        known = [one for one in results if one.quotes]
        print(_row(name, known, 1000 * (time.perf_counter() - start) / max(1, len(results))), flush=True)
        everything += results
        print_curve(name, results)
        if args.fit:
            facts += [(*one, name) for row in _rows(name, args) for one in _facts(graph, pipeline, *row)]
    print_curve("all", everything)
    if args.fit:
        print_fit(facts)


def _rows(name: str, args: argparse.Namespace) -> Iterator[tuple[str, list[str], bool]]:
    """Yield question, answers, and whether the documents of a set answer it."""
    with QUESTIONS.open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if row["set"] == name and args.half in (None, row["half"]):
                yield row["question"], row["answers"], bool(row["answers"])
    if name in ("wild", "medquad"):
        for source in ("wild", "medquad"):
            others = _questions_of(source, args.data)
            for i, question in enumerate(others):
                if args.half in (None, "ab"[i % 2]):
                    yield question, [], source == name


def _questions_of(name: str, data: Path) -> list[str]:
    """Return questions that come with a set."""
    if name == "wild":
        with (data / "wild" / "questions.jsonl").open(encoding="utf-8") as lines:
            return [json.loads(line)["question"] for line in lines]
    with gzip.open(data / "medquad" / "documents.jsonl.gz", "rt", encoding="utf-8") as lines:
        every = [section["question"] for line in lines for section in json.loads(line)["sections"]]
    return random.Random(5).sample(every, _SAMPLE)


def _asked(
    pipeline: Pipeline, graph: TextGraph, question: str, answers: list[str], has_answer: bool, *, show: bool
) -> Result:
    run = pipeline.run(graph, question)
    answer, evidence = run.answer or Answer(), run.evidence or Evidence()
    quotes = [_holds(text, answers) for text in answer.texts] if answers else []
    if show and answers and not any(quotes[:1]):
        print(f"{question} {answers}: {answer.texts[:1]}")
    passages = [_holds(item.text, answers) for item in evidence.items]
    return Result(has_answer, answer.confidence or 0.0, quotes or [False] * bool(answers), passages)


def _holds(text: str, answers: list[str]) -> bool:
    return any(_plain(answer) in _plain(text) for answer in answers)


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[*_\"`“”]", "", text).casefold().split())


def _row(name: str, results: list[Result], milliseconds: float) -> str:
    """Return a row of the table of quotations."""
    share = (
        f"{np.mean([any(row[:n]) for row in rows]):.2f}" if rows else "-"
        for rows, n in (
            *(([one.quotes for one in results], n) for n in (1, 3)),
            *(([one.passages for one in results], n) for n in (1, 5, 10)),
        )
    )
    return f"| {name} | {len(results)} | {' | '.join(share)} | {milliseconds:.0f} |"


def print_curve(name: str, results: list[Result]) -> None:
    """Print how many questions are answered and refused at thresholds, and how many quotations are wrong (the risk)."""
    has = np.array([one.has_answer for one in results])
    confidence = np.array([one.confidence for one in results])
    if not has.any() or has.all():
        return
    print(f"\n{name}: {has.sum()} questions with an answer, {(~has).sum()} without")
    print("min_confidence | with an answer: answered | without: refused | first quotes given that do not answer")
    for least in (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        given = confidence >= least
        # Of questions that come with a set, it is not known which quotations answer.
        known = [any(one.quotes[:1]) for one in results if one.confidence >= least and one.quotes]
        risk = f"{1 - np.mean(known):.2f}" if known else "-"
        print(f"{least:.2f} | {given[has].mean():.2f} | {(~given[~has]).mean():.2f} | {risk}")
    print()


def _facts(
    graph: TextGraph, pipeline: Pipeline, question: str, answers: list[str], has_answer: bool
) -> Iterator[tuple[Any, ...]]:
    """Yield what the confidence of a question is computed from, and whether its passages have an answer.

    A question whose answers are known is asked again without the passages that hold them.
    """
    items = (pipeline.run(graph, question).evidence or Evidence()).items
    rest = tuple(item for item in items if not _holds(item.text, answers))
    for some, is_answered in ((items, has_answer), *([(rest, False)] if answers else [])):
        sentences = quotable(some)
        if not sentences or (is_answered and answers and len(rest) == len(items)):
            continue
        similarity = MiniLM().rate(question, [f"{one.heading} {one.text}".strip() for one in sentences])
        scores = sentence_scores(question, sentences, similarity, some)
        best = int(scores.total.argmax())
        quotation = [sentences[i] for i in snippet(sentences, scores.total.tolist(), best, Quote(MiniLM()).around)]
        yield *features(question, some, quotation, scores), is_answered


def print_fit(facts: list[Any]) -> None:
    """Print the weights that fit best, by similarity and by words alone; three of four questions have an answer.

    Sets count alike. The shares are those at .5 of each set by weights that were fitted to the others.
    """
    x = np.array([row[:-2] for row in facts])
    has_answer = np.array([row[-2] for row in facts], dtype=float)
    sets = np.array([row[-1] for row in facts])
    groups = [row[-2:] for row in facts]
    weight = np.array([1 / groups.count(group) for group in groups])
    for name, columns in (("by similarity", [*range(7)]), ("by words", [0, 2, 3, 4, 5])):
        penalty = np.array([0.0, *[0.001] * (len(columns) - 1)])
        prior = np.array([np.log(3), *[0.0] * (len(columns) - 1)])
        given = np.zeros(len(x), dtype=bool)
        for left_out in sorted(set(sets)) if len(set(sets)) > 1 else ():
            rest = sets != left_out
            fitted = newton(x[rest][:, columns], has_answer[rest], penalty, weight[rest] / weight[rest].mean())
            given[~rest] = x[~rest][:, columns] @ (fitted + prior) > 0
        weights = newton(x[:, columns], has_answer, penalty, weight / weight.mean()) + prior
        answered, refused = given[has_answer == 1].mean(), (~given[has_answer == 0]).mean()
        print(f"{name} {weights.round(1).tolist()}; other sets: {answered:.2f} answered, {refused:.2f} refused")


def _graph(name: str, args: argparse.Namespace) -> TextGraph | None:
    """Return the graph of a set, made once, with its passages embedded; None if its documents are not there."""
    data, folder, gnome = args.data, args.folder, args.gnome
    place = folder / f"{name}.graph"
    if not place.exists():
        options = SourceOptions()
        folder.mkdir(parents=True, exist_ok=True)
        if name == "python":
            source = reference_documents()
        elif name == "gnome-de":
            source = _german(gnome, folder / "gnome-de") if gnome.exists() else gnome
        elif name in _HANDBOOKS:
            source = args.handbook / _HANDBOOKS[name]
        elif name == "debian-en":
            source = _current(args.debian, folder / name) if args.debian.exists() else args.debian
        elif (args.folders / name).exists():
            source = args.folders / name
        elif (PAGES / name.removesuffix("-de")).exists():
            source = PAGES / name.removesuffix("-de")
        else:
            source = data / name / "documents.jsonl.gz"
        if name == "medquad":
            options = SourceOptions("sections.answer", "focus", "url", "sections.question")
        if not source.exists():
            return None
        index([source], place, options=options)
    graph = open_graph(place)
    assert isinstance(graph, TextGraph)
    if name not in _HANDBOOKS:  # MiniLM does not read their scripts: words rank
        embed_graph(graph, MiniLM())
    return graph


def _current(source: Path, folder: Path) -> Path:
    """Write the texts of doc-debian without those of earlier years, and return their folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in _DEBIAN:
        file = next(one for one in (source / f"{name}{end}" for end in (".txt", ".txt.gz", ".gz")) if one.exists())
        data = file.read_bytes()
        (folder / f"{name}.txt").write_bytes(gzip.decompress(data) if file.suffix == ".gz" else data)
    return folder


def _german(source: Path, folder: Path) -> Path:
    """Write the pages of a Mallard manual as Markdown, and return their folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for page in sorted(source.glob("*.page")):
        lines = list(_mallard(ElementTree.parse(page).getroot(), 1))
        (folder / f"{page.stem}.md").write_text("\n\n".join(lines), encoding="utf-8")
    return folder


def _mallard(element: Any, level: int) -> Iterator[str]:
    for child in element:
        kind, words = child.tag.removeprefix(_MALLARD), " ".join("".join(child.itertext()).split())
        if kind == "title":
            yield f"{'#' * level} {words}"
        elif kind in ("p", "item"):
            yield words if kind == "p" else f"- {words}"
        elif kind != "info":
            yield from _mallard(child, level + (kind == "section"))


if __name__ == "__main__":
    main()
