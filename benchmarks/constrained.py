"""Paths under a grammar of those that exist (ConstrainedPaths) against free text, with one model and one prompt.

    python benchmarks/constrained.py --replies FILE --set metaqa GRAPH QUESTIONS ... [--set freebase GRAPH QUESTIONS]
        [--limit 20] [--n 1] [--llm qwen2.5-coder-1.5b] [--threads 1] [--server http://127.0.0.1:8080/v1] [--minutes 30]

Both forms get the same prompt: question, start, and the relations near it. A free reply is one line; it exists if it is
word for word one of the paths that the grammar allows. Hits@1: the end of the first path is an answer; for free text
also if the path does not exist, by the name after its last arrow. Replies are kept in a file, as in
published_systems.py. No prompt is reused, so that the seconds of both hold the reading of the prompt; a ``--server``
must be told so when it is started (llama.cpp: ``--no-cache-prompt``).
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import defaultdict
from pathlib import Path

from graphbrick import LLM, AllPaths, ConstrainedPaths, Graph, GraphbrickError, LocalLLM, Session, Subgraph
from graphbrick.core.trace import StageTrace, Trace, record
from graphbrick.models.llm.messages import Request
from graphbrick.models.llm.replies.replies import one_line
from graphbrick.questions.grounding import GroundedQuestion
from graphbrick.study.metrics.sets import answer_scores
from published_systems import spread

LONGEST = 80  # tokens of a free reply


def cost(entry: StageTrace) -> dict[str, float]:
    """Tokens and seconds of the calls of a stage."""
    calls = entry.exchanges
    return {
        "calls": len(calls),
        "in": sum(call.tokens_in for call in calls),
        "out": sum(call.tokens_out for call in calls),
        "seconds": sum(call.seconds for call in calls),
    }


def constrained(graph: Graph, stage: ConstrainedPaths, question: GroundedQuestion) -> dict[str, float]:
    """Figures of the paths written under the grammar."""
    with record(Trace(), "constrained", "retrieve") as entry:
        paths = stage.retrieve(question.query(), Subgraph(graph)).paths
    ends = list(dict.fromkeys(path.end for path in paths))
    some = bool(set(ends) & set(question.answers))
    figures = {"exist": float(bool(paths)), "hits": answer_scores(ends, question.gold).hits_at_1, "any": float(some)}
    return figures | cost(entry) | {"paths": entry.facts.get("paths_in_grammar", 0.0)}


def free(graph: Graph, stage: ConstrainedPaths, question: GroundedQuestion) -> dict[str, float]:
    """Figures of one path written in free text, with the same prompt."""
    query, view = question.query(), Subgraph(graph)
    found = AllPaths(stage.max_hops, stage.direction, stage.cap).retrieve(query, view)
    texts = {one_line(text) for text in found.texts()}
    messages = stage.messages(query, view, found.paths)
    with record(Trace(), "free", "retrieve") as entry:
        reply = stage.llm.ask_all([Request(messages, max_tokens=LONGEST, stop=("\n",))])[0].text.strip()
    last = reply.replace("<-", "->").rpartition("->")[2].strip()
    ends = graph.named(last)[:1] if last else []
    hits = answer_scores(ends, question.gold).hits_at_1
    return {"exist": float(reply in texts), "hits": hits, "any": hits} | cost(entry) | {"paths": len(texts)}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--set", nargs="+", action="append", required=True, metavar=("NAME", "GRAPH"))
    arguments.add_argument("--replies", type=Path, required=True, help="where replies are kept")
    arguments.add_argument("--llm", default="qwen2.5-coder-1.5b", help="a local model")
    arguments.add_argument("--limit", type=int, default=20, help="questions of each set")
    arguments.add_argument("--n", type=int, default=1, help="hypotheses under the grammar")
    arguments.add_argument("--threads", type=int, default=0, help="of the model")
    arguments.add_argument("--server", default="", help="address of a server that has the model")
    arguments.add_argument("--minutes", type=float, default=float("inf"), help="begin no further question after them")
    given = arguments.parse_args()
    model: LLM | LocalLLM = LocalLLM(given.llm, max_tokens=160, threads=given.threads, reuse=False)
    if given.server:
        model = LLM(given.llm, base_url=given.server, max_tokens=160, timeout=model.timeout, parallel=1)
    stage = ConstrainedPaths(model, n=given.n)
    sets = {}
    for name, folder, *files in given.set:
        graph = Graph.open(folder)
        sets[name] = graph, spread(graph, files, given.limit)
    rows: dict[tuple[str, str], list[dict[str, float]]] = defaultdict(list)
    last = time.monotonic() + 60 * given.minutes
    with Session(replies=given.replies):
        for i in range(given.limit):
            for of, (graph, questions) in sets.items():
                if i >= len(questions) or time.monotonic() >= last:
                    continue
                for name, measure in (("grammar", constrained), ("free text", free)):
                    try:
                        row = measure(graph, stage, questions[i])
                    except GraphbrickError as error:
                        print(f"{questions[i].question.id}: {error}", flush=True)
                        row = {}
                    rows[of, name].append(row)
                    print(f"{of} {i + 1} {name}: {row}", flush=True)
    print(f"\n`{stage!r}`\n")
    print(
        "| set | decoding | n | paths that exist | Hits@1 | a hit | paths around | calls | tokens in | out | seconds |"
    )
    print(f"|{'---|' * 11}")
    for (of, name), some in rows.items():

        def mean(figure: str, some: list[dict[str, float]] = some) -> float:
            return statistics.fmean(row.get(figure, 0.0) for row in some)

        quality = " | ".join(f"{mean(figure):.2f}" for figure in ("exist", "hits", "any"))
        cost_ = " | ".join(f"{mean(figure):,.0f}" for figure in ("paths", "calls", "in", "out", "seconds"))
        print(f"| {of} | {name} | {len(some)} | {quality} | {cost_} |")


if __name__ == "__main__":
    main()
