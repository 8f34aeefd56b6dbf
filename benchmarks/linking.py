"""Linking: recall@1, recall@5 and precision of the seeds that a link stage finds, and milliseconds a question.

    python benchmarks/linking.py [DATA] [--linker "LinkLabels()" ...] [--graph metaqa ...] [--limit 300] [--json FILE]
        [--patterns FOLDER]

DATA (or GRAPHBRICK_DATA, or ``../shared/data``) holds ``metaqa`` and ``freebase``; the world graph comes with packages.
Each question is linked as it is written, in lower case, and with one typing error in the name of its first seed: a
letter left out, doubled, replaced, or swapped with the next one, never the first of a word, drawn by ``--seed``. A name
without a word of four letters, or that the question does not contain, stays as it is.

Gold seeds are those of the files. A question in which nothing is found scores 0. With ``--patterns`` (what ``graphbrick
learn`` or ``train patterns`` wrote for the one graph named) Hits@1 and F1 of the answers are measured too, by
``Patterns(PatternScorer(FOLDER)) >> PathAnswer()`` behind the linker, also over the ambiguous questions alone.
"""

from __future__ import annotations

import argparse
import json
import random
import string
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from extraction_recall import graph_of
from graphbrick import Graph, GraphbrickError, LinkLabels, Query, parse
from graphbrick.core.errors import LinkError
from graphbrick.language.folding import nfc, tokens
from graphbrick.questions.grounding import GroundedQuestion, ground
from graphbrick.questions.loading import load
from graphbrick.questions.sampling import sample_each
from graphbrick.study.metrics.linking_metrics import LINKING_METRICS, linking_scores
from graphbrick.study.metrics.sets import answer_scores
from unlabelled import DATA, metaqa, world


def freebase(data: Path, work: Path) -> tuple[Graph, list[Any]]:
    """Return the core of Freebase and its questions, of which many name entities that share a label."""
    return graph_of(data, "freebase", work), list(load(data / "freebase" / "questions_dev.jsonl.gz"))


GRAPHS = {"metaqa": metaqa, "world": world, "freebase": freebase}


def mistyped(text: str, name: str, rng: random.Random) -> str:
    """Return the text with one typing error in the first occurrence of a name."""
    words, wanted = tokens(nfc(text)), [token.text for token in tokens(nfc(name))]
    for at in range(len(words) - len(wanted) + 1) if wanted else ():
        part = words[at : at + len(wanted)]
        if [word.text for word in part] != wanted:
            continue
        long = [word for word in part if word.end - word.start >= 4]
        if not long:
            return text
        word = rng.choice(long)
        place = rng.randrange(word.start + 1, word.end - 1)
        a, b = text[place], text[place + 1]
        kinds = {"left out": b, "doubled": a + a + b, "replaced": rng.choice(string.ascii_lowercase) + b,
                 "swapped": b + a}  # fmt: skip
        changes = [changed for changed in kinds.values() if changed != a + b]
        return nfc(text)[:place] + rng.choice(changes) + nfc(text)[place + 2 :]
    return text


def forms(graph: Graph, question: GroundedQuestion, seed: int) -> Iterator[tuple[str, str]]:
    """Yield name and text of each form of a question."""
    text = question.question.text
    yield "as written", text
    yield "lower case", text.lower()
    rng = random.Random(f"{seed} {question.question.id}")
    names = [name for entity in question.seeds[:1] for name in (graph.label(entity), *graph.aliases(entity))]
    changed = (mistyped(text, name, rng) for name in sorted(names, key=len, reverse=True))
    yield "typing error", next((some for some in changed if some != text), text)


def measure(graph: Graph, linker: Any, questions: list[GroundedQuestion], seed: int) -> dict[str, dict[str, float]]:
    """Return the mean measures and the milliseconds of each form."""
    rows: dict[str, list[tuple[float, ...]]] = {}
    for question in questions:
        gold = [*question.seeds, *(None for _ in question.missing_seeds)]
        for form, text in forms(graph, question, seed):
            started = time.perf_counter()
            try:
                query = linker.link(graph, Query(text))
            except GraphbrickError:
                query = Query(text)
            ms = 1000 * (time.perf_counter() - started)
            rows.setdefault(form, []).append((*linking_scores(query, gold), ms))
    found = {}
    for form, values in rows.items():
        table = np.array(values)
        found[form] = dict(zip(LINKING_METRICS, table[:, :3].mean(axis=0).tolist(), strict=True))
        found[form] |= {"ms": float(np.median(table[:, 3])), "ms_95": float(np.percentile(table[:, 3], 95))}
    return found


def answers(
    graph: Graph, linker: str, patterns: Path, questions: list[GroundedQuestion], seed: int
) -> dict[str, dict[str, float]]:
    """Return Hits@1 and F1 of the answers to each form, over all questions and over those with an ambiguous mention."""
    pipeline = parse(f"{linker} >> Patterns(PatternScorer({str(patterns)!r})) >> PathAnswer()")
    rows: dict[str, list[tuple[float, float, bool]]] = {}
    for question in questions:
        for form, text in forms(graph, question, seed):
            row = 0.0, 0.0, False
            with suppress(LinkError):
                run = pipeline.run(graph, text)
                found = () if run.answer is None else run.answer.entities
                ambiguous = any(mention.others for mention in run.query.mentions)
                scores = answer_scores(found, question.gold)
                row = scores.hits_at_1, scores.f1, ambiguous
            rows.setdefault(form, []).append(row)
    return {form: _means(np.array(values)) for form, values in rows.items()}


def _means(table: Any) -> dict[str, float]:
    several = table[table[:, 2] > 0]
    return {"hits_at_1": table[:, 0].mean(), "f1": table[:, 1].mean(), "ambiguous": len(several),
            "hits_at_1 of these": several[:, 0].mean(), "f1 of these": several[:, 1].mean()}  # fmt: skip


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path, nargs="?", default=DATA)
    arguments.add_argument("--linker", action="append", help="recipe text of a link stage; may be repeated")
    arguments.add_argument("--graph", action="append", choices=[*GRAPHS], help="may be repeated; all without it")
    arguments.add_argument("--limit", type=int, default=300, help="questions of each hop count")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--patterns", type=Path, help="learned or trained patterns of the graph")
    arguments.add_argument("--work", type=Path, help="keep the graphs here")
    arguments.add_argument("--json", type=Path, help="write the figures here too")
    given = arguments.parse_args()
    rows = []
    print("| graph | linker | n | form | recall@1 | recall@5 | precision | ms, median | ms, 95 % |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        work = given.work or Path(temporary)
        for name in given.graph or GRAPHS:
            graph, questions = GRAPHS[name](given.data, work)
            chosen = ground(graph, sample_each(questions, given.limit, seed=given.seed)).questions
            scored = [question for question in chosen if question.question.seeds]
            for text in given.linker or [repr(LinkLabels())]:
                linker = parse(text)
                linker.link(graph, Query(f"Where is {graph.label(0)}?"))  # load before the clock runs
                for form, row in measure(graph, linker, scored, given.seed).items():
                    rows.append({"graph": name, "linker": text, "n": len(scored), "form": form, **row})
                    cells = [f"{row[metric]:.3f}" for metric in LINKING_METRICS]
                    times = f"{row['ms']:.2f} | {row['ms_95']:.2f}"
                    print(f"| {name} | {text} | {len(scored)} | {form} | {' | '.join(cells)} | {times} |", flush=True)
                if given.patterns:
                    for form, means in answers(graph, text, given.patterns, scored, given.seed).items():
                        rows.append({"graph": name, "linker": text, "n": len(scored), "form": form, **means})
                        print(f"{text}, {form}: " + ", ".join(f"{key} {mean:.3f}" for key, mean in means.items()))
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
