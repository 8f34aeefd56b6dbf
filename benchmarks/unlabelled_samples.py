"""Learning from the graph alone, on many questions and with several training seeds: Hits@1 with its interval.

    OPENBLAS_NUM_THREADS=1 python benchmarks/unlabelled_samples.py [DATA] [--graph metaqa ...] [--limit 1000]

`unlabelled.py` compares pipelines on 150 questions of a hop count, where one question is .007. This takes more of them
and learns once a training seed, so that neither a question nor a seed decides: 1,000 of each hop count of MetaQA's
development questions, and 1,000 chains each of two and three relations over the family graph that nothing else asks.
The row of a seed says how much the draw of written questions matters; «all» has Wilson's interval over the questions
of one seed, with the mean of all seeds in it, since the seeds answer the same questions.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import family
from graphbrick import parse
from graphbrick.learn.learning import learn
from graphbrick.questions.grounding import ground
from graphbrick.questions.question import Question
from graphbrick.questions.sampling import sample_each
from graphbrick.study.statistics.intervals import wilson
from metaqa import measure
from unlabelled import DATA, GRAPHS

_FAMILY_SEED = 100  # of the chains; others were looked at while learning was written


def chains(n: int) -> list[Question]:
    """Return chains over the family graph that no other script asks, ``n`` of two relations and ``n`` of three."""
    found = family.questions(family.triples(), n, seed=_FAMILY_SEED)
    known = {str(one["question"]) for seed in range(10) for one in family.questions(family.triples(), seed=seed)}
    return [
        Question(str(one["id"]), str(one["question"]), seeds=tuple(one["seeds"]), answers=tuple(one["answers"]),  # type: ignore[arg-type]
                 hops=int(str(one["hops"])))
        for one in found if one["question"] not in known
    ]  # fmt: skip


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path, nargs="?", default=DATA)
    arguments.add_argument("--graph", action="append", choices=["metaqa", "family", "world"])
    arguments.add_argument("--limit", type=int, default=1_000, help="questions of each hop count")
    arguments.add_argument("--seeds", type=int, default=3, help="training seeds")
    given = arguments.parse_args()
    print("| graph | hops | n | training seed | Hits@1 | 95 % | F1 | median ms |\n|---|---|---|---|---|---|---|---|")
    for name in given.graph or ["metaqa", "family", "world"]:
        with tempfile.TemporaryDirectory() as temporary:
            graph, loaded = GRAPHS[name](given.data, Path(temporary))
            every = chains(given.limit) if name == "family" else sample_each(loaded, given.limit, seed=1)
            chosen = ground(graph, every)
            first: dict[str, list[float]] = {}
            for seed in range(given.seeds):
                place = Path(temporary) / f"{seed}.patterns"
                learn(graph, place, seed=seed)
                pipeline = parse(f"Patterns(PatternScorer({str(place)!r}), n=32, max_hops=3) >> PathAnswer()")
                pipeline.run(graph, chosen.questions[0].query())  # compile and load before the clock runs
                for hops, some in chosen.split("hops").items():
                    row = measure(graph, pipeline, some.questions)
                    first.setdefault(str(hops), []).append(row["hits_at_1"])
                    print(f"| {name} | {hops} | {row['n']} | {seed} | {row['hits_at_1']:.3f} | {row['low']:.3f} to "
                          f"{row['high']:.3f} | {row['f1']:.3f} | {row['ms']:.1f} |", flush=True)  # fmt: skip
            for hops, some in chosen.split("hops").items():
                means, n = first[str(hops)], len(some.questions)
                mean = sum(means) / len(means)
                _, low, high, _ = wilson(round(mean * n), n)
                print(f"| {name} | {hops} | {n} | all | {mean:.3f} | {low:.3f} to {high:.3f} | | |", flush=True)


if __name__ == "__main__":
    main()
