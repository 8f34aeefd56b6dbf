"""The model of `PatternScorer`: a score of every relation pattern for a question."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core import Step
from graphbrick.core.deferred import cached_property
from graphbrick.core.errors import ModelError
from graphbrick.core.files.locks import ForkLock
from graphbrick.graphs.graph import Graph
from graphbrick.language.counting import counted
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.patterns.alignment.alignment import Alignment, Token
from graphbrick.patterns.alignment.alignment_table import Ints, Spoken
from graphbrick.patterns.alignment.near_words import NearWords
from graphbrick.patterns.model.confidence import Calibration
from graphbrick.patterns.model.end_model import EndModel
from graphbrick.patterns.model.question_features import WORDS, features, many_features
from graphbrick.patterns.several_steps import unfolded
from graphbrick.patterns.text import Steps, as_labels, canonical, readable, without_marks, words_of

Floats = npt.NDArray[np.float32]
NO_PATTERN = -1e6
"""The score of a text that is not a pattern, or has more hops than were trained."""

_RIVALS = 2_000
_REMEMBERED = 100_000  # relations and patterns, by process
_QUESTIONS = 512
_OTHER_SIZE = "gives vectors of {} dimensions, but the patterns were trained with {}; train them again"


def note_of_unlearned(fresh: Sequence[str]) -> str:
    """Return the event about relations that came after a graph was learned; see `PatternModel.unlearned`."""
    shown = ", ".join(fresh[:3]) + (", ..." if len(fresh) > 3 else "")
    return f"{counted(len(fresh), 'relation')} came after the graph was learned ({shown}); run graphbrick learn again"


def kinds_of(max_hops: int) -> int:
    """Return the number of roles of a relation: each hop and the end, each backwards and forwards."""
    return 2 * max_hops + 2


@dataclass(frozen=True, eq=False)
class PatternModel:
    """A score for every relation pattern, linear in the features q of the question.

    A pattern of the steps s1 .. sn scores the sum over its steps of «role of the step» (its hop, and the end for the
    last one, each in its direction), of its length and of the whole pattern. A role scores the words of the relation
    by ``words @ (scale[role] * e + maps[role] @ narrow @ q)``, where e is the embedding, the beginning of q; so
    relations and patterns without examples have a score. Those that had examples add weights of their own.

    Attributes:
        embedder: Embeds questions and relations.
        scale: float32 [kinds], how much plain similarity of words and question counts for each role.
        narrow: float32 [rank, features].
        maps: float32 [kinds, dimensions, rank].
        lengths: float32 [max_hops, features + 1], for each number of hops; the last column is a constant.
        relations: Labels with weights of their own.
        relation_weights: float32 [relations, kinds, features + 1].
        patterns: Patterns with weights of their own.
        pattern_weights: float32 [patterns, features + 1].
        about: How it was trained, as plain JSON.
        alignment: Adds to each score how well the question's words can be aligned with the hops of the pattern, in
            order; None for patterns trained without.
        calibration: Says how likely the best pattern of a question is the right one; None if nobody knows.
        ends: Chooses among the entities at the ends of patterns; None where nothing was learned about that.
        symmetric: Relations whose two directions mean the same; they are read forwards.
        near_words: Words that no training question has, each read as a noun that means the same or more.
    """

    embedder: Embedder
    scale: Floats
    narrow: Floats
    maps: Floats
    lengths: Floats
    relations: tuple[str, ...]
    relation_weights: Floats
    patterns: tuple[Steps, ...]
    pattern_weights: Floats
    about: Mapping[str, Any] = field(default_factory=dict)
    alignment: Alignment | None = None
    calibration: Calibration | None = None
    ends: EndModel | None = None
    symmetric: frozenset[str] = frozenset()
    near_words: NearWords = field(default_factory=NearWords)

    def __post_init__(self) -> None:
        h, d = self.max_hops, self.dimensions
        k, f = kinds_of(h), d + WORDS
        wanted = {
            "scale": (k,),
            "narrow": (self.maps.shape[-1], f),
            "maps": (k, d, self.maps.shape[-1]),
            "lengths": (h, f + 1),
            "relation_weights": (len(self.relations), k, f + 1),
            "pattern_weights": (len(self.patterns), f + 1),
        }
        for name, shape in wanted.items():
            array = getattr(self, name)
            if array.dtype != np.float32 or array.shape != shape or not np.isfinite(array).all():
                raise ValueError(f"{name} must be finite float32 {list(shape)}, got {array.dtype} {list(array.shape)}")

    @property
    def max_hops(self) -> int:
        """Number of hops of the longest pattern that can be scored."""
        return len(self.lengths)

    @property
    def dimensions(self) -> int:
        """Number of dimensions of the embedder."""
        return int(self.lengths.shape[1]) - 1 - WORDS

    @cached_property
    def _known(self) -> _Known:
        return _Known(self)

    @cached_property
    def rivals(self) -> tuple[Steps, ...]:
        """At most 2,000 patterns that a question may mean although its seeds lack them; none comes back."""
        single = [
            canonical(((label, forward),), self.symmetric) for label in self.relations for forward in (True, False)
        ]
        away = [steps for steps in self.patterns if steps == without_marks(steps)]
        return tuple(dict.fromkeys([*single, *away]))[:_RIVALS]

    def unlearned(self, graph: Graph) -> tuple[str, ...]:
        """Return the relations of a graph that came after it was learned, by label.

        None for patterns that were trained on given questions alone, which need not be about every relation.
        """
        if self.alignment is None:
            return ()
        fresh = self._unlearned.get(graph.hash)
        if fresh is None:
            labels = {graph.relation_label(number) for number in range(graph.n_relations)}
            self._unlearned.clear()
            fresh = self._unlearned[graph.hash] = tuple(sorted(labels.difference(self.alignment.relations)))
        return fresh

    @cached_property
    def _unlearned(self) -> dict[str, tuple[str, ...]]:
        return {}

    def ask(self, question: str, embedded: Floats | None = None) -> Prepared:
        """Return the features of a masked question; recent ones are cached for other stages and hops.

        Args:
            question: The masked question.
            embedded: Its row of `embedded`, if it was made; else the question is embedded now.
        """
        return self._known.prepared(question, embedded)

    def plain(self, question: str) -> str:
        """Return a masked question with the nouns of steps for words of several steps, and for words near to them."""
        names = frozenset(() if self.alignment is None else self.alignment.names)
        return self.near_words.replaced(unfolded(question, names.__contains__))

    def embedded(self, questions: Sequence[str], by: Embedder | None = None) -> Floats:
        """Return the features of masked questions, made together, which is much faster than one by one.

        Args:
            questions: The masked questions.
            by: Makes the vectors in place of the model's embedder.
        """
        texts = [self.plain(question) for question in questions]
        if self.alignment is not None:
            words = [token.word for text in texts for side in self.alignment.read(words_of(text)) for token in side]
            if words:
                self.alignment.word_vectors(words)
        return many_features(by or self.embedder, texts, keep=True)

    def knows(self, label: str) -> bool:
        """Tell whether a relation had training examples."""
        return label in self._known.relation_row

    def score(self, prepared: Prepared, patterns: Sequence[Steps | tuple[Step, ...]]) -> npt.NDArray[np.float64]:
        """Return the score of each pattern for a question, float64 [patterns].

        Patterns of no step, or of more than ``max_hops``, score `NO_PATTERN`.
        """
        scores, fits = self._places(patterns)
        if fits:
            rows = self.numbered([patterns[i] for i in fits])
            scores[fits] = self.linear_of(prepared, rows)
            if self.alignment is not None:
                aligned = self.alignment.features_of(prepared.spoken, self.alignment.beginnings(rows.aligned))
                scores[fits] += aligned @ self.alignment.weights
        return scores

    def numbered(self, patterns: Sequence[Steps | tuple[Step, ...]]) -> Numbered:
        """Return at least one pattern of 1 to ``max_hops`` steps as numbers, for many questions about them."""
        return self._known.rows(patterns)

    def linear(self, prepared: Prepared, patterns: Sequence[Steps | tuple[Step, ...]]) -> npt.NDArray[np.float64]:
        """Return `score` without the alignment."""
        scores, fits = self._places(patterns)
        if fits:
            scores[fits] = self.linear_of(prepared, self.numbered([patterns[i] for i in fits]))
        return scores

    def _places(self, patterns: Sequence[Steps | tuple[Step, ...]]) -> tuple[npt.NDArray[np.float64], list[int]]:
        """Return a score for each pattern that cannot be scored, and the places of the others."""
        most = self.max_hops
        return np.full(len(patterns), NO_PATTERN), [i for i, steps in enumerate(patterns) if 0 < len(steps) <= most]

    @cached_property
    def rival_rows(self) -> Numbered:
        """The `rivals` as numbers."""
        return self.numbered(self.rivals)

    @cached_property
    def rival_places(self) -> dict[Steps, int]:
        """The place of each of the `rivals`."""
        return {steps: place for place, steps in enumerate(self.rivals)}

    def linear_of(self, prepared: Prepared, rows: Numbered) -> npt.NDArray[np.float64]:
        """Return the scores without the alignment of at least one pattern, float64 [patterns]."""
        kinds, n = kinds_of(self.max_hops), len(rows.size)
        # What each role asks for, against the words of the relations that are met.
        place = rows.place[rows.place >= 0]
        relation = place // kinds
        is_met = np.zeros(len(rows.own), dtype=np.bool_)
        is_met[relation] = True
        relations, column = np.flatnonzero(is_met), (np.cumsum(is_met) - 1)[relation]
        table = rows.words[relations] @ prepared.roles.T
        own = rows.own[relations]
        has = np.flatnonzero(own >= 0)
        table[has] += self.relation_weights[own[has]] @ prepared.extended
        by_place = table[column, place % kinds]
        total: npt.NDArray[np.float64] = prepared.lengths[rows.size - 2].astype(np.float64)
        total += np.bincount(np.repeat(np.arange(n), rows.size), by_place, minlength=n)
        whole = np.flatnonzero(rows.whole >= 0)
        total[whole] += prepared.patterns[rows.whole[whole]]
        return total


@dataclass(frozen=True)
class Prepared:
    """A masked question, prepared for scoring patterns.

    Attributes:
        extended: float32 [features + 1], its features and a constant.
        roles: float32 [kinds, dimensions], to be multiplied with the words of relations.
        lengths: float32 [max_hops].
        patterns: float32 [patterns], what those with weights of their own score for being themselves.
        tokens: Its content words left and right of the seed, for a model that aligns them.
        alignment: That model.
    """

    extended: Floats
    roles: Floats
    lengths: Floats
    patterns: Floats
    tokens: tuple[list[Token], list[Token]]
    alignment: Alignment | None

    @cached_property
    def spoken(self) -> Spoken:
        """Scores of these words for each step; see `Alignment.spoken`."""
        if self.alignment is None:
            raise ValueError("the words of a question say nothing without an alignment; learn patterns with one")
        return self.alignment.spoken(self.tokens)


@dataclass(frozen=True, slots=True)
class Numbered:
    """Patterns as numbers.

    Attributes:
        place: int64 [patterns, hops + 1], relation * kinds + role for each step and the end; -1 after the last.
        size: How many of them each pattern has: one more than hops.
        whole: Its row among the patterns with weights of their own; -1 for none.
        words: The vectors of relations by number, float32 [relations, dimensions].
        own: The row of each relation among those with weights of their own; -1 for none.
        aligned: int64 [patterns, hops], the steps as numbers of the alignment (`Alignment.steps`); -1 after the last.
    """

    place: Ints
    size: Ints
    whole: Ints
    words: Floats
    own: Ints
    aligned: Ints

    def of(self, rows: Ints) -> Numbered:
        """Return some of the patterns."""
        return replace(
            self, place=self.place[rows], size=self.size[rows], whole=self.whole[rows], aligned=self.aligned[rows]
        )


class _Known:
    """The relations and patterns that a process has met, as numbers; safe for threads."""

    def __init__(self, model: PatternModel) -> None:
        self._model, self._kinds = model, kinds_of(model.max_hops)
        self._lock = ForkLock()
        self._prepared: OrderedDict[str, Prepared] = OrderedDict()
        self.relation_row = {label: row for row, label in enumerate(model.relations)}
        self._whole = {steps: row for row, steps in enumerate(model.patterns)}
        self._clear()

    def _clear(self) -> None:
        self._ids: dict[str, int] = {}
        self._labels: list[str] = []
        self._rows: dict[Steps | tuple[Step, ...], int] = {}
        hops = self._model.max_hops
        self._place, self._aligned = np.empty((64, hops + 1), dtype=np.int64), np.empty((64, hops), dtype=np.int64)
        self._size, self._patterns = np.empty(64, dtype=np.int64), np.empty(64, dtype=np.int64)
        self._words = np.zeros((0, self._model.dimensions), dtype=np.float32)
        self._own: Ints = np.zeros(0, dtype=np.int64)

    def prepared(self, question: str, embedded: Floats | None) -> Prepared:
        """Return the prepared question, from the cache if possible."""
        with self._lock:
            prepared = self._prepared.get(question)
            if prepared is not None:
                self._prepared.move_to_end(question)
                return prepared
        model = self._model
        text = model.plain(question)
        q, d = features(model.embedder, text) if embedded is None else embedded, model.dimensions
        if q.shape != (d + WORDS,):
            raise ModelError(
                f"{model.embedder!r} {_OTHER_SIZE.format(len(q) - WORDS, d)}", code="patterns.other_dimensions"
            )
        extended = np.append(q, np.float32(1))
        roles = model.scale[:, None] * q[:d] + model.maps @ (model.narrow @ q)
        tokens = ([], []) if model.alignment is None else model.alignment.read(words_of(text))
        prepared = Prepared(
            extended, roles, model.lengths @ extended, model.pattern_weights @ extended, tokens, model.alignment
        )
        with self._lock:
            self._prepared[question] = prepared
            while len(self._prepared) > _QUESTIONS:
                self._prepared.popitem(last=False)
        return prepared

    def rows(self, patterns: Sequence[Steps | tuple[Step, ...]]) -> Numbered:
        """Return patterns of at least one step as numbers."""
        with self._lock:
            if len(self._ids) > _REMEMBERED or len(self._rows) > _REMEMBERED:
                self._clear()
            known = self._rows
            rows = np.array([row if (row := known.get(steps)) is not None else self._make(steps) for steps in patterns])
            self._grow()
            return Numbered(
                self._place[rows], self._size[rows], self._patterns[rows], self._words, self._own, self._aligned[rows]
            )

    def _grow(self) -> None:
        """Add relations that were not met before; arrays that were returned earlier do not change."""
        fresh = self._labels[len(self._own) :]
        if not fresh:
            return
        made = self._model.embedder.embed([readable(label) for label in fresh]).astype(np.float32)
        if made.shape[1] != self._model.dimensions:
            raise ModelError(
                f"{self._model.embedder!r} {_OTHER_SIZE.format(made.shape[1], self._model.dimensions)}",
                code="patterns.other_word_dimensions",
            )
        rows = [self.relation_row.get(label, -1) for label in fresh]
        self._words = np.concatenate([self._words, made])
        self._own = np.concatenate([self._own, np.array(rows, dtype=np.int64)])

    def _make(self, pattern: Steps | tuple[Step, ...]) -> int:
        """Enter a pattern and return its row."""
        labels, row = as_labels(pattern), len(self._rows)
        steps, numbers = canonical(labels, self._model.symmetric), list[int]()
        for label, _ in steps:
            number = self._ids.get(label)
            if number is None:
                number = self._ids[label] = len(self._labels)
                self._labels.append(label)
            numbers.append(number)
        places = [
            number * self._kinds + 2 * hop + forward
            for hop, (number, (_, forward)) in enumerate(zip(numbers, steps, strict=True))
        ]
        places.append(numbers[-1] * self._kinds + self._kinds - 2 + steps[-1][1])
        if row == len(self._size):
            for name in ("_place", "_aligned", "_size", "_patterns"):
                array = getattr(self, name)
                setattr(self, name, np.concatenate([array, np.empty_like(array)]))
        self._place[row], self._aligned[row] = -1, -1
        self._place[row, : len(places)] = places
        aligned = None if self._model.alignment is None else self._model.alignment.steps(labels)
        if aligned:
            self._aligned[row, : len(aligned)] = aligned
        self._size[row], self._patterns[row] = len(places), self._whole.get(steps, -1)
        self._rows[pattern] = row
        return row
