"""Parallel execution of the questions of an evaluation."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager, nullcontext
from contextvars import copy_context
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context, parent_process

from graphbrick.core import Query
from graphbrick.core.compute import blas_threads, cores_of_worker
from graphbrick.core.errors import GraphbrickError, LinkError
from graphbrick.core.memory.meter import measuring_memory
from graphbrick.core.session import Session, current_session, set_default_session
from graphbrick.graphs.graph import Graph
from graphbrick.models.embedders.llm_embedder import LLMEmbedder
from graphbrick.models.llm.chat import ChatModel
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.budget import StoppedError, current_budget
from graphbrick.pipeline.interpreter import Course, failure_in
from graphbrick.questions.grounding import GroundedQuestion
from graphbrick.study.runs.prefixes import SharedStages
from graphbrick.study.runs.query_scoring import of_query, writes_queries
from graphbrick.study.runs.question_graphs import StudyGraph, graph_of
from graphbrick.study.runs.scoring import detail_of, levels_of, result_of
from graphbrick.study.store.identity import bricks_of
from graphbrick.study.store.records import Detail, Result


@dataclass(frozen=True)
class Task:
    """A question and the pipelines that have not answered it yet.

    Attributes:
        question: The question.
        number: Its number in the study.
        left: Indices of these pipelines.
        turn: Rotation that decides which pipeline runs first (`SharedStages.run`).
    """

    question: GroundedQuestion
    number: int
    left: tuple[int, ...]
    turn: int


@dataclass(frozen=True)
class Done:
    """The results of a task.

    Attributes:
        results: Result and detail of each pipeline that was not stopped.
        stopped: Why some pipelines were stopped; empty if none was.
    """

    results: tuple[tuple[Result, Detail], ...]
    stopped: str = ""


class Work:
    """Work of an evaluation: answers one question with several pipelines.

    Args:
        graph: The graph.
        pipelines: All pipelines.
        runs: The run number of each pipeline.
        session: The number of the session.
        link: Whether to link seeds even if the file gives them.
        exchanges: Whether to keep prompts and replies of language models.
        memory: Whether to measure the peak of memory of each stage.
    """

    def __init__(
        self,
        graph: StudyGraph,
        pipelines: Sequence[Pipeline],
        runs: Sequence[int],
        session: int,
        *,
        link: bool,
        exchanges: bool = True,
        memory: bool = False,
    ) -> None:
        self.exchanges, self.memory = exchanges, memory
        self.graph, self.pipelines, self.runs, self.session, self.link = graph, pipelines, runs, session, link
        self._levels = [levels_of(pipeline) for pipeline in pipelines]
        self._writes_queries = [writes_queries(pipeline) for pipeline in pipelines]
        self._shared: dict[tuple[int, ...], SharedStages] = {}

    def answer(self, task: Task) -> Done:
        """Answer a question with each pipeline that has not answered it."""
        shared = self._shared.get(task.left)
        if shared is None:
            shared = self._shared[task.left] = SharedStages([self.pipelines[place] for place in task.left])
        question, error, stopped = task.question, None, ""
        graph: Graph | None = None
        courses: Sequence[Course | None]
        try:
            graph = graph_of(self.graph, question.question)
            query = Query(question.question.text, id=question.question.id) if self.link else question.query()
        except LinkError as failure:
            courses, error = [None] * len(task.left), str(failure)
        else:
            with measuring_memory() if self.memory else nullcontext():
                courses = shared.run(graph, query, turn=task.turn)
        results = []
        for place, course in zip(task.left, courses, strict=True):
            if course is not None and course.run.stopped is not None:
                stopped = stopped or course.run.stopped.reason
                continue
            try:
                results.append(self._measured(task, place, graph, course, error))
            except Exception as fault:
                if course is None or not course.kinds:
                    raise
                reason = failure_in(self.pipelines[place], course.run, fault)
                failed = Course(course.runs[:1], error=reason, failed=course.kinds[-1])
                results.append(self._measured(task, place, graph, failed, error))
        return Done(tuple(results), stopped)

    def _measured(
        self, task: Task, place: int, graph: Graph | None, course: Course | None, error: str | None
    ) -> tuple[Result, Detail]:
        """Return the result of one pipeline in figures and in words."""
        question, numbers = task.question, (self.runs[place], task.number, self.session)
        queries = of_query(graph, question.question.facts, course) if self._writes_queries[place] else {}
        result = result_of(question, course, self._levels[place], error=error, numbers=numbers, of_query=queries)
        return result, detail_of(question, course, numbers[:2], exchanges=self.exchanges)


def concurrency(pipelines: Iterable[Pipeline]) -> int:
    """Return how many calls the language models accept at once; 0 if there are no models.

    >>> from graphbrick import PPR, PathAnswer, ShortestPaths
    >>> concurrency([PPR() >> ShortestPaths() >> PathAnswer()])
    0
    """
    models = [
        brick for pipeline in pipelines for brick in bricks_of(pipeline) if isinstance(brick, ChatModel | LLMEmbedder)
    ]
    return max((part.parallel if isinstance(part, ChatModel) else 1 for part in models), default=0)


def answered(work: Work, tasks: Sequence[Task], workers: int, *, processes: bool) -> Generator[Done, None, None]:
    """Yield the results of each task as soon as it is done.

    Args:
        work: The work to run for each task.
        tasks: The tasks; workers take them as they become free.
        workers: Number of workers, at least 1.
        processes: Whether each worker is a process. Threads share Python's global lock, so that they help only while
            they wait for calls, but they share one budget and one cache of replies.

    Raises:
        StoppedError: A budget or the user stopped a task; the results of started tasks are yielded before.
    """
    left, stopped = iter(tasks), ""
    if not tasks:
        return
    with _executor(work, workers, processes=processes) as executor:
        waiting: set[Future[Done]] = set()
        while True:
            if not stopped:
                waiting |= {_submit(executor, work, task) for task in islice(left, 2 * workers - len(waiting))}
            if not waiting:
                break
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                answer = future.result()
                stopped = stopped or answer.stopped
                yield answer
    if stopped:
        raise StoppedError(stopped, code="workers.stopped")


@contextmanager
def _executor(work: Work, workers: int, *, processes: bool) -> Iterator[Executor]:
    """Context manager for threads or processes; after an error, tasks that have not begun are dropped."""
    executor: Executor
    if processes:
        # Not forked: threads of numba and onnxruntime do not survive that.
        own = (work, current_session(), cores_of_worker(workers))
        executor = ProcessPoolExecutor(workers, get_context("spawn"), _begin_process, own)
    else:
        executor = ThreadPoolExecutor(workers, "evaluate")
    try:
        yield executor
    except BrokenProcessPool as error:
        raise GraphbrickError(
            "a worker process ended unexpectedly: was it killed for want of memory? A script must call evaluate "
            "behind if __name__ == '__main__': to have workers that are processes; workers=1 needs none",
            code="workers.killed",
        ) from error
    except BaseException:
        budget = current_budget()
        if budget is not None:
            budget.cancel()  # aborts calls in flight; no further stage begins
        raise
    finally:
        executor.shutdown(cancel_futures=True)


def _submit(executor: Executor, work: Work, task: Task) -> Future[Done]:
    if isinstance(executor, ProcessPoolExecutor):
        return executor.submit(_answer_in_process, task)
    return executor.submit(copy_context().run, work.answer, task)  # the thread uses the same budget and cache


_work: Work | None = None
_limits = ExitStack()


def _begin_process(work: Work, session: Session, threads: int) -> None:
    """Prepare a worker process, whose models get its share of the cores unless the session says otherwise."""
    global _work
    _work = work
    _limits.enter_context(blas_threads(1))  # until the process ends
    session.threads = session.threads or threads
    set_default_session(session)  # copies the parent's settings; open resources are not shared
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the parent ends the workers
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process when its parent was killed; otherwise it would wait forever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _answer_in_process(task: Task) -> Done:
    assert _work is not None
    return _work.answer(task)
