"""Extracted subgraphs: the seeds of a question choose one, and every brick runs on it as on a folder graph."""

from __future__ import annotations

import json
import pickle
import shutil

import pytest
from extractions import write_extraction, write_table
from faults import fails, told

import graphbrick
from graphbrick import (
    EntityRecord,
    ExtractedGraph,
    Graph,
    Query,
    Session,
    build,
    parse,
)
from graphbrick.core.errors import GraphFormatError, LinkError
from graphbrick.questions.question import Question
from graphbrick.study.runs.experiment import evaluate
from graphbrick.study.store.reader import Study
from graphbrick.testing import TINY

KENYA, UGANDA, RWANDA = TINY[:3], TINY[3:6], TINY[6:]
BOTH = (*KENYA, *UGANDA)
SETS = {
    "q1": (("Kenya",), KENYA),
    "q2": (("Uganda", "Atlantis"), UGANDA),
    "q3": (("Kenya", "Uganda"), BOTH),
    "q4": (("Atlantis",), ()),
}
PIPELINE = "PPR(k=10) >> PruneEdges(BM25(), n=8) >> ShortestPaths() >> Rerank(BM25()) >> PathAnswer()"
ASKED = "Which currency is used in Kenya?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_extraction(tmp_path_factory.mktemp("extracted") / "extracted", SETS, files=2)


@pytest.fixture(scope="module")
def extracted(folder):
    return graphbrick.open(folder)


def test_opening(extracted, folder):
    assert isinstance(extracted, ExtractedGraph)
    assert repr(extracted) == "ExtractedGraph('extracted', sets=4)"
    assert extracted.sets == {name: tuple(sorted(seeds)) for name, (seeds, _) in SETS.items()}
    assert extracted.settings["source"] == "countries.nt"
    assert len(extracted.hash) == 16
    assert pickle.loads(pickle.dumps(extracted)).hash == extracted.hash
    extracted.check()


def test_a_subgraph_has_the_entities_and_triples_of_its_set(extracted):
    graph = extracted.subgraph("q3")
    assert isinstance(graph, Graph)
    assert sorted(graph.key_triples()) == sorted(BOTH)
    graph.check()
    assert extracted.subgraph("q3") is graph


def test_answers_are_those_of_a_folder_graph_with_the_same_triples(extracted, tmp_path):
    ranked = map(EntityRecord, ("Kenya", "Kenyan shilling", "Nairobi", "Uganda"))
    whole = build([*ranked, *sorted(KENYA)], tmp_path / "kenya.graph")
    for text in (PIPELINE, "KHop(max_hops=2) >> AllPaths() >> PathAnswer()", "RandomWalk() >> ShortestPaths()"):
        ours, theirs = (parse(text).run(graph, ASKED, seeds=["Kenya"]).to_dict() for graph in (extracted, whole))
        for run in (ours, theirs):
            del run["graph"], run["trace"]
        assert ours == theirs


def test_the_trace_tells_where_the_answer_is_from(extracted, folder):
    run = parse(PIPELINE).run(extracted, ASKED, seeds=["Kenya"])
    first = run.trace.stages[0]
    assert (first.stage, first.kind) == ("ExtractedGraph('extracted', sets=4)", "local")
    assert first.counts_out == {"entities": 4, "triples": 3}
    assert run.to_dict()["graph"] == {"path": f"{folder}#q1", "hash": ""}


@pytest.mark.parametrize(
    ("question", "seeds", "chosen"),
    [
        ("Which currency?", ["Kenya"], "q1"),
        ("Which currency?", ["kenya", "UGANDA"], "q3"),
        ("Which currency?", ["Atlantis", "Uganda"], "q2"),
        ("What is the capital of Kenya?", [], "q1"),
        ("Do Kenya and Uganda share a border?", [], "q3"),
    ],
)
def test_seeds_or_the_question_choose_the_set(extracted, question, seeds, chosen):
    assert extracted.set_of(question, seeds) == chosen


def test_the_id_of_the_question_chooses_the_set(extracted):
    assert extracted.set_of("Which currency?", [], "q1") == "q1"
    assert extracted.set_of("Which currency?", ["Uganda"], "q3") == "q3"
    # The id is one of another file of questions: the seeds decide.
    assert extracted.set_of("Which currency?", ["Kenya"], "q2") == "q1"
    assert parse(PIPELINE)(extracted, Query("Which currency is it?", id="q1")).texts == ("Kenyan shilling",)


@pytest.mark.parametrize(
    ("question", "seeds", "code", "values"),
    [
        ("x", ["Rwanda"], "extracted.no_subgraph", {"seeds": ["Rwanda"], "nearest": []}),
        ("x", ["Uganda"], "extracted.no_subgraph", {"seeds": ["Uganda"], "nearest": ["q2"]}),
        ("Where is Rwanda?", [], "extracted.no_seeds_named", {"question": "Where is Rwanda?"}),
        ("x", [0], "extracted.seed_type", {}),
        ("x", ["Atlantis"], "extracted.no_triples", {"set": "q4"}),
    ],
)
def test_what_was_not_extracted_is_an_error_with_advice(extracted, question, seeds, code, values):
    with fails(code, LinkError, **values):
        parse(PIPELINE)(extracted, question, seeds=seeds)


def test_seeds_that_the_source_lacks_are_an_event(extracted):
    run = parse(PIPELINE).run(extracted, Query("What is the capital?", id="q2"))
    assert [run.graph.label(seed) for seed in run.query.seeds] == ["Uganda"]
    assert ("extracted.missing_seeds", {"set": "q2", "seeds": ["Atlantis"]}) in told(run.trace.events)


def test_labels(tmp_path):
    """Keys that nobody can read have labels; an IRI without one is called by its last part."""
    key, other = "m.019rg5", "http://example.org/Nairobi"
    sets = {"1": ((key,), ((key, "r.1", other),)), "2": (("m.0k",), (("m.0k", "r.1", other),))}
    labels = {key: "Kenya", "m.0k": "Kenya", "r.1": "capital"}
    graph = graphbrick.open(write_extraction(tmp_path / "ex", sets, labels))
    local = graph.subgraph("1")
    assert [local.triple_text(0), local.key(0)] == ["Kenya -> capital -> Nairobi", key]
    assert graph.set_of("?", [key]) == "1"
    assert parse(PIPELINE)(graph, Query("What is the capital of Kenya?", id="1"), seeds=["Kenya"]).texts == ("Nairobi",)
    for question, seeds in (("?", ["Kenya"]), ("What is the capital of Kenya?", [])):
        with fails("extracted.several_subgraphs", LinkError, sets=["1", "2"]):
            graph.set_of(question, seeds)


def test_subgraphs_are_built_once_and_again_when_damaged(tmp_path, caplog):
    folder = write_extraction(tmp_path / "ex", SETS)
    with Session():
        made = graphbrick.open(folder).subgraph("q1").place
    assert made.parent == tmp_path / "ex.graphs" / graphbrick.open(folder).hash
    stamp = (made / "manifest.json").stat().st_mtime_ns
    with Session():
        graphbrick.open(folder).subgraph("q1")
    assert (made / "manifest.json").stat().st_mtime_ns == stamp
    (made / "tail.npy").write_bytes(b"")
    with Session(), caplog.at_level("INFO", "graphbrick"):
        assert graphbrick.open(folder).subgraph("q1").n_triples == 3
    assert "is damaged" in caplog.text

    shutil.rmtree(folder)  # another extraction takes the place of this one
    write_extraction(folder, {"q1": (("Rwanda",), RWANDA)})
    assert graphbrick.open(folder).subgraph("q1").n_triples == len(RWANDA)
    assert not made.exists()


def test_a_place_that_cannot_be_written(tmp_path):
    folder = write_extraction(tmp_path / "ex", SETS)
    (tmp_path / "ex.graphs").touch()
    with fails("extracted.not_writable"):
        graphbrick.open(folder).subgraph("q1")


def _settings(folder, text):
    (folder / "settings.json").write_text(text)


def _without(folder, table):
    shutil.rmtree(folder / table)


def _cut(folder):
    file = next((folder / "triples").iterdir())
    file.write_bytes(file.read_bytes()[:-9])


def _renamed(folder):
    import pyarrow.parquet as pq

    file = next((folder / "triples").iterdir())
    pq.write_table(pq.read_table(file).rename_columns(["set", "head", "predicate", "tail"]), file)


def _numbers(folder):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"set": [1], "entity": ["Kenya"]}), next((folder / "seeds").iterdir()))


@pytest.mark.parametrize(
    ("spoil", "code", "values"),
    [
        (lambda folder: _settings(folder, "{"), "extracted.bad_settings", {}),
        (lambda folder: _settings(folder, "{}"), "extracted.bad_settings", {}),
        (lambda folder: _settings(folder, '{"format": 2}'), "extracted.other_format", {"format": 2}),
        (lambda folder: _without(folder, "seeds"), "extracted.no_parquet_file", {"table": "seeds"}),
        (_cut, "extracted.unreadable", {"table": "triples"}),
        (_renamed, "extracted.no_column", {"table": "triples", "missing": ["relation"]}),
        (_numbers, "extracted.not_text", {"table": "seeds", "column": "set"}),
    ],
)
def test_damage(tmp_path, spoil, code, values):
    folder = write_extraction(tmp_path / "ex", SETS)
    spoil(folder)
    with fails(code, GraphFormatError, **values):
        graphbrick.open(folder)


def test_checking_finds_rows_that_do_not_fit(tmp_path):
    folder = write_extraction(tmp_path / "ex", SETS)
    write_table(folder, "triples", [("q9", "a", "r", "b")])
    with fails("extracted.unknown_set", GraphFormatError, table="triples", set="q9"):
        graphbrick.open(folder).check()
    write_table(folder, "triples", [("q1", "a", None, "b")])
    with fails("extracted.no_value", GraphFormatError, table="triples", column="relation"):
        graphbrick.open(folder).check()


@pytest.mark.parametrize(
    ("table", "rows", "column"),
    [
        ("seeds", [("q1", "Kenya"), (None, "Uganda")], "set"),
        ("scores", [("q1", "Kenya", 1.0, 1), ("q1", "Nairobi", 0.5, None)], "rank"),
        ("triples", [("q1", "Kenya", "capital", "Nairobi"), ("q1", "Kenya", "capital", None)], "tail"),
    ],
)
def test_a_row_without_a_value_is_an_error_when_it_is_read(tmp_path, table, rows, column):
    folder = write_extraction(tmp_path / "ex", SETS)
    write_table(folder, table, rows)
    with fails("extracted.no_value", GraphFormatError, table=table, column=column):
        graphbrick.open(folder).for_question(ASKED, ["Kenya"], "q1")


def test_the_hash_is_that_of_the_content(tmp_path):
    first = graphbrick.open(write_extraction(tmp_path / "a", SETS)).hash
    assert graphbrick.open(write_extraction(tmp_path / "b", SETS)).hash == first
    assert graphbrick.open(write_extraction(tmp_path / "c", {**SETS, "q4": (("Rwanda",), RWANDA)})).hash != first
    before = pickle.dumps(graphbrick.open(tmp_path / "b"))
    _settings(tmp_path / "b", json.dumps({"format": 1, "settings": {"restart": 0.8}}))
    with fails("graph.other_content", GraphFormatError):
        pickle.loads(before)


# Evaluation

QUESTIONS = [
    Question("q1", "Which currency is used in Kenya?", ("Kenya",), ("Kenyan shilling",), dataset="d"),
    Question("x", "Which currency is used in Kenya?", ("Kenya",), ("Kenyan shilling", "Kampala"), dataset="d"),
    Question("q2", "What is the capital of Uganda?", ("Uganda", "Atlantis"), ("Kampala",), dataset="d"),
    Question("lost", "What is the capital of Rwanda?", ("Rwanda",), ("Kigali",), dataset="d"),
]


def test_evaluation(extracted, tmp_path):
    """Each question is scored on its own subgraph; one without a subgraph is an error, and counts as missed."""
    study = evaluate(extracted, QUESTIONS, {"ours": PIPELINE}, out=tmp_path / "runs.sqlite")
    (run,) = study.runs()
    assert (run.graph_hash, run.graph_path) == (extracted.hash, str(extracted.place))
    names = {question.id: question.name for question in study.questions()}
    results = {names[result.question]: result for result in study.results(run.id)}
    assert [results[name].metrics["hits_at_1"] for name in ("q1", "x", "q2", "lost")] == [1, 1, 1, 0]
    assert results["lost"].error is not None
    assert "no subgraph of the seeds Rwanda together" in results["lost"].error
    assert (results["lost"].lost_at, results["q1"].lost_at) == ("absent", "none")
    assert results["x"].metrics["entity_recall"] == 0.5  # Kampala is in other subgraphs only
    assert results["q1"].metrics["triples"] == 3


def test_evaluation_goes_on_where_it_ended(extracted, tmp_path):
    out = tmp_path / "runs.sqlite"
    evaluate(extracted, QUESTIONS[:2], PIPELINE, out=out).close()
    with evaluate(extracted, QUESTIONS, [PIPELINE, "ShortestPaths() >> PathAnswer()"], out=out) as s:
        assert [run.done for run in s.runs()] == [4, 4]
        assert [len({result.session for result in s.results(run.id)}) for run in s.runs()] == [2, 1]
    with Study.open(out) as study:
        assert len(list(study.questions())) == 4
