from __future__ import annotations

import subprocess
import sys
from functools import reduce
from operator import or_, rshift

import hypothesis.strategies as st
import pytest
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
        with pytest.raises(PipelineError, match="a union needs branches that give the same"):
            parse(text)
    else:
        assert parse(text) == pipeline


@pytest.mark.parametrize(
    ("text", "message"),
    [
        # What is called
        ("Shortestpaths()", "there is no brick 'Shortestpaths'; did you mean ShortestPaths? (at column 1)"),
        ("PPR() >> Rerunk(BM25())", "there is no brick 'Rerunk'; did you mean Rerank? (at column 10)"),
        ("РPR()", "there is no brick 'РPR'; did you mean PPR? (at column 1)"),  # the first letter is Cyrillic
        ("Ψ()", "there is no brick 'Ψ'; graphbrick bricks lists them"),
        ("Pipeline()", "there is no brick 'Pipeline'"),
        ("Scorer()", "there is no brick 'Scorer'"),
        ("print(1)", "there is no brick 'print'"),
        ("__import__('os')", "there is no brick '__import__'"),
        ("__import__('os').system('true')", "\"__import__('os').system\" is not the name of a brick (at column 1)"),
        ("PPR()()", "'PPR()' is not the name of a brick (at column 1)"),
        ("PPR", "PPR needs parentheses; write PPR() (at column 1)"),
        ("Rerank(BM25)", "BM25 needs parentheses; write BM25() (at column 8)"),
        ("os", "there is no brick 'os'"),
        # Parameters
        ("PPR(kk=5)", "PPR has no parameter 'kk'; did you mean k? (at column 5)"),
        ("PPR(restrat=0.5)", "PPR has no parameter 'restrat'; did you mean restart? (at column 5)"),
        ("KHop(x=5)", "KHop has no parameter 'x'; it has max_hops, direction, cap, seeds (at column 6)"),
        ("MiniLM(x=5)", "MiniLM has no parameter 'x'; it has none (at column 8)"),
        ("PPR(1, 2, 3, 4, 5, 6, 7, 8)", "PPR takes at most 7 parameters, got 8 (at column 1)"),
        ("PPR(5, k=5)", "PPR got k twice (at column 8)"),
        ("PPR(k=5, k=6)", "PPR got k twice (at column 10)"),
        ("Rerank()", "Rerank needs scorer (at column 1)"),
        ("PPR(**{'k': 5})", "* and ** are not allowed (at column 5)"),
        ("PPR(*[5])", "'*[5]' is not allowed"),
        # Other expressions
        ("PPR.__class__", "'PPR.__class__' is not allowed"),
        ("().__class__.__bases__", "'().__class__.__bases__' is not allowed"),
        ("PPR(k=().__class__)", "'().__class__' is not allowed; a pipeline holds only bricks, >>, | and literal"),
        ("PPR(k='a'.join)", "\"'a'.join\" is not allowed"),
        ("lambda: PPR()", "'lambda: PPR()' is not allowed"),
        ("[PPR() for _ in [1]]", "'[PPR() for _ in [1]]' is not allowed"),
        ("(PPR() for _ in [1])", "'(PPR() for _ in [1])' is not allowed"),
        ("PPR(k=f'{1}')", "is not allowed; a pipeline holds only"),
        (
            "(x := PPR())",
            "'(x := PPR())' is not allowed; a pipeline holds only bricks, >>, | and literal values (at col",
        ),
        ("PPR(k=(x := 5))", "'(x := 5)' is not allowed"),
        ("PPR(k=2 ** 9)", "'2 ** 9' is not allowed"),
        ("PPR() + PPR()", "'PPR() + PPR()' is not allowed"),
        ("PPR() << PPR()", "'PPR() << PPR()' is not allowed"),
        ("PPR() or PPR()", "'PPR() or PPR()' is not allowed"),
        ("PPR() if 1 else PPR()", "is not allowed"),
        ("PPR() == PPR()", "is not allowed"),
        ("~PPR()", "'~PPR()' is not allowed"),
        ("-PPR()", "'PPR()' is not allowed"),
        ("PPR()[0]", "'PPR()[0]' is not allowed"),
        ("PPR(k=...)", "'...' is not allowed"),
        ("PPR(k=1j)", "'1j' is not allowed"),
        ("PPR(k=b'1')", "\"b'1'\" is not allowed"),
        ("PPR(k={1: 2})", "'{1: 2}' is not allowed"),
        ("await PPR()", "'await PPR()' is not allowed"),
        ("yield", "'(yield)' is not allowed"),
        # What is no stage
        ("BM25()", "BM25() is a model, not a stage; use it inside one, as in Rerank(BM25())"),
        ("PPR() >> BM25()", "BM25() is not a stage, so it cannot stand beside >> or | (at column 10)"),
        ("5 >> PPR()", "5 is not a stage, so it cannot stand beside >> or | (at column 1)"),
        ("5", "5 is not a pipeline; try PPR(k=1000) >>"),
        ("'PPR()'", "'PPR()' is not a pipeline"),
        ("PPR(), PPR()", "(PPR(k=1000), PPR(k=1000)) is not a pipeline"),
        # Statements and broken text
        ("import os", "the pipeline cannot be read at column 1: invalid syntax"),
        ("PPR(); PPR()", "the pipeline cannot be read at column 6: invalid syntax"),
        ("x = PPR()", "the pipeline cannot be read at column 1"),
        ("PPR() >> >> PPR()", "the pipeline cannot be read at column 10: invalid syntax"),
        ("PPR() >>", "the pipeline cannot be read at the end: invalid syntax"),
        ("PPR(k=5", "the pipeline cannot be read at the end: '(' was never closed"),
        ("PPR(k=5))", "the pipeline cannot be read at the end: unmatched ')'"),
        ("LLM(model='abc", "the pipeline cannot be read at column 11: unterminated string literal"),
        ("PPR(k=5]", "the pipeline cannot be read at column 8: closing parenthesis ']'"),
        ("PPR()\0", "null bytes"),
        ("PPR('\ud800')", "the pipeline cannot be read: 'utf-8' codec can't encode"),
        ("\ufeffPPR()", "the pipeline cannot be read at column 1: invalid non-printable character U+FEFF"),
        ("PPR（）", "the pipeline cannot be read at column 4: invalid character '（' (U+FF08)"),
        ("PPR() ≫ PPR()", "the pipeline cannot be read at column 7: invalid character '≫'"),
        # The parenthesis put around the text must not be closed by it
        ("PPR()) >> (ShortestPaths()", "it closes a parenthesis that was never opened"),
        ("PPR)(k=5", "it closes a parenthesis that was never opened"),
        # Nothing, and too much
        ("", "the pipeline is empty; try PPR(k=1000) >> ShortestPaths() >> PathAnswer()"),
        (" \n\t ", "the pipeline is empty"),
        ("PPR() " * 200_000, "the pipeline has 1,200,000 characters; at most 20,000 are read"),
        ("(" * 100_000 + "PPR()" + ")" * 100_000, "the pipeline has 200,005 characters; at most 20,000 are read"),
        ("(" * 9_000 + "PPR()" + ")" * 9_000, "too many nested parentheses"),
        ("-" * 15_000 + "1", "the pipeline cannot be read"),
        ("PPR() >> " * 2_000 + "PPR()", "the pipeline is nested too deeply"),
        ("PPR(k=" + "9" * 5_000 + ")", "the pipeline cannot be read"),
    ],
    ids=lambda text: text[:30],
)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(RecipeSyntaxError) as caught:
        parse(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("PPR(k=0)", "PPR k must be a whole number of at least 1, got 0; try 1000"),
        ("PPR(k=True)", "PPR k must be a whole number of at least 1, got True"),
        ("PPR(k=99999999999)", "PPR k must be at most 2,147,483,647, got 99999999999; try 1000"),
        ("PPR(k=BM25())", "PPR k must be a whole number of at least 1, got BM25()"),
        ("PPR(restart=1e999)", "PPR restart must be in [0.001, 1), got inf; try 0.2"),
        ("PPR(direction='ou')", "PPR direction must be one of 'both', 'out', 'in', got 'ou'; try 'out'"),
        ("Rerank(BM25(k1=1e999))", "BM25 k1 must be a number of at least 0, got inf; try 1.5"),
        ("Rerank(PPR())", "Rerank scorer must be a scorer, got PPR(k=1000); try BM25()"),
        ("Rerank('BM25()')", "Rerank scorer must be a scorer, got 'BM25()'; try BM25()"),
        ("Generate(BM25())", "Generate llm must be a chat model, got BM25(); try LLM()"),
    ],
)
def test_parameters_are_checked(text: str, message: str) -> None:
    with pytest.raises(PipelineError) as caught:
        parse(text)
    assert message in str(caught.value)
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
    with pytest.raises(RecipeSyntaxError, match="there is no brick 'x'"):
        parse("PPR(k=0, restart=x)")


def test_syntax_warnings_of_the_text_are_not_shown(recwarn: pytest.WarningsRecorder) -> None:
    with pytest.raises(RecipeSyntaxError):
        parse("'\\d' is PPR()")
    assert not recwarn.list


def test_a_model_alone_is_read_by_parse_brick() -> None:
    assert parse_brick("BM25(k1=1.2)") == BM25(k1=1.2)
    assert parse_brick("PPR() >> ShortestPaths()") == PPR() >> ShortestPaths()
    with pytest.raises(RecipeSyntaxError, match="5 is not a pipeline"):
        parse_brick("5")


def test_further_bricks_can_be_named() -> None:
    class Twin(PPR):
        """Not installed."""

    assert type(parse_brick("Twin(k=5)", bricks={"Twin": Twin})) is Twin
    with pytest.raises(RecipeSyntaxError, match="there is no brick 'Twn'; did you mean Twin"):
        parse_brick("Twn()", bricks={"Twin": Twin})
    with pytest.raises(RecipeSyntaxError, match="there is no brick 'Twin'"):
        parse_brick("Twin()")


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
