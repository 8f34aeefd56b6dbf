"""Answer the questions of an evaluation on Spark executors, which open the graph by memory map.

Many small jobs run at the same time, one for each batch of questions, so that results come back as they are ready and
the study on the driver stores them at once. Spark repeats a batch whose executor was lost.
"""

from __future__ import annotations

import atexit
import pickle
import re
import socket
import traceback
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import uuid4

from graphbrick.core import __version__
from graphbrick.core.compute import blas_threads
from graphbrick.core.errors import GraphbrickError, GraphFormatError, InputError, ModelError
from graphbrick.core.session import Session, current_session, set_default_session
from graphbrick.models.embedders.llm_embedder import LLMEmbedder
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.http.addresses import api_key, key_advice, server_address
from graphbrick.models.llm.llm import LLM
from graphbrick.pipeline.budget import check_budget, current_budget
from graphbrick.spark.errors import SparkError, plain_errors
from graphbrick.spark.session import spark_session
from graphbrick.study.runs.workers import Done, Task, Work
from graphbrick.study.store.identity import bricks_of

if TYPE_CHECKING:
    from pyspark import SparkContext

_PER_SLOT, _LARGEST = 4, 32
"""Batches for each task slot of the cluster, so that a slow one does not delay the end; most questions in one."""
_LOOK = 1.0  # seconds between two looks at the budget and at the size of the cluster while nothing is ready
_MOST = 2048  # batches at once: each is a thread of the driver
_FAILURES = 4  # attempts at a batch, which is Spark's default on clusters
_GOES_ON = "the results so far are stored, and the same call goes on with the others"
_SECRET = re.compile(r"spark\.executorEnv\.\w*(KEY|PASSWORD|TOKEN|SECRET)", re.IGNORECASE)


@dataclass(frozen=True)
class _Server:
    """A server of language models as the driver sees it; never holds a key.

    Attributes:
        base_url: As in the recipe; may be empty.
        address: The address that it stands for on the driver.
        has_key: Whether the driver has a key for it.
    """

    base_url: str
    address: str
    has_key: bool


@contextmanager
def spark_runner(master: str, conf: Mapping[str, str] | None = None) -> Iterator[SparkRunner]:
    """Start Spark and yield a runner of evaluations on it; Spark is stopped at the end.

    Args:
        master: ``local[4]``, ``spark://host:7077``, ``yarn`` or another address of a master.
        conf: Settings of Spark.

    Raises:
        InputError: The settings hold a key or a password.
        SparkError: Spark cannot be started.

    Example::

        with spark_runner("spark://host:7077") as runner:
            evaluate(graph, "questions.jsonl", pipeline, runner=runner)
    """
    secret = next((name for name in conf or {} if _SECRET.match(name)), None)
    if secret is not None:
        raise InputError(
            f"{secret} would stand in the text, the pages and the logs of the job; set it in the environment of the "
            "executors (conf/spark-env.sh of each machine) instead",
            code="executors.secret",
            setting=secret,
        )
    # Spark's local mode gives up at the first failure unless the master says otherwise.
    plain = re.fullmatch(r"local(?:\[([^,\]]+)\])?", master)
    if plain:
        master = f"local[{plain[1] or 1},{_FAILURES}]"
    with spark_session(master, conf) as spark:
        yield SparkRunner(spark.sparkContext)


class SparkRunner:
    """Runs the questions of an evaluation on Spark; made by `spark_runner`.

    The graph must be at the same path on every machine, or on storage that they share, and graphbrick and the models
    of the pipelines must be installed on each.

    Args:
        context: Runs the jobs.
    """

    def __init__(self, context: SparkContext) -> None:
        self._context = context

    def __repr__(self) -> str:
        return f"Spark at {self._context.master}"

    def __call__(self, work: Work, tasks: Sequence[Task]) -> Generator[Done, None, None]:
        """Yield the results of each task when its batch is done.

        Raises:
            InputError: The evaluation records replies, or limits tokens or dollars, which executors cannot share.
            GraphbrickError: An executor cannot open the graph or reach a model.
            SparkError: A batch failed several times, such as because executors were lost.
        """
        order, begun = _order(work), 0
        group = f"graphbrick-{uuid4().hex}"
        threads = ThreadPoolExecutor(_MOST, "spark")  # a thread starts when a batch finds none idle
        waiting: set[Future[list[Done]]] = set()
        try:
            while True:
                slots = self._context.defaultParallelism  # grows while executors register
                while begun < len(tasks) and len(waiting) < min(2 * slots, _MOST):
                    size = min(max((len(tasks) - begun) // (slots * _PER_SLOT), 1), _LARGEST)
                    waiting.add(threads.submit(self._run, group, order, tasks[begun : begun + size]))
                    begun += size
                if not waiting:
                    return
                done, waiting = wait(waiting, timeout=_LOOK, return_when=FIRST_COMPLETED)
                failed = None
                for future in done:
                    error = future.exception()
                    if error is None:
                        yield from future.result()
                    failed = failed or error
                if isinstance(failed, SparkError):
                    raise SparkError(f"{failed}; {_GOES_ON}", code=failed.code, **failed.values) from failed
                if failed is not None:
                    raise failed
                check_budget()  # after the results that are there were yielded
        finally:
            if waiting:
                with plain_errors():
                    self._context.cancelJobGroup(group)
            threads.shutdown(cancel_futures=True)

    def _run(self, group: str, order: bytes, batch: Sequence[Task]) -> list[Done]:
        """Run one batch as a job; waits until it is done."""
        part = pickle.dumps((__version__, order, pickle.dumps(batch)))
        with plain_errors():
            self._context.setJobGroup(group, "graphbrick evaluate")
            (packed,) = self._context.parallelize([part], 1).mapPartitions(_answered).collect()
        outcome = pickle.loads(packed)
        if isinstance(outcome, _Failure):
            raise outcome.error()
        return list(outcome)


def _order(work: Work) -> bytes:
    """Return the work as bytes for the executors.

    Raises:
        InputError: Its session or its budget cannot be shared with them.
    """
    session, budget = current_session(), current_budget()
    if session.replies is not None:
        raise InputError(
            f"replies are recorded in {session.replies}, a file of this machine, which executors cannot share; leave "
            "out the cache (--cache), or evaluate without Spark",
            code="executors.recorded_replies",
        )
    bricks = [brick for pipeline in work.pipelines for brick in bricks_of(pipeline)]
    models = [brick for brick in bricks if isinstance(brick, ChatModel | LLMEmbedder)]
    if models and budget is not None and (budget.tokens is not None or budget.usd is not None):
        raise InputError(
            "a budget of tokens or dollars is kept within one process, and executors are many; limit seconds, or "
            "evaluate without Spark",
            code="executors.model_budget",
        )
    urls = {model.base_url for model in models if isinstance(model, LLM | LLMEmbedder)}
    servers = tuple(_Server(url, server_address(url), bool(api_key(url))) for url in sorted(urls))
    return pickle.dumps((work, session, servers))


# On the executors


@dataclass(frozen=True)
class _Failure:
    """An error of a batch that another attempt would not avoid.

    Attributes:
        message: The error in one line.
        code: The code of the error, for any executor.
        trace: The stack if the error is a fault of the program; empty if it is one that the user can act on.
    """

    message: str
    code: str
    trace: str = ""

    def error(self) -> GraphbrickError:
        """Return the error to raise on the driver."""
        error = (SparkError if self.trace else GraphbrickError)(self.message, code=self.code)
        if self.trace:
            error.add_note(self.trace)
        return error


_prepared: dict[bytes, Work] = {}
_limits = ExitStack()
atexit.register(_limits.close)


def _answered(parts: Iterator[bytes]) -> Iterator[bytes]:
    """Answer the batches of a partition."""
    for part in parts:
        yield pickle.dumps(_outcome(*pickle.loads(part)))


def _outcome(version: str, order: bytes, batch: bytes) -> list[Done] | _Failure:
    host = socket.gethostname()
    if version != __version__:
        text = f"{host} has graphbrick {__version__}, but the driver has {version}; install the same version"
        return _Failure(text, code="executors.other_version")
    try:
        if order not in _prepared:
            _prepared.clear()
            _prepared[order] = _prepare(order)
        return [_prepared[order].answer(task) for task in pickle.loads(batch)]
    except GraphFormatError as error:
        return _Failure(
            f"an executor on {host}: {error}; the graph must be at the same path on every machine, or on shared "
            "storage",
            code="executors.no_graph",
        )
    except GraphbrickError as error:
        return _Failure(f"an executor on {host}: {error}", code=error.code)
    except Exception as error:  # noqa: BLE001 - Spark would repeat it four times and hide it in a stack of Java
        text = f"an executor on {host} failed: {error!r}"
        return _Failure(text, code="executors.crashed", trace=traceback.format_exc())


def _prepare(order: bytes) -> Work:
    """Open the graph once in this worker process, and check that models are reached as on the driver."""
    work: Work
    session: Session
    work, session, servers = pickle.loads(order)
    _limits.enter_context(blas_threads(1))  # until the process ends; each core has a worker of its own
    set_default_session(session)
    for server in servers:
        here = server_address(server.base_url)
        if here != server.address:
            raise ModelError(
                f"the model server is {server.address} on the driver and {here} here; set OPENAI_BASE_URL in the "
                "environment of the executors",
                code="executors.other_server",
                driver=server.address,
                executor=here,
            )
        if server.has_key and not api_key(server.base_url):
            raise ModelError(
                f"no key for {server.address}, which the driver does not send along; in the environment of the "
                f"executors, {key_advice(server.base_url)}",
                code="executors.no_key",
                server=server.address,
            )
    return work
