"""The cases of a study: every answer of every system with its question and evidence."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from graphbrick.core.errors import InputError
from graphbrick.judge.verdicts import Case, Label
from graphbrick.language.folding import answer_form
from graphbrick.study.metrics.answers import gold_forms
from graphbrick.study.store.encoding import plain
from graphbrick.study.store.reader import Study
from graphbrick.study.store.records import Detail, StudyQuestion, StudyRun

SIMPLE, COMPLEX = "simple", "complex"
_FACT = "complexity"
_NEEDS = {
    Label.CONTEXT_RELEVANCE: ("evidence",),
    Label.ANSWER_FAITHFULNESS: ("evidence", "answer"),
    Label.ANSWER_RELEVANCE: ("answer",),
    Label.CORRECTNESS: ("answer",),
}


@dataclass(frozen=True)
class StudyCase:
    """One answer of one system.

    Attributes:
        run: The number of the run in the study.
        question: The number of the question in the study.
        system: The name of the run.
        key: Data set and id of the question; systems that share questions share keys.
        group: Its kind, such as simple or complex; empty if the data does not say it.
        text: The question.
        evidence: Texts of the evidence, best first, as far as the study keeps them.
        answers: Texts of the answers, best first.
        gold: Names of gold answers.
        cut: Number of items of evidence that the study does not keep.
        right: Whether the first answer is a gold answer by its text; None without gold answers.
    """

    run: int
    question: int
    system: str
    key: tuple[str, str]
    group: str
    text: str
    evidence: tuple[str, ...]
    answers: tuple[str, ...]
    gold: tuple[str, ...]
    cut: int
    right: bool | None

    @property
    def id(self) -> str:
        """Its id in a file of labels: run, question and a checksum of the texts that a person sees."""
        return f"r{self.run}-q{self.question}-{digest_of(self.text, self.evidence_text, self.answer_text)}"

    @property
    def evidence_text(self) -> str:
        """The evidence as one text."""
        return "\n\n".join(self.evidence)

    @property
    def answer_text(self) -> str:
        """The answers, one a line."""
        return "\n".join(self.answers)

    def case(self, label: Label) -> Case:
        """Return what a judge is given, and nothing that the label is not about.

        Evidence is there for context relevance and faithfulness, gold answers for correctness only. The first answer is
        the one that has to be correct; for the other labels all answers count.
        """
        if label is Label.CONTEXT_RELEVANCE:
            return Case(self.text, self.evidence)
        if label is Label.CORRECTNESS:
            return Case(self.text, (), self.answers[0] if self.answers else "", self.gold)
        return Case(self.text, self.evidence if label is Label.ANSWER_FAITHFULNESS else (), self.answer_text)

    def applies(self, label: Label) -> bool:
        """Return whether the label can be judged at all: correctness needs gold answers."""
        return label is not Label.CORRECTNESS or bool(self.gold)

    def lacks(self, label: Label) -> bool:
        """Return whether the label fails without a look, for lack of evidence or an answer."""
        present = {"evidence": any(map(str.strip, self.evidence)), "answer": bool(self.answer_text.strip())}
        return not all(present[name] for name in _NEEDS[label])

    def by_rule(self, label: Label) -> bool | None:
        """Return the label that follows from gold answers; None without them, or for another label.

        Correctness is Hits@1, equality of texts. Context relevance is whether the name of a gold answer stands in the
        evidence, in the form of `graphbrick.language.folding.answer_form`.
        """
        if not self.gold or label not in (Label.CONTEXT_RELEVANCE, Label.CORRECTNESS):
            return None
        if label is Label.CORRECTNESS:
            return bool(self.right)
        text = f" {answer_form(self.evidence_text)} "
        return any(f" {form} " in text for form in set().union(*gold_forms([self.gold])) if form)


def cases_of(study: Study, *, by: str | None = None) -> list[StudyCase]:
    """Return the cases of a study, by question and run. A failed pipeline has neither evidence nor answer.

    Args:
        study: The study.
        by: What groups questions: "hops", "dataset", "distance" or one of their facts. None for the fact
            ``complexity`` if questions have it, else the data set if there are several, else simple for one hop and
            complex for more.

    Raises:
        InputError: Questions have no such property, or nothing is answered yet.
    """
    questions = {one.id: one for one in study.questions()}
    groups = _groups(questions.values(), by, study)
    cases = [
        _case(run, questions[result.question], details[result.question], result.n_paths, groups[result.question])
        for run in study.runs()
        if (details := {one.question: one for one in study.details(run.id)})
        for result in study.results(run.id)
        if result.question in details and result.question in questions  # not what is written meanwhile
    ]
    if not cases:
        raise InputError(
            "the study has no answers yet; graphbrick evaluate adds some", study.path, code="judge_cases.no_answers"
        )
    return sorted(cases, key=lambda case: (case.question, case.run))


def notes_of(cases: Sequence[StudyCase]) -> list[str]:
    """Return what a reader should know about the texts that judges and people see."""
    cut = [case for case in cases if case.cut]
    if not cut:
        return []
    limit = max(len(case.evidence) for case in cut)
    return [f"the study keeps the first {limit} items of evidence; {len(cut):,} of {len(cases):,} answers had more, "
            "which neither the judge nor a person sees"]  # fmt: skip


def digest_of(question: str, evidence: str, answer: str) -> str:
    """Return a short checksum of the texts of a case; white space, which tables change, does not count."""
    parts = (" ".join(plain(text).split()) for text in (question, evidence, answer))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:8]


def numbers_of(case_id: str) -> tuple[int, int, str] | None:
    """Return run, question and checksum of an id; None if it is not one.

    >>> numbers_of("r1-q20-0a1b2c3d"), numbers_of("20")
    ((1, 20, '0a1b2c3d'), None)
    """
    match = re.fullmatch(r"r(\d+)-q(\d+)-([0-9a-f]{8})", case_id)
    return None if match is None else (int(match[1]), int(match[2]), match[3])


def _case(run: StudyRun, question: StudyQuestion, detail: Detail, n_paths: int, group: str) -> StudyCase:
    names = dict.fromkeys(name for gold in question.gold for name in (gold.names or (gold.answer,)))
    return StudyCase(
        run=run.id,
        question=question.id,
        system=run.name,
        key=(question.dataset, question.name),
        group=group,
        text=question.text,
        evidence=tuple(path.text for path in detail.paths),
        answers=tuple(answer.text for answer in detail.answers),
        gold=tuple(names),
        cut=max(0, n_paths - len(detail.paths)),
        right=(bool(detail.answers) and bool(detail.answers[0].right)) if names else None,
    )


def _groups(questions: Iterable[StudyQuestion], by: str | None, study: Study) -> dict[int, str]:
    """Return the group of each question by its number."""
    listed = list(questions)
    if by is not None:
        facts = {fact for question in listed for fact in question.facts}
        if by not in {"hops", "dataset", "distance", *facts}:
            known = ", ".join(sorted({"hops", "dataset", "distance", *facts}))
            raise InputError(
                f"questions cannot be grouped by {by!r}; there is {known}",
                study.path,
                code="judge_cases.bad_group",
                by=by,
            )
        return {question.id: question.group(by) for question in listed}
    if any(_FACT in question.facts for question in listed):
        return {question.id: question.group(_FACT) for question in listed}
    if len({question.dataset for question in listed}) > 1:
        return {question.id: question.dataset for question in listed}
    return dict(_by_hops(listed))


def _by_hops(questions: Iterable[StudyQuestion]) -> Iterator[tuple[int, str]]:
    for question in questions:
        yield question.id, "" if question.hops is None else SIMPLE if question.hops <= 1 else COMPLEX
