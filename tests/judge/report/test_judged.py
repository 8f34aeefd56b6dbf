"""Reports of judges that are known to be good, useless, one-sided, biased or unreliable."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from faults import fails
from made_study import Madeup, write_study

from graphbrick.cli.judge.judge_options import labels_from
from graphbrick.core.errors import InputError
from graphbrick.judge.cases import StudyCase, cases_of
from graphbrick.judge.labels.files import Labels, labels_by_rule
from graphbrick.judge.labels.sampling import draw
from graphbrick.judge.report.estimates import ALL
from graphbrick.judge.report.judged import JudgeReport, judge_report
from graphbrick.judge.verdicts import Label
from graphbrick.study.runs.recorder import Recorder
from graphbrick.study.store.reader import Study
from graphbrick.study.store.records import StoredRating

CORRECTNESS = Label.CORRECTNESS
TRUE = {"good": 0.75, "bad": 0.5}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory):
    """Two systems of 300 questions; the labels are those of the rule, as if people had given them."""
    pipelines = [Madeup(name, right=right) for name, right in TRUE.items()]
    path = write_study(
        tmp_path_factory.mktemp("judged") / "runs.sqlite", pipelines, 300, label=lambda i: f"Entity {'x' * (i % 50)}{i}"
    )
    with Study.open(path) as opened:
        yield opened, cases_of(opened)


def labels_of(cases: list[StudyCase], n: int = 160, system: str | None = None) -> Labels:
    """Labels of a sample, as people would give them."""
    everything = labels_by_rule(cases, [CORRECTNESS])
    drawn = draw([case for case in cases if system in (None, case.system)], [CORRECTNESS], n, seed=1)
    values = everything.values[CORRECTNESS]
    return Labels({CORRECTNESS: {(c.run, c.question): values[c.run, c.question] for c in drawn}}, "labels.csv")


def report(
    study: tuple[Study, list[StudyCase]],
    says: Callable[[StudyCase, np.random.Generator], float | None],
    labels: Labels | None = None,
    **options: object,
) -> JudgeReport:
    """The report of a judge that says what a function says."""
    opened, cases = study
    with Recorder(opened.path) as recorder:
        number = recorder.ratings.judge(f"judge {np.random.default_rng().integers(1 << 62)}", "made up")
        rng = np.random.default_rng(7)
        ratings = [StoredRating(c.run, c.question, CORRECTNESS, says(c, rng), "") for c in cases]
        with recorder.session({}, {}, {}) as session:
            recorder.ratings.put(
                number, session, CORRECTNESS, ratings, cases=len(cases), seconds=1.0, ledger={"calls": 3}, events=["e"]
            )
    judge = opened.rating_judges()[-1]
    return judge_report(opened, cases, labels or labels_of(cases), judge, **options)


def decent(case: StudyCase, rng: np.random.Generator) -> float:
    """A judge of correlation 0.7 that is too kind."""
    return float(np.clip(0.55 * bool(case.right) + rng.uniform(0, 0.8), 0, 1))


@pytest.mark.whole
def test_a_decent_judge_makes_intervals_shorter_around_the_truth(study):
    rule = labels_by_rule(study[1], [CORRECTNESS])
    found = report(study, decent, rule=rule)
    (one,) = found.labels
    assert one.warnings == ()
    assert one.gain > 1.5
    assert one.quality.auc.low > 0.7
    assert 0.55 < one.quality.correlation < 0.85
    assert [(row.system, row.group) for row in one.rows] == [
        (system, group) for system in TRUE for group in (ALL, "simple", "complex")
    ]
    for row in one.rows:
        assert row.tuned.low <= row.true <= row.tuned.high
        assert row.tuned.width < row.classical.width
        if row.group == ALL:
            assert row.true == pytest.approx(TRUE[row.system], abs=0.08)
            assert (row.labels, row.cases, row.tuned.n, row.tuned.others) == (80, 300, 80, 220)
    bad = one.rows[3]
    assert bad.alone.low > bad.true + 0.05  # the judge alone is too kind, and sure of it
    (difference,) = one.differences
    assert difference.paired
    assert difference.estimate.low < one.rows[0].true - one.rows[3].true < difference.estimate.high
    assert difference.p == difference.p_holm < 0.01
    assert json.loads(json.dumps(found.to_dict()))["labels"][0]["systems"][0]["system"] == "good"


@pytest.mark.parametrize(
    ("says", "warning"),
    [
        (
            lambda case, rng: 1.0,
            "the judge always says yes: of 100% of the cases, and the labels of 70%, so that it tells",
        ),
        (lambda case, rng: float(rng.random()), "cannot be told from chance on correctness"),
        (
            lambda case, rng: float(np.clip(len(case.answer_text) / 60 + rng.normal(0, 0.05), 0, 1)),
            r"the judge prefers long answers: its probabilities follow the length \(rank correlation \+0.9",
        ),
        (
            lambda case, rng: None if rng.random() < 0.2 else decent(case, rng),
            r"1\d\d of 600 verdicts \((19|2\d)%\) are missing: the judge failed or could not be read",
        ),
        (lambda case, rng: 1 - decent(case, rng), "wrong more often than chance .* says the opposite of people"),
        (lambda case, rng: 0.0, "the judge always says no"),
    ],
    ids=["always yes", "random", "long answers", "one in five fails", "the opposite", "always no"],
)
def test_a_bad_judge_is_called_by_its_name(study, says, warning):
    found = report(study, says)
    assert re.search(warning, "\n".join(found.warnings)), found.warnings
    (one,) = found.labels
    useless = "missing" not in warning
    assert any("the judge adds nothing" in text for text in one.warnings) == useless
    for row in one.rows:
        if useless and row.group == ALL:  # PPI++ is no wider than the labels alone, whatever the judge says
            assert row.tuned.width < 1.03 * row.classical.width
            assert row.tuned.weight < 0.35
    assert one.rows[0].tuned.low < 0.75 < one.rows[0].tuned.high


def test_missing_verdicts_are_neither_yes_nor_no(study):
    found = report(study, lambda case, rng: None if case.right and rng.random() < 0.4 else decent(case, rng))
    (one,) = found.labels
    row = one.rows[0]
    assert row.missing > 60
    assert row.alone.least < row.alone.mean < row.alone.most
    assert row.alone.most - row.alone.least == pytest.approx(row.missing / row.cases)
    assert row.tuned.low <= 0.78
    assert row.tuned.high >= 0.72  # corrected although the judge fails where the label holds
    assert one.quality.missing_share == pytest.approx(one.quality.missing / 600)
    nothing = report(study, lambda case, rng: None)
    assert nothing.labels[0].rows[0].tuned.mean == pytest.approx(nothing.labels[0].rows[0].classical.mean)
    assert nothing.labels[0].quality.auc is None


def test_labels_of_one_system_correct_another_only_if_asked_to(study):
    labels = labels_of(study[1], system="good")
    found = report(study, decent, labels)
    rows = {row.system: row for row in found.labels[0].rows if row.group == ALL}
    assert rows["bad"].tuned is None
    assert rows["bad"].remarks == ("no labels",)
    assert found.labels[0].differences == ()
    pooled = report(study, decent, labels, pooled=True)
    rows = {row.system: row for row in pooled.labels[0].rows if row.group == ALL}
    error = pooled.labels[0].quality.holds - rows["good"].alone.mean
    assert rows["bad"].ppi.mean == pytest.approx(rows["bad"].alone.mean + error, abs=0.05)
    assert rows["bad"].tuned is None
    assert "right only if the judge errs alike on all systems" in " ".join(pooled.notes)
    assert "Differences and «yes and no» still rest on the labels of each system alone" in " ".join(pooled.notes)


def test_systems_on_other_questions_are_compared_by_their_means(study):
    opened, cases = study
    apart = [replace(case, key=(case.system, case.key[1])) for case in cases]
    found = report((opened, apart), decent)
    together = report(study, decent)
    assert not found.labels[0].differences[0].paired
    assert found.labels[0].differences[0].estimate.mean == pytest.approx(
        together.labels[0].differences[0].estimate.mean, abs=0.1
    )


def test_answers_that_lack_what_is_judged_count_nothing(study):
    opened, cases = study
    empty = [replace(case, answers=(), right=False) if case.question % 3 == 0 else case for case in cases]
    labels = labels_of(empty)
    labels.values[CORRECTNESS][1, 3] = 1.0
    found = report((opened, empty), decent, labels, rule=labels_by_rule(empty, [CORRECTNESS]))
    row = found.labels[0].rows[0]
    assert (row.lacking, row.labels) == (100, 80)
    assert row.tuned.low <= row.true <= row.tuned.high < 0.65
    assert "200 answers lack what is judged (an answer)" in found.labels[0].notes[0]
    assert "1 labels of such answers were not used" in found.labels[0].notes[1]
    (difference,) = found.labels[0].differences
    assert abs(difference.estimate.mean) < 0.3


def test_questions_without_gold_answers_are_neither_wrong_nor_unread(study):
    opened, cases = study
    half = [replace(case, gold=(), right=None) if case.question % 2 else case for case in cases]
    rule = labels_by_rule(half, [CORRECTNESS])
    labels, drawn = labels_from("gold", half, [CORRECTNESS], 120, 0)
    assert drawn == rule
    assert len(labels.values[CORRECTNESS]) == 120
    found = report((opened, half), lambda case, rng: decent(case, rng) if case.gold else None, labels, rule=rule)
    (one,) = found.labels
    row = one.rows[0]
    assert (row.cases, row.missing, one.quality.missing) == (150, 0, 0)
    with_gold = [case.right for case in half if case.gold and case.system == "good"]
    assert row.true == np.mean(with_gold)
    assert row.tuned.low <= row.true <= row.tuned.high
    assert "300 answers to questions without gold answers are left out" in one.notes
    given = labels_of(cases)  # by people, who labelled answers that nobody can label
    ignored = sum(case.question % 2 and (case.run, case.question) in given.values[CORRECTNESS] for case in cases)
    by_people = judge_report(opened, half, given, None)
    assert f"{ignored} labels of such answers were not used" in by_people.labels[0].notes
    assert by_people.labels[0].rows[0].cases == 150
    nothing = [replace(case, gold=(), right=None) for case in cases]
    with fails("judged.no_label", InputError, labels=[]):
        judge_report(opened, nothing, given, None)
    with fails("sampling.no_answer", InputError):
        draw(nothing, [CORRECTNESS], 10)


def test_two_questions_do_not_prove_a_difference(study):
    opened, cases = study
    places = {(case.run, case.question): case for case in cases}
    apart = [q for q in range(1, 301) if places[1, q].right and not places[2, q].right][:2]
    labels = Labels({CORRECTNESS: {(run, q): float(places[run, q].right) for run in (1, 2) for q in apart}}, "two")
    for listed in (cases, [replace(case, key=(case.system, case.key[1])) for case in cases]):
        (found,) = judge_report(opened, listed, labels, None).labels[0].differences
        assert found.estimate.mean == 1
        assert -1 <= found.estimate.low < 0
        assert found.estimate.high == 1
        assert found.p > 0.2


def test_labels_without_a_judge_and_a_judge_without_labels(study):
    opened, cases = study
    alone = judge_report(opened, cases, labels_of(cases), None)
    row = alone.labels[0].rows[0]
    assert (row.alone, row.ppi, row.tuned) == (None, None, None)
    assert row.classical.low < 0.75 < row.classical.high
    assert alone.warnings == []
    with Recorder(opened.path) as recorder:
        number = recorder.ratings.judge("half done", "half")
        with recorder.session({}, {}, {}) as session:
            half = [StoredRating(c.run, c.question, CORRECTNESS, 0.5, "") for c in cases[:300]]
            recorder.ratings.put(number, session, CORRECTNESS, half, cases=300, seconds=1, ledger={}, events=[])
    judged = judge_report(opened, cases, None, opened.rating_judges()[-1])
    assert "there are no labels by people" in " ".join(judged.warnings)
    assert "300 answers are not rated yet" in judged.labels[0].notes[0]
    assert judged.labels[0].rows[0].classical is None
    with fails("judged.no_label", InputError, labels=["answer_relevance"]):
        judge_report(opened, cases, labels_of(cases), None, chosen=[Label.ANSWER_RELEVANCE])
    with fails("judged.no_label", InputError, labels=[]):
        judge_report(opened, cases, None, None)


@pytest.mark.parametrize("version", [1, 3])
def test_a_study_of_an_older_version_is_judged_by_labels_without_being_changed(tmp_path, version):
    path = write_study(tmp_path / "old.sqlite", [Madeup("one")], 40, version=version)
    before = path.read_bytes()
    with Study.open(path) as opened:
        cases = cases_of(opened)
        found = judge_report(opened, cases, labels_of(cases, 20), None)
        assert (opened.rating_judges(), opened.ratings(1, CORRECTNESS)) == ([], [])
    assert found.labels[0].rows[0].labels == 20
    assert path.read_bytes() == before
