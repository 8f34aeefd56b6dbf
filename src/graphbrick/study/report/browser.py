"""Data of the question browser, as compact JSON in the page.

The page has the text and every pipeline's scores of every question, so that all can be searched and filtered. Answers,
paths, events, prompts and replies take a hundred times the space. They are included for a part of the questions, in
blocks that are parsed when a question is opened.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from graphbrick.study.report.figures import PipelineFigures, place_name
from graphbrick.study.report.markup import data_block, visible
from graphbrick.study.store.reader import Study
from graphbrick.study.store.records import (
    Detail,
    Result,
    StoredExchange,
    StoredJudgement,
    StudyQuestion,
    StudyRun,
)

_TOGETHER = 20  # questions in one piece
_LONGEST = 800  # characters of one text
_LONGEST_SAID = 6_000  # characters of what was said to a language model, or by it
_GOLD, _NAMES = 20, 4  # gold answers, and names of one, that are shown
_PATHS = 10  # items of evidence that are shown
_NOT_DONE = "-"


@dataclass(slots=True)
class Columns:
    """The scores of one run, one entry for each question of the study.

    Attributes:
        hits: "1", "0", "?" if it could not be scored, "-" if it is not done.
        lost: Letter of the stage, as in `Listing.stages`; "-" if there is none.
        f1: F1 in percent; -1 if there is none.
        ms: Milliseconds; -1 if the question is not done.
        answers: Number of answers, by question index, for questions with details.
        paths: Number of evidence items, by question index, for questions with details.
        errors: Error messages, by question index.
    """

    hits: str
    lost: str
    f1: list[int]
    ms: list[float]
    answers: dict[int, int]
    paths: dict[int, int]
    errors: dict[int, str]


@dataclass(slots=True)
class Listing:
    """The questions of a study with the scores of its runs, collected run by run.

    Attributes:
        questions: All questions of the study, in order.
        detailed: Indices of the questions with details.
        columns: The scores of each run, by run number.
        stages: Stages that the letters of lost questions stand for, from "a".
        exchanges: Whether prompts and replies are among the details.
    """

    questions: Sequence[StudyQuestion]
    detailed: Sequence[int]
    columns: dict[int, Columns] = field(default_factory=dict)
    stages: list[str] = field(default_factory=list)
    exchanges: bool = True

    def take(self, run: StudyRun, results: Sequence[Result]) -> None:
        """Add the results of a run."""
        places = {question.id: place for place, question in enumerate(self.questions)}
        wanted, n = set(self.detailed), len(self.questions)
        hits, lost, f1, ms = [_NOT_DONE] * n, [_NOT_DONE] * n, [-1] * n, [-1.0] * n
        own = Columns("", "", f1, ms, {}, {}, {})
        for result in results:
            at = places[result.question]
            hit, score = result.metrics.get("hits_at_1"), result.metrics.get("f1")
            hits[at] = "?" if hit is None else "1" if hit else "0"
            if result.lost_at is not None:
                lost[at] = self._letter(place_name(result.lost_at))
            f1[at] = -1 if score is None else round(100 * score)
            ms[at] = float(f"{1000 * result.seconds:.3g}")
            if at in wanted:
                own.answers[at], own.paths[at] = result.n_answers, result.n_paths
                if result.error is not None:
                    own.errors[at] = _text(result.error)
        own.hits, own.lost = "".join(hits), "".join(lost)
        self.columns[run.id] = own

    def _letter(self, stage: str) -> str:
        if stage not in self.stages:
            self.stages.append(stage)
        return chr(ord("a") + self.stages.index(stage))


def spread(total: int, wanted: int | None) -> list[int]:
    """Return the indices of ``wanted`` of ``total`` questions at equal distances; all if it is None.

    >>> spread(10, 4), spread(3, None), spread(3, 0)
    ([0, 2, 5, 7], [0, 1, 2], [])
    """
    if wanted is None or wanted >= total:
        return list(range(total))
    return [i * total // wanted for i in range(wanted)]


def blocks(study: Study, listing: Listing, figures: Sequence[PipelineFigures]) -> Iterator[str]:
    """Yield the data of the page, piece by piece."""
    yield data_block("data-questions", _questions(listing))
    yield data_block("data-scores", _scores(listing, figures))
    for first in range(0, len(listing.detailed), _TOGETHER):
        places = listing.detailed[first : first + _TOGETHER]
        yield data_block(f"data-details-{first // _TOGETHER}", _details(study, listing, figures, places))


def _questions(listing: Listing) -> dict[str, Any]:
    questions = listing.questions
    datasets = list(dict.fromkeys(question.dataset for question in questions))
    hops = sorted({question.group("hops") for question in questions}, key=lambda name: (not name, len(name), name))
    return {
        "name": [visible(question.name) for question in questions],
        "text": [_text(question.text) for question in questions],
        "datasets": [visible(name) for name in datasets],
        "dataset": [datasets.index(question.dataset) for question in questions],
        "hopses": hops,
        "hops": [hops.index(question.group("hops")) for question in questions],
        "answerable": "".join("1" if question.answerable else "0" for question in questions),
        # The piece and the place in it follow from the place among these.
        "detailed": list(listing.detailed),
        "together": _TOGETHER,
    }


def _scores(listing: Listing, figures: Sequence[PipelineFigures]) -> dict[str, Any]:
    runs = []
    for one in figures:
        own = listing.columns[one.run.id]
        row = {"name": visible(one.name), "number": one.number, "recipe": _text(one.run.recipe)}
        runs.append(row | {"hits": own.hits, "lost": own.lost, "f1": own.f1, "ms": own.ms})
    return {"runs": runs, "stages": [visible(stage) for stage in listing.stages]}


class _Texts:
    """Texts that paths and pipelines share, each stored once and referred to by its index."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}
        self._model_texts = set[str]()

    def __call__(self, text: str) -> int:
        return self.places.setdefault(text, len(self.places))

    def model_text(self, text: str) -> int:
        """Return the index of a prompt or reply, which may be longer than other texts."""
        self._model_texts.add(text)
        return self(text)

    def shown(self) -> list[str]:
        """Return the texts by index."""
        return [_text(text, _LONGEST_SAID if text in self._model_texts else _LONGEST) for text in self.places]


def _details(
    study: Study, listing: Listing, figures: Sequence[PipelineFigures], places: Sequence[int]
) -> dict[str, Any]:
    texts, rows = _Texts(), []
    for place in places:
        question = listing.questions[place]
        runs: dict[str, Any] = {}
        for at, one in enumerate(figures):
            detail = study.detail(one.run.id, question.id)
            if detail is not None:
                row = _detail(detail, listing.columns[one.run.id], place, question, texts)
                judgement = study.judgement(one.run.id, question.id)
                if judgement is not None:
                    row["judge"] = _judgement(judgement, texts)
                if listing.exchanges:
                    row["said"] = _exchanges(detail, judgement, texts)
                runs[str(at)] = row
        rows.append(_question(question, texts) | {"runs": runs})
    return {"texts": texts.shown(), "rows": rows}


def _question(question: StudyQuestion, texts: _Texts) -> dict[str, Any]:
    gold = [[list(map(texts, (g.names or (g.answer,))[:_NAMES])), int(bool(g.keys))] for g in question.gold[:_GOLD]]
    return {
        "gold": gold,
        "golds": len(question.gold),
        "seeds": _seeds(question.seeds, texts),
        "missing": list(map(texts, question.missing_seeds)),
        "distance": question.distance,
        "facts": [texts(f"{name}: {value}") for name, value in question.facts.items()],
    }


def _detail(detail: Detail, own: Columns, place: int, question: StudyQuestion, texts: _Texts) -> dict[str, Any]:
    row: dict[str, Any] = {
        "answers": [[texts(a.text), _right(a.right), list(map(texts, a.support))] for a in detail.answers],
        "n_answers": own.answers.get(place, len(detail.answers)),
        "paths": [[texts(p.text), _score(p.score), _right(p.right)] for p in detail.paths[:_PATHS]],
        "n_paths": own.paths.get(place, len(detail.paths)),
        "stages": [_stage(stage, texts) for stage in detail.stages],
    }
    if detail.seeds != question.seeds:
        row["seeds"] = _seeds(detail.seeds, texts)
    if place in own.errors:
        row["error"] = own.errors[place]
    return row


def _exchanges(detail: Detail, judgement: StoredJudgement | None, texts: _Texts) -> list[list[Any]]:
    """Return the prompts and replies, stage by stage, then those of the judge."""
    rows = [_exchange(one, detail.stages[one.stage]["stage"], texts) for one in detail.exchanges]
    return rows + [_exchange(one, "judge", texts) for one in (judgement.exchanges if judgement else ())]


def _exchange(one: StoredExchange, stage: str, texts: _Texts) -> list[Any]:
    cached = ", a kept reply" if one.cached else ""
    about = f"{stage}: {one.model}, {one.tokens_in:,} tokens in, {one.tokens_out:,} out{cached}"
    messages = [[texts(role), texts.model_text(text)] for role, text in one.messages]
    return [texts(about), messages, texts.model_text(one.reply)]


def _judgement(judgement: StoredJudgement, texts: _Texts) -> list[Any]:
    verdict = judgement.error or ("by the model" if judgement.by == "model" else judgement.by)
    return [_right(judgement.right), texts(verdict), list(map(texts, judgement.events))]


def _stage(stage: Mapping[str, Any], texts: _Texts) -> list[Any]:
    counts = ", ".join(f"{count:,} {name}" for name, count in stage.get("counts_out", {}).items())
    ms = float(f"{1000 * stage['seconds']:.3g}")
    return [texts(stage["stage"]), ms, texts(counts), list(map(texts, stage.get("events", ())))]


def _seeds(seeds: Sequence[tuple[str, str]], texts: _Texts) -> list[int]:
    return [texts(f"{label} ({key})" if label and label != key else key) for key, label in seeds]


def _score(score: float) -> float | None:
    return float(f"{score:.4g}") if isfinite(score) else None


def _right(right: bool | None) -> int:
    return -1 if right is None else int(right)


def _text(text: str, longest: int = _LONGEST) -> str:
    """Return a text with hidden characters visible, cut if it is very long."""
    shown = visible(text)
    return shown if len(shown) <= longest else f"{shown[:longest]} … ({len(shown):,} characters)"
