"""The improvements of the technical report and the systems in the framework: what each does otherwise than its base."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from faults import fails

from graphbrick import Run, parse, recipe
from graphbrick.core.errors import PipelineError
from graphbrick.recipes import published
from graphbrick.testing import Request, ScriptedLLM, tiny_graph

QUESTION = "Which currency is used in the country whose capital is Nairobi?"
SHILLING = "Nairobi <- capital <- Kenya -> currency -> Kenyan shilling"
NAMES = [name for name, found in published().items() if re.search("improved$|as settings$", found.group)]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def listed(request: Request) -> list[str]:
    """The candidates of a prompt in their order."""
    return re.findall(r"^[0-9]+\. (.*)$", request.prompt.split("Candidates:")[1], re.MULTILINE)


def says(request: Request) -> str:
    """A model that names the candidates about currencies, or else all; plans the right path; is never done."""
    if "Candidates:" in request.prompt:
        texts = listed(request)
        useful = [i for i, text in enumerate(texts, 1) if "currency" in text] or range(1, len(texts) + 1)
        return ", ".join(map(str, useful))
    return "<- capital -> currency" if "Relations:" in request.prompt else "NO"


def run_of(name: str, script: Callable[[Request], str] = says) -> tuple[Run, list[Request]]:
    """A run of a recipe over the tiny graph with BM25 for all embedding models, and the calls of the language model."""
    found = recipe(name)
    with ScriptedLLM(script) as server:
        models = {"llm": f"LLM(base_url={server.base_url!r}, structured=False)"}
        models |= dict.fromkeys(("embedder", "tuned_embedder", "llm_embedder"), "BM25()")
        pipeline = found.pipeline(**{part: text for part, text in models.items() if part in found.parts})
        return pipeline.run(tiny_graph(), QUESTION, seeds=["Nairobi"]), list(server.requests)


def paths(run: Run) -> list[str]:
    assert run.evidence is not None
    return [path.text for path in run.evidence.paths]


@pytest.mark.whole
@pytest.mark.parametrize("name", NAMES)
def test_each_finds_the_answer(name: str) -> None:
    found = recipe(name)
    run, calls = run_of(name)
    assert bool(calls) == found.uses_llm
    assert found.figures.keys() <= {"path_f1_cwq", "path_f1_webqsp"}
    assert all(0 < figure < 1 for figure in found.figures.values())
    if name == "KELP-1HOP":
        assert paths(run) == ["Nairobi <- capital <- Kenya"]
    else:
        assert SHILLING in paths(run)
    if not found.needs:
        assert parse(found.shown) == found.pipeline()


def test_triple_scores_the_last_triple_and_dynamic_keeps_what_is_above_the_mean() -> None:
    triple, base = run_of("TRIPLE")[0], run_of("14")[0]
    assert triple.evidence is not None
    assert base.evidence is not None
    assert [path.score for path in triple.evidence.paths] != [path.score for path in base.evidence.paths]
    dynamic = paths(run_of("DYNAMIC")[0])
    # Step 1 has one candidate. Of those of step 2, only the one with the currency is above their mean.
    assert [text for text in dynamic if text.count(" <- ") + text.count(" -> ") <= 4] == [
        "Nairobi <- capital <- Kenya", SHILLING,
    ]  # fmt: skip


def test_an_llm_refines_the_paths_of_the_beam() -> None:
    refined, calls = run_of("LLMS-R")
    base, base_calls = run_of("15")
    assert len(calls) == len(base_calls) + 1
    assert sorted(listed(calls[-1])) == sorted(paths(base))
    assert set(paths(refined)) == {text for text in paths(base) if "currency" in text}
    assert len(paths(refined)) < len(paths(base))


def test_an_llm_stops_the_beam() -> None:
    run, _ = run_of("LLMS-ES", lambda request: says(request) if "Candidates:" in request.prompt else "YES")
    assert paths(run) == ["Nairobi <- capital <- Kenya"]


def test_an_embedding_model_fills_up_what_the_llm_names() -> None:
    named, filled = paths(run_of("EEMS-PF")[0]), paths(run_of("EEMS-S")[0])
    assert set(named) < set(filled)
    assert paths(run_of("15")[0]) == named
    first = paths(run_of("13")[0])
    assert first
    assert all("currency" in text for text in first)
    assert paths(run_of("EEMS-S-OSAR")[0])[: len(first)] == first
    assert len(paths(run_of("EEMS-S-OSAR")[0])) > len(first)


def test_the_choice_of_the_llm_in_the_order_of_the_embedding_model() -> None:
    def backwards(request: Request) -> str:
        return ", ".join(reversed(says(request).split(", ")))

    run, chosen = run_of("EEMS-R", backwards)[0], run_of("13", backwards)[0]
    by_embeddings = [text for text in paths(run_of("12")[0]) if text in paths(chosen)]
    assert sorted(paths(run)) == sorted(paths(chosen))
    assert run.evidence is not None
    scores = [path.score for path in run.evidence.paths]
    assert scores == sorted(scores, reverse=True)
    assert paths(run)[0] == by_embeddings[0]


def test_three_rounds_refine_the_choice() -> None:
    def but_the_last(request: Request) -> str:
        return ", ".join(map(str, range(1, len(listed(request))))) or "NONE"

    run, calls = run_of("M-LLMS", but_the_last)
    shown = [listed(call) for call in calls]
    assert [len(texts) for texts in shown] == [len(shown[0]) - i for i in range(3)]
    assert sorted(paths(run)) == sorted(shown[2][:-1])


def test_the_systems_in_the_framework() -> None:
    planned, calls = run_of("ROG-PPR")
    assert (paths(planned), len(calls)) == ([SHILLING], 1)
    assert planned.subgraph is not None
    assert planned.subgraph.nodes is not None
    found, _ = run_of("TOG-ST")
    assert found.evidence is not None
    hops = [path.hops for path in found.evidence.paths]
    assert max(hops) <= 3
    assert max(map(hops.count, hops)) <= 3


@pytest.mark.parametrize(("name", "part"), [("LLMS-E", "llm_embedder"), ("KELP-1HOP", "tuned_embedder")])
def test_models_that_nobody_has_at_first_must_be_set(name: str, part: str) -> None:
    with fails("recipe.needs_part", PipelineError, part=part) as caught:
        recipe(name).pipeline()
    assert "such as " in str(caught.value)
