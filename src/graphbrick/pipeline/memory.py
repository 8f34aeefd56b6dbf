"""A memory for the common beginnings of several pipelines on one question.

The result of a beginning may hold values that were computed on demand, such as the texts of its paths. A pipeline that
continues from it gets a copy with only the values from the end of the beginning. So the times of the second pipeline do
not profit from the first. The last pipeline that needs a beginning gets the original.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import TypeVar

from graphbrick.core import Evidence, Path
from graphbrick.pipeline.composition import Pipeline, Union
from graphbrick.pipeline.identity import identity_of
from graphbrick.pipeline.interpreter import Course, steps

T = TypeVar("T")


class Beginnings:
    """The common beginnings of some pipelines, for any number of questions.

    Args:
        pipelines: The pipelines; equal ones count each.
        linked: Whether the questions have seeds already, so that no pipeline links by default.
    """

    def __init__(self, pipelines: Sequence[Pipeline], *, linked: bool) -> None:
        self.keys = {pipeline: _keys(pipeline, linked=linked) for pipeline in pipelines}
        self.orders = [self.keys[pipeline] for pipeline in pipelines]
        following: dict[str, set[str]] = {}
        ends: Counter[str] = Counter()
        for keys in self.orders:
            for key, after in pairwise(keys):
                following.setdefault(key, set()).add(after)
            ends[keys[-1]] += 1
        self.needs = {key: len(following.get(key, ())) + ends[key] for key in {*following, *ends}}
        """The number of different continuations of each beginning."""

    def order(self, turn: int) -> list[int]:
        """Return the indices of the pipelines so that those with a common beginning are neighbours.

        Args:
            turn: Wherever pipelines part, their branches are rotated by so many places.
        """
        return _in_turns(self.orders, range(len(self.orders)), 0, turn)


class QuestionMemory:
    """Keeps the courses of common beginnings on one question, each until the last pipeline that needs it.

    Args:
        beginnings: The common beginnings of the pipelines that will be run.
    """

    def __init__(self, beginnings: Beginnings) -> None:
        self._beginnings = beginnings
        self._left = dict(beginnings.needs)
        self._courses: dict[str, Course] = {}

    def recall(self, pipeline: Pipeline) -> Course | None:
        """Return the course of the longest beginning of a pipeline that is held; None if there is none."""
        for key in reversed(self._beginnings.keys[pipeline]):
            course = self._courses.get(key)
            if course is not None:
                return course if course.error is not None else self._take(key)
        return None

    def hold(self, pipeline: Pipeline, course: Course) -> Course:
        """Hold the course of a beginning of a pipeline if others need it; return the course to continue with."""
        done = len(course.kinds) + (course.error is not None)
        key = self._beginnings.keys[pipeline][done - 1]
        if course.error is not None:
            self._courses[key] = course  # every pipeline behind it failed too
            return course
        if self._left[key] == 1:
            return course
        self._courses[key] = course
        return self._take(key)

    def _take(self, key: str) -> Course:
        self._left[key] -= 1
        return copy_of(self._courses[key]) if self._left[key] else self._courses.pop(key)


def copy_of(course: Course) -> Course:
    """Return a copy with its own trace; its last values hold nothing computed later on others."""
    run = course.run
    copied = replace(
        run,
        trace=run.trace.copy(),
        subgraph=None if run.subgraph is None else _shallow(run.subgraph),
        evidence=None if run.evidence is None else _copy_of_evidence(run.evidence),
    )
    return replace(course, runs=(*course.runs[:-1], copied))


def _keys(pipeline: Pipeline, *, linked: bool) -> list[str]:
    """Return the identity of every beginning of a pipeline, from its first stage to the whole."""
    return list(accumulate(map(_key, steps(pipeline, linked=linked)), lambda a, b: f"{a} >> {b}"))


def _key(stage: Pipeline) -> str:
    """Return the identity of a stage, a union in parentheses: ``(a | b) >> c`` is not ``a | b >> c``."""
    return f"({identity_of(stage)})" if isinstance(stage, Union) else identity_of(stage)


def _in_turns(orders: Sequence[Sequence[str]], indices: Iterable[int], at: int, turn: int) -> list[int]:
    """Return indices grouped by their key at a place, the groups rotated; those that end before come last."""
    groups: dict[str, list[int]] = {}
    ended = []
    for index in indices:
        if at < len(orders[index]):
            groups.setdefault(orders[index][at], []).append(index)
        else:
            ended.append(index)
    shift = turn % len(groups) if groups else 0
    ordered = [*groups.values()][shift:] + [*groups.values()][:shift]
    return [index for group in ordered for index in _in_turns(orders, group, at + 1, turn)] + ended


def _copy_of_evidence(evidence: Evidence) -> Evidence:
    copies: dict[int, Path] = {}

    def copied(path: Path) -> Path:
        """Return a copy of a path and its beginning; paths with a common beginning still have one."""
        copy = copies.get(id(path))
        if copy is None:
            copy = copies[id(path)] = _shallow(path)
            if path.prefix is not None:
                object.__setattr__(copy, "prefix", copied(path.prefix))
        return copy

    items = tuple(copied(item) if isinstance(item, Path) else item for item in evidence.items)
    return replace(evidence, items=items)


def _shallow(value: T) -> T:
    """Return a frozen value with the same attributes, including those that it has computed so far."""
    copy = object.__new__(type(value))
    copy.__dict__.update(value.__dict__)
    return copy
