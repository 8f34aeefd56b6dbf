"""Samples to label, files of labels, and what is wrong with them."""

from __future__ import annotations

import csv
import random
from dataclasses import replace
from pathlib import Path

import pytest
from faults import fails
from made_study import Madeup, write_study

from graphbrick.core.errors import InputError
from graphbrick.judge.cases import StudyCase, cases_of
from graphbrick.judge.labels.files import label_of, labels_by_rule, open_labels, read_labels, write_cases
from graphbrick.judge.labels.sampling import LEAST, _quotas, draw
from graphbrick.judge.verdicts import Label
from graphbrick.study.store.reader import Study

RELEVANCE, CORRECTNESS = Label.CONTEXT_RELEVANCE, Label.CORRECTNESS
BOTH = [RELEVANCE, CORRECTNESS]


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> list[StudyCase]:
    path = write_study(
        tmp_path_factory.mktemp("study") / "runs.sqlite", [Madeup("one"), Madeup("two", right=0.4)], 90,
        label=lambda i: f"=Entity \"{i}\"\n<b>, ü",
    )  # fmt: skip
    with Study.open(path) as study:
        return cases_of(study)


@pytest.fixture
def file(tmp_path: Path, cases: list[StudyCase]) -> Path:
    path = tmp_path / "labels.csv"
    write_cases(draw(cases, BOTH, 20), BOTH, path)
    return path


def cells(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as text:
        return list(csv.reader(text))


def change(path: Path, column: str, text: str, row: int = 0) -> None:
    """Change one cell of a file."""
    rows = cells(path)
    rows[1 + row][rows[0].index(column)] = text
    with path.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows(rows)


@pytest.mark.parametrize("text", ["one\rtwo", "one\r\ntwo\r\rthree", "\rone"])
def test_texts_with_line_ends_of_other_systems_are_read_back(tmp_path, cases, text):
    path, case = tmp_path / "labels.csv", replace(cases[0], text=text, evidence=(f"because {text}", "so"))
    write_cases([case, cases[1]], [RELEVANCE], path)
    change(path, "context_relevance", "1")
    assert read_labels(path, cases=[case, cases[1]]).values == {RELEVANCE: {(case.run, case.question): 1.0}}


def test_a_sample_is_random_reproducible_and_has_its_share_of_each_stratum(cases):
    drawn = draw(cases, BOTH, 60, seed=3)
    assert [case.id for case in drawn] == [case.id for case in draw(cases, BOTH, 60, seed=3)]
    assert {case.id for case in drawn} != {case.id for case in draw(cases, BOTH, 60, seed=4)}
    count = {key: sum((c.system, c.group) == key for c in drawn) for key in {(c.system, c.group) for c in cases}}
    assert count == {("one", "simple"): 10, ("one", "complex"): 20, ("two", "simple"): 10, ("two", "complex"): 20}
    # The same questions for both systems, and a larger sample goes on from a smaller one.
    assert len({case.key for case in drawn}) == 30
    assert {case.id for case in drawn} < {case.id for case in draw(cases, BOTH, 90, seed=3)}
    assert len(draw(cases, BOTH, 10_000)) == 180
    assert len(draw(cases, BOTH, 11)) == 11
    with fails("sampling.too_few", InputError, n=7, strata=4, least=8):
        draw(cases, BOTH, 7)


@pytest.mark.whole
def test_every_case_is_drawn_equally_often(cases):
    often = {case.id: 0 for case in cases}
    for seed in range(200):
        for case in draw(cases, BOTH, 36, seed=seed):
            often[case.id] += 1
    # A fifth of 200 draws is 40, with a standard deviation of 5.7.
    assert 15 < min(often.values()) < max(often.values()) < 65


def test_labels_come_back_as_they_were_given(file, cases):
    rows = open_labels(file).rows
    assert list(rows[0]) == ["id", "system", "group", "question", "evidence", "answer", "gold", *BOTH]
    assert rows[0]["gold"].startswith('=Entity "')
    assert ",'=Entity" in file.read_text("utf-8") or ",\"'=Entity" in file.read_text("utf-8")  # no formula
    for place, word in enumerate(("1", "yes", "TRUE", "0", "no", "False ", "skip", "")):
        change(file, RELEVANCE, word, place)
    labels = read_labels(file, cases)
    assert list(labels.values[RELEVANCE].values()) == [1, 1, 1, 0, 0, 0]
    assert (labels.skipped, labels.blank, labels.values[CORRECTNESS]) == (1, 33, {})
    assert labels.notes == ()


def test_a_file_from_a_spreadsheet_is_read(file, cases):
    rows = cells(file)
    rows[1][-1] = "1"
    with file.open("w", encoding="utf-8-sig", newline="") as out:
        csv.writer(out, delimiter=";", lineterminator="\r\n").writerows([*rows, [""] * len(rows[0])])
    assert list(read_labels(file, cases).values[CORRECTNESS].values()) == [1]
    kept = [rows[0][:1] + rows[0][-1:], *(row[:1] + row[-1:] for row in rows[1:])]  # ids and labels alone
    with file.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows(kept)
    assert list(read_labels(file, cases).values[CORRECTNESS].values()) == [1]


@pytest.mark.parametrize(
    ("column", "text", "code", "values"),
    [
        (RELEVANCE, "maybe", "label_file.bad_label", {"label": RELEVANCE, "cell": "maybe"}),
        ("id", "r9-q1-00000000", "label_file.unknown_id", {"id": "r9-q1-00000000"}),
        ("id", "seven", "label_file.unknown_id", {"id": "seven"}),
        ("question", "Another question?", "label_file.edited_text", {}),
        ("answer", "", "label_file.edited_text", {}),
    ],
)
def test_errors_name_file_and_line(file, cases, column, text, code, values):
    before = file.read_text("utf-8").splitlines()
    change(file, column, text, 1)
    second = next(place for place, line in enumerate(before[2:], 3) if line.startswith("r"))
    with fails(code, InputError, file=file, line=second, **values):
        read_labels(file, cases)


def test_a_case_labelled_twice_and_an_answer_that_changed(file, cases):
    rows = cells(file)
    with file.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([*rows, rows[1]])
    with fails("label_file.labelled_twice", InputError, first=2):
        read_labels(file, cases)
    with file.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([rows[0], [*rows[1][:-1], "1"], [*rows[2][:-1], "0"]])
    numbers = tuple(int(part[1:]) for part in rows[1][0].split("-")[:2])
    newer = [replace(c, answers=("anew",)) if (c.run, c.question) == numbers else c for c in cases]
    labels = read_labels(file, newer)
    assert list(labels.values[CORRECTNESS].values()) == [0]
    assert labels.notes == ("1 labelled answers have changed since they were drawn; their labels are left out",)


def test_files_that_are_something_else(tmp_path, cases, file):
    with fails("label_file.exists", InputError, file=file):
        write_cases(cases, BOTH, file)
    write_cases(cases[:3], [RELEVANCE], file, overwrite=True)
    assert "gold" not in open_labels(file).columns
    for content, code, values in (
        (b"", "label_file.empty", {}),
        (b"id,name\n", "label_file.bad_columns", {"columns": ["id", "name"]}),
        (b"id,correctness,correctness\n", "label_file.same_columns", {"column": "correctness"}),
        (b"id,correctness\n\xff\xfe\n", "label_file.not_csv", {}),
        (b'id,correctness\n"r1,', "label_file.not_csv", {}),
        (b"id,correctness\nr1,1,2\n", "label_file.too_many_cells", {"line": 2, "cells": 3}),
    ):
        file.write_bytes(content)
        with fails(code, InputError, file=file, **values):
            open_labels(file)
    with fails("label_file.unreadable", InputError, file=tmp_path / "none.csv"):
        open_labels(tmp_path / "none.csv")
    assert label_of(" Skip ", file, 1, "correctness") == "skip"


def test_labels_by_rule_say_so(cases):
    labels = labels_by_rule(cases, list(Label))
    assert set(labels.values) == {RELEVANCE, CORRECTNESS}
    assert len(labels.values[CORRECTNESS]) == 180
    assert "no judgements of people" in labels.notes[0]
    with fails("label_file.no_rule", InputError):
        labels_by_rule(cases, [Label.ANSWER_FAITHFULNESS])


@pytest.mark.whole
def test_no_stratum_loses_a_label_as_the_sample_grows():
    rng = random.Random(6)
    for _ in range(40):
        sizes = [rng.randint(1, 60) for _ in range(rng.randint(1, 7))]
        least = sum(min(LEAST, size) for size in sizes)
        before = _quotas(sizes, least)
        for n in range(least + 1, sum(sizes) + 2):
            quotas = _quotas(sizes, n)
            assert all(small <= large <= size for small, large, size in zip(before, quotas, sizes, strict=True))
            assert sum(quotas) == min(n, sum(sizes))
            before = quotas
        n = sum(sizes) // 2
        if all(n * size >= 3 * sum(sizes) for size in sizes):  # in proportion, within about one
            assert all(abs(q - n * s / sum(sizes)) < 1.5 for q, s in zip(_quotas(sizes, n), sizes, strict=True))
