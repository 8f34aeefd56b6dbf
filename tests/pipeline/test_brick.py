from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, dataclass

import numpy as np
import pytest
from faults import fails

from graphbrick import BM25, LLM, PPR, Generate, MiniLM, PathAnswer, Rerank, RerankStage, ShortestPaths
from graphbrick.core.errors import PipelineError
from graphbrick.core.parameters import parameter
from graphbrick.core.plugins import PluginWarning, plugins
from graphbrick.pipeline import catalog
from graphbrick.pipeline.brick import Brick, Parameter
from graphbrick.pipeline.catalog import all_bricks, built_in


@pytest.mark.parametrize(
    ("brick", "text"),
    [
        (PPR(), "PPR(k=1000)"),  # what says the cost is always written
        (PPR(5, 0.5), "PPR(k=5, restart=0.5)"),
        (PPR(direction="in"), "PPR(k=1000, direction='in')"),
        (ShortestPaths(), "ShortestPaths()"),
        (ShortestPaths(max_hops=4, cap=7), "ShortestPaths(cap=7)"),
        (Rerank(BM25()), "Rerank(BM25(), n=32)"),
        (Rerank(scorer=MiniLM(), n=8), "Rerank(MiniLM(), n=8)"),
        (Generate(LLM(model="a'b")), 'Generate(LLM(model="a\'b"))'),
        (PathAnswer(), "PathAnswer()"),
        (PPR(restart=np.float64(0.25), direction=np.str_("out")), "PPR(k=1000, restart=0.25, direction='out')"),
    ],
)
def test_repr_is_the_shortest_recipe_text(brick: Brick, text: str) -> None:
    assert repr(brick) == text


def test_equal_and_hashed_by_parameters() -> None:
    assert PPR(k=5) == PPR(5) != PPR(k=6)
    assert len({PPR(k=5), PPR(5), PPR(k=6)}) == 2
    assert BM25() != MiniLM()


def test_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        PPR().k = 5  # type: ignore[misc]


def test_a_pipeline_is_pickled() -> None:
    pipeline = (PPR() | PPR(k=5)) >> ShortestPaths() >> Rerank(BM25(), n=8) >> Generate(LLM())
    assert pickle.loads(pickle.dumps(pipeline)) == pipeline


@dataclass(frozen=True, repr=False)
class Sample(Brick):
    """One line.

    More lines,
    and more.

    Args:
        count: How many, at least 2.
        share: Of all, from 0 to 1;
            the docs of it go on here.
        name: A name.
        scorer: A scorer.

    Returns:
        Nothing: this is not in the Args.
    """

    count: int = parameter(2, at_least=2, example=3, search=(2, 4))
    share: float = parameter(0.5, at_least=0, at_most=1)
    name: str = parameter("x")
    scorer: BM25 = parameter(BM25(b=0.5), example="BM25()")


def test_summary_and_parameters_come_from_the_docstring() -> None:
    assert Sample.summary() == "One line."
    assert Sample.parameters() == [
        Parameter(
            "count", "int", "2", "How many, at least 2.", "a whole number of at least 2", "3", 2, search=("2", "4")
        ),
        Parameter(
            "share",
            "float",
            "0.5",
            "Of all, from 0 to 1; the docs of it go on here.",
            "a number of at least 0 and at most 1",
            "0.5",
            0,
            1,
        ),
        Parameter("name", "str", "'x'", "A name.", "a text that is not empty", "'x'"),
        Parameter("scorer", "BM25", "BM25(b=0.5)", "A scorer.", "a bm25", "BM25()", parts=("BM25",)),
    ]
    assert Rerank.parameters()[0].default is None


@pytest.mark.parametrize("value", [1, -5, 2.0, "2", None, True, 2**31, 10**400, np.int64(3)])
def test_a_whole_number(value: object) -> None:
    with fails("parameter.not_allowed", PipelineError, brick="Sample", name="count", example="3"):
        Sample(count=value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), float("inf"), -float("inf"), "0.5", None, True, 1j])
def test_a_number(value: object) -> None:
    with fails("parameter.not_allowed", name="share", allowed="a number of at least 0 and at most 1"):
        Sample(share=value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [float("inf"), 10**400, float("nan")])
def test_a_number_without_maximum_refuses_what_no_float_holds(value: float) -> None:
    with fails("parameter.not_allowed", brick="BM25", name="k1", allowed="a number of at least 0"):
        BM25(k1=value)


@pytest.mark.parametrize("value", [0, 1, 0.0, 1.0, -1, 2, float("nan"), "0.5", None, True])
def test_a_number_between_two_others(value: object) -> None:
    with fails("parameter.not_allowed", name="restart", allowed="in [0.001, 1)", example="0.2"):
        PPR(restart=value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", ["", "  ", None, 5, ["x"]])
def test_a_text(value: object) -> None:
    with fails("parameter.not_allowed", name="name", allowed="a text that is not empty", example="'x'"):
        Sample(name=value)  # type: ignore[arg-type]


def test_a_text_that_may_be_empty() -> None:
    assert LLM(base_url="").base_url == ""
    example = "'http://localhost:8080/v1'"
    with fails("parameter.not_allowed", name="base_url", allowed="a text", value="5", example=example):
        LLM(base_url=5)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", ["inn", "", None, 5, ["in"]])
def test_a_choice(value: object) -> None:
    with fails("parameter.not_allowed", name="direction", allowed="one of 'both', 'out', 'in'"):
        PPR(direction=value)  # type: ignore[arg-type]


def test_a_choice_proposes_the_nearest() -> None:
    with fails("parameter.not_allowed", name="direction", example="'in'"):
        PPR(direction="inn")


def test_a_part() -> None:
    with fails("parameter.not_allowed", name="scorer", allowed="a bm25", value="MiniLM()", example="BM25()") as caught:
        Sample(scorer=MiniLM())  # type: ignore[arg-type]
    assert str(caught.value) == "Sample scorer must be a bm25, got MiniLM(); try BM25()"
    with fails("parameter.not_allowed", brick="Rerank", name="scorer", allowed="a scorer"):
        Rerank(BM25)  # type: ignore[arg-type]


def test_limits_are_allowed() -> None:
    assert PPR(k=1).k == 1
    assert PPR(k=2**31 - 1).k == 2**31 - 1
    assert Sample(share=0).share == 0
    assert Sample(share=1.0).share == 1


class TestCatalogue:
    class Point:
        """An entry point as far as the catalogue uses it."""

        name, value = "Sample", "plugin:Sample"

        def __init__(self, loaded: object) -> None:
            self._loaded = loaded

        def load(self) -> object:
            if isinstance(self._loaded, Exception):
                raise self._loaded
            return self._loaded

    @pytest.fixture
    def install(self, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
        def plug_in(loaded: object) -> None:
            monkeypatch.setattr("graphbrick.core.plugins.entry_points", lambda group: [self.Point(loaded)])
            self.forget()

        yield plug_in
        monkeypatch.undo()
        self.forget()

    @staticmethod
    def forget() -> None:
        for cached in (plugins, catalog._plugged_in, all_bricks):
            cached.cache_clear()

    def test_names_are_those_of_the_classes(self) -> None:
        assert all(name == brick.__name__ for name, brick in all_bricks().items())
        assert {"LinkLabels", "PPR", "ShortestPaths", "Rerank", "PathAnswer", "Generate", "BM25"} <= set(built_in())

    def test_a_plug_in_is_a_brick_like_others(self, install) -> None:  # type: ignore[no-untyped-def]
        from graphbrick.pipeline.parsing import parse_brick

        install(Sample)
        assert parse_brick("Sample(count=3)") == Sample(count=3)
        assert "Sample" not in built_in()

    @pytest.mark.parametrize(
        ("loaded", "message"),
        [
            (ImportError("no module x"), "it cannot be imported: ImportError: no module x"),
            (
                AttributeError("module 'plugin' has no attribute 'Sample'"),
                "AttributeError: module 'plugin' has no",
            ),
            (SyntaxError("invalid syntax"), "cannot be imported: SyntaxError: invalid syntax"),
            (dict, "it is not a brick; derive it from a stage kind, Scorer or Embedder"),
            (type("Bare", (Brick,), {}), "it is not a dataclass; put @dataclass(frozen=True, repr=False) before it"),
            (dataclass(type("Half", (RerankStage,), {})), "it does not implement rerank"),
            (type("PPR", (Sample,), {}), "it has the name of another brick, PPR; rename it"),
        ],
    )
    def test_a_broken_plug_in_is_one_warning_and_all_else_works(self, install, loaded, message) -> None:  # type: ignore[no-untyped-def]
        install(loaded)
        with pytest.warns(PluginWarning, match=r"the plug-in brick Sample \(plugin:Sample\) is left out: ") as warned:
            assert all_bricks() == built_in()
        assert [message in str(warning.message) for warning in warned] == [True]
        assert catalog.find("PPR") is PPR
        with fails("catalog.no_brick", PipelineError, name="Sample"):
            catalog.find("Sample")


def test_the_text_is_kept_and_never_pickled() -> None:
    brick = PPR(k=5)
    assert repr(brick) is repr(brick)
    assert b"_repr" not in pickle.dumps(brick)
    assert repr(pickle.loads(pickle.dumps(brick))) == repr(brick)
    assert brick == PPR(k=5)
    assert hash(brick) == hash(PPR(k=5))
