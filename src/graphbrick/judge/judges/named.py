"""Judges by the text that names them on the command line: a model, a trained judge, or a baseline."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from graphbrick.core.errors import InputError
from graphbrick.judge.verdicts import Judge
from graphbrick.models.llm.chat import ChatModel

BASELINES: dict[str, str] = {
    "length": "graphbrick.judge.judges.baselines:LengthJudge",
    "words": "graphbrick.judge.judges.baselines:WordsJudge",
    "cosine": "graphbrick.judge.judges.baselines:CosineJudge",
    "re-ranker": "graphbrick.judge.judges.baselines:RerankerJudge",
}
"""The module and class of each baseline, by its name; the class takes no arguments."""
TRAINED = "graphbrick.judge.judges.trained:open_judge"
"""The module and function that opens the folder of a trained judge."""
BY_MODEL = "graphbrick.judge.judges.rubric:RubricJudge"
"""The module and class of the judge that asks a language model, its first argument."""
LIKELIHOOD = "likelihood:"
"""Prefix of the name of a language model that judges by the likelihood of the question."""
BY_LIKELIHOOD = "graphbrick.judge.judges.likelihood:LikelihoodJudge"
"""The module and class of that judge, with the model as its one argument."""
ONE_WORD = "one-word:"
"""Prefix of the name of a language model that judges with yes or no and gives no reason."""
_PREFIXES: dict[str, tuple[str, dict[str, bool]]] = {
    LIKELIHOOD: (BY_LIKELIHOOD, {}),
    ONE_WORD: (BY_MODEL, {"reasons": False}),
}


def judge_of(text: str, model: Callable[[str], ChatModel]) -> Judge:
    """Return the judge that a text names.

    Args:
        text: The name of a baseline, the folder of a trained judge, or a language model as ``model`` reads it, after
            ``likelihood:`` where it is to judge by the likelihood of the question, and after ``one-word:`` where it is
            to give no reason.
        model: Returns the language model that a text names.

    Raises:
        InputError: The text names none of them.
    """
    name = text.strip()
    if name in BASELINES:
        return _imported(BASELINES[name])()
    for prefix, (place, options) in _PREFIXES.items():
        named = name.removeprefix(prefix).strip()
        if name.startswith(prefix) and named:
            return _imported(place)(model(named), **options)
    if name and Path(name).is_dir():
        return _imported(TRAINED)(Path(name))
    if not name or name in _PREFIXES or (Path(name).exists() and not name.lower().endswith(".gguf")):
        raise InputError(
            f"a judge is a language model such as gpt-4.1 or LLM('gpt-4.1'), {LIKELIHOOD}MODEL, {ONE_WORD}MODEL, the "
            f"folder of a trained judge{''.join(f', {known}' for known in BASELINES)}, got {text!r}",
            code="named.not_a_judge",
            name=text,
        )
    return _imported(BY_MODEL)(model(name))


def _imported(place: str) -> Callable[..., Judge]:
    """Return what ``module:name`` names."""
    module, _, name = place.partition(":")
    maker: Callable[..., Judge] = getattr(import_module(module), name)
    return maker
