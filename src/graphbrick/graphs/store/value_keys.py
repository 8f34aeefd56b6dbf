"""Names of the files of a column, and the keys that order its values."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from graphbrick.language.folding import name_form
from graphbrick.language.hashing import hash64, span_hash

Keys: TypeAlias = npt.NDArray[np.int64]

NO_ZONE = -(1 << 15)
"""Zone of a date-time without one, as in `graphbrick.kernels.strings.cells`; others are minutes east of Greenwich."""


def stem(number: int) -> str:
    """Return the beginning of the names of the files of a column."""
    return f"property-{number}"


@lru_cache(maxsize=8192)  # the same words are looked up in every property
def text_key(text: str) -> int:
    """Return the key of one text; see `text_keys`."""
    folded = name_form(text)
    return (span_hash(folded) if folded else hash64(text)) & 0xFFFFFFFF


def sortable(values: npt.NDArray[np.float64]) -> Keys:
    """Return numbers as int64 in the same order; -0.0 and 0.0 are equal."""
    bits = (values + 0.0).view(np.int64)
    return np.where(bits >= 0, bits, np.int64(-(1 << 63)) - bits)


def utc_shift(zones: npt.NDArray[np.int16]) -> Keys:
    """Return the microseconds to subtract from date-times to have them in UTC; 0 for those without a zone."""
    minutes = np.where(zones == NO_ZONE, 0, zones).astype(np.int64)
    return minutes * 60_000_000
