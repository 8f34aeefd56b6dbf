"""Processes that do one kind of work with limits of time and memory, and that can be killed."""

from graphbrick.core.workers.pool import Pool
from graphbrick.core.workers.worker import Worker, WorkerFault

__all__ = ["Pool", "Worker", "WorkerFault"]
