"""Quality and speed of two source trees side by side, taking turns on one machine.

    python benchmarks/before_after.py BEFORE AFTER [DATA] --work FOLDER [--recipe 1:50 ...] [--ppr 3e7] [--json FILE]

BEFORE and AFTER are checkouts with a ``src`` folder. DATA (or GRAPHBRICK_DATA, or ``../shared/data``) holds
``metaqa/kb.txt.gz`` and ``metaqa/dev_{1,2,3}hop.jsonl.gz``. One table is printed, with a row for each of:

- **trained patterns** on MetaQA: ``--train`` questions of each hop count are learned from, ``--measured`` others are
  measured, whose seeds training has not seen; both trees train on the same questions;
- **recipes** 1, 12 and 14 (``--recipe NAME:QUESTIONS``, questions of each hop count). The first pass embeds what has no
  vector yet and is not measured, so that times are those on vectors at hand;
- **PPR(k=1000)** around ordinary entities, pairs of them and hubs of a synthetic graph of ``--ppr`` triples.

Each tree runs in a process of its own. The two answer the same ten questions in turn, the one that goes first changing
each time, so that other work on the machine slows down both alike. ``ms`` is the median over questions of the fastest
of ``--rounds`` answers. «same» is the share of questions where both trees give the same first answer (for PPR, the mean
overlap of the entities). Hits@1 and F1 are computed here, by one rule for both.

The graphs in the work folder, with the vectors beside them, serve both trees: the tree that comes first makes what is
missing. Give ``--apart`` when one of the trees cannot read what the other writes.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(os.environ.get("GRAPHBRICK_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
HOPS = (1, 2, 3)
RECIPES = ("1:50", "12:1", "14:3")
BLOCK = 10
K = 1000
SIDES = ("before", "after")
Row = dict[str, Any]
Answers = list[dict[str, Any]]


# The process of one tree. It uses public names only, so that one file works with trees of different layout.


def serve() -> None:
    """Read one request a line, write one reply a line."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the tree prints must not mix with the replies
    tree = Tree()
    for line in sys.stdin:
        request = json.loads(line)
        reply = getattr(tree, request.pop("do"))(**request)
        print(json.dumps(reply), file=replies, flush=True)


def first_of(*names: str) -> Any:
    """Import the first of some modules that the tree has: areas were given other names."""
    found = next(name for name in names if find_spec(name.rpartition(".")[0]) and find_spec(name))
    return import_module(found)


class Tree:
    """What one tree is asked to do."""

    def build(self, source: str, graph: str) -> None:
        """Build a graph, unless it is there."""
        from graphbrick import build

        if not Path(graph).is_dir():
            build(source, graph)

    def open(self, graph: str) -> int:
        """Open a graph; returns its number of triples."""
        from graphbrick import Graph

        self.graph = Graph.open(graph)
        return int(self.graph.n_triples)

    def train(self, questions: list[Row], out: str) -> float:
        """Train relation patterns; returns seconds."""
        train_patterns = first_of("graphbrick.learn.train", "graphbrick.train").train_patterns
        Question = first_of("graphbrick.questions", "graphbrick.evaluate.datasets").Question  # noqa: N806 - a class
        made = [Question(q["id"], q["question"], tuple(q["seeds"]), tuple(q["answers"])) for q in questions]
        started = time.perf_counter()
        train_patterns(self.graph, made, out, overwrite=True)
        return time.perf_counter() - started

    def recipe(self, name: str) -> str:
        """The text of a published recipe."""
        from graphbrick import recipe

        return repr(recipe(name).pipeline())

    def ask(self, pipeline: str, questions: list[Row]) -> Answers:
        """Answer questions; returns for each the keys of the answers and milliseconds."""
        from graphbrick import Query, parse

        parsed, replies = parse(pipeline), []
        for question in questions:
            query = Query(question["question"], tuple(self.graph.entity(seed) for seed in question["seeds"]))
            started = time.perf_counter()
            run = parsed.run(self.graph, query)
            ms = 1000 * (time.perf_counter() - started)
            replies.append({"keys": [self.graph.key(entity) for entity in run.answer.entities], "ms": ms})
        return replies

    def extract(self, pipeline: str, questions: list[list[str]]) -> Answers:
        """Extract subgraphs around sets of seeds; returns for each the keys of the entities and milliseconds."""
        from graphbrick import Query, parse

        parsed, replies = parse(pipeline), []
        for seeds in questions:
            query = Query("?", tuple(self.graph.entity(seed) for seed in seeds))
            started = time.perf_counter()
            run = parsed.run(self.graph, query)
            ms = 1000 * (time.perf_counter() - started)
            replies.append({"keys": sorted(self.graph.key(node) for node in run.subgraph.nodes.tolist()), "ms": ms})
        return replies

    def seeds(self, n: int) -> dict[str, list[list[str]]]:
        """Keys of ordinary entities, of pairs of them and of the five largest hubs."""
        graph, rng = self.graph, np.random.default_rng(7)
        degrees = graph.csr.degrees()
        ordinary = np.flatnonzero((degrees > 0) & (degrees < 1000) & (graph.csr.out_degrees() > 0))
        drawn = rng.choice(ordinary, (3, n))
        sets = {"ordinary": drawn[:1].T, "pair": drawn[1:].T, "hub": np.argsort(-degrees, kind="stable")[:5, None]}
        return {kind: [[graph.key(int(node)) for node in nodes] for nodes in rows] for kind, rows in sets.items()}


# The two trees beside each other


class Worker:
    """The process of one tree."""

    def __init__(self, tree: Path) -> None:
        source = tree.resolve() / "src"
        if not (source / "graphbrick").is_dir():
            sys.exit(f"{tree} has no src/graphbrick")
        environment = os.environ | {"PYTHONPATH": str(source)}
        command = [sys.executable, str(Path(__file__).resolve()), "--serve"]
        self._process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __call__(self, do: str, **arguments: Any) -> Any:
        """Ask for one thing and wait for the reply."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps({"do": do, **arguments}), file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            sys.exit(f"the process of one tree ended while it was asked to {do}; its error is above")
        return json.loads(line)

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


class Pair:
    """Both trees; what they are asked is asked in turn."""

    def __init__(self, before: Path, after: Path) -> None:
        self.workers = {"before": Worker(before), "after": Worker(after)}
        self._turn = 0

    def both(self, do: str, *, by: Callable[[str], Row] = lambda side: {}, **arguments: Any) -> dict[str, Any]:
        """Ask both, the one that goes first changing each time.

        Args:
            do: What to do.
            by: Further arguments of one side.
            **arguments: Arguments of both.
        """
        self._turn += 1
        order = SIDES if self._turn % 2 else SIDES[::-1]
        return {side: self.workers[side](do, **arguments, **by(side)) for side in order}

    def measure(
        self, do: str, pipelines: dict[str, str], questions: Sequence[Any], rounds: int
    ) -> dict[str, tuple[list[list[str]], list[float]]]:
        """Answers, and the fastest of some rounds, of each question and side; a round before them is not measured."""
        keys: dict[str, list[list[str]]] = {side: [] for side in SIDES}
        best: dict[str, list[float]] = {side: [] for side in SIDES}
        for start in range(0, len(questions), BLOCK):
            block = list(questions[start : start + BLOCK])
            fastest = {side: [float("inf")] * len(block) for side in SIDES}
            for number in range(rounds + 1):
                replies = self.both(do, questions=block, by=lambda side: {"pipeline": pipelines[side]})
                for side in SIDES:
                    if number:
                        times = [reply["ms"] for reply in replies[side]]
                        fastest[side] = [min(pair) for pair in zip(fastest[side], times, strict=True)]
            for side in SIDES:
                keys[side] += [reply["keys"] for reply in replies[side]]
                best[side] += fastest[side]
        return {side: (keys[side], best[side]) for side in SIDES}


def hits_at_1(keys: Sequence[str], gold: Sequence[str]) -> float:
    """Whether the first answer is right."""
    return float(bool(keys) and keys[0] in gold)


def f1(keys: Sequence[str], gold: Sequence[str]) -> float:
    """F1 of the set of answers."""
    right = len(set(keys) & set(gold))
    return 2 * right / (len(set(keys)) + len(set(gold))) if right else 0.0


def show(name: str, n: int, figures: dict[str, dict[str, float | None]], same: float | None) -> Row:
    """Print one row of the table."""
    cells = [name, str(n)]
    for figure, form in (("hits_at_1", ".3f"), ("f1", ".3f"), ("ms", ".1f")):
        values = [figures[side].get(figure) for side in SIDES]
        cells += ["" if value is None else format(value, form) for value in values]
    ratio = (figures["after"]["ms"] or 0) / (figures["before"]["ms"] or 1)
    cells += [f"{ratio:.2f}", "" if same is None else f"{same:.3f}"]
    print(f"| {' | '.join(cells)} |", flush=True)
    return {"name": name, "n": n, **figures, "ratio": ratio, "same": same}


def answers_row(pair: Pair, name: str, pipelines: dict[str, str], questions: list[Row], rounds: int) -> Row:
    """Measure pipelines on questions."""
    measured = pair.measure("ask", pipelines, questions, rounds)
    figures: dict[str, dict[str, float | None]] = {}
    for side, (keys, ms) in measured.items():
        marked = list(zip(keys, (question["answers"] for question in questions), strict=True))
        figures[side] = {
            "hits_at_1": statistics.fmean(hits_at_1(*one) for one in marked),
            "f1": statistics.fmean(f1(*one) for one in marked),
            "ms": statistics.median(ms),
        }
    firsts = zip(*([keys[:1] for keys in measured[side][0]] for side in SIDES), strict=True)
    return show(name, len(questions), figures, statistics.fmean(one == other for one, other in firsts))


def spread(questions: list[Row], n: int) -> list[Row]:
    """At most n questions, evenly spaced."""
    return [questions[i * len(questions) // n] for i in range(n)] if n < len(questions) else questions


def metaqa(pair: Pair, arguments: argparse.Namespace) -> list[Row]:
    """Trained patterns, and recipes."""
    import gzip

    data, rows = arguments.data / "metaqa", list[Row]()
    questions: dict[int, list[Row]] = {}
    for hops in HOPS:
        with gzip.open(data / f"dev_{hops}hop.jsonl.gz", "rt", encoding="utf-8") as lines:
            questions[hops] = [json.loads(line) for line in lines]
    place = {side: folder_of(arguments, side) for side in SIDES}
    for side in SIDES:
        worker, graph = pair.workers[side], str(place[side] / "metaqa.graph")
        worker("build", source=str(data / "kb.txt.gz"), graph=graph)
        worker("open", graph=graph)
    if arguments.train:
        names = sorted({question["seeds"][0] for of_hops in questions.values() for question in of_hops})
        order = np.random.default_rng(0).permutation(len(names))
        unseen = {names[i] for i in order[: len(names) // 5]}
        learned = [
            question
            for of_hops in questions.values()
            for question in spread([q for q in of_hops if q["seeds"][0] not in unseen], arguments.train)
        ]
        out = {side: str(arguments.work / f"metaqa-{side}.patterns") for side in SIDES}
        # Twice, and the faster one counts: the first time questions are embedded and kernels compiled.
        times = [pair.both("train", questions=learned, by=lambda side: {"out": out[side]}) for _ in range(2)]
        figures: dict[str, dict[str, float | None]] = {
            side: {"ms": 1000 * min(seconds[side] for seconds in times)} for side in SIDES
        }
        rows.append(show(f"training patterns on {len(learned):,} questions", 1, figures, None))
        pipelines = {side: f"Patterns(PatternScorer({out[side]!r})) >> PathAnswer()" for side in SIDES}
        for hops in HOPS:
            chosen = spread([q for q in questions[hops] if q["seeds"][0] in unseen], arguments.measured)
            rows.append(answers_row(pair, f"trained patterns, {hops} hops", pipelines, chosen, arguments.rounds))
    for text in arguments.recipe or RECIPES:
        name, _, n = text.partition(":")
        pipelines = {side: pair.workers[side]("recipe", name=name) for side in SIDES}
        for hops in HOPS if int(n) else ():
            chosen = spread(questions[hops], int(n))
            rows.append(answers_row(pair, f"recipe {name}, {hops} hops", pipelines, chosen, arguments.rounds))
    return rows


def ppr(pair: Pair, arguments: argparse.Namespace) -> list[Row]:
    """Extraction from a synthetic graph."""
    rows, triples = list[Row](), int(float(arguments.ppr))
    text = arguments.work / f"{triples}.tsv"
    for side in SIDES:
        graph = folder_of(arguments, side) / f"{triples}.graph"
        if not graph.is_dir() and not text.exists():
            here = Path(__file__).resolve().parent
            environment = os.environ | {"PYTHONPATH": str(here.parent / "src")}
            command = [sys.executable, str(here / "synthetic.py"), str(triples), str(text)]
            subprocess.run(command, check=True, env=environment, stdout=sys.stderr)
        pair.workers[side]("build", source=str(text), graph=str(graph))
        pair.workers[side]("open", graph=str(graph))
    text.unlink(missing_ok=True)
    sets = pair.workers["before"]("seeds", n=arguments.queries)
    for pipeline in (f"PPR(k={K})", f"PPR(k={K}, restart=0.8, direction='out')"):
        for kind, seeds in sets.items():
            measured = pair.measure("extract", dict.fromkeys(SIDES, pipeline), seeds, arguments.rounds)
            figures: dict[str, dict[str, float | None]] = {
                side: {"ms": statistics.median(ms)} for side, (_, ms) in measured.items()
            }
            found = zip(*(measured[side][0] for side in SIDES), strict=True)
            overlap = statistics.fmean(len({*one} & {*other}) / len({*one} | {*other}) for one, other in found)
            rows.append(show(f"{pipeline}, {triples:,} triples, {kind}", len(seeds), figures, overlap))
    return rows


def folder_of(arguments: argparse.Namespace, side: str) -> Path:
    """The folder with the graphs of one tree."""
    folder: Path = arguments.work / side if arguments.apart else arguments.work
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path, help="a checkout")
    parser.add_argument("after", type=Path, help="another")
    parser.add_argument("data", type=Path, nargs="?", default=DATA)
    parser.add_argument("--work", type=Path, required=True, help="folder for graphs, vectors and trained patterns")
    parser.add_argument("--apart", action="store_true", help="every tree makes its own graphs and vectors")
    parser.add_argument("--rounds", type=int, default=3, help="measured answers of each tree to each question")
    parser.add_argument("--train", type=int, default=1000, help="questions of each hop count to learn from; 0: none")
    parser.add_argument("--measured", type=int, default=100, help="questions of each hop count to measure them on")
    parser.add_argument("--recipe", action="append", help="NAME:QUESTIONS of each hop count; may be repeated")
    parser.add_argument("--ppr", help="triples of the synthetic graph, such as 3e7; none without it")
    parser.add_argument("--queries", type=int, default=30, help="sets of seeds of each kind")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    arguments = parser.parse_args()
    pair = Pair(arguments.before, arguments.after)
    print("| what | n | Hits@1 before | after | F1 before | after | ms before | after | after / before | same |")
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    rows = metaqa(pair, arguments) + (ppr(pair, arguments) if arguments.ppr else [])
    for worker in pair.workers.values():
        worker.close()
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    serve() if sys.argv[1:] == ["--serve"] else main()
