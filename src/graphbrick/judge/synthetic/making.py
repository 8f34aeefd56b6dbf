"""Making a data set for judges: questions that find their passage again, with negatives."""

from __future__ import annotations

import hashlib
import json
import os
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from graphbrick.core.compute import Progress, part_of, silent
from graphbrick.core.errors import InputError
from graphbrick.core.files.locks import claim
from graphbrick.judge.resuming import Pending
from graphbrick.judge.synthetic.negatives import KINDS, Negatives, Vectors, check_kinds
from graphbrick.judge.synthetic.passages import Passage
from graphbrick.judge.synthetic.questions import Pair, QuestionWriter
from graphbrick.judge.synthetic.rows import OWN, Row, require_new, write_rows
from graphbrick.judge.verdicts import Case, Label
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.llm.conversations import ask_about

_TOGETHER = 256  # texts that are embedded at a time
_LAST = 20  # rank beyond which a search does not find a passage
OTHER_ANSWER, NEAR_ANSWER = "other answer", "near answer"
"""Negatives whose answer belongs to another question: any, or one about the same or a similar passage."""
NO_ANSWER = "no answer"
"""Kind of negatives that say that there is no answer."""
REFUSALS = (
    "I don't know.",
    "I cannot answer this question from the given text.",
    "The text does not say this.",
    "There is no information about this in the context.",
    "This is not mentioned in the documents.",
    "I'm sorry, but I could not find an answer to the question in the passages provided.",
)
"""Replies of systems that found nothing."""


@dataclass(frozen=True)
class Made:
    """A data set that was made.

    Attributes:
        rows: The rows.
        counts: Passages, questions, how many were dropped and why, and negatives that could not be found.
    """

    rows: tuple[Row, ...]
    counts: dict[str, int]


@dataclass(frozen=True)
class Selection:
    """The choice of questions and of what is wrong for them.

    Attributes:
        kinds: Kinds of negatives.
        seed: Seed of what is drawn.
        found_again: Whether questions are dropped whose passage is not found first.
    """

    kinds: Sequence[str] = KINDS
    seed: int = 0
    found_again: bool = True


def make_data(
    passages: Sequence[Passage],
    pairs: Sequence[Pair],
    embedder: Embedder,
    selection: Selection = Selection(),
    *,
    progress: Progress = silent,
) -> Made:
    """Return the rows of a data set: each question with its own passage and answer, and with wrong ones.

    A question is kept only if a search with it finds its passage first, as in ARES (Saad-Falcon et al., NAACL 2024):
    otherwise it is about something else, or about many passages. Each kept question gives

    - context relevance: its passage, and a negative of each kind;
    - answer faithfulness: its answer with its passage; with these negatives; its passage with answers of others;
    - answer relevance: its answer, and answers of other questions.

    Args:
        passages: The passages.
        pairs: Questions about them.
        embedder: The search.
        selection: Which questions and negatives it has.
        progress: Told the step, the number done and the total.

    Raises:
        InputError: A kind is unknown, there are fewer than two passages, or no question is left.
    """
    kinds = check_kinds(selection.kinds)
    if len(passages) < 2:
        raise InputError(
            f"{len(passages)} passages are too few to make data for judges; give more documents or facts",
            code="judge_data.too_few_passages",
            passages=len(passages),
        )
    vectors = _embedded(embedder, [passage.text for passage in passages], "passages embedded", progress)
    pairs = list({(pair.question, pair.passage): pair for pair in pairs}.values())
    queries = _embedded(embedder, [pair.question for pair in pairs], "questions embedded", progress)
    counts = Counter(passages=len(passages), questions=len(pairs))
    selected = list(range(len(pairs)))
    if selection.found_again:
        ranks = [rank_of(vectors, queries[i], pair.passage, passages) for i, pair in enumerate(pairs)]
        counts["dropped: found, but not first"] = sum(1 < rank <= _LAST for rank in ranks)
        counts["dropped: not found"] = sum(rank > _LAST for rank in ranks)
        selected = [i for i, rank in enumerate(ranks) if rank == 1]
    counts["kept"] = len(selected)
    if not selected:
        raise InputError(
            "no question is left: a search finds the passage of none; give more passages, or another model",
            code="judge_data.no_question_left",
        )
    finder, rows = Negatives(passages, vectors, seed=selection.seed), list[Row]()
    others = _Answers([pairs[i] for i in selected], queries[selected], selection.seed)
    for number, i in enumerate(selected):
        tried = {kind: finder.of(pairs[i], queries[i], kind) for kind in kinds}
        counts.update(f"no negative: {kind}" for kind, passage in tried.items() if passage is None)
        negatives = {kind: passage for kind, passage in tried.items() if passage is not None}
        rows += _rows(pairs[i], passages[pairs[i].passage], negatives, others.of(number))
        progress("negatives found", number + 1, len(selected))
    return Made(tuple(rows), dict(counts))


def rank_of(vectors: Vectors, query: Vectors, place: int, passages: Sequence[Passage]) -> int:
    """Return the rank of a passage for a question, from 1; passages that overlap it do not count."""
    similar = vectors @ query
    better = np.flatnonzero(similar > similar[place])
    own = passages[place]
    return 1 + sum(
        not (own.overlaps(passages[i]) or own.text == passages[i].text) for i in better[: _LAST + 10].tolist()
    )


def write_data(
    out: Path,
    passages: Sequence[Passage],
    pairs: QuestionWriter | Sequence[Pair],
    embedder: Embedder,
    selection: Selection = Selection(),
    *,
    about: dict[str, Any],
    n: int | None = None,
    progress: Progress = silent,
) -> Made:
    """Make a data set and write it into a new folder.

    What a language model writes is kept beside the folder until the data set is whole, so that after a kill or at the
    end of a budget the same call asks nothing twice.

    Args:
        out: The folder to make.
        passages: The passages.
        pairs: What asks a language model for questions, or the questions.
        embedder: See `make_data`.
        selection: See `make_data`.
        about: Settings to write down, such as where the passages are from.
        n: Passages that a model is asked about, drawn at random; all of them if None.
        progress: Told the step, the number done and the total.

    Raises:
        InputError: The folder exists, another process makes it, an interrupted call had other settings, or as for
            `make_data`.
        ModelError: The model cannot be asked.
        StoppedError: The budget is used up.
    """
    require_new(out, "a data set")
    settings = {
        **about,
        "questions": "given" if not isinstance(pairs, QuestionWriter) else pairs.identity,
        "asked about": n,
        "embedder": embedder.identity,
        "found again": selection.found_again,
        "negatives": list(check_kinds(selection.kinds)),
        "seed": selection.seed,
        "passages": _digest(passages),
    }  # fmt: skip

    def finish(questions: Sequence[Pair]) -> Made:
        made = make_data(passages, questions, embedder, selection, progress=progress)
        write_rows(out, made.rows, settings, made.counts)
        return made

    if not isinstance(pairs, QuestionWriter):
        return finish(pairs)
    drafts = Drafts(out.with_name(f".{out.name}.questions.jsonl"), settings)
    try:
        made = finish(drafts.complete(passages, chosen(passages, n, selection.seed), pairs, progress))
        drafts.remove()
        return made
    finally:
        drafts.close()


def chosen(passages: Sequence[Passage], n: int | None, seed: int) -> list[int]:
    """Return the places of passages drawn at random, ascending; all if there are no more than ``n``."""
    places = range(len(passages))
    return list(places) if n is None or n >= len(passages) else sorted(random.Random(seed).sample(places, n))


class Drafts:
    """The questions written for an unfinished data set, a line for each passage.

    Args:
        file: The file; made if there is none.
        settings: Settings of the data set, its first line.

    Raises:
        InputError: Another process has the file, or it was begun with other settings.
    """

    def __init__(self, file: Path, settings: dict[str, Any]) -> None:
        self._file, head = file, {name: settings[name] for name in ("questions", "asked about", "passages", "seed")}
        self.known: dict[int, list[tuple[str, str]]] = {}
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._lock = claim(file.with_suffix(".lock"))
        except BlockingIOError as error:
            reason = "another process makes this data set; wait, or name another place"
            raise InputError(reason, file, code="judge_data.locked") from error
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror}", file, code="judge_data.not_writable") from error
        lines = file.read_bytes().split(b"\n") if file.exists() else []
        if len(lines) > 1:
            if json.loads(lines[0]) != head:
                self.close()
                reason = "was begun with other passages or another model; give the same, or remove it"
                raise InputError(reason, file, code="judge_data.other_settings")
            os.truncate(file, sum(len(line) + 1 for line in lines[:-1]))  # a process was killed within a line
            for line in lines[1:-1]:
                place, written = json.loads(line)
                self.known[place] = [(question, answer) for question, answer in written]
        else:
            file.write_text(json.dumps(head) + "\n", encoding="utf-8")

    def complete(
        self, passages: Sequence[Passage], places: Sequence[int], writer: QuestionWriter, progress: Progress
    ) -> list[Pair]:
        """Ask about the passages at some places that are missing, and return all questions, by passage.

        Raises:
            ModelError: The model cannot be asked.
            StoppedError: The budget is used up.
        """
        with self._file.open("a", encoding="utf-8") as out:

            def keep(place: int, written: Sequence[tuple[str, str]]) -> None:
                out.write(json.dumps([place, written], ensure_ascii=False) + "\n")
                out.flush()
                self.known[place] = list(written)

            missing = [place for place in places if place not in self.known]
            pending = Pending[int, Sequence[tuple[str, str]]](keep, missing, total=len(places))
            written = ask_about(writer, enumerate(passages[place] for place in missing))
            pending.ask(written, progress=part_of(progress, "passages asked about"))
        return [Pair(question, answer, i) for i in sorted(self.known) for question, answer in self.known[i]]

    def remove(self) -> None:
        """Remove the file, as the data set is whole."""
        self._file.unlink(missing_ok=True)

    def close(self) -> None:
        """Let other processes have the file."""
        self._lock.release()
        if not self._file.exists():
            self._file.with_suffix(".lock").unlink(missing_ok=True)


class _Answers:
    """Answers of other questions.

    Args:
        pairs: All questions.
        queries: Their embeddings.
        seed: Seed of what is drawn.
    """

    def __init__(self, pairs: Sequence[Pair], queries: Vectors, seed: int) -> None:
        self._pairs, self._queries, self._seed = pairs, queries, seed

    def of(self, number: int) -> dict[str, str]:
        """Return an answer of any question, one of the most similar question, and one that says nothing."""
        pair = self._pairs[number]
        rng = random.Random(json.dumps([self._seed, pair.question, "answers"]))
        drawn = rng.sample(range(len(self._pairs)), min(20, len(self._pairs)))
        near = np.argsort(-(self._queries @ self._queries[number]), kind="stable")[:20].tolist()
        by_kind = {NO_ANSWER: rng.choice(REFUSALS)}
        for kind, places in ((OTHER_ANSWER, drawn), (NEAR_ANSWER, near)):
            answers = (self._pairs[i].answer for i in places)
            own = pair.answer.casefold()
            other = next((one for one in answers if one.casefold() not in own and own not in one.casefold()), None)
            if other is not None:
                by_kind[kind] = other
        return by_kind


def _rows(pair: Pair, own: Passage, negatives: dict[str, Passage], answers: dict[str, str]) -> list[Row]:
    """Return the rows of one question."""
    group = hashlib.sha256(own.text.encode()).hexdigest()[:16]
    made = []

    def add(label: Label, kind: str, passage: Passage | None, answer: str) -> None:
        case = Case(pair.question, () if passage is None else (passage.text,), answer)
        made.append(Row(label, int(kind == OWN), kind, case, group, "" if passage is None else passage.source))

    for kind, passage in {OWN: own, **negatives}.items():
        add(Label.CONTEXT_RELEVANCE, kind, passage, "")
        add(Label.ANSWER_FAITHFULNESS, kind, passage, pair.answer)
    for kind, answer in {OWN: pair.answer, **answers}.items():
        if kind in (OTHER_ANSWER, NEAR_ANSWER) and not own.text.casefold().count(answer.casefold()):
            add(Label.ANSWER_FAITHFULNESS, kind, own, answer)
        add(Label.ANSWER_RELEVANCE, kind, None, answer)
    return made


def _embedded(embedder: Embedder, texts: Sequence[str], step: str, progress: Progress) -> Vectors:
    """Return embeddings, float32 [texts, dimensions]."""
    parts = []
    for start in range(0, len(texts), _TOGETHER):
        parts.append(embedder.embed(texts[start : start + _TOGETHER]).astype(np.float32))
        progress(step, min(start + _TOGETHER, len(texts)), len(texts))
    return np.concatenate(parts) if parts else np.zeros((0, 1), dtype=np.float32)


def _digest(passages: Sequence[Passage]) -> str:
    return hashlib.sha256(json.dumps([asdict(one) | {"entities": ()} for one in passages]).encode()).hexdigest()
