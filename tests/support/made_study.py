"""Studies that are made up, written with the schema of real ones."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphbrick.study.store.exchanges import pack
from graphbrick.study.store.records import StoredExchange
from graphbrick.study.store.schema import APPLICATION, FIRST, SINCE, VERSION

KINDS = ("link", "extract", "prune", "retrieve", "rerank", "generate")
STARTED = "2026-01-02T03:04:05+00:00"


@dataclass
class Madeup:
    """A pipeline of a made-up study: how good it is, how slow, what it spends."""

    name: str
    right: float = 0.7
    ms: float = 20.0
    tokens: int = 0
    embedding: int | None = None  # tokens of embedders; None as in studies of older versions
    nodes: int = 500
    recipe: str = "PPR(k=1000) >> ShortestPaths(max_hops=3) >> Rerank(MiniLM(), n=32) >> PathAnswer()"
    failed: float = 0.0
    done: float = 1.0
    confident: bool = False
    graph: str = "a" * 16


def write_study(
    path: Path,
    pipelines: Sequence[Madeup],
    n: int,
    *,
    seed: int = 0,
    datasets: Sequence[str] = ("metaqa",),
    hops: Sequence[int | None] = (1, 2, 3),
    label: Callable[[int], str] = lambda i: f"Entity {i}",
    paths: int = 5,
    judge: str = "",
    version: int = VERSION,
) -> Path:
    """Write a study of ``n`` questions a pipeline; the same arguments give the same figures."""
    db = sqlite3.connect(path)
    db.executescript(FIRST + "".join(SINCE[since] for since in range(2, version + 1)))
    db.execute(f"PRAGMA application_id = {APPLICATION}")
    db.execute(f"PRAGMA user_version = {version}")
    machine = {"cpu": "some processor", "cores": 2, "memory": 8 << 30, "system": "Linux", "python": "3.12.1"}
    options = json.dumps({"limit": None, "seed": 0, "workers": 2})
    versions = json.dumps({"graphbrick": "0.1.0", "numpy": "2.1.0"})
    sitting = (1, STARTED, STARTED, "done", options, versions, json.dumps(machine))
    db.execute("INSERT INTO sittings VALUES (?,?,?,?,?,?,?)", sitting)
    db.execute("INSERT INTO files VALUES (1, 'questions.jsonl', ?, ?)", ("f" * 64, n))
    rng = random.Random(seed)
    for graph in dict.fromkeys(pipeline.graph for pipeline in pipelines):
        first = 1 + db.execute("SELECT count(*) FROM questions").fetchone()[0]
        for i in range(n):
            values = _question(first + i, i, graph, datasets[i % len(datasets)], hops[i % len(hops)], label, rng)
            db.execute(f"INSERT INTO questions VALUES ({','.join('?' * 14)})", values)
    for number, pipeline in enumerate(pipelines, 1):
        _write_run(db, number, pipeline, n, label, paths, random.Random(f"{seed} {number}"), version)
        if judge:
            _judge(db, number, judge, label)
    db.commit()
    db.close()
    return path


def _question(
    number: int, i: int, graph: str, dataset: str, hops: int | None, label: Callable[[int], str], rng: random.Random
) -> tuple[Any, ...]:
    answerable = rng.random() < 0.9
    gold = [{"answer": label(i), "names": [label(i), f"alias {i}"], "keys": [f"m.{i}"] if answerable else []}]
    text = f"which {label(i + 1)} belongs to {label(i)}?"
    seeds = json.dumps([[f"m.{i + 1}", label(i + 1)]])
    return (number, graph, dataset, f"q{i}", text, hops, hops if answerable else None, int(answerable), seeds,
            "[]", json.dumps(gold), json.dumps({"pattern": "a_to_b"}), 1, "d")  # fmt: skip


def _write_run(
    db: sqlite3.Connection, number: int, pipeline: Madeup, n: int, label: Callable[[int], str], paths: int,
    rng: random.Random, version: int,
) -> None:  # fmt: skip
    ids = [row[0] for row in db.execute("SELECT id FROM questions WHERE graph_hash = ? ORDER BY id", (pipeline.graph,))]
    done = round(n * pipeline.done)
    recipe = f"{pipeline.recipe}  # {number}"
    run = (number, pipeline.name, recipe, f"/graphs/{pipeline.graph}.graph", pipeline.graph, 0, STARTED,
           STARTED if done == n else None)  # fmt: skip
    db.execute(f"INSERT INTO runs VALUES (?,?,?,?,?,?,?,?{',NULL,NULL' if version > 2 else ''})", run)
    db.executemany("INSERT INTO asked VALUES (?, ?)", [(number, question) for question in ids])
    for i, question in enumerate(ids[:done]):
        failed = rng.random() < pipeline.failed
        right = not failed and rng.random() < pipeline.right
        f1 = 0.0 if failed else rng.choice((1.0, 0.5, 0.8)) if right else rng.choice((0.0, 0.0, 0.4))
        lost = (
            "none" if right else rng.choice(("generation", "ranking", "retrieval", "extraction", "linking", "absent"))
        )
        seconds = [pipeline.ms / 1000 * rng.uniform(0.5, 1.6) * share for share in (0.05, 0.4, 0.15, 0.1, 0.2, 0.1)]
        metrics = {
            "hits_at_1": float(right), "hit": float(f1 > 0), "f1": f1, "subgraph_recall": float(rng.random() < 0.9),
            "nodes": pipeline.nodes * rng.uniform(0.5, 1.5), "path_f1": f1 / 2,
        }  # fmt: skip
        if version > 1:
            metrics |= {"exact_match": float(f1 == 1), "precision": f1, "recall": f1, "rog_hit": float(f1 > 0),
                        "rog_f1": 1.5 * f1, "tog_exact_match": 1.0, "lego_hit": float(f1 > 0)}  # fmt: skip
        if pipeline.confident:
            metrics["confidence"] = round((0.3 if right else 0.0) + 0.07 * ((question * 7) % 10), 2)
        tokens = pipeline.tokens
        ledger = {"calls": 3 if tokens else 0, "tokens_in": tokens, "tokens_out": tokens // 8, "estimated": 0,
                  "waited": 0.0, "cost": tokens * 4e-7, "cache_hits": 0}  # fmt: skip
        if pipeline.embedding is not None:
            ledger |= {"embedding_calls": 1, "embedding_tokens": pipeline.embedding}
            ledger |= {"calls": ledger["calls"] + 1, "tokens_in": tokens + pipeline.embedding}
        stages = [[f"{kind.title()}(n=1)", kind, s] for kind, s in zip(KINDS, seconds, strict=True)]
        error = "the model server is away" if failed else None
        row = (number, question, 1, error, lost, sum(seconds), json.dumps(metrics), json.dumps(ledger),
               json.dumps(stages), 1, paths + 3)  # fmt: skip
        db.execute(f"INSERT INTO results VALUES ({','.join('?' * 11)})", row)
        db.execute(
            "INSERT INTO details VALUES (?,?,?,?,?,?)", _detail(number, question, i, right, stages, label, paths)
        )
        if tokens and version > 1:
            db.execute(
                "INSERT INTO exchanges VALUES (?,?,?)", (number, question, pack([_exchange(label(i), len(KINDS) - 1)]))
            )


def _exchange(text: str, stage: int) -> StoredExchange:
    messages = (("system", "Answer."), ("user", f"Where is {text}?"))
    return StoredExchange(stage, "some-model", messages, f"At {text}.", 12, 3, 0.5, False)


def _judge(db: sqlite3.Connection, run: int, judge: str, label: Callable[[int], str]) -> None:
    """Judge every answer right but each seventh; each fifth verdict is unreadable or, in turn, the judge failed."""
    ledger = json.dumps({"calls": 1, "tokens_in": 90, "tokens_out": 1, "cost": 0.001})
    for (question,) in db.execute("SELECT question FROM results WHERE run = ?", (run,)).fetchall():
        right = None if question % 5 == 0 else int(question % 7 != 0)
        events = json.dumps(["no verdict could be read"] * (right is None))
        error = "the judge is away" if question % 10 == 0 else None
        row = (run, question, judge, right, "model", error, 0.1, ledger, events, pack([_exchange(label(question), 0)]))
        db.execute("INSERT INTO judgements VALUES (?,?,?,?,?,?,?,?,?,?)", row)


def _detail(
    run: int, question: int, i: int, right: bool, stages: list[list[Any]], label: Callable[[int], str], paths: int
) -> tuple[Any, ...]:
    found = [
        {"text": f"{label(i + 1)} -> relation.{k} -> {label(i + k)}", "score": 1 / (k + 1), "source": "ShortestPaths()",
         "right": k == 0} for k in range(paths)
    ]  # fmt: skip
    support = [found[0]["text"]] if found else []
    answers = [{"text": label(i if right else i + 7), "key": f"m.{i}", "right": right, "support": support}]
    kept = [
        {
            "stage": s,
            "kind": k,
            "seconds": t,
            "counts_out": {"nodes": 3},
            "events": ["a cap was reached"] * (k == "rerank"),
        }
        for s, k, t in stages
    ]
    return run, question, json.dumps([[f"m.{i + 1}", label(i + 1)]]), *map(json.dumps, (answers, found, kept))
