"""The judge by a language model that learned to judge: `RubricJudge` with the model of its folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import InputError
from graphbrick.judge.judges.folder import FILE, TrainedJudge, scales_of
from graphbrick.judge.judges.rubric import RubricJudge
from graphbrick.judge.verdicts import AskingJudge, Case, Label, Verdict
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.local_llm import LocalLLM

KIND = "tuned language model"
"""Kind of these judges."""
MODEL = "model.gguf"
"""The file of the model in the folder."""
_SURE = 1e-6  # probabilities are kept this far from 0 and 1, so that log odds are finite


class TunedModelJudge(AskingJudge, TrainedJudge):
    """A judge by a tuned language model, with probabilities calibrated on held-out rows.

    Args:
        rubric: Asks the model.
        scales: For each label that it learned, what log odds are multiplied by and what is added.
        identity: What tells it from other judges.
    """

    def __init__(self, rubric: RubricJudge, scales: Mapping[Label, tuple[float, float]], identity: str) -> None:
        super().__init__(scales, identity)
        self.rubric = rubric

    def rate_each(self, label: Label, cases: Sequence[Case]) -> Iterator[tuple[int, Verdict]]:
        """Yield place and verdict of each case as soon as its reply is there, as `RubricJudge`."""
        calibrated = self.probability(label)
        for place, verdict in self.rubric.rate_each(label, cases):
            if verdict.probability not in (None, 0.0, 1.0):
                odds = float(log_odds(np.array(verdict.probability)))
                verdict = Verdict(calibrated(odds), verdict.reason)
            yield place, verdict


def rubric_of(llm: ChatModel, tokens: int) -> RubricJudge:
    """Return what asks a model in training and afterwards: one word, no reason."""
    return RubricJudge(llm, reasons=False, tokens=tokens)


def log_odds(shares: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the log odds of probabilities, finite for 0 and 1, too."""
    inside = np.clip(shares, _SURE, 1 - _SURE)
    odds: npt.NDArray[np.float64] = np.log(inside / (1 - inside))
    return odds


def open_tuned(folder: Path, about: Mapping[str, Any], checksum: str) -> TunedModelJudge:
    """Open a judge of this kind.

    Args:
        folder: The folder.
        about: What its ``judge.json`` holds.
        checksum: Of its files.

    Raises:
        InputError: The file is damaged, or the model is not there as a GGUF file.
    """
    scales = scales_of(about, folder)
    try:
        tokens, context = int(about["tokens"]), int(about["context"])
    except (KeyError, TypeError, ValueError) as error:
        reason = f"{FILE} is damaged ({error!r}); train the judge again"
        raise InputError(reason, folder, code="tuned_judge.damaged") from error
    model = folder / MODEL
    if not model.is_file():
        raise InputError(
            f"has no {MODEL}, as its base was not a GGUF file; convert {folder / 'merged'} to it with "
            "convert_hf_to_gguf.py of llama.cpp",
            folder,
            code="tuned_judge.no_gguf",
        )
    llm = LocalLLM(str(model.absolute()), context=context, structured=False)
    return TunedModelJudge(rubric_of(llm, tokens), scales, f"{KIND} {checksum}")
