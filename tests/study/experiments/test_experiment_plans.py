"""What experiment files say: sweeps, models, samples, and errors that name file, table and key."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cli_studies import BM25, ROWS
from faults import fails

from graphbrick import build, recipe
from graphbrick.cli.compare.experiments import places_of
from graphbrick.core.errors import InputError
from graphbrick.judge.rag.systems import read_systems
from graphbrick.study.experiments.plan import Experiment
from graphbrick.study.experiments.running import questions_of
from graphbrick.study.experiments.shipped import shipped
from graphbrick.testing import TINY

DATA = '[[data]]\nname = "tiny"\ngraph = "tiny.graph"\nquestions = ["rows.jsonl"]\n'
RUN = f'[[run]]\npipeline = "{BM25}"\n'
PAPER = '[[run]]\nrecipes = "12"\n[paper]\nname = "A Paper"\n'
TABLE = '[[table]]\ntitle = "x"\nrecipes = "12"\ncolumns = [{ measure = "hits_at_1", published = "webqsp" }]\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    build(TINY, tmp_path / "tiny.graph")
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
    return tmp_path


def plan(folder: Path, text: str) -> Experiment:
    (folder / "paper.toml").write_text(text)
    return Experiment.read(folder / "paper.toml").checked()


def test_a_sweep_makes_a_pipeline_for_every_combination(folder: Path) -> None:
    text = '[[run]]\npipeline = "PPR(k=$k) >> ShortestPaths(max_hops=$hops) >> PathAnswer()"\n'
    runs = plan(folder, f"{DATA}{text}sweep = {{ k = [5, 9], hops = [1, 2] }}\nname = 'ours'").runs
    assert {run.name: repr(run.pipeline) for run in runs} == {
        f"ours, k={k}, hops={hops}": f"PPR(k={k}) >> ShortestPaths(max_hops={hops}) >> PathAnswer()"
        for k in (5, 9)
        for hops in (1, 2)
    }
    assert dict(runs[0].values) == {"k": "5", "hops": "1"}


def test_a_word_that_is_a_whole_name_stands_for_that_alone(folder: Path) -> None:
    read = plan(folder, f'{DATA}[[run]]\nrecipes = ["1", "12"]\n')
    assert [run.name for run in read.only(["recipe 1"]).runs] == ["recipe 1"]
    assert [run.name for run in read.only(["recipe"]).runs] == ["recipe 1", "recipe 12"]
    assert read.only(["recipe 1"]).planned == read.runs


def test_a_model_that_is_asked_elsewhere_is_no_fault_and_an_overridden_one_is(folder: Path) -> None:
    own = '[[run]]\nrecipes = "13"\nmodels = "small"\n'
    assert [run.model for run in plan(folder, f"{DATA}{RUN}{own}").runs] == ["", "small"]
    with fails("experiment.unused_models", InputError):
        plan(folder, f'models = "large"\n{DATA}{own}')


def test_names_may_have_places_for_values(folder: Path) -> None:
    text = '[[run]]\nname = "$k entities"\npipeline = "PPR(k=$k)"\nsweep = { k = [5, 9] }\n'
    assert [run.name for run in plan(folder, DATA + text).runs] == ["5 entities", "9 entities"]


def test_recipes_are_filled_by_parts_and_by_every_model(folder: Path) -> None:
    text = '[[run]]\nrecipes = ["1", "13"]\nset = { extract = "PPR(k=$k)" }\nsweep = { k = [7] }\n'
    runs = plan(folder, f'models = ["small", "large"]\n{DATA}{text}').runs
    assert [run.name for run in runs] == [
        "recipe 1, k=7, llm=small", "recipe 1, k=7, llm=large", "recipe 13, k=7, llm=small", "recipe 13, k=7, llm=large"
    ]  # fmt: skip
    wanted = recipe("13").pipeline(**(recipe("13").by_model("large") | {"extract": "PPR(k=7)"}))
    assert repr(runs[3].pipeline) == repr(wanted)


def test_pipelines_name_their_model(folder: Path) -> None:
    runs = plan(
        folder, f'{DATA}[[run]]\npipeline = "PPR() >> ShortestPaths() >> Generate($llm)"\nmodels = "gpt-4.1"\n'
    ).runs
    assert [repr(run.pipeline) for run in runs] == ["PPR(k=1000) >> ShortestPaths() >> Generate(LLM(model='gpt-4.1'))"]


def test_runs_are_for_all_data_or_for_some(folder: Path) -> None:
    other = DATA.replace('"tiny"', '"other"', 1)
    runs = plan(folder, DATA + other + RUN + '[[run]]\npipeline = "PPR()"\ndata = "other"\n').runs
    assert [run.data for run in runs] == [("tiny", "other"), ("other",)]
    assert [run.name for run in plan(folder, DATA + other + RUN).only(["other"]).runs] == [BM25]
    with fails("experiment.nothing_called", InputError):
        plan(folder, DATA + RUN).only(["PPR", "nothing"])  # one word fits, the other does not
    both = plan(folder, DATA + other + RUN.replace("k=6", "k=7") + 'data = "tiny"\n' + RUN + 'data = "other"\n')
    assert [one.name for one in both.only(["k=7"]).data] == ["tiny"]
    with fails("experiment.nothing_asked", InputError):
        both.only(["k=7", "other"])


def test_samples_are_drawn_in_all_or_of_each_group(folder: Path) -> None:
    def drawn(text: str, limit: int | None = None) -> list[int | None]:
        (data,) = plan(folder, text).data
        return [one.question.hops for one in questions_of(data, {}, 0, limit)]

    assert drawn(DATA + RUN) == [1, 1, 2, 1]
    assert sorted(drawn(f"{DATA}each = 1\n{RUN}")) == [1, 2]
    assert len(drawn(f"limit = 3\n{DATA}{RUN}")) == 3
    assert len(drawn(f"limit = 3\n{DATA}each = 1\n{RUN}")) == 2  # what stands nearer counts
    assert len(drawn(f"{DATA}each = 2\n{RUN}", limit=1)) == 1


@pytest.mark.parametrize(
    ("text", "code", "part"),
    [
        ("[[data", "experiment.not_toml", "TOML"),
        (RUN, "experiment.no_tables", "[[data]]"),
        (DATA, "experiment.no_tables", "[[run]]"),
        ("questions = 3\n" + DATA + RUN, "experiment.unknown_key", "'questions'"),
        (DATA + "size = 3\n" + RUN, "experiment.unknown_key", "data 1 has 'size'"),
        (DATA + "limit = 0\n" + RUN, "experiment.bad_value", "data 1 has limit = 0"),
        (DATA + "limit = true\n" + RUN, "experiment.bad_value", "whole number"),
        (DATA + "limit = 3\neach = 3\n" + RUN, "experiment.samples", "limit and each"),
        ("data = [3]\n" + RUN, "experiment.no_table", "data 1 must be a table"),
        ('[[data]]\ngraph = "tiny.graph"\n' + RUN, "experiment.no_key", "no questions"),
        (DATA.replace("tiny.graph", "gone.graph") + RUN, "experiment.no_graph", "gone.graph"),
        (DATA.replace("tiny.graph", "g.graph") + 'build = "kb.txt"\n' + RUN, "experiment.no_graph", "kb.txt"),
        (DATA + 'build = ["a", "b"]\n' + RUN, "experiment.many_sources", "folder"),
        (DATA.replace("rows.jsonl", "gone.jsonl") + RUN, "experiment.no_file", "gone.jsonl"),
        (DATA + DATA + RUN, "experiment.name_twice", "'tiny'"),
        (DATA + RUN + RUN, "experiment.name_twice", "PPR"),
        (DATA + RUN + 'name = "other"\n' + RUN, "evaluate.pipeline_twice", "there twice"),
        (DATA + "[[run]]\n", "experiment.no_pipeline", "run 1"),
        (DATA + RUN + 'recipes = ["1"]\n', "experiment.no_pipeline", "one of them"),
        (DATA + RUN + 'data = ["no"]\n', "experiment.no_data", "'no'"),
        (DATA + RUN + "sweep = { k = [1] }\n", "experiment.unused_sweep", "$k"),
        (DATA + RUN + "sweep = { k = 1 }\n", "experiment.bad_sweep", "a list such as"),
        (DATA + '[[run]]\npipeline = "PPR(k=$k)"\n', "experiment.no_values", "$k"),
        (DATA + '[[run]]\npipeline = "PPR(k=1$)"\n', "experiment.lone_dollar", "$$"),
        (DATA + '[[run]]\npipeline = "PPPR()"\n', "experiment.bad_run", "run 1"),
        (DATA + '[[run]]\npipeline = "Generate($llm)"\n', "experiment.no_models", "models"),
        (DATA + '[[run]]\nrecipes = "999"\n', "experiment.bad_run", "999"),
        (DATA + '[[run]]\nrecipes = "P5"\n', "experiment.needs_part", "tuned_embedder"),
        (DATA + '[[run]]\nrecipes = "1"\nset = { llm = "x" }\n', "experiment.unused_part", "llm"),
        ("set = { llm = 'LLM()' }\n" + DATA + RUN, "experiment.unused_set", "set.llm"),
        ('models = ["small"]\n' + DATA + RUN, "experiment.unused_models", "'small'"),
        (DATA + RUN + 'models = "small"\n', "experiment.unused_models", "run 1 has the model 'small'"),
        (DATA + RUN + "repetitions = 2\n", "experiment.nothing_by_chance", "seed"),
        (DATA + RUN + TABLE, "experiment.no_paper", "[paper]"),
        ("table = 3\n" + DATA + RUN, "experiment.bad_value", "[[table]]"),
        (DATA + RUN + PAPER + '[[table]]\ntitle = "x"\ncolumns = 3\n', "experiment.bad_value", "table 1 has columns"),
        (DATA + RUN + "[paper]\ngraph = 'x'\n", "experiment.no_key", "paper has no name"),
        (DATA + RUN + PAPER + TABLE.replace("hits_at_1", "hits"), "experiment.no_measure", "column 1 has measure"),
        (DATA + RUN + PAPER + TABLE.replace('"12"', '"2"'), "experiment.no_row", "recipe '2'"),
        (DATA + RUN + PAPER + TABLE.replace("webqsp", "metaqa"), "experiment.no_figure", "'metaqa'"),
        (DATA + RUN + PAPER + '[[table]]\ntitle = "x"\n', "experiment.empty_table", "table 1 has no rows"),
        (DATA + RUN + PAPER + '[[table]]\ntitle = "x"\ncounts = "words"\n', "experiment.bad_value", "domains"),
        (DATA + '[[run]]\npipeline = "PathAnswer()"\n', "evaluate.cannot_start", "cannot start"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_runs(folder: Path, text: str, code: str, part: str) -> None:
    with fails(code) as caught:
        plan(folder, text)
    assert part in str(caught.value)


@pytest.mark.parametrize("name", [name for name in shipped() if name != "ragevaluator.toml"])
def test_the_files_that_come_with_the_package_are_whole_where_their_data_are(folder: Path, name: str) -> None:
    text = re.sub(r'questions = ".*"', 'questions = "rows.jsonl"', shipped()[name].read_text())
    text = re.sub(r'graph = "(?!world).*"', 'graph = "tiny.graph"', text)
    (folder / name).write_text(text)
    read = Experiment.read(folder / name, None, places_of())
    assert read.title != name
    assert read.about
    for data in read.data:
        assert [run for run in read.runs if data.name in run.data], data.name


def test_the_systems_of_documents_are_for_another_command(tmp_path: Path) -> None:
    file = shipped()["ragevaluator.toml"]
    assert [system.name for system in read_systems(file)] == ["VanillaRag", "MichaelRag", "LightRag"]
    with fails("experiment.of_documents") as caught:
        Experiment.read(file)
    assert "graphbrick rag DOCUMENTS --systems ragevaluator.toml" in str(caught.value)
