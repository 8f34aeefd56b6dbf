from __future__ import annotations

import subprocess
import sys
from functools import reduce
from operator import or_, rshift

import hypothesis.strategies as st
import pytest
from faults import fails
from hypothesis import given

import graphbrick
from graphbrick import BM25, LLM, PPR, Generate, LinkLabels, MiniLM, PathAnswer, Rerank, ShortestPaths, parse
from graphbrick.core.errors import PipelineError, RecipeSyntaxError
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.parsing import parse_brick

COUNTS = st.integers(1, 2**31 - 1)
UNITS = st.floats(0, 1, exclude_min=True, exclude_max=True)
DIRECTIONS = st.sampled_from(["both", "out", "in"])
NAMES = st.text(max_size=30).filter(lambda text: bool(text.strip()))
SCORERS = st.one_of(st.builds(BM25, k1=st.floats(0, 1e300), b=st.floats(0, 1)), st.just(MiniLM()))
LLMS = st.builds(
    LLM,
    model=NAMES,
    base_url=st.text(max_size=30).filter(lambda text: "@" not in text),
    temperature=st.floats(0, 2) | st.integers(0, 2),
    max_tokens=COUNTS,
    timeout=st.floats(0.001, 86_400),
    retries=st.integers(0, 9),
)


def joined(parts: st.SearchStrategy[Pipeline]) -> st.SearchStrategy[Pipeline]:
    """Unions of two or three."""
    return st.lists(parts, min_size=2, max_size=3).map(lambda several: reduce(or_, several))


def nested(parts: st.SearchStrategy[Pipeline]) -> st.SearchStrategy[Pipeline]:
    return st.recursive(parts, joined, max_leaves=4)


RESTARTS = st.floats(0.001, 1, exclude_max=True)
LINKS = nested(st.builds(LinkLabels, min_score=UNITS))
EXTRACTS = nested(st.builds(PPR, k=COUNTS, restart=RESTARTS, direction=DIRECTIONS, tolerance=UNITS))
RETRIEVES = nested(st.builds(ShortestPaths, max_hops=st.integers(1, 100), direction=DIRECTIONS, cap=COUNTS))
RERANKS = st.builds(Rerank, SCORERS, n=COUNTS)
GENERATES = st.one_of(st.builds(PathAnswer, cap=st.integers(1, 9)), st.builds(Generate, LLMS))


def chained(*parts: st.SearchStrategy[Pipeline]) -> st.SearchStrategy[Pipeline]:
    return st.tuples(*parts).map(lambda several: reduce(rshift, several))


EVIDENCE = st.recursive(
    st.one_of(RETRIEVES, chained(EXTRACTS, RETRIEVES), chained(LINKS, EXTRACTS, RETRIEVES)),
    lambda inner: st.one_of(joined(inner), chained(inner, RERANKS)),
    max_leaves=5,
)
PIPELINES = st.one_of(EVIDENCE, EXTRACTS, LINKS, chained(EVIDENCE, GENERATES), chained(EVIDENCE, RERANKS, GENERATES))


@given(PIPELINES)
def test_the_text_of_any_pipeline_reads_back_as_the_same_pipeline(pipeline: Pipeline) -> None:
    again = parse(repr(pipeline))
    assert again == pipeline
    assert hash(again) == hash(pipeline)
    assert repr(again) == repr(pipeline)


@given(st.text(alphabet="PRkn=1,.()>|[]{}*_'\"\\ \n\r#:-é;", max_size=40) | st.text(max_size=60))
def test_any_text_is_a_pipeline_or_refused(text: str) -> None:
    try:
        pipeline = parse(text)
    except PipelineError:
        return
    assert isinstance(pipeline, Pipeline)


@pytest.mark.parametrize(
    ("text", "pipeline"),
    [
        ("PPR()", PPR()),
        ("PPR(1000)", PPR()),
        ("PPR(5, 0.5, direction='out')", PPR(k=5, restart=0.5, direction="out")),
        ("PPR(k=1_000, tolerance=1e-3)", PPR(tolerance=1e-3)),
        ("Rerank(scorer=BM25(b=+0.5))", Rerank(BM25(b=0.5))),
        (" PPR()  >>\n  ShortestPaths()  # all of them\n>> PathAnswer() ", PPR() >> ShortestPaths() >> PathAnswer()),
        ("PPR(\r\n  k=5,\r\n)", PPR(k=5)),
        ("((PPR()) >> ((ShortestPaths())))", PPR() >> ShortestPaths()),
        ("PPR() | PPR(k=1) >> ShortestPaths()", None),
        ("PPR() >> ShortestPaths() | ShortestPaths()", (PPR() >> ShortestPaths()) | ShortestPaths()),
        ("(PPR() | PPR(k=1)) >> ShortestPaths()", (PPR() | PPR(k=1)) >> ShortestPaths()),
        ('Generate(LLM(model="a\'b\\n内罗毕"))', Generate(LLM(model="a'b\n内罗毕"))),
        ("ＰＰＲ()", PPR()),  # Python reads full-width letters as the plain ones
    ],
)
def test_read_as_python_reads_it(text: str, pipeline: Pipeline | None) -> None:
    if pipeline is None:  # | binds less than >>, so that the branches differ
        with fails("union.different_levels"):
            parse(text)
    else:
        assert parse(text) == pipeline


@pytest.mark.parametrize(
    ("text", "code", "values"),
    [
        # What is called
        ("Shortestpaths()", "recipe.no_brick", {"near": "ShortestPaths"}),
        ("PPR() >> Rerunk(BM25())", "recipe.no_brick", {"near": "Rerank"}),
        ("РPR()", "recipe.no_brick", {"near": "PPR"}),  # the first letter is Cyrillic
        ("Ψ()", "recipe.no_brick", {"near": ""}),
        ("Pipeline()", "recipe.no_brick", {"name": "Pipeline"}),
        ("Scorer()", "recipe.no_brick", {"name": "Scorer"}),
        ("print(1)", "recipe.no_brick", {"name": "print"}),
        ("__import__('os')", "recipe.no_brick", {"near": ""}),
        ("__import__('os').system('true')", "recipe.not_a_name", {"expression": "__import__('os').system"}),
        ("PPR()()", "recipe.not_a_name", {"expression": "PPR()"}),
        ("PPR", "recipe.no_parentheses", {"brick": "PPR"}),
        ("Rerank(BM25)", "recipe.no_parentheses", {"brick": "BM25"}),
        ("os", "recipe.no_brick", {"name": "os"}),
        # Parameters
        ("PPR(kk=5)", "recipe.no_parameter", {"name": "kk", "near": ["k"]}),
        ("PPR(restrat=0.5)", "recipe.no_parameter", {"name": "restrat", "near": ["restart"]}),
        ("KHop(x=5)", "recipe.no_parameter", {"name": "x", "near": []}),
        ("MiniLM(x=5)", "recipe.no_parameter", {"name": "x", "near": []}),
        ("PPR(1, 2, 3, 4, 5, 6, 7, 8)", "recipe.too_many_parameters", {"at_most": 7}),
        ("PPR(5, k=5)", "recipe.twice", {"name": "k"}),
        ("PPR(k=5, k=6)", "recipe.twice", {"name": "k"}),
        ("Rerank()", "recipe.missing_parameter", {"names": ["scorer"]}),
        ("PPR(**{'k': 5})", "recipe.starred", {}),
        ("PPR(*[5])", "recipe.not_allowed", {"expression": "*[5]"}),
        # Other expressions
        ("PPR.__class__", "recipe.not_allowed", {"expression": "PPR.__class__"}),
        ("().__class__.__bases__", "recipe.not_allowed", {"expression": "().__class__.__bases__"}),
        ("PPR(k=().__class__)", "recipe.not_allowed", {"expression": "().__class__"}),
        ("PPR(k='a'.join)", "recipe.not_allowed", {"expression": "'a'.join"}),
        ("lambda: PPR()", "recipe.not_allowed", {"expression": "lambda: PPR()"}),
        ("[PPR() for _ in [1]]", "recipe.not_allowed", {"expression": "[PPR() for _ in [1]]"}),
        ("(PPR() for _ in [1])", "recipe.not_allowed", {"expression": "(PPR() for _ in [1])"}),
        ("PPR(k=f'{1}')", "recipe.not_allowed", {"expression": "f'{1}'"}),
        ("(x := PPR())", "recipe.not_allowed", {"expression": "(x := PPR())"}),
        ("PPR(k=(x := 5))", "recipe.not_allowed", {"expression": "(x := 5)"}),
        ("PPR(k=2 ** 9)", "recipe.not_allowed", {"expression": "2 ** 9"}),
        ("PPR() + PPR()", "recipe.not_allowed", {"expression": "PPR() + PPR()"}),
        ("PPR() << PPR()", "recipe.not_allowed", {"expression": "PPR() << PPR()"}),
        ("PPR() or PPR()", "recipe.not_allowed", {"expression": "PPR() or PPR()"}),
        ("PPR() if 1 else PPR()", "recipe.not_allowed", {"expression": "PPR() if 1 else PPR()"}),
        ("PPR() == PPR()", "recipe.not_allowed", {"expression": "PPR() == PPR()"}),
        ("~PPR()", "recipe.not_allowed", {"expression": "~PPR()"}),
        ("-PPR()", "recipe.not_allowed", {"expression": "PPR()"}),
        ("PPR()[0]", "recipe.not_allowed", {"expression": "PPR()[0]"}),
        ("PPR(k=...)", "recipe.not_allowed", {"expression": "..."}),
        ("PPR(k=1j)", "recipe.not_allowed", {"expression": "1j"}),
        ("PPR(k=b'1')", "recipe.not_allowed", {"expression": "b'1'"}),
        ("PPR(k={1: 2})", "recipe.not_allowed", {"expression": "{1: 2}"}),
        ("await PPR()", "recipe.not_allowed", {"expression": "await PPR()"}),
        ("yield", "recipe.not_allowed", {"expression": "(yield)"}),
        # What is no stage
        ("BM25()", "recipe.model_alone", {"value": "BM25()"}),
        ("PPR() >> BM25()", "recipe.not_a_stage", {"value": "BM25()"}),
        ("5 >> PPR()", "recipe.not_a_stage", {"value": "5"}),
        ("5", "recipe.not_a_pipeline", {"value": "5"}),
        ("'PPR()'", "recipe.not_a_pipeline", {"value": "'PPR()'"}),
        ("PPR(), PPR()", "recipe.not_a_pipeline", {"value": "(PPR(k=1000), PPR(k=1000))"}),
        # Statements and broken text
        ("import os", "recipe.syntax", {"where": "column 1"}),
        ("PPR(); PPR()", "recipe.syntax", {"where": "column 6"}),
        ("x = PPR()", "recipe.syntax", {"where": "column 1"}),
        ("PPR() >> >> PPR()", "recipe.syntax", {"where": "column 10"}),
        ("PPR() >>", "recipe.syntax", {"where": "the end"}),
        ("PPR(k=5", "recipe.syntax", {"where": "the end"}),
        ("PPR(k=5))", "recipe.syntax", {"where": "the end"}),
        ("LLM(model='abc", "recipe.syntax", {"where": "column 11"}),
        ("PPR(k=5]", "recipe.syntax", {"where": "column 8"}),
        ("\ufeffPPR()", "recipe.syntax", {"where": "column 1"}),
        ("PPR（）", "recipe.syntax", {"where": "column 4"}),
        ("PPR() ≫ PPR()", "recipe.syntax", {"where": "column 7"}),
        # The parenthesis put around the text must not be closed by it
        ("PPR()) >> (ShortestPaths()", "recipe.unopened_parenthesis", {}),
        ("PPR)(k=5", "recipe.unopened_parenthesis", {}),
        # Nothing, and too much
        ("", "recipe.empty", {}),
        (" \n\t ", "recipe.empty", {}),
        ("PPR() " * 200_000, "recipe.too_long", {"size": 1_200_000}),
        ("(" * 100_000 + "PPR()" + ")" * 100_000, "recipe.too_long", {"size": 200_005}),
        ("PPR() >> " * 2_000 + "PPR()", "recipe.too_deep", {}),
    ],
    ids=lambda value: str(value)[:30],
)
def test_refused(text: str, code: str, values: dict[str, object]) -> None:
    with fails(code, RecipeSyntaxError, **values):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "PPR()\0",
        "PPR('\ud800')",
        "(" * 9_000 + "PPR()" + ")" * 9_000,
        "-" * 15_000 + "1",
        "PPR(k=" + "9" * 5_000 + ")",
    ],
    ids=lambda text: text[:30],
)
def test_text_that_python_cannot_read(text: str) -> None:
    with pytest.raises(RecipeSyntaxError) as caught:
        parse(text)
    assert caught.value.code in (
        "recipe.syntax",
        "recipe.too_deep",
        "recipe.unreadable",
    )  # depends on the version of Python


@pytest.mark.parametrize(
    ("text", "brick", "name", "allowed", "value", "example"),
    [
        ("PPR(k=0)", "PPR", "k", "a whole number of at least 1", "0", "1000"),
        ("PPR(k=True)", "PPR", "k", "a whole number of at least 1", "True", "1000"),
        ("PPR(k=99999999999)", "PPR", "k", "at most 2,147,483,647", "99999999999", "1000"),
        ("PPR(k=BM25())", "PPR", "k", "a whole number of at least 1", "BM25()", "1000"),
        ("PPR(restart=1e999)", "PPR", "restart", "in [0.001, 1)", "inf", "0.2"),
        ("PPR(direction='ou')", "PPR", "direction", "one of 'both', 'out', 'in'", "'ou'", "'out'"),
        ("Rerank(BM25(k1=1e999))", "BM25", "k1", "a number of at least 0", "inf", "1.5"),
        ("Rerank(PPR())", "Rerank", "scorer", "a scorer", "PPR(k=1000)", "BM25()"),
        ("Rerank('BM25()')", "Rerank", "scorer", "a scorer", "'BM25()'", "BM25()"),
        ("Generate(BM25())", "Generate", "llm", "a chat model", "BM25()", "LLM()"),
    ],
)
def test_parameters_are_checked(text: str, brick: str, name: str, allowed: str, value: str, example: str) -> None:
    values = {"brick": brick, "name": name, "allowed": allowed, "value": value, "example": example}
    with fails("parameter.not_allowed", PipelineError, **values) as caught:
        parse(text)
    assert not isinstance(caught.value, RecipeSyntaxError)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("PPR(kk=5)", "(at column 5)"),
        ("  PPR(kk=5)", "(at column 7)"),
        ("Generate(LLM('Übergröße 内罗毕 😀', modl=3))", "(at column 33)"),  # characters, not bytes
        ("PPR(\nkk=5)", "(at line 2, column 1)"),
        ("PPR() >>\n  PPR(\n    kk=5)", "(at line 3, column 5)"),
        ("PPR() >>\r\n  PPR(kk=5)", "(at line 2, column 7)"),
        ("PPR() >>\r  PPR(kk=5)", "(at line 2, column 7)"),
        ("kk()\n", "(at line 1, column 1)"),
        ("PPR(k 5)", "at column 5:"),
        ("PPR(\n  k 5)", "at line 2, column 3:"),
        ("Generate(LLM('é')) >> $", "at column 23:"),
        ("PPR() >>\nPPR(k=5", "at the end:"),
    ],
)
def test_errors_say_where(text: str, where: str) -> None:
    with pytest.raises(RecipeSyntaxError) as caught:
        parse(text)
    assert where in str(caught.value)


def test_nothing_is_evaluated(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[object] = []
    monkeypatch.setattr("builtins.print", called.append)
    monkeypatch.setitem(vars(graphbrick), "sentinel", called.append)
    for text in (
        "print(1)",
        "PPR(k=print(1))",
        "PPR(print(1))",
        "PPR(k=[print(1)])",
        "PPR(k=[print(1) for _ in 'a'])",
        "PPR(k=(lambda: print(1))())",
        "PPR(k=f'{print(1)}')",
        "(print(1), PPR())",
        "print(1) >> PPR()",
        "PPR() | print(1)",
        "PPR(*print(1))",
        "PPR(**print(1))",
        "sentinel(1)",
        "PPR().__init__(print(1))",
        "exec('print(1)')",
        "Generate(LLM(model='{}'.format(print(1))))",
    ):
        with pytest.raises(RecipeSyntaxError):
            parse(text)
    assert called == []


def test_a_wrong_part_is_found_before_any_brick_is_made_of_it() -> None:
    with fails("recipe.no_brick", name="x"):
        parse("PPR(k=0, restart=x)")


def test_syntax_warnings_of_the_text_are_not_shown(recwarn: pytest.WarningsRecorder) -> None:
    with pytest.raises(RecipeSyntaxError):
        parse("'\\d' is PPR()")
    assert not recwarn.list


def test_a_model_alone_is_read_by_parse_brick() -> None:
    assert parse_brick("BM25(k1=1.2)") == BM25(k1=1.2)
    assert parse_brick("PPR() >> ShortestPaths()") == PPR() >> ShortestPaths()
    with fails("recipe.not_a_pipeline", value="5"):
        parse_brick("5")


def test_further_bricks_can_be_named() -> None:
    class Twin(PPR):
        """Not installed."""

    assert type(parse_brick("Twin(k=5)", bricks={"Twin": Twin})) is Twin
    with fails("recipe.no_brick", name="Twn", near="Twin"):
        parse_brick("Twn()", bricks={"Twin": Twin})
    with fails("recipe.no_brick", name="Twin"):
        parse_brick("Twin()")


@pytest.mark.whole
@pytest.mark.parametrize(
    "first", ["import graphbrick.pipeline.parsing; ", "import graphbrick.cli.app, graphbrick.testing; "]
)
def test_the_package_gives_the_function_whatever_was_imported_before(first: str) -> None:
    code = f"{first}from graphbrick import parse; print(parse('PPR(k=5)'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("PPR(k=5)\n", "")


def test_no_public_name_is_hidden_by_a_module_of_that_name() -> None:
    # Importing graphbrick.x sets graphbrick.x to the module; a function x would then be gone.
    from importlib.util import find_spec

    assert [name for name in graphbrick.__all__ if find_spec(f"graphbrick.{name}") is not None] == ["learn"]
    assert callable(graphbrick.learn)  # the module is the verb too


LONG = "x" * 18_000


@pytest.mark.parametrize(
    "text",
    [
        f"PPR(direction='{LONG}')",
        f"PPR({LONG}=1)",
        f"{LONG}()",
        f"'{LONG}'",
        f"Generate(LLM('{LONG}')) >> PPR()",
        f"LLM('{LONG}')",
        f"PPR(k='{LONG}')",
        f"PPR() | Generate(LLM('{LONG}'))",
        f"Repeat(PPR() >> Generate(LLM('{LONG}')), EnoughPaths())",
        f"Rerank('{LONG}')",
    ],
)
def test_errors_do_not_repeat_a_long_text(text: str) -> None:
    with pytest.raises(PipelineError) as caught:
        parse(text)
    assert len(str(caught.value)) < 1000


def test_a_recipe_has_at_most_twenty_thousand_characters() -> None:
    assert parse("PPR()".ljust(20_000)) == PPR()
    with fails("recipe.too_long", size=20_001):
        parse("PPR()".ljust(20_001))


@pytest.mark.parametrize(
    ("text", "code", "values"),
    [
        (f"PPR(k={{{'1, ' * 60}1}})", "recipe.not_allowed", {"expression": "{" + "1, " * 19 + "1,"}),
        (f"PPR.{'a' * 99}(k=1)", "recipe.not_a_name", {"expression": "PPR." + "a" * 56}),
        ("PPR(*[1])", "recipe.not_allowed", {}),
        ("PPR(**{})", "recipe.starred", {}),
        ("PPR(kk=5)", "recipe.no_parameter", {"name": "kk", "near": ["k"]}),
        ("PPR(zzzzzz=5)", "recipe.no_parameter", {"near": []}),
        ("PPR(k=1, k=2)", "recipe.twice", {"name": "k"}),
        ("PPR(1, k=2)", "recipe.twice", {"name": "k"}),
        ("PPR(k=-True)", "recipe.not_allowed", {"expression": "-True"}),
        ("PPR(k=-'1')", "recipe.not_allowed", {}),
    ],
)
def test_what_is_refused_is_shown_in_short(text: str, code: str, values: dict[str, object]) -> None:
    with fails(code, RecipeSyntaxError, **values):
        parse(text)


def test_numbers_may_have_a_sign() -> None:
    assert parse("PPR(k=+5)") == PPR(k=5)
    assert parse_brick("BM25(k1=+1.5)") == parse_brick("BM25(k1=1.5)")
    with fails("parameter.not_allowed", value="-5"):
        parse("PPR(k=-5)")
