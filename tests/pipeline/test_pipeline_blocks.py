"""Pipelines as blocks, and the places of errors in recipe text."""

from __future__ import annotations

import json

import pytest
from faults import fails

from graphbrick import parse
from graphbrick.core.errors import PipelineError
from graphbrick.pipeline.blocks import BlockError, from_blocks, to_blocks
from graphbrick.pipeline.parsing import parse_brick
from graphbrick.recipes import published

COMPLETE = [recipe.name for recipe in published().values() if not recipe.needs]


@pytest.mark.parametrize("name", COMPLETE)
def test_every_published_recipe_survives_blocks_and_json(name):
    pipeline = published()[name].pipeline()
    assert from_blocks(json.loads(json.dumps(to_blocks(pipeline)))) == pipeline


def test_a_repetition_holds_its_stages_as_blocks():
    text = "Repeat(Expand(max_hops=1, cap=100000) >> ShortestPaths(), until=EnoughPaths(n=8), at_most=4)"
    block = to_blocks(parse(text))
    assert [stage["brick"] for stage in block["parameters"]["stage"]["then"]] == ["Expand", "ShortestPaths"]
    assert from_blocks(block) == parse(text)


def test_models_have_blocks_too():
    assert to_blocks(parse_brick("BM25(k1=1.2)")) == {"brick": "BM25", "parameters": {"k1": 1.2}}


def test_blocks_cannot_be_nested_without_end():
    block = {"brick": "PPR"}
    for _ in range(500):
        block = {"then": [block]}
    with fails("block.too_deep", BlockError):
        from_blocks(block)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("PPR(k=0) >> PathAnswer()", (1, 1, 1, 9)),
        ("PPR() >>\n  PathAnswer()", (2, 3, 2, 15)),
        ("ShortestPaths() >> Rerank(BM25(k1=-1))", (1, 27, 1, 38)),
        ("PPR() >> Nope(k=1)", (1, 10, 1, 19)),
        ("PPR(x=3)", (1, 5, 1, 8)),
        ("PPR(", (1, 5, 1, 5)),
        ("PPR() >>\nPPR(", (2, 5, 2, 5)),
        ("«é» >> PPR()", (1, 1, 1, 2)),
        ("PPR(solver='é', k=0)", (1, 1, 1, 21)),
        ("PPR(k=[\n1,\n 2])\n>> 5", (1, 1, 3, 5)),
        ("PPR() >>\n PPR(k=\n0)", (2, 2, 3, 3)),
        ("PPR() >>\n PPR(\nkk=5)", (3, 1, 3, 5)),
        ("PPR(\n  k 5)", (2, 3, 2, 4)),
        ("PPR() >> $", (1, 10, 1, 11)),
    ],
)
def test_errors_of_a_text_say_which_part_is_wrong(text, place):
    with pytest.raises(PipelineError) as failed:
        parse(text)
    assert failed.value.place == place


@pytest.mark.parametrize(
    ("block", "code", "at", "values"),
    [
        (3, "block.model_alone", (), {}),
        ({"brick": "BM25"}, "block.model_alone", (), {}),
        ([{"brick": "PPR"}], "block.model_alone", (), {}),
        ({}, "block.wrong_shape", (), {}),
        ({"brick": 3}, "block.wrong_shape", (), {}),
        ({"brick": "PPR", "parameters": [1]}, "block.wrong_shape", (), {}),
        ({"then": [{"brick": "PPR"}, {"brick": None}]}, "block.wrong_shape", ("then", 1), {}),
        ({"brick": "Nope"}, "catalog.no_brick", (), {"name": "Nope"}),
        ({"union": [{"brick": "PPR"}, {"brick": "PRP"}]}, "catalog.no_brick", ("union", 1), {"near": "PPR"}),
        ({"brick": "PPR", "parameters": {"kk": 3}}, "block.no_parameter", (), {"name": "kk"}),
        ({"brick": "Rerank"}, "block.missing_parameter", (), {"names": ["scorer"]}),
        ({"brick": "PPR", "parameters": {"k": 0}}, "parameter.not_allowed", (), {"name": "k", "value": "0"}),
        (
            {"then": [{"brick": "Rerank", "parameters": {"scorer": {"brick": "BM25", "parameters": {"k1": -1}}}}]},
            "parameter.not_allowed",
            ("then", 0, "parameters", "scorer"),
            {"name": "k1"},
        ),
        ({"then": []}, "block.no_parts", ("then",), {}),
        ({"union": {"brick": "PPR"}}, "block.no_parts", ("union",), {}),
        ({"then": [{"brick": "PPR"}, {"brick": "BM25"}]}, "block.not_a_stage", ("then", 1), {}),
        ({"then": [{"brick": "BM25"}]}, "block.not_a_stage", ("then", 0), {}),
        ({"then": [{"brick": "PPR"}, {"brick": "PathAnswer"}]}, "join.wrong_level", ("then", 1), {}),
        (
            {"union": [{"brick": "PPR"}, {"brick": "KHop"}, {"brick": "ShortestPaths"}]},
            "union.different_levels",
            ("union", 2),
            {},
        ),
    ],
)
def test_a_wrong_block_is_told_with_the_way_to_it(block, code, at, values):
    with fails(code, BlockError, **values) as failed:
        from_blocks(block)
    assert failed.value.at == at


def test_blocks_may_be_nested_forty_deep():
    block = {"brick": "PPR"}
    for _ in range(20):
        block = {"then": [block]}  # each is two steps: the word and the place
    assert from_blocks(block) == parse("PPR()")
    with fails("block.too_deep", BlockError) as failed:
        from_blocks({"then": [block]})
    assert len(failed.value.at) == 42


def test_only_what_differs_from_the_default_is_in_a_block():
    assert to_blocks(parse("PPR(k=5, direction='out')")) == {"brick": "PPR", "parameters": {"k": 5, "direction": "out"}}
    assert to_blocks(parse("PPR() | KHop()")) == {
        "union": [{"brick": "PPR", "parameters": {"k": 1000}}, {"brick": "KHop", "parameters": {}}]
    }
    with fails("block.not_a_brick", PipelineError):
        to_blocks("PPR()")
    assert from_blocks({"then": [{"brick": "PPR"}]}) == parse("PPR()")
