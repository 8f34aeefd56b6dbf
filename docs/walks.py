"""The walks of docs/published.md: one question through every published system, with a scripted model.

The replies are written by hand, everything else comes from a run: what the model is shown, the evidence and the answer.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from graphbrick import LLMEmbedder, PathTowers, Run, WrittenRelations, recipe
from graphbrick.learn.train.patterns.relation_writer import train_writer
from graphbrick.learn.train.patterns.towers import train_towers
from graphbrick.questions.question import Question
from graphbrick.testing import Reply, ScriptedLLM, tiny_graph

QUESTION = "Which currency is used in the country whose capital is Nairobi?"
SEED = "Nairobi"
_NO = '{"enough": false, "answer": ""}'
_ANSWER = "Kenyan shilling [1]"
_PATH = "Nairobi <- capital <- Kenya"


def _call(name: str, arguments: str) -> Reply:
    return Reply(tool_calls=[(name, arguments)], finish_reason="tool_calls")


SCRIPTS: dict[str, Sequence[str | Reply]] = {
    "ROG": ["<- capital -> currency", _ANSWER],
    "TOG": ["1: 100", "NO", "2: 100", "YES", _ANSWER],
    "POG": [
        "the country with the capital Nairobi\nits currency", "1", '{"1": "Kenya"}', _NO, "NONE", "2",
        '{"2": "Kenyan shilling"}', '{"enough": true, "answer": "Kenyan shilling"}', _ANSWER,
    ],
    "STRUCTGPT": ["1", "Kenya [1]"],
    "STRUCTGPT-ITERATIVE": ["1", "NO", "2", "YES", _ANSWER],
    "GCR": [
        f"{_PATH} -> currency -> Kenyan shilling", _PATH, f"{_PATH} -> borders -> Uganda",
        f"{_PATH} <- borders <- Uganda", _ANSWER,
    ],
    "DOG": [
        "1", "NO", "Currency of Kenya?", "It is right.", "Which currency is used in Kenya?", "2", "YES", _ANSWER,
    ],
    "KB-BINDER": ['(JOIN (R currency) (JOIN capital "Nairobi"))', _ANSWER],
    "KELP": [_ANSWER],
    "GSR": [_ANSWER],
    "GRAPH-COT": [
        "Thought: find the city.\nAction: retrieve_node[Nairobi]", "Action: neighbours[Nairobi, capital]",
        "Action: neighbours[Kenya, currency]", "Action: finish[Kenyan shilling]", _ANSWER,
    ],
    "SEARCH-ON-GRAPH": [
        _call("explore", '{"entity": "Nairobi"}'), _call("explore", '{"entity": "Nairobi", "relation": "capital"}'),
        _call("explore", '{"entity": "Kenya", "relation": "currency"}'),
        _call("finish", '{"nodes": ["Kenyan shilling"]}'), _ANSWER,
    ],
}  # fmt: skip
"""Replies of the model by recipe, in their order."""

ABOUT = {
    "ROG": (
        "A model plans relation paths, the graph gives every path that follows one of them, and the model "
        "answers from these."
    ),
    "TOG": (
        "A beam search of three steps in which the model gives points to relations, then to entities, and "
        "says after each step whether the paths are enough. If they never are, it answers from what it knows "
        "itself."
    ),
    "POG": (
        "The model splits the question into things to find out, searches for them, keeps notes on each, and "
        "may go back to an entity that it has seen, to follow other relations there."
    ),
    "STRUCTGPT": (
        "The model picks one relation, and conditions where a mediator has some. One step only: a question of "
        "two hops gets the entity on the way."
    ),
    "STRUCTGPT-ITERATIVE": "The same, one relation after the other, until the model finds the facts to be enough.",
    "GCR": (
        "The model writes paths under a grammar of all paths around the seeds, and so none that does not "
        "exist; it sees the question and the start only. Each further path comes from the grammar without "
        "those before."
    ),
    "DOG": (
        "The model picks relations and says whether their facts are enough; if not, a debate of three roles "
        "writes the question that is left."
    ),
    "KB-BINDER": (
        "The model drafts logical forms without seeing the graph; names and relations are bound to those of "
        "the graph, the forms executed, and their answers put to a vote."
    ),
    "KELP": (
        "No model walks: two small towers, trained on questions with answers, compare the question with "
        "relation paths of one and two hops. The model only answers."
    ),
    "GSR": (
        "A small model, trained on questions with answers, writes sequences of relations; the first that "
        "ground in the graph are kept. The model only answers."
    ),
    "GRAPH-COT": "An agent that thinks and calls tools in text, at most 15 steps.",
    "SEARCH-ON-GRAPH": "An agent with one tool: the relations of a node, then the nodes that one of them leads to.",
}
"""What each system does, in a paragraph."""


def run(name: str) -> Run:
    """Run a recipe on the tiny graph with its script."""
    with ExitStack() as stack:
        server = stack.enter_context(ScriptedLLM(SCRIPTS[name]))
        model = f"LLM(base_url={server.base_url!r}, structured=False, parallel=1)"
        needed = recipe(name).parts
        parts = {part: model for part in needed if part.endswith("llm")}
        parts |= {"embedder": "BM25()"} if "embedder" in needed else {}
        if {"two_towers", "relation_writer"} & set(needed):
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            vectors = stack.enter_context(ScriptedLLM(["vectors"]))
            (part,) = {"two_towers", "relation_writer"} & set(needed)
            parts[part] = _trained(part, folder, LLMEmbedder(base_url=vectors.base_url))
        return recipe(name).pipeline(**parts).run(tiny_graph(), QUESTION, seeds=[SEED])


def _trained(part: str, folder: Path, embedder: LLMEmbedder) -> str:
    """Train towers or a writer on the one question."""
    questions = [Question("1", QUESTION, (SEED,), ("Kenyan shilling",))]
    if part == "two_towers":
        train_towers(tiny_graph(), questions, folder / "towers", embedder=embedder, epochs=5)
        return repr(PathTowers(str(folder / "towers")))
    train_writer(tiny_graph(), questions, folder / "writer", embedder=embedder, max_hops=2, epochs=60)
    return repr(WrittenRelations(str(folder / "writer"), beams=1))


def lines(done: Run) -> list[str]:
    """The walk of a run: what the model was shown at each call, its reply, the evidence and the answer."""
    shown = []
    for _, stage in done.trace.walk():
        for exchange in stage.exchanges:
            content = str(exchange.messages[-1].get("content") or "")
            told = " | ".join(line.strip() for line in content.splitlines() if line.strip())
            told = told.replace(f"Question: {QUESTION} | ", "").replace(f" | Question: {QUESTION}", "")
            shown.append(f"model sees:  {_short(told)}")
            calls = [call["function"] for call in exchange.tool_calls]
            reply = "; ".join(f"{call['name']}({call['arguments']})" for call in calls) or exchange.reply
            shown.append(f"  and says:  {_short(' | '.join(reply.splitlines()))}")
    assert done.evidence is not None
    assert done.answer is not None
    shown += [f"evidence:    {text}" for text in done.evidence.texts()[:4]]
    return [*shown, f"answer:      {', '.join(done.answer.texts)}"]


def _short(text: str, most: int = 200) -> str:
    return text if len(text) <= most else f"{text[: most // 2 - 3]} ... {text[-most // 2 + 2 :]}"


def page() -> str:
    """The page of published systems."""
    parts = [_HEAD]
    for name, about in ABOUT.items():
        found = recipe(name)
        parts.append(f"\n## {name.lower()}\n\n{about}\n\n*{found.paper}.* {found.note}\n")
        parts.append(f"\nRead: {found.source}. Published with: {found.setting}.\n")
        parts.append(f"\n```\n{found.shown}\n```\n\nOne question:\n\n```\n" + "\n".join(lines(run(name))) + "\n```\n")
    return "".join(parts)


_CALLS = {
    "ROG": ("2", "a planner, best a tuned one"),
    "TOG": ("3 to 6 after one step, at most 32 from one entity", ""),
    "POG": ("5 to 8 after one step; a step more takes 4 to 47", "an embedder"),
    "STRUCTGPT": ("2, with conditions 3", ""),
    "STRUCTGPT-ITERATIVE": ("2 or 3 a step, at most 8 steps, and 1", ""),
    "GCR": ("11", "a server that obeys grammars, such as LocalLLM"),
    "DOG": ("3 after one step, 5 a step more, at most 13", ""),
    "KB-BINDER": ("2, the first for six drafts; with LocalLLM 7", "an embedder"),
    "KELP": ("1", "`graphbrick train towers`"),
    "GSR": ("1", "`graphbrick train writer`"),
    "GRAPH-COT": ("at most 16", ""),
    "SEARCH-ON-GRAPH": ("at most 16", "a model that calls tools"),
}
_OVERVIEW = "\n".join(
    f"| [{name.lower()}](#{name.lower()}) | {calls} | {needs} | {recipe(name).result or '-'} |"
    for name, (calls, needs) in _CALLS.items()
)
_HEAD = f"""# Published systems

Systems that answer questions over graphs with language models, as recipes over one set of bricks: ask with
`graphbrick ask my.graph "..." --recipe tog --llm MODEL`, compare with `graphbrick evaluate my.graph questions.jsonl
--recipe tog --recipe rog --llm MODEL`.

Each recipe follows the published loop, with its limits and stopping rules. Flaws of released code are named and
left out: one edge for two nodes, names in place of ids, gold answers in the loop, silent ends. Three rules hold for
all of them:

- A reply that cannot be read is an event in the trace, and what follows is stated in the brick's description; none
  ends a search in silence.
- Candidates have numbers, so that no name is read wrongly and none can be invented.
- An answer that the model knows by itself is flagged (`answer.from_model`, in the terminal too), by `FromModel`.

The prompts are files in our own words, in `graphbrick/bricks/retrieve/reasoning/prompts` and the folders `prompts` of
the packages `generate`, `llm` and `patterns`. The last call of all but the agents has the prompt `paths`, which
leaves the model no way out, as published; `Generate` alone lets it say that the paths do not hold the answer. `kelp`
and `gsr` need a model
trained on questions with answers: `graphbrick train towers` and `graphbrick train writer`, minutes on a CPU. What
all of them reach on the same questions with one small model is in
[benchmarks](../benchmarks/notebook/language-models.md). The figures of the papers, as later papers
quote them, were measured with large or tuned models, over all of Freebase, and with a metric of each paper: they say
how good a system can be, not what to expect from a small model.

| recipe | calls of the model for a question | needs | published |
|---|---|---|---|
{_OVERVIEW}

A call more is made where the graph gives no answer: the model then answers from what it knows (not in the last two).
Each step of `tog`, `pog` and `dog` reads prompts of its own, so that a local model on a CPU takes minutes for a
question. With such a model begin with `structgpt`, `rog`, or, where there are questions to train on, `gsr`.

The walks below answer «{QUESTION}» on a graph of ten triples. The replies are written by hand; what the model sees,
the evidence and the answer come from a run.
"""
