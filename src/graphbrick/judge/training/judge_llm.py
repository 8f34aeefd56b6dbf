"""Training of a language model as a judge: low-rank adapters on the prompts of `RubricJudge`."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import InputError
from graphbrick.core.parameters import parameter
from graphbrick.judge.judges.classifier.logistic import PLAIN, Logistic, platt
from graphbrick.judge.judges.classifier.training import TrainedLabel, area_of, folds
from graphbrick.judge.judges.folder import new_judge
from graphbrick.judge.judges.rubric import RubricJudge, without_asking
from graphbrick.judge.judges.tuned_model import KIND, log_odds, rubric_of
from graphbrick.judge.synthetic.rows import Row, require_new
from graphbrick.judge.training.frame import description, learnable
from graphbrick.judge.verdicts import Label
from graphbrick.learn.train.epochs import check_parameters
from graphbrick.learn.train.llms.llm_examples import Lesson
from graphbrick.learn.train.llms.llm_fit import (
    Base,
    Settings,
    Tokens,
    adapt,
    encode,
    find_base,
    first_tokens,
    fit,
    open_base,
    require_llm_packages,
    save,
)
from graphbrick.learn.train.torch_tools import seeded
from graphbrick.models.llm.http.wire import message_json
from graphbrick.models.llm.llm import LLM
from graphbrick.models.llm.share_of_yes import share_of_yes

CALLER = "train_judge_llm"
BASE = "qwen2.5-coder-1.5b"
Floats = npt.NDArray[np.float64]
_LIKELIEST = 20  # tokens that the probability of yes is read from, as when a server is asked


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSettings(Settings):
    """Settings of the fit.

    Attributes:
        tokens: Most tokens of evidence, in training and when the judge is asked.
        context: Most tokens of a prompt with its reply.
    """

    tokens: int = parameter(3000, at_least=1, at_most=1_000_000)
    context: int = parameter(4096, at_least=512, at_most=10_000_000)


@dataclass(frozen=True, slots=True)
class JudgeLLMReport(TrainedLabel):
    """Figures of a model on one label after training.

    Attributes:
        untrained: Area under the ROC curve of the base on the held-out fifth of the questions.
        auc: The same after training.
        seconds: Time of the training of all labels.
    """

    untrained: float
    auc: float
    seconds: float

    def lines(self) -> list[str]:
        """Return what to tell the user."""
        return [f"AUC {self.untrained:.3f} -> {self.auc:.3f} on held-out questions ({self.rows:,} rows)"]


def train_judge_llm(
    rows: Sequence[Row],
    out: Path,
    *,
    base: str = BASE,
    settings: JudgeSettings | None = None,
    device: str | None = None,
    about: Mapping[str, Any] | None = None,
    progress: Progress = silent,
) -> dict[Label, JudgeLLMReport]:
    """Tune a language model to judge as the rows say (LoRA), and write its folder.

    The model learns to say yes or no to exactly the prompts of `RubricJudge` without reasons; one model learns all
    labels. A fifth of the questions is held out: the best epoch is chosen by the loss on it, and probabilities are
    calibrated on it, with right and wrong rows counted as much. The figures of the report are therefore a little too
    good. With a GGUF file as base, the folder holds ``model.gguf``, which llama.cpp runs; with another base, it holds
    ``merged/``, from which ``convert_hf_to_gguf.py`` of llama.cpp makes that file.

    Args:
        rows: The rows.
        out: The folder to make.
        base: The instruct model to tune: a GGUF file, a name that ``graphbrick models list`` shows, a folder of
            transformers, or a name of the hub.
        settings: Settings of the fit, and the tokens of evidence that the judge reads.
        device: Such as "cpu"; by default a CUDA GPU if there is one.
        about: What ``judge.json`` should say of the data.
        progress: Told the step, the number done and the total.

    Raises:
        InputError: There are too few questions, or too few that fit the context, the folder exists, or a parameter is
            out of range.
        ModelError: A package is missing, or the base cannot be loaded.
    """
    started = time.perf_counter()
    require_new(out)
    how = settings or JudgeSettings()
    check_parameters(CALLER, how)
    judge = rubric_of(LLM("tuned", context=how.context), how.tokens)
    prompted = [row for row in rows if without_asking(row.label, row.case) is None]
    enough = learnable(prompted)
    chosen = [row for row in prompted if row.label in enough]
    require_llm_packages(gguf=find_base(base)[1] is not None)
    progress("loading the model", 0, 1)
    opened = open_base(base, device)
    usable = len(chosen)
    chosen, lessons = encoded(opened, judge, chosen, how)
    held = folds([row.group for row in chosen], how.seed) == 0
    if held.all():  # of no question, or of a single one
        raise InputError(
            f"{usable - len(chosen):,} of {usable:,} prompts have more than {how.context:,} tokens, which leaves "
            "nothing to learn from; raise context, or lower the tokens of evidence",
            code="judge_llm.too_long",
            left_out=usable - len(chosen),
            prompts=usable,
            context=how.context,
        )
    apart, kept_apart = _selected(chosen, lessons, held)
    with seeded(how.seed, opened.device):
        model = adapt(opened, how)
        before = probabilities(opened, model, kept_apart)
        fit(model, _selected(chosen, lessons, ~held)[1], kept_apart, how, progress)
        after = probabilities(opened, model, kept_apart)
    reports, scales = dict[Label, JudgeLLMReport](), dict[Label, Logistic]()
    for label in dict.fromkeys(row.label for row in chosen):
        of_label = [row for row in chosen if row.label is label]
        places = [i for i, row in enumerate(apart) if row.label is label]
        y = np.array([apart[i].value for i in places], dtype=np.float64)
        scales[label] = _scale(after[places], y)
        figures = (area_of(y, before[places]), area_of(y, after[places]))
        questions = len({row.group for row in of_label})
        reports[label] = JudgeLLMReport(len(of_label), questions, *figures, time.perf_counter() - started)
    facts = {**(about or {}), "settings": asdict(how)}
    described = description(scales, reports, facts, kind=KIND, base=base, tokens=how.tokens, context=how.context)
    with new_judge(out, described) as work:
        progress("writing", 0, 1)
        is_file = opened.gguf is not None
        save(opened, model, work, gguf=is_file, merged=not is_file)
    return reports


def encoded(base: Base, judge: RubricJudge, rows: Sequence[Row], how: JudgeSettings) -> tuple[list[Row], list[Tokens]]:
    """Return the rows whose prompts fit the context, and these prompts with their replies in tokens."""
    lessons = [
        Lesson(
            row.group,
            tuple(message_json(message) for message in judge.request(row.label, row.case).messages),
            "yes" if row.value else "no",
        )
        for row in rows
    ]
    tokens, _ = encode(base, lessons, context=how.context, longest=how.context)
    fitting = [(row, one) for row, one in zip(rows, tokens, strict=True) if one is not None]
    return [row for row, _ in fitting], [one for _, one in fitting]


def probabilities(base: Base, model: Any, lessons: Sequence[Tokens]) -> Floats:
    """Return the probability of yes for each prompt, float64 [lessons]; 0.5 if neither is likely."""
    shares = (share_of_yes(tokens) for tokens in first_tokens(base, model, lessons, _LIKELIEST))
    return np.array([0.5 if share is None else share for share in shares])


def _selected(
    rows: Sequence[Row], lessons: Sequence[Tokens], which: npt.NDArray[np.bool_]
) -> tuple[list[Row], list[Tokens]]:
    places = np.flatnonzero(which).tolist()
    return [rows[i] for i in places], [lessons[i] for i in places]


def _scale(shares: Floats, values: Floats) -> Logistic:
    """Return factor and summand with which log odds fit the held-out rows of a label."""
    return PLAIN if len(np.unique(values)) < 2 else platt(log_odds(shares), values)
