"""The published systems beside each other: the same model, the same questions, one table.

    python benchmarks/published_systems.py --replies FILE --set metaqa GRAPH QUESTIONS ... [--set freebase ...]
        [--limit 20] [--llm qwen2.5-coder-1.5b] [--server http://127.0.0.1:8080/v1] [--system tog ...]
        [--pipeline NAME "TEXT"] [--trained FOLDER] [--minutes 60] [--block 5] [--recorded]

``--server`` is an OpenAI-compatible server that takes grammars, such as llama.cpp's own, which reads several times
faster if it is compiled for the processor at hand; without it the model runs as ``LocalLLM``.

``--pipeline`` adds a pipeline of another name; ``{model}`` in its text stands for the model.

``--trained`` is a folder of files SET.patterns, SET.towers and SET.writer, such as metaqa.towers, which
train_relation_models.py writes; it adds trained patterns, kelp and gsr.

Replies are kept in a file: a run that was stopped, by hand or by ``--minutes``, goes on where it was, and one over a
full file repeats the table without a call. ``--recorded`` makes no call: it gives the table of what the file holds,
also while another run fills it. Questions are spread evenly over their files and taken in blocks: a few of one set, by
one system after the other, so that the model reads the words that all prompts of a system begin with once and not for
every question; then a block of the next set. Only questions that all systems have are in the table, so a block that is
not finished is not in it. Seeds are given. Replies in words are a third as long as replies in JSON, so the model is
asked in words.

The table has the share of questions with a right entity in the evidence, Hits@1 (with Wilson's interval of 95 %) and F1
over entities; an answer that the model knew by itself counts if its name is that of a right entity, also where others
share it. Own knowledge: the model was asked without evidence. Unfounded: it read evidence, but its first answer stands
nowhere in it. Refused: last calls that found no answer in the evidence. Calls, tokens and seconds are means of a
question, as when the calls were made; those of a search that failed count, too. Unreadable: replies that a stage could
not read, of all replies. A question whose model did not answer in time has no row: run it again.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from graphbrick import LLM, Graph, LocalLLM, Pipeline, Session, parse, recipe
from graphbrick import questions as datasets
from graphbrick.core.errors import ModelTimeoutError, NotRecordedError
from graphbrick.models.llm.reply_cache import asking_anew
from graphbrick.pipeline.interpreter import begin, follow
from graphbrick.questions.grounding import GroundedQuestion, ground
from graphbrick.study.metrics.sets import answer_scores
from graphbrick.study.statistics.intervals import wilson

SYSTEMS = (
    *("rog", "tog", "pog", "structgpt", "structgpt-iterative", "gcr", "dog", "kb-binder"),
    *("graph-cot", "search-on-graph", "12", "14", "model alone"),
)
TRAINED = ("trained patterns", "kelp", "gsr")
HEAD = (
    "| system | n | in evidence | Hits@1 | 95 % | F1 | own knowledge | unfounded | refused "
    "| calls | tokens in | out | seconds | unreadable | errors |"
)
_CONTEXT = 2048  # tokens; without a graphics card, evidence of a hub would take 20 minutes to read on a busy core
_TIMEOUT = 7200  # seconds for a reply: a busy machine is no fault of a system
_MEMORY = 1024  # megabytes for the beginnings of prompts: those of all systems with 2,048 tokens each
_STARTS = 5


def model_of(llm: str, threads: int, server: str, context: int) -> LLM | LocalLLM:
    """The model of all systems: at a server, or on this machine."""
    model = LLM(llm, base_url=server, parallel=1) if server else LocalLLM(llm, threads=threads, memory=_MEMORY)
    return replace(model, structured=False, max_tokens=160, context=context, timeout=_TIMEOUT)


def texts_of(
    systems: list[str], model: LLM | LocalLLM, hypotheses: int, steps: int, drafts: int, trained: str
) -> dict[str, str]:
    """The pipelines of the systems with one model; fewer hypotheses and steps make the run shorter."""
    made: dict[str, str] = {}
    for name in systems:
        if name == "model alone":
            made[name] = f"FromModel({model!r})"
            continue
        if name == "trained patterns":
            made[name] = f"Patterns(PatternScorer('{trained}/{{set}}.patterns')) >> PathAnswer()"
            continue
        parts = {"llm": repr(model), "grammar_llm": repr(model), "sampling_llm": repr(replace(model, temperature=0.3))}
        parts |= {"answer": f"Generate({model!r})"}
        parts |= {"two_towers": f"PathTowers('{trained}/{{set}}.towers')"}
        parts |= {"relation_writer": f"WrittenRelations('{trained}/{{set}}.writer')"}
        text = recipe(name).text(**{part: value for part, value in parts.items() if part in recipe(name).parts})
        text = text.replace("n=10,", f"n={hypotheses},").replace("max_steps=15", f"max_steps={steps}")
        text = text.replace("drafts=6", f"drafts={drafts}")
        if "protocol=" not in text:
            text = text.replace("Agent(", "Agent(protocol='text', llm=")  # as a LocalLLM is asked; a server's is not
        made[name] = text
    return made


def measure(graph: Graph, pipeline: Pipeline, question: GroundedQuestion) -> dict[str, float] | None:
    """All figures of one question, an error scores 0; None if a reply is not recorded, or did not come in time."""
    course = follow(pipeline, begin(pipeline, graph, question.query()))
    run, row = course.run, defaultdict[str, float](float)
    late = sum(stage.facts.get("late_replies", 0) for _, stage in run.trace.walk())
    if isinstance(course.error, NotRecordedError):
        return None
    if late or isinstance(course.error, ModelTimeoutError):
        print(f"{question.question.id}: the model did not answer in time, so that nothing is measured", flush=True)
        return None
    if course.error is not None:
        print(f"{question.question.id}: {course.error}", flush=True)
        row["errors"] = 1.0
    right = set(question.answers)
    if run.evidence is not None:
        row["found"] = float(any(set(item.entities) & right for item in run.evidence.items))
    if run.answer is not None:
        pairs = zip(run.answer.texts, run.answer.entities, strict=True)
        answers = [_meant(graph, text, right) if entity is None else entity for text, entity in pairs]
        answers = list(dict.fromkeys(answers))
        scores = answer_scores(answers, question.gold)
        row["hits"], row["f1"] = scores.hits_at_1, scores.f1
        row["own"] = float(run.answer.from_model and bool(run.answer.texts))
        row["unfounded"] = float(not run.answer.from_model and run.answer.entities[:1] == (None,))
    for _, stage in run.trace.walk():
        row["unread"] += stage.facts.get("unread_replies", 0)
        row["refused"] += stage.facts.get("refusals", 0)
        for exchange in stage.exchanges:
            row["calls"] += exchange.calls
            row["replies"] += 1 + len(exchange.alternatives)
            row["in"] += exchange.tokens_in
            row["out"] += exchange.tokens_out
            row["seconds"] += exchange.seconds
    return row


def _meant(graph: Graph, text: str, right: set[int]) -> int | str:
    """Return the entity of a name, a right one if several share it; the name itself if it is none."""
    named = list(graph.named(text))
    return next((entity for entity in named if entity in right), named[0] if named else text)


def warm_up(model: LLM | LocalLLM) -> None:
    """Ask once, which may take several tries on a busy machine while the model starts: that is no fault of a system."""
    for attempt in range(1, _STARTS + 1):
        try:
            model.complete([{"role": "user", "content": "Hi"}])
        except ModelTimeoutError as error:
            print(f"start {attempt}: {error}", flush=True)
            if attempt == _STARTS:
                raise
        else:
            return


def show(rows: dict[tuple[str, str], dict[int, dict[str, float]]]) -> None:
    """Print a table for each set, over the questions that every system has."""
    for of in dict.fromkeys(of for of, _ in rows):
        several = {name: found for (kind, name), found in rows.items() if kind == of}
        common = sorted(set.intersection(*map(set, several.values())))
        print(f"\n{of}: questions {', '.join(str(i + 1) for i in common) or 'none'}\n\n{HEAD}\n|{'---|' * 15}")
        for name, found in several.items() if common else ():
            print(_line(name, [found[i] for i in common]))


def _line(name: str, rows: list[dict[str, float]]) -> str:
    def mean(figure: str) -> float:
        return statistics.fmean(row.get(figure, 0.0) for row in rows)

    ends = wilson(round(sum(row.get("hits", 0.0) for row in rows)), len(rows))
    hits = f"{mean('found'):.2f} | {mean('hits'):.2f} | {ends.low:.2f} to {ends.high:.2f}"
    quality = f"{hits} | {mean('f1'):.2f} | {mean('own'):.2f} | {mean('unfounded'):.2f} | {mean('refused'):.2f}"
    cost = " | ".join(f"{mean(figure):,.0f}" for figure in ("in", "out", "seconds"))
    unread = mean("unread") / mean("replies") if mean("replies") else 0.0
    return f"| {name} | {len(rows)} | {quality} | {mean('calls'):.1f} | {cost} | {unread:.2f} | {mean('errors'):.2f} |"


def blocks(lengths: dict[str, int], size: int, systems: list[str]) -> Iterator[tuple[str, str, int]]:
    """Yield (set, system, question): blocks in turns of the sets, in each one system after the other.

    >>> list(blocks({"a": 3, "b": 1}, 2, ["x", "y"]))[:6]
    [('a', 'x', 0), ('a', 'x', 1), ('a', 'y', 0), ('a', 'y', 1), ('b', 'x', 0), ('b', 'y', 0)]
    """
    for first in range(0, max(lengths.values()), size):
        for of, length in lengths.items():
            for name in systems:
                for i in range(first, min(first + size, length)):
                    yield of, name, i


def spread(graph: Graph, files: list[str], limit: int) -> tuple[GroundedQuestion, ...]:
    """Questions spread evenly over the files, in turns of the files, so that every beginning is spread as well."""
    share = -(-limit // len(files))
    order = sorted(range(share), key=lambda i: f"{i:020b}"[::-1])  # 0, 16, 8, 4, 12, ...: the first, the middle, ...
    parts = []
    for file in files:
        some = [question for question in datasets.load(Path(file)) if question.answers]
        parts.append([some[i * len(some) // share] for i in order if i < len(some)])
    turns = [part[i] for i in range(share) for part in parts if i < len(part)]
    return ground(graph, turns[:limit]).questions


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--set", nargs="+", action="append", required=True, metavar=("NAME", "GRAPH"))
    arguments.add_argument("--replies", type=Path, required=True, help="where replies are kept")
    arguments.add_argument("--rows", type=Path, help="a file for the figures of every question, JSON lines")
    arguments.add_argument("--llm", default="qwen2.5-coder-1.5b", help="a local model")
    arguments.add_argument("--server", default="", help="address of a server that has the model")
    arguments.add_argument("--context", type=int, default=_CONTEXT, help="tokens that the model reads and writes")
    arguments.add_argument("--threads", type=int, default=0, help="of the model; 1 is fastest on a busy machine")
    arguments.add_argument("--limit", type=int, default=20, help="questions of each set")
    arguments.add_argument("--block", type=int, default=5, help="questions that one system answers after the other")
    arguments.add_argument("--system", action="append", help="a recipe, or 'model alone'; may be repeated")
    arguments.add_argument("--pipeline", nargs=2, action="append", default=[], metavar=("NAME", "TEXT"))
    arguments.add_argument("--trained", default="", metavar="FOLDER", help="files of towers and writers")
    arguments.add_argument("--hypotheses", type=int, default=10, help="paths written by gcr")
    arguments.add_argument("--steps", type=int, default=15, help="of agents")
    arguments.add_argument("--drafts", type=int, default=6, help="logical forms of kb-binder")
    arguments.add_argument("--minutes", type=float, default=float("inf"), help="begin no further question after them")
    arguments.add_argument("--recorded", action="store_true", help="make no call; show what is recorded")
    given = arguments.parse_args()
    systems = given.system or [*SYSTEMS, *(TRAINED if given.trained else ())]
    model = model_of(given.llm, given.threads, given.server, given.context)
    made = texts_of(systems, model, given.hypotheses, given.steps, given.drafts, given.trained)
    made |= {name: text.replace("{model}", repr(model)) for name, text in given.pipeline}
    for name, text in made.items():
        print(f"{name}: `{text}`\n", flush=True)
    sets = {}
    for name, folder, *files in given.set:
        graph = Graph.open(folder)
        sets[name] = graph, spread(graph, files, given.limit)
    rows: dict[tuple[str, str], dict[int, dict[str, float]]] = {(of, name): {} for of in sets for name in made}
    last = time.monotonic() + 60 * given.minutes
    with Session(replies=given.replies, reply_mode="replay" if given.recorded else "record"):
        if not given.recorded and any(repr(model) in text for text in made.values()):
            with asking_anew():
                warm_up(model)
        for of, name, i in blocks({of: len(questions) for of, (_, questions) in sets.items()}, given.block, list(made)):
            if time.monotonic() >= last:
                break
            graph, questions = sets[of]
            row = measure(graph, parse(made[name].replace("{set}", of)), questions[i])
            if row is None:
                continue
            rows[of, name][i] = row
            load = round(os.getloadavg()[0])
            print(f"{of} {i + 1} {name} (load {load}): {dict(row)}", flush=True)
            if given.rows:
                with given.rows.open("a", encoding="utf-8") as out:
                    out.write(json.dumps({"set": of, "question": i, "system": name, "load": load, **row}) + "\n")
    show(rows)


if __name__ == "__main__":
    main()
