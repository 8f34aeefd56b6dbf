"""The cores that the models of worker processes use."""

from __future__ import annotations

import pytest

from graphbrick import PathAnswer, Session, ShortestPaths
from graphbrick.core.compute import cores_of_worker
from graphbrick.core.session import current_session
from graphbrick.study.runs.workers import Work, _executor
from graphbrick.testing import tiny_graph


@pytest.mark.whole
@pytest.mark.parametrize("chosen", [None, 5])
def test_models_of_a_worker_get_its_share_of_the_cores_or_what_the_session_says(chosen: int | None) -> None:
    work = Work(tiny_graph(), [ShortestPaths() >> PathAnswer()], [1], 1, link=False)
    with Session(threads=chosen), _executor(work, 2, processes=True) as executor:
        assert executor.submit(current_session).result().threads == (chosen or cores_of_worker(2))
