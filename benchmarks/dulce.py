"""Ten questions over an index that Microsoft GraphRAG made, by local and global search, with a local model.

    python benchmarks/dulce.py DATA OUT [--model qwen2.5-coder-1.5b] [--threads 1]

DATA is the folder graphrag_dulce (parquet tables and the story). Five questions about single entities are asked by
`LocalSearch`, five about the whole story by `Reports` and `Points`, with small budgets of tokens, because the model
reads a hundred tokens a second. OUT/rows.jsonl has a line a question, so that an interrupted run goes on.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from graphbrick import parse
from graphbrick.core.errors import GraphbrickError
from graphbrick.graphs.corpus import TextGraph
from graphbrick.text.exchange.graphrag.importing import import_graphrag

LOCAL = (
    "Who is the mentor of Sam Rivera?",
    "What is the role of Taylor Cruz in the squad?",
    "What does Jordan Hayes examine?",
    "What is Operation: Dulce?",
    "What is in the mainframe room?",
)
GLOBAL = (
    "What are the main themes of the story?",
    "Which people and groups are important?",
    "What is told about alien technology?",
    "Which conflicts are there between the characters?",
    "Which places matter, and why?",
)
LOCAL_SEARCH = "LocalSearch(MiniLM(), k=5, tokens=1500) >> WriteAnswer({llm}, tokens=1500)"
GLOBAL_SEARCH = "Reports(n=10) >> Points({llm}, n=20, tokens=2000) >> WriteAnswer({llm}, tokens=1500)"


def asked(graph: TextGraph, search: str, text: str, question: str) -> dict[str, object]:
    """Return what one question came to."""
    start = time.monotonic()
    try:
        run = parse(text).run(graph, question)
    except GraphbrickError as error:
        return {"search": search, "question": question, "error": str(error), "seconds": time.monotonic() - start}
    assert run.answer is not None
    assert run.evidence is not None
    ledger = run.trace.ledger
    return {
        "search": search,
        "question": question,
        "answer": run.answer.texts[0] if run.answer.texts else "",
        "citations": len(run.answer.support),
        "evidence": len(run.evidence.items),
        "calls": ledger["calls"],
        "tokens_in": ledger["tokens_in"],
        "tokens_out": ledger["tokens_out"],
        "seconds": round(time.monotonic() - start, 1),
        "events": run.trace.events,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--model", default="qwen2.5-coder-1.5b")
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    place, rows = given.out / "dulce.graph", given.out / "rows.jsonl"
    graph = TextGraph.open(place) if place.is_dir() else import_graphrag(given.data, place).graph
    done = [json.loads(line) for line in rows.read_text("utf-8").splitlines()] if rows.exists() else []
    known = {(row["search"], row["question"]) for row in done}
    llm = f"LocalLLM({given.model!r}, max_tokens=300, context=8192, threads={given.threads})"
    for search, text, questions in (("local", LOCAL_SEARCH, LOCAL), ("global", GLOBAL_SEARCH, GLOBAL)):
        for question in questions:
            if (search, question) in known:
                continue
            row = asked(graph, search, text.format(llm=llm), question)
            with rows.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
            print(json.dumps(row, ensure_ascii=False, indent=1), flush=True)


if __name__ == "__main__":
    main()
