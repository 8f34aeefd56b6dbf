"""Walks in rounds: a model chooses the next step until it has enough, or the rounds end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from graphbrick.bricks.retrieve.paths.beam import Partial
from graphbrick.bricks.retrieve.reasoning.moves import text_of
from graphbrick.core import Evidence, Subgraph
from graphbrick.core.compute import check_limits
from graphbrick.core.trace import event, fact
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.prompt_files import Prompt

T = TypeVar("T")
P = TypeVar("P", Prompt, Prompt | None)


@dataclass
class Rounds:
    """The paths that a walk reached, round by round.

    Attributes:
        subgraph: Where it walks.
        paths: The paths of each round.
        is_enough: Whether they were found to be enough.
        is_stuck: Whether the walk ended because nothing more was reached.
    """

    subgraph: Subgraph
    paths: list[list[Partial]] = field(default_factory=list)
    is_enough: bool = False
    is_stuck: bool = False

    def walk(
        self,
        frontier: list[Partial],
        most: int,
        step: Callable[[list[Partial]], list[Partial]],
        is_enough: Callable[[], bool],
        onward: Callable[[list[Partial]], list[Partial]] = lambda reached: reached,
    ) -> None:
        """Walk from some paths.

        Args:
            frontier: The paths that the first round goes on from.
            most: Most rounds.
            step: Returns the paths that one round reaches from those it is given; none ends the walk.
            is_enough: Tells after a round whether the paths of all rounds are enough.
            onward: Returns the paths that the next round goes on from, of those that the last one reached.
        """
        while len(self.paths) < most and not self.is_enough:
            check_limits()
            reached = step(frontier)
            if not reached:
                self.is_stuck = True
                return
            self.paths.append(reached)
            self.is_enough = is_enough()
            if not self.is_enough and len(self.paths) < most:
                frontier = onward(reached)

    def end(self, what: str) -> bool:
        """Report the end of the walk; return whether all rounds ran and ``what`` it reached was not enough."""
        fact(rounds=len(self.paths))
        if self.is_enough or self.is_stuck:
            return False
        event(
            f"the {what} were not found to be enough after {len(self.paths)} rounds",
            "rounds.not_enough",
            reached=what,
            rounds=len(self.paths),
        )
        return True

    def texts(self) -> list[str]:
        """Return all paths as a model is shown them, in the order of the rounds."""
        return [text_of(self.subgraph, path) for paths in self.paths for path in paths]

    def evidence(self, source: str) -> Evidence:
        """Return all paths, those of the last round first."""
        return Evidence(tuple(path.path(self.subgraph, source) for paths in reversed(self.paths) for path in paths))


def asked_of_each(llm: ChatModel, things: Iterable[T], prompt_of: Callable[[T], P]) -> Iterator[tuple[T, P, str]]:
    """Ask a model about several things; yield each with its prompt and reply, empty without a prompt."""
    prompts = [(thing, prompt_of(thing)) for thing in things]
    replies = iter(llm.ask_all([prompt.request for _, prompt in prompts if prompt is not None]))
    for thing, prompt in prompts:
        yield thing, prompt, "" if prompt is None else next(replies).text
