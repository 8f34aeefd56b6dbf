"""The hops that words of a question speak of, under an alignment fitted to other questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from graphbrick.patterns.alignment.alignment import Alignment, Token
from graphbrick.patterns.alignment.alignment_table import (
    EMISSION,
    LEFT_OVER,
    MISSING,
    MISSING_BACK,
    N_FEATURES,
    TRANSITION,
)
from graphbrick.patterns.several_steps import ALIKE

Tokens = tuple[list[Token], list[Token]]

# A question that is known to mean a pattern speaks of every hop, perhaps in words that were never met.
_COSTS = {MISSING: -12.0, MISSING_BACK: -6.0, LEFT_OVER: -3.0}


def tagged(model: Alignment, tokens: Tokens, steps: Sequence[int]) -> tuple[float, Tokens]:
    """Return the score of the best alignment of a question with its pattern, and tokens with hops.

    Every hop should be spoken of, so words that the model does not know are given to a hop rather than left over.

    Args:
        model: The alignment.
        tokens: The content words left and right of the seed, see `content`.
        steps: The pattern, see `Alignment.steps`.
    """
    weights = model.weights.copy()
    weights[list(_COSTS)] = list(_COSTS.values())
    left, right = tokens
    spoken = [model.emitted(side) if side else np.zeros((0, 0)) for side in tokens]
    moves = [[model.transitions.log_new(token) for token in side] for side in tokens]
    none = len(model.emission) - 1

    @cache
    def best(a: int, b: int, hop: int) -> tuple[float, tuple[int, ...]]:
        """Return the best score of the words that are left, and the hop of each in the order of use."""
        if a == len(left) and b == len(right) and hop == len(steps):
            return 0.0, ()
        ways: list[tuple[float, tuple[int, ...]]] = []
        is_back = 0 < hop < len(steps) and bool(steps[hop - 1] == model.turned[steps[hop]])
        if hop < len(steps):
            value, rest = best(a, b, hop + 1)
            ways.append((value + weights[MISSING_BACK if is_back else MISSING], rest))
        pending = b < len(right) and right[b].connectors == ("'s",)
        sides = [1] if b < len(right) else []
        sides += [0] if a < len(left) and not pending else []
        for side in sides:
            after, at = (a + 1 - side, b + side), (a, b)[side]
            row, (new, same) = spoken[side][at], moves[side][at]
            direction = 2 if hop == 0 else steps[hop - 1] & 1
            if (left, right)[side][at].word == ALIKE:  # the way back that it says needs no other word
                value, rest = best(*after, hop + is_back)
                ways.append((value, (-2 + side, *rest)))
                continue
            choices = [(hop, -1, weights[EMISSION] * row[none] + weights[LEFT_OVER])]
            if hop:
                here = weights[EMISSION] * row[steps[hop - 1]] + weights[TRANSITION] * same[direction]
                choices.append((hop, hop - 1, here))
            if hop < len(steps):
                begins = weights[EMISSION] * row[steps[hop]] + weights[TRANSITION] * new[direction]
                choices.append((hop + 1, hop, begins))
            for reached, tag, gain in choices:
                value, rest = best(*after, reached)
                ways.append((value + gain, (2 * tag + side, *rest)))
        return max(ways, key=lambda way: way[0], default=(-np.inf, ()))

    value, order = best(0, 0, 0)
    hops: tuple[list[int | None], list[int | None]] = ([], [])
    for code in order:
        hops[code & 1].append(code >> 1 if code >> 1 >= 0 else None)
    both = [
        [replace(token, hop=hop) for token, hop in zip(side, tags, strict=True)]
        for side, tags in zip(tokens, hops, strict=True)
    ]
    return float(value + weights[N_FEATURES - 1 + len(steps)]), (both[0], both[1])
