"""Words of a question that neither written questions nor the words of its best pattern have.

The confidence of learned patterns is fitted to written questions, and people use other words. Three checks, which need
no fit, lower it where a word speaks of something else than the pattern does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.core import Reading
from graphbrick.language import forms
from graphbrick.language.stems import stem
from graphbrick.language.stop_words import FUNCTION_WORDS, WHO_WHEN_WHERE
from graphbrick.patterns.alignment.word_vectors import name_at_end
from graphbrick.patterns.english.usual import all_roots, roots, synonyms, usual_words
from graphbrick.patterns.model.confidence import Calibration, unit_vectors, words_of_relation
from graphbrick.patterns.model.model import PatternModel
from graphbrick.patterns.several_steps import ALIKE
from graphbrick.patterns.text import canonical, labelled, masked, without_marks

Floats = npt.NDArray[np.float32]

_FAR = 0.45  # cosine under which no word of a pattern means what a noun does
_NEAR_RELATION = 0.5  # the same for a word of another usual relation: «wrote» has .41 to «director»
_NEAR_ALONE = 0.57  # the same for the only word that speaks of a hop: «GDP» has .55 to «currency»
_NOUN, _ALONE, _RELATION = 0.5, 0.3, 0.15  # shares of the confidence that are left
_BESIDE = 0.5  # the same for a word of another relation where words that are read say every hop: «wrote the screenplay»
_SMALL = frozenset(
    "all any every everything everyone anything anyone something someone my our your his her us we i among above under "
    "below over place places thing things item items stuff good please need want possible actually really ever".split()
)
"""Words that say nothing of a relation, whatever it is; without them no hop is «the only word» of another."""


class Unread(NamedTuple):
    """What is not read in a question.

    Attributes:
        words: The words that are not read, as they are written.
        share: The share of the confidence that is left, from 0 to 1.
    """

    words: list[str]
    share: float


def unread(model: PatternModel, sure: Calibration, query: str, reading: Reading) -> Unread:
    """Return the words of a question that its best pattern leaves unread.

    - A word of a relation that graphs often have, and this one does not: «who wrote the film» of a graph of directors.
      It matters less where other words say all hops: «who wrote the screenplay» of a graph of writers.
    - The only word for a hop, if it is another than those of the graph and not near to them: «the GDP of Germany».
    - A noun that is far in meaning from all words of the pattern: «the life expectancy».

    Words of written questions, their forms and their synonyms are read. Without a dictionary nothing is unread.

    Args:
        model: The model.
        sure: Its confidence, with the words of written questions.
        query: The question.
        reading: The best pattern.
    """
    tokens = [word for side in model.ask(masked(query, reading.pattern.start_label)).tokens for word in side]
    words = list(dict.fromkeys(token.word for token in tokens if _says_something(token.word)))
    fresh = [word for word in words if stem(word) not in sure.known]
    if not fresh or not forms.is_installed():
        return Unread([], 1.0)
    fresh = [word for word in fresh if not roots(word) & sure.roots and not all_roots(synonyms(word)) & sure.roots]
    steps = dict.fromkeys(without_marks(canonical(labelled(reading.pattern.steps), model.symmetric)))
    by_step = [sorted({*sure.words.get(step, ()), *words_of_relation(step[0])}) for step in steps]
    near = _nearness(model, sure, words, by_step)
    is_said = all(_says(words, fresh, spoken) for spoken in by_step)
    checks = (
        (_BESIDE if is_said else _RELATION, [w for w in fresh if _is_of_other_relation(model, sure, w, by_step)]),
        (_ALONE, _alone(words, fresh, by_step, near)),
        (_NOUN, [word for word in fresh if forms.is_only_noun(word) and near[words.index(word)].max() < _FAR]),
    )
    share = min((share for share, found in checks if found), default=1.0)
    return Unread(list(dict.fromkeys(word for _, found in checks for word in found)), share)


def _says_something(word: str) -> bool:
    return (
        len(word) > 1 and word != ALIKE and not any(word in small for small in (_SMALL, FUNCTION_WORDS, WHO_WHEN_WHERE))
    )


def _nearness(
    model: PatternModel, sure: Calibration, words: Sequence[str], by_step: Sequence[Sequence[str]]
) -> npt.NDArray[np.float64]:
    """Return the largest cosine of each word with the words of each step, float64 [words, steps]."""
    rows = unit_vectors(model.embedder, {word for group in (words, *by_step) for word in group}, sure.vectors)
    vectors = np.stack([rows[word] for word in words]).astype(np.float64)
    columns = [(vectors @ np.stack([rows[word] for word in group]).T).max(axis=1) for group in by_step]
    return np.stack(columns, axis=1)


def _is_of_other_relation(model: PatternModel, sure: Calibration, word: str, by_step: Sequence[Sequence[str]]) -> bool:
    """Return whether a word is one of a usual relation, and not near to the pattern; «screenwriter» is a writer."""
    usual = usual_words()
    end = name_at_end(forms.singular(word), usual)
    if end and forms.is_word(forms.singular(word).removesuffix(end)):  # «screenwriter», and not «passport» for «sport»
        word = end
    lemmas = {word, forms.singular(word), forms.verb_of(word)}
    return bool(lemmas & usual) and bool(_nearness(model, sure, [word], by_step).max() < _NEAR_RELATION)


def _says(words: Sequence[str], fresh: Sequence[str], spoken: Sequence[str]) -> bool:
    """Return whether a word that is read says a step that some words speak of, by its roots or those of synonyms."""
    own = all_roots(spoken)
    return any(word not in fresh and (roots(word) | all_roots(synonyms(word))) & own for word in words)


def _alone(
    words: Sequence[str], fresh: Sequence[str], by_step: Sequence[Sequence[str]], near: npt.NDArray[np.float64]
) -> list[str]:
    """Return the nearest words of hops that only unknown words speak of, and none of them is near to."""
    alone = []
    for step, spoken in enumerate(by_step):
        if not _says(words, fresh, spoken):
            best = int(near[:, step].argmax())
            if words[best] in fresh and near[best, step] < _NEAR_ALONE:
                alone.append(words[best])
    return alone
