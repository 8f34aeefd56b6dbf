"""Judging the answers of an evaluation while it runs, by the judge of an entry point."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Self

from graphbrick.core.errors import InputError
from graphbrick.core.plugins import plugins

if TYPE_CHECKING:
    from graphbrick.models.llm.chat import ChatModel
    from graphbrick.study.runs.recorder import Recorder
    from graphbrick.study.store.records import Unjudged

ENTRY_POINTS = "graphbrick.judging"
JUDGING = "judging"
"""Name of the step that is reported to ``progress``."""


class NoJudging:
    """Context manager that judges nothing, and base of those that judge answers in the background."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: object) -> None:
        """Store the judgements that are done."""

    @property
    def left(self) -> int:
        """Number of submitted answers that are not judged yet."""
        return 0

    def submit(self, answers: Iterable[Unjudged]) -> None:
        """Judge these answers in the background, and store the judgements of earlier ones that are done."""

    def finish(self) -> Iterator[int]:
        """Wait for the other judgements and store them; yield how many are left after each step."""
        return iter(())


def judging(judge: ChatModel | None, recorder: Recorder, *, exchanges: bool, anew: bool) -> NoJudging:
    """Return the context manager that judges the answers of an evaluation.

    Args:
        judge: The model that judges; None to judge nothing.
        recorder: The study; the caller checks that it has no other judge.
        exchanges: Whether prompts and replies of the judge are stored.
        anew: Whether recorded replies are not used, because they could not be read.

    Raises:
        InputError: No installed package judges, or several do.
    """
    if judge is None:
        return NoJudging()
    judges = plugins(ENTRY_POINTS)
    if len(judges) > 1:
        sources = ", ".join(plugin.source for plugin in judges)
        raise InputError(f"several packages judge answers: {sources}; uninstall all but one", code="judging.several")
    for plugin in judges:
        opened: NoJudging = plugin.value(judge, recorder, exchanges=exchanges, anew=anew)  # type: ignore[operator]
        return opened
    raise InputError(
        "no installed package judges answers (entry points graphbrick.judging); install graphbrick again",
        code="evaluate.no_judging",
    )
