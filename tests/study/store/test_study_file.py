"""The file of a study: what is written is read again, and what is no study is refused."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest
from faults import fails
from made_study import Madeup, write_study

from graphbrick import build
from graphbrick.core.errors import InputError
from graphbrick.questions.grounding import ground
from graphbrick.questions.question import Question
from graphbrick.study.runs.recorder import Recorder
from graphbrick.study.store.identity import Identity, changed_files
from graphbrick.study.store.reader import Study
from graphbrick.study.store.records import Detail, Result, StoredAnswer, StoredPath
from graphbrick.study.store.schema import VERSION
from graphbrick.testing import tiny_graph

GRAPH = tiny_graph()
HOSTILE = 'a "b" \' <script>\x00\x1b[31m \u202e \ud800 內'
ASKED = [
    Question("1", "Which currency has Kenya?", ("Kenya",), ("Kenyan shilling", "Euro"), (("KES",), ()), 1, "mine"),
    Question("2", "What is there?", ("Atlantis",), ("Kampala",), hops=None, dataset="mine", facts={"kind": "odd"}),
    Question("1", HOSTILE, (), (HOSTILE,), dataset="other", facts={"kind": HOSTILE}),
]


def result(run=1, question=1, session=1, error=None):
    return Result(run, question, session, error, "ranking", 0.25, {"f1": 0.5, "nodes": None}, {"calls": 2},
                  (("PPR(k=1)", "extract", 0.25),), 3, 4)  # fmt: skip


def detail(run=1, question=1):
    stage = {"stage": HOSTILE, "events": [HOSTILE, "another"], "seconds": 0.25}
    answer = StoredAnswer(HOSTILE, None, True, (HOSTILE, "b"))
    return Detail(run, question, (("k", HOSTILE),), (answer,), (StoredPath(HOSTILE, 0.5, "PPR()", None),), (stage,))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "runs.sqlite"


def filled(path, questions=ASKED):
    """A recorder with one run that is asked all questions."""
    recorder = Recorder(path)
    recorder.begin({"limit": None}, {"numpy": "2"}, {"cores": 2})
    grounded = ground(GRAPH, questions).questions
    file = recorder.questions.file(path, "abc", 3)
    recorder.run("mine", "PPR(k=1)", GRAPH, linked=False)
    recorder.ask(1, recorder.questions.add(GRAPH, grounded, [file] * len(grounded)))
    return recorder


def test_what_was_written_is_read_again(path):
    with filled(path) as recorder:
        recorder.put(result(), detail())
        recorder.put(result(question=3, error=HOSTILE), detail(question=3))
        recorder.end(1, "done")
    with Study.open(path) as study:
        (run,) = study.runs()
        assert (run.id, run.name, run.recipe, run.graph_hash, run.linked) == (1, "mine", "PPR(k=1)", GRAPH.hash, False)
        assert (run.questions, run.done, run.finished, run.files, run.sessions) == (3, 2, None, (1,), (1,))
        assert study.results(1)[0] == result()
        assert study.results(1)[0].metrics == {"f1": 0.5, "nodes": None}
        assert study.results(1)[1].error == HOSTILE.replace("\ud800", "\\ud800")
        assert study.detail(1, 1) == detail()
        assert study.detail(1, 1).events == [HOSTILE, "another"]
        assert [found.question for found in study.details(1)] == [1, 3]
        assert study.detail(1, 2) is None
        (session,) = study.sessions()
        assert (session.ended, session.versions, session.machine) == ("done", {"numpy": "2"}, {"cores": 2})
        assert session.started <= session.finished
        assert study.files()[0].sha256 == "abc"


def test_questions_have_what_the_file_and_the_graph_say(path):
    filled(path).close()
    with Study.open(path) as study:
        first, second, third = study.questions()
        assert study.questions(1) == [first, second, third]
    assert (first.dataset, first.name, first.hops, first.distance, first.answerable) == ("mine", "1", 1, 1, True)
    assert first.seeds == (("Kenya", "Kenya"),)
    assert [(gold.answer, gold.names, gold.keys) for gold in first.gold] == [
        ("Kenyan shilling", ("KES", "Kenyan shilling"), ("Kenyan shilling",)),
        ("Euro", ("Euro",), ()),
    ]
    assert (second.missing_seeds, second.seeds, second.hops, second.facts) == (("Atlantis",), (), None, {"kind": "odd"})
    assert third.facts == {"kind": HOSTILE}
    assert third.text == HOSTILE.replace("\ud800", "\\ud800")
    assert [first.group(by) for by in ("hops", "dataset", "distance", "kind")] == ["1", "mine", "1", ""]


def test_questions_of_before_are_as_they_were_found(path):
    with filled(path) as recorder:
        assert list(recorder.questions.known(GRAPH, ASKED).values()) == list(ground(GRAPH, ASKED).questions)
        assert recorder.questions.known(GRAPH, [Question("9", "?")]) == {}


def test_a_question_that_was_changed_is_refused_where_results_stand_on_it(path):
    changed = [Question("1", "Which currency has Kenya?", ("Kenya",), ("Euro",), dataset="mine")]
    with filled(path) as recorder:
        recorder.put(result(question=2), detail(question=2))
        assert recorder.questions.known(GRAPH, changed) == {}  # no result stands on it: it is forgotten
        recorder.ask(1, recorder.questions.add(GRAPH, ground(GRAPH, changed).questions, [None]))
    with Recorder(path) as recorder:
        assert recorder.questions.known(GRAPH, changed)
        recorder.put(result(question=4), detail(question=4))
        with fails("study.changed_question"):
            recorder.questions.known(GRAPH, ASKED[:1])
        recorder.forget([1])
        assert recorder.questions.known(GRAPH, ASKED[:1]) == {}


def test_a_result_that_is_there_stays(path):
    with filled(path) as recorder:
        recorder.put(result(), detail())
        recorder.put(result(error="another"), detail())
    with Study.open(path) as study:
        assert [found.error for found in study.results(1)] == [None]
        assert len(list(study.details(1))) == 1


def test_what_is_left_to_ask(path):
    with filled(path) as recorder:
        assert recorder.ask(1, [1, 2, 3]) == {1, 2, 3}
        for question, error in ((1, None), (2, "no luck"), (3, None)):
            recorder.put(result(question=question, error=error), detail(question=question))
        recorder.close_runs([1])
        assert recorder.ask(1, [1, 2, 3]) == set()
        with Study.open(path) as study:
            finished = study.runs()[0].finished
            assert finished is not None
        recorder.forget([1], errors_only=True)
        assert recorder.ask(1, [1, 2, 3]) == {2}
        with Study.open(path) as study:
            assert study.runs()[0].finished is None
        recorder.forget([1])
        assert recorder.ask(1, [1]) == {1}


def test_runs_are_told_apart_by_recipe_graph_and_linking_and_have_names_of_their_own(path):
    with Recorder(path) as recorder:
        assert recorder.run("mine", "PPR(k=1)", GRAPH, linked=False) == 1
        assert recorder.run("another name", "PPR(k=1)", GRAPH, linked=False) == 1
        assert recorder.run("mine", "PPR(k=2)", GRAPH, linked=False) == 2
        assert recorder.run("mine", "PPR(k=1)", GRAPH, linked=True) == 3
        assert recorder.run("", "PPR(k=3)", GRAPH, linked=True) == 4
    with Study.open(path) as study:
        assert [run.name for run in study.runs()] == ["mine", "mine (2)", "mine (3)", "pipeline 4"]


def test_the_same_pipeline_on_another_graph_is_named_by_that_graph(path, tmp_path):
    films = build([("Alien", "director", "Ridley Scott")], tmp_path / "films.graph")
    bands = build([("Abba", "from", "Sweden")], tmp_path / "bands.graph")
    with Recorder(path) as recorder:
        for graph, recipe in ((films, "PPR(k=1)"), (bands, "PPR(k=2)"), (bands, "PPR(k=3)"), (films, "PPR(k=4)")):
            recorder.run("mine", recipe, graph, linked=False)
    with Study.open(path) as study:
        assert [run.name for run in study.runs()] == ["mine", "mine on bands", "mine (2)", "mine (3)"]


def test_it_can_be_read_while_it_is_written(path):
    with filled(path) as recorder:
        recorder.put(result(), detail())
        with Study.open(path) as study:
            assert study.results(1) == []
            recorder._db.commit()
            assert len(study.results(1)) == 1


@pytest.mark.whole
def test_one_process_writes_at_a_time(path):
    with Recorder(path):
        with fails("recorder.in_use"):
            Recorder(path)
        script = "import sys; from graphbrick.study.runs.recorder import Recorder; Recorder(sys.argv[1])"
        done = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, check=False)
        assert "another evaluation writes this study now" in done.stderr
    Recorder(path).close()
    assert os.listdir(path.parent) == [path.name]  # noqa: PTH208 - hidden files count too


def test_a_pipeline_with_other_files_is_another_run_and_one_with_another_timeout_is_not(path):
    before, after = (
        Identity(f"Generate(prompt=sha256:{digit * 64})", {"prompt.txt": digit * 64, "other.txt": "7"})
        for digit in "ab"
    )
    with Recorder(path) as recorder:
        assert recorder.run("mine", "Generate(timeout=1)", GRAPH, linked=False, identity=before) == 1
        assert recorder.run("mine", "Generate(timeout=2)", GRAPH, linked=False, identity=before) == 1
        assert recorder.run("mine", "Generate(timeout=1)", GRAPH, linked=False, identity=after) == 2
        assert recorder.run("mine", "Generate(timeout=1)", GRAPH, linked=True, identity=after) == 3
    with Study.open(path) as study:
        runs = study.runs()
    assert [run.name for run in runs] == ["mine", "mine (2)", "mine (3)"]
    assert [run.identity for run in runs] == [before, after, after]
    assert runs[1].identity.files == after.files
    assert changed_files(runs) == {2: ("mine", ("prompt.txt",))}


@pytest.mark.parametrize("version", [1, 2])
def test_a_study_of_an_older_version_is_read_and_continued(path, version):
    write_study(path, [Madeup("one"), Madeup("two")], 3, version=version)
    with Study.open(path) as study:
        (one, two), results = study.runs(), study.results(1)
    assert (one.name, one.identity, len(results)) == ("one", None, 3)
    graph = SimpleNamespace(hash=one.graph_hash, place="elsewhere")
    identity = Identity(one.recipe, {"prompt.txt": "1"})
    with Recorder(path) as recorder:
        assert recorder.run("again", one.recipe, graph, linked=False, identity=identity) == 1
        assert recorder.run("again", one.recipe, graph, linked=False, identity=identity) == 1
        assert recorder.run("new", one.recipe, graph, linked=False, identity=Identity("another")) == 3
        assert recorder.ask(1, [1, 2, 3]) == set()
    with Study.open(path) as study:
        assert [run.name for run in study.runs()] == ["one", "two", "new"]
        assert [run.identity for run in study.runs()] == [identity, None, Identity("another")]
        assert study.results(1) == results
        assert (study.runs()[0].done, study.runs()[1]) == (3, two)


def test_a_study_that_another_program_holds(path, monkeypatch):
    monkeypatch.setattr("graphbrick.study.store.reader._WAIT", 0.05)
    monkeypatch.setattr("graphbrick.study.runs.recorder._WAIT", 0.05)
    filled(path).close()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    for attempt in (lambda: Study.open(path).runs(), lambda: Recorder(path).run("a", "b", GRAPH, linked=False)):
        with fails("study.locked"):
            attempt()
    other.close()
    Recorder(path).close()


def test_a_study_that_is_damaged(path):
    with filled(path) as recorder:
        for question in (1, 2, 3):
            recorder.put(result(question=question), detail(question=question))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with fails("study.damaged"), Study.open(path) as study:
        [study.runs(), study.questions(), study.results(1), list(study.details(1)), study.sessions()]
    path.write_bytes(whole)
    with sqlite3.connect(path) as db:
        db.execute("UPDATE results SET metrics = '{' WHERE question = 2")
        db.execute("UPDATE details SET answers = '[{}]' WHERE question = 2")
    db.close()
    with Study.open(path) as study:
        for read in (lambda: study.results(1), lambda: list(study.details(1))):
            with fails("study.damaged_row"):
                read()


def test_a_disk_that_is_full(tmp_path):
    """Fill the file up to a limit of pages, which SQLite reports as a full disk."""
    path = tmp_path / "runs.sqlite"
    with (
        fails("study.disk_full"),
        filled(path) as recorder,
        recorder.session({}, {}, {}),
    ):
        recorder.put(result(), detail())
        recorder._db.commit()
        recorder._db.execute(f"PRAGMA max_page_count = {recorder._db.value('PRAGMA page_count')}")
        recorder.put(result(question=2), replace(detail(question=2), seeds=(("key", "x" * 1_000_000),)))
        recorder._db.commit()
    with Study.open(path) as study:
        assert [one.question for one in study.results(1)] == [1]
        assert study.detail(1, 2) is None
    with Recorder(path) as recorder:
        assert recorder.ask(1, [1, 2]) == {2}
    assert os.listdir(tmp_path) == ["runs.sqlite"]  # noqa: PTH208 - hidden files count too


def test_what_is_no_study(tmp_path):
    with fails("study.no_file"):
        Study.open(tmp_path / "none.sqlite")
    text = tmp_path / "text.sqlite"
    text.write_text("no database at all, but long enough to be looked at" * 20)
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE mine (x)")
    db.close()
    for file, code in ((text, "study.damaged"), (other, "study.other_database")):
        before = file.read_bytes()
        for attempt in (Study.open, Recorder):
            with fails(code):
                attempt(file)
        assert file.read_bytes() == before
    with fails("recorder.is_a_folder"):
        Recorder(tmp_path)
    with fails("recorder.not_writable"):
        Recorder(tmp_path / "missing" / "runs.sqlite")


def test_a_study_of_a_newer_version(path):
    Recorder(path).close()
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {VERSION + 1}")
    db.close()
    with fails("study.newer_version", version=VERSION + 1):
        Study.open(path)


def test_the_view_for_sql_by_hand(path):
    with filled(path) as recorder:
        recorder.put(result(), detail())
    with sqlite3.connect(path) as db:
        (row,) = db.execute("SELECT runs.name, f1, calls, hits_at_1 FROM scores JOIN runs ON runs.id = run").fetchall()
    db.close()
    assert row == ("mine", 0.5, 2, None)


@pytest.mark.posix
def test_a_link_to_a_study_does_not_make_a_second_writer(path):
    link = path.with_name("link.sqlite")
    link.symlink_to(path)
    with Recorder(path), fails("recorder.in_use"):
        Recorder(link)
    with Recorder(link), fails("recorder.in_use"):
        Recorder(path)


def test_an_error_that_names_a_badly_decoded_file_is_the_one_that_is_raised(path):
    with pytest.raises(InputError, match="damaged"), Recorder(path) as recorder, recorder.session({}, {}, {}):
        raise InputError("damaged", "caf\udce9.graph")
    with Study.open(path) as study:
        assert study.sessions()[0].ended == "caf\\udce9.graph: damaged"


def test_results_in_the_log_of_a_writer_are_read_in_a_folder_that_cannot_be_written(path, monkeypatch):
    with filled(path) as recorder:
        recorder.put(result(), detail())
        recorder._db.commit()
        monkeypatch.setattr("graphbrick.study.store.reader.os.access", lambda *_: False)
        with Study.open(path) as study:
            assert len(study.results(1)) == 1
    with Study.open(path) as study:
        assert len(study.results(1)) == 1


def test_facts_that_change_are_stored(path):
    with filled(path) as recorder:
        recorder.put(result(), detail())
        later = [replace(ASKED[0], facts={"topic": "money"}), replace(ASKED[1], facts={"kind": "even", "level": "2"})]
        assert recorder.questions.add(GRAPH, ground(GRAPH, later).questions, [None, None]) == [1, 2]
        recorder.questions.add(GRAPH, ground(GRAPH, ASKED[:1]).questions, [None])
    with Study.open(path) as study:
        first, second, _ = study.questions()
        assert (first.facts, second.facts) == ({"topic": "money"}, {"kind": "even", "level": "2"})


def test_what_is_read_beside_the_graph_tells_runs_apart(path):
    text = "Reports() >> Quote(BM25())"
    with Recorder(path) as recorder:
        assert recorder.run("mine", text, GRAPH, linked=False, identity=Identity(text)) == 1  # of an older version
        for beside, number in (("a", 1), ("b", 2), ("a", 1)):
            identity = Identity(text, {"reports": beside}, beside)
            assert recorder.run("mine", text, GRAPH, linked=False, identity=identity) == number
    with Study.open(path) as study:
        runs = study.runs()
    assert [run.identity for run in runs] == [Identity(text, beside="a"), Identity(text, beside="b")]
    assert changed_files(runs) == {2: ("mine", ("reports",))}
