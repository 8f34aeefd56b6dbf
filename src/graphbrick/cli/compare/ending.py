"""What evaluations of pipelines share: the model that judges, and how they end."""

from __future__ import annotations

from typing import TYPE_CHECKING

# Everything else is imported where it is used, so that help is shown at once.
if TYPE_CHECKING:
    from graphbrick.models.llm.chat import ChatModel
    from graphbrick.pipeline.budget import StoppedError
    from graphbrick.study.report.summary import StudySummary


def finish(stopped: StoppedError | None, summary: StudySummary) -> None:
    """Raise what ended an evaluation early, or an error if nothing worked."""
    from graphbrick.core.errors import PipelineError

    if stopped is not None:
        raise stopped
    if summary.failures:
        raise PipelineError("; ".join(summary.failures))


def model_of(text: str) -> ChatModel:
    """Return the language model that ``--judge`` names: by its name, or as a brick.

    Raises:
        InputError: It is not a language model.
    """
    from graphbrick.core.errors import InputError
    from graphbrick.models.llm.chat import ChatModel
    from graphbrick.models.llm.naming import model_text
    from graphbrick.pipeline.parsing import parse_brick

    model = parse_brick(text if "(" in text else model_text(text))
    if not isinstance(model, ChatModel):
        raise InputError(f"a judge is a language model such as LLM('gpt-4.1'), got {text}")
    return model
