"""Judges by the text that names them on the command line: a model, a trained judge, or a baseline."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from graphbrick.core.errors import InputError
from graphbrick.evaluate.judge.verdicts import Judge
from graphbrick.llm.chat import ChatModel

BASELINES: dict[str, str] = {
    "length": "graphbrick.evaluate.judge.judges.baselines:LengthJudge",
    "words": "graphbrick.evaluate.judge.judges.baselines:WordsJudge",
    "cosine": "graphbrick.evaluate.judge.judges.baselines:CosineJudge",
    "re-ranker": "graphbrick.evaluate.judge.judges.baselines:RerankerJudge",
}
"""The module and class of each baseline, by its name; the class takes no arguments."""
TRAINED = "graphbrick.evaluate.judge.judges.trained:open_judge"
"""The module and function that opens the folder of a trained judge."""
BY_MODEL = "graphbrick.evaluate.judge.judges.rubric:RubricJudge"
"""The module and class of the judge that asks a language model, its one argument."""
LIKELIHOOD = "likelihood:"
"""What a text begins with that names a language model as a judge by the likelihood of the question."""
BY_LIKELIHOOD = "graphbrick.evaluate.judge.judges.likelihood:LikelihoodJudge"
"""The module and class of that judge, with the model as its one argument."""


def judge_of(text: str, model: Callable[[str], ChatModel]) -> Judge:
    """Return the judge that a text names.

    Args:
        text: The name of a baseline, the folder of a trained judge, or a language model as ``model`` reads it, after
            ``likelihood:`` where it is to judge by the likelihood of the question.
        model: Returns the language model that a text names.

    Raises:
        InputError: The text names none of them.
    """
    name = text.strip()
    if name in BASELINES:
        return _imported(BASELINES[name])()
    if name.startswith(LIKELIHOOD) and name != LIKELIHOOD:
        return _imported(BY_LIKELIHOOD)(model(name.removeprefix(LIKELIHOOD).strip()))
    if Path(name).is_dir():
        return _imported(TRAINED)(Path(name))
    if not name or (Path(name).exists() and not name.lower().endswith(".gguf")):
        raise InputError(
            f"a judge is a language model such as gpt-4.1 or LLM('gpt-4.1'), {LIKELIHOOD}MODEL, the folder of a "
            f"trained judge{''.join(f', {known}' for known in BASELINES)}, got {text!r}"
        )
    return _imported(BY_MODEL)(model(name))


def _imported(place: str) -> Callable[..., Judge]:
    """Return what ``module:name`` names."""
    module, _, name = place.partition(":")
    found: Callable[..., Judge] = getattr(import_module(module), name)
    return found
