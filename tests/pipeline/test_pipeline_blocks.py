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
