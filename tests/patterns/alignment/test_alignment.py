"""The alignment of words with hops, against a search through all alignments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pytest

from graphbrick.learn.fitting.word_rows import softmax_regression, word_rows
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.patterns.alignment.alignment import (
    Alignment,
    Token,
    Transitions,
    content,
    n_token_features,
    token_features,
)
from graphbrick.patterns.alignment.alignment_table import (
    EMISSION,
    LEFT_OVER,
    MISSING,
    MISSING_BACK,
    TRANSITION,
)
from graphbrick.patterns.several_steps import ALIKE
from graphbrick.patterns.text import words_of

RELATIONS = ("spouse", "child", "works in")
STEPS = 2 * len(RELATIONS)


@dataclass(frozen=True, repr=False)
class Letters(Embedder):
    """A unit vector for each word, by its letters."""

    @property
    def identity(self) -> str:
        return "letters"

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        rows = np.zeros((len(texts), 26), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for letter in text.lower():
                if "a" <= letter <= "z":
                    row[ord(letter) - 97] += 1
            row[0] += not row.any()
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def model(seed: int) -> Alignment:
    rng = np.random.default_rng(seed)
    counts = {
        (left, first, direction, connectors): (int(rng.integers(0, 5)), 5)
        for left in (True, False)
        for first in (True, False)
        for direction in range(3)
        for connectors in (None, ("of",), ("'s",))
    }
    weights = np.concatenate([rng.uniform(0.3, 1.5, 2), -rng.uniform(0.2, 3, 3), rng.normal(size=3)])
    emission = rng.normal(scale=0.5, size=(STEPS + 1, n_token_features(26))).astype(np.float32)
    return Alignment(Letters(), RELATIONS, emission, Transitions(counts), weights, ("place of birth",))


def searched(aligner: Alignment, tokens: tuple[list[Token], list[Token]], steps: list[int]) -> float:
    """The best score of a pattern, by trying every alignment."""
    left, right = tokens
    weights, none = aligner.weights, len(aligner.emission) - 1

    def best(a: int, b: int, hop: int) -> float:
        ways = [0.0] if a == len(left) and b == len(right) and hop == len(steps) else []
        if hop < len(steps):  # the next hop has no word
            is_back = hop > 0 and steps[hop - 1] == aligner.turned[steps[hop]]
            ways.append(best(a, b, hop + 1) + weights[MISSING_BACK if is_back else MISSING])
        pending = b < len(right) and right[b].connectors == ("'s",)
        options = [(right[b], a, b + 1)] if b < len(right) else []
        options += [(left[a], a + 1, b)] if a < len(left) and not pending else []
        for token, after_a, after_b in options:
            emitted = aligner.emitted([token])[0]
            direction = 2 if hop == 0 else steps[hop - 1] & 1
            new, same = (moves[direction] for moves in aligner.transitions.log_new(token))
            if token.word == ALIKE:
                backs = [at for at in range(1, len(steps)) if steps[at - 1] == aligner.turned[steps[at]]]
                emitted, new, same = np.full(STEPS + 1, -20.0), 0.0, 0.0
                emitted[[steps[at] for at in backs if at in (hop - 1, hop)]] = 0
            ways.append(best(after_a, after_b, hop) + weights[EMISSION] * emitted[none] + weights[LEFT_OVER])
            if hop:
                here = weights[EMISSION] * emitted[steps[hop - 1]] + weights[TRANSITION] * same
                ways.append(best(after_a, after_b, hop) + here)
            if hop < len(steps):
                begins = weights[EMISSION] * emitted[steps[hop]] + weights[TRANSITION] * new
                ways.append(best(after_a, after_b, hop + 1) + begins)
        return max(ways, default=-np.inf)

    return best(0, 0, 0) + weights[4 + len(steps)]


PATTERNS = [
    (("spouse", True),),
    (("works in", False),),
    (("spouse", True), ("child", True)),
    (("child", True), ("child", False)),
    (("spouse", False), ("child", True), ("works in", True)),
    (("child", True), ("child", False), ("spouse", True)),
]


@pytest.mark.whole
@pytest.mark.parametrize(
    "question",
    [
        "Who is the child of X's spouse?",
        "X",
        "which teams did people that know X work in",
        "X works in which place of birth",
        "the wife of the son of X is who today",
        "no placeholder at all",
        "who shares a child with X",
        "the wife of who has the same child as X",
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_the_best_alignment_is_found(question: str, seed: int) -> None:
    aligner = model(seed)
    tokens = aligner.read(words_of(question))
    expected = []
    for pattern in PATTERNS:
        steps = aligner.steps(pattern)
        assert steps is not None
        expected.append(searched(aligner, tokens, steps))
    np.testing.assert_allclose(aligner.score(question, PATTERNS), expected, atol=1e-9)


def test_what_is_asked_for_is_a_content_word() -> None:
    left, right = content(words_of("Who directed the films whose star is X, and when?"))
    assert [token.word for token in left] == ["star", "films", "directed", "who"]
    assert [token.word for token in right] == ["when"]


def test_patterns_that_cannot_be_scored_come_last() -> None:
    aligner = model(0)
    known, unknown = (("spouse", True),), (("unknown", True),)
    too_long = (("spouse", True),) * 4
    scores = aligner.score("who is X's spouse", [known, unknown, too_long, ()])
    assert scores.argmax() == 0
    assert len(set(scores[1:])) == 1


def test_a_step_back_to_the_seed_reads_like_its_relation() -> None:
    aligner = model(1)
    there = (("spouse", True), ("spouse\0X", True))
    assert aligner.steps(there) == aligner.steps((("spouse", True), ("spouse", True)))


def test_content_words_are_read_outwards_from_the_seed() -> None:
    left, right = content(words_of("Which films did the spouse of X's brother act in?"))
    assert [token.word for token in left] == ["spouse", "films"]
    assert [token.word for token in right] == ["brother", "act"]
    assert left[0].connectors == ("of",)
    assert right[0].connectors == ("'s",)
    assert [token.is_first for token in left] == [True, False]
    assert left[1].before == "which"


def test_a_name_of_several_words_is_one_token() -> None:
    left, _ = model(0).read(words_of("what is the place of birth of X"))
    assert [token.word for token in left] == ["place of birth"]


def test_a_very_long_question_is_cut() -> None:
    aligner = model(0)
    question = f"{'word ' * 5000} X {'word ' * 5000}"
    assert np.isfinite(aligner.score(question, PATTERNS)).all()


def test_a_word_is_embedded_once_whatever_stands_beside_it_and_in_copies_too(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[list[str]] = []
    encode = Letters.encode
    monkeypatch.setattr(Letters, "encode", lambda self, texts: calls.append(list(texts)) or encode(self, texts))
    aligner = model(0)
    aligner.score("the wife of the son of X", [(("spouse", True),)])
    replace(aligner, weights=aligner.weights + 1).score("the son of X", [(("child", True),)])
    assert sorted(word for call in calls for word in call) == ["son", "wife"]


@pytest.mark.parametrize(
    ("question", "word", "place"),
    [
        ("who is the son of X", "son", 0),
        ("who is X's son", "son", 0),
        ("X's son's wife", "wife", 0),
        ("whose son is X", "son", 1),
        ("X is the son of whom", "son", 2),
        ("people who raised X", "raised", 1),
        ("people that X raised", "raised", 2),
        ("people raised by X", "raised", 2),
        ("X was raised by whom", "raised", 1),
    ],
)
def test_a_word_has_a_place(question: str, word: str, place: int) -> None:
    assert [token.place for side in content(words_of(question)) for token in side if token.word == word] == [place]


def test_the_place_of_a_word_tells_the_direction_of_its_relation() -> None:
    # With a vector and a place that only add up, one of the four is wrong whatever the weights.
    questions = ["the son of X", "whose son is X", "the parent of X", "whose parent is X"]
    tokens = [content(words_of(question))[0][0] for question in questions]
    vectors = Letters().encode([token.word for token in tokens])
    rows, order = word_rows(tokens, vectors, np.arange(4))
    rows.rest[:] = 0  # the function words beside it would tell too
    directions = np.array([1, 0, 0, 1])[order]
    weights = softmax_regression(rows, directions, np.ones(4, dtype=np.float32), 2, seed=0)
    assert rows.times(weights).argmax(axis=1).tolist() == directions.tolist()


def test_products_of_features_are_made_by_word() -> None:
    questions = ["the son of X", "whose son is X", "the parent of X", "whose parent is X", "X raised whom", "son of X"]
    tokens = [token for one in questions for side in content(words_of(one)) for token in side]
    words = sorted({token.word for token in tokens})
    vectors = Letters().encode(words).astype(np.float32)
    word = np.array([words.index(token.word) for token in tokens])
    rows, order = word_rows(tokens, vectors, word)
    whole = np.stack([token_features(tokens[at], vectors[word[at]]) for at in order])
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(3, whole.shape[1])).astype(np.float32)
    table = rng.normal(size=(len(tokens), 3)).astype(np.float32)
    np.testing.assert_allclose(rows.times(weights), whole @ weights.T, atol=1e-4)
    np.testing.assert_allclose(rows.turned_times(table), table.T @ whole, atol=1e-4)
    some = np.array([1, 2, 5])
    np.testing.assert_allclose(rows.of(some).times(weights), whole[some] @ weights.T, atol=1e-4)


def test_a_compound_is_read_like_the_name_it_ends_in() -> None:
    """«Screenwriter» is a writer; names themselves, short endings and phrases are read as they are."""
    aligner = replace(model(0), names=("writer", "songwriter", "star", "line of work"))
    plain = {word: Letters().embed([word])[0].astype(np.float32) for word in ("screenwriter", "writer")}
    between = plain["screenwriter"] + plain["writer"]
    compound, name, short = aligner.word_vectors(["screenwriter", "songwriter", "costar"])
    np.testing.assert_allclose(compound, between / np.linalg.norm(between), atol=2e-3)
    np.testing.assert_array_equal(name, Letters().embed(["songwriter"])[0].astype(np.float32))
    np.testing.assert_array_equal(short, Letters().embed(["costar"])[0].astype(np.float32))
    assert [token.word for token in aligner.read(words_of("the line of work of X"))[0]] == ["line of work"]


def test_the_two_directions_of_a_symmetric_relation_are_one_step() -> None:
    aligner = replace(model(3), symmetric=frozenset({"spouse"}))
    one = (("spouse", True), ("child", True), ("spouse\0X", True))
    for other in ((("spouse", False), *one[1:]), (*one[:2], ("spouse\0X", False))):
        assert aligner.steps(other) == aligner.steps(one) == [1, 3, 1]
    assert aligner.steps((("child", False),)) == [2]
    # A step there and back may go unsaid: «the child of X's spouse» says nothing of a way back.
    assert aligner.turned.tolist() == [1, 1, 3, 2, 5, 4, -1]
    for question in ("who is the child of X's spouse", "X's spouse's spouse"):
        tokens = aligner.read(words_of(question))
        for pattern in (one, (("spouse", True), ("spouse", False)), (("spouse", False), ("child", False))):
            steps = aligner.steps(pattern)
            assert steps is not None
            assert aligner.features(tokens, [pattern])[0] @ aligner.weights == pytest.approx(
                searched(aligner, tokens, steps)
            )
