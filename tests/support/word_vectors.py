"""The words that the small embedding models of tests know."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

TABLE = {
    "kenya": (1.0, 0.0, 0.0),
    "uganda": (0.0, 1.0, 0.0),
    "lake": (0.0, 3.0, 4.0),
    "query": (0.0, 0.0, 1.0),
    "passage": (-1.0, 0.0, 0.0),
    "nothing": (0.0, 0.0, 0.0),
    "nan": (float("nan"), 0.0, 0.0),
    "inf": (float("inf"), 0.0, 0.0),
}


def unit(*vector: float) -> npt.NDArray[np.float64]:
    return np.array(vector) / np.linalg.norm(vector)
