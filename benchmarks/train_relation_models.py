"""Train KELP's towers, GSR's writer and relation patterns on a part of question files; measure them on other questions.

    python benchmarks/train_relation_models.py GRAPH QUESTIONS ... --out FOLDER --name metaqa [--learn 300] [--test 100]
        [--leave-out 20] [--measure]

Of every file the questions to learn from and those to test are spread evenly and differ; those that
``published_systems.py --limit 20`` measures are in neither. Seeds are given; answers are read by `PathAnswer`, without
a language model. The reports of the trainings say what is reached on held-out wordings.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

from graphbrick import Graph, parse
from graphbrick import questions as datasets
from graphbrick.learn.train.patterns.patterns import train_patterns
from graphbrick.learn.train.patterns.relation_writer import train_writer
from graphbrick.learn.train.patterns.towers import train_towers
from graphbrick.questions.grounding import ground
from graphbrick.questions.question import Question
from graphbrick.study.metrics.sets import answer_scores
from published_systems import spread


def parts(graph: Graph, files: list[str], learn: int, test: int, leave_out: int) -> dict[str, list[Question]]:
    """Questions to learn from, and to test by file."""
    measured = {found.question.id for n in range(1, leave_out + 1) for found in spread(graph, files, n)}
    made: dict[str, list[Question]] = {"learn": []}
    for file in files:
        free = [question for question in datasets.load(Path(file)) if question.answers and question.id not in measured]
        step = max(len(free) // (learn + test), 1)
        drawn = free[::step][: learn + test]
        made[Path(file).name.partition(".")[0]] = drawn[:: (learn + test) // test or 1][:test]
        taken = {question.id for question in made[Path(file).name.partition(".")[0]]}
        made["learn"] += [question for question in drawn if question.id not in taken]
    return made


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("graph", type=Path)
    arguments.add_argument("questions", nargs="+")
    arguments.add_argument("--out", type=Path, required=True)
    arguments.add_argument("--name", required=True)
    arguments.add_argument("--learn", type=int, default=300, help="questions of each file")
    arguments.add_argument("--test", type=int, default=100, help="questions of each file")
    arguments.add_argument("--leave-out", type=int, default=20, help="questions measured by published_systems.py")
    arguments.add_argument("--measure", action="store_true", help="measure the models that are there; train none")
    given = arguments.parse_args()
    graph = Graph.open(given.graph)
    some = parts(graph, given.questions, given.learn, given.test, given.leave_out)
    learn = some.pop("learn")
    towers, writer, patterns = (given.out / f"{given.name}.{kind}" for kind in ("towers", "writer", "patterns"))
    if not given.measure:
        print(f"patterns\n{train_patterns(graph, learn, patterns, overwrite=True)}\n", flush=True)
        print(f"towers\n{train_towers(graph, learn, towers, overwrite=True)}\n", flush=True)
        print(f"writer\n{train_writer(graph, learn, writer, overwrite=True)}\n", flush=True)
    print("| pipeline | file | questions | Hits@1 | F1 | ms a question |\n|---|---|---|---|---|---|")
    for text in (
        f"Patterns(PathTowers('{towers}'), n=16, max_hops=2, beam_width=4, names='none') >> PathAnswer()",
        f"WrittenRelations('{writer}') >> PathAnswer()",
        f"Patterns(PatternScorer('{patterns}')) >> PathAnswer()",
        "Patterns(MiniLM(), n=16, max_hops=2, beam_width=4, names='none') >> PathAnswer()",
    ):
        pipeline = parse(text)
        for name, questions in some.items():
            rows, started = [], time.perf_counter()
            for question in ground(graph, questions).questions:
                answer = pipeline.run(graph, question.query()).answer
                assert answer is not None
                scores = answer_scores(answer.entities, question.gold)
                rows.append((scores.hits_at_1, scores.f1))
            ms = 1000 * (time.perf_counter() - started) / len(rows)
            hits, both = (statistics.fmean(row[i] for row in rows) for i in (0, 1))
            print(f"| `{text}` | {name} | {len(rows)} | {hits:.3f} | {both:.3f} | {ms:.0f} |", flush=True)


if __name__ == "__main__":
    main()
