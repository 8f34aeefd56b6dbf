"""Pipelines with one choice changed."""

from __future__ import annotations

import pytest

from graphbrick import parse
from graphbrick.study.tune.race import Candidate
from graphbrick.study.tune.result.changes import changes_of
from graphbrick.study.tune.space.space import Space
from graphbrick.study.tune.space.trees import allows, matches

SCORERS = ("WordAlignment(MiniLM())", "MiniLM()", "BM25()")
SPACE = Space(
    {
        "extract": ("", "PPR()", "KHop()", "PPR() | KHop()"),
        "prune": ("", "PruneEdges($scorer)"),
        "retrieve": ("ShortestPaths()", "AllPaths()", "BeamSearch($scorer)"),
        "rerank": ("", "Rerank($scorer)"),
        "generate": ("PathAnswer()",),
    },
    {"scorer": SCORERS},
)


def changes(text: str, space: Space = SPACE) -> dict[str, str]:
    """Return the changed pipelines by the change in words."""
    found = list(changes_of(Candidate("#1", text, parse(text).identity()), space))
    texts = {change.what: change.changed.text for change in found}
    assert len(texts) == len(found) == len({change.changed.name for change in found})
    assert all(repr(parse(one)) == one for one in texts.values())
    return texts


def test_models_with_drawn_parameters_are_replaced_and_used_by_what_is_put_in() -> None:
    found = changes("ShortestPaths() >> Rerank(BM25(k1=0.9), n=8) >> PathAnswer()")
    assert found["MiniLM() instead of BM25(k1=0.9)"] == "ShortestPaths() >> Rerank(MiniLM(), n=8) >> PathAnswer()"
    assert "BM25() instead of BM25(k1=0.9)" not in found
    assert "with PruneEdges(BM25(k1=0.9), n=64)" in found
    assert "BeamSearch(BM25(k1=0.9)) instead of ShortestPaths" in found


def test_the_encoder_of_a_model_is_not_a_model_of_the_pipeline() -> None:
    found = changes("ShortestPaths() >> Rerank(WordAlignment(MiniLM()), n=8) >> PathAnswer()")
    others = {what for what in found if "instead of WordAlignment" in what or "instead of MiniLM" in what}
    assert others == {f"{new} instead of WordAlignment(MiniLM())" for new in ("MiniLM()", "BM25()")}


def test_models_whose_text_leaves_out_what_is_written_are_found() -> None:
    models = {"scorer": ("CrossEncoder('cross-encoder/ms-marco-MiniLM-L6-v2')", "CrossEncoder('other')", "BM25()")}
    space = Space({"retrieve": ("ShortestPaths()",), "rerank": ("Rerank($scorer)",)}, models)
    one = repr(parse(f"ShortestPaths() >> Rerank({models['scorer'][1]})"))
    found = changes(one, space)
    assert any(what.startswith("BM25() instead of CrossEncoder(") for what in found)
    assert sum("instead of CrossEncoder(" in what for what in found) == 2


def test_models_with_names_that_begin_alike_are_two() -> None:
    stages = {"retrieve": ("ShortestPaths()",), "rerank": ("", "Rerank(LLMListwiseScorer($llm2))")}
    space = Space(stages | {"generate": ("Generate($llm)",)}, {"llm": ("LLM('a')", "LLM('c')"), "llm2": ("LLM('b')",)})
    found = changes("ShortestPaths() >> Generate(LLM('a'))", space)
    assert "LLM(model='c') instead of LLM(model='a')" in found
    assert not any("LLM(model='b') instead" in what for what in found)
    assert any("Rerank(LLMListwiseScorer(LLM(model='b')" in text for text in found.values())


def test_a_union_is_a_stage_of_the_kind_of_its_branches() -> None:
    found = changes("(PPR(k=50) | KHop()) >> ShortestPaths() >> PathAnswer()")
    assert found["without PPR | KHop"] == "ShortestPaths() >> PathAnswer()"
    assert found["KHop() instead of PPR | KHop"] == "KHop() >> ShortestPaths() >> PathAnswer()"
    assert found["AllPaths() instead of ShortestPaths"].startswith("(PPR(k=50) | KHop()) >> AllPaths()")
    assert not any("Union" in what or what.startswith("PPR(k=1000) | KHop() instead") for what in found)


def test_a_stage_is_united_with_another_after_all_other_changes() -> None:
    found = list(changes("PPR(k=50) >> ShortestPaths() >> PathAnswer()"))
    assert found[-1] == "PPR(k=1000) | KHop() instead of PPR"
    assert sum("|" in what for what in found) == 1
    assert not any("|" in what for what in changes("ShortestPaths() >> PathAnswer()"))  # one thing at a time


def test_equal_changes_of_two_stages_have_two_names() -> None:
    found = changes("PPR() >> PruneEdges(BM25(), n=128) >> PruneEdges(MiniLM(), n=8) >> AllPaths() >> PathAnswer()")
    assert {"without PruneEdges (stage 2)", "without PruneEdges (stage 3)"} <= found.keys()


@pytest.mark.parametrize(
    ("option", "text", "same"),
    [
        ("PPR()", "PPR(k=50)", True),
        ("PPR(k=100)", "PPR(k=50)", False),
        ("PPR() | KHop()", "PPR(k=50) | KHop(max_hops=1)", True),
        ("PPR() | KHop()", "PPR()", False),
        ("Rerank($scorer)", "Rerank(BM25(k1=0.9), n=8)", True),
        ("Rerank($scorer)", "Rerank(NGram())", False),
        ("Rerank(BM25(), n=8)", "Rerank(BM25(), n=8)", True),
        ("", "PPR()", False),
    ],
)
def test_an_option_is_what_its_text_names_with_any_other_parameters(option: str, text: str, same: bool) -> None:
    assert matches(option, parse(text), SPACE.models) is same


def test_what_a_space_allows() -> None:
    text = "PPR(k=50) >> ShortestPaths() >> Rerank(NGram(), n=8) >> PathAnswer()"
    assert allows(SPACE, parse(text), ["extract", "prune", "retrieve", "link"])
    assert not allows(SPACE, parse(text), ["rerank"])
    assert not allows(SPACE, parse("LinkLabels() >> AllPaths()"), ["link"])
    assert allows(SPACE, parse("AllPaths() >> PathAnswer()"), ["generate"])
    assert not allows(Space({"extract": ("PPR()",)}, {}), parse("AllPaths()"), ["extract"])
