"""Calls that wait for what other calls have set aside."""

from __future__ import annotations

import asyncio
import threading

import pytest

from graphbrick.pipeline.budget import Budget, StoppedError


def test_a_call_waits_for_what_another_may_leave_over() -> None:
    async def run() -> Budget:
        budget = Budget(tokens=10)
        await budget.set_aside(8, 0.0)
        second = asyncio.ensure_future(budget.set_aside(5, 0.0))
        await asyncio.sleep(0)
        assert not second.done()
        await budget.settle(8, 0.0, 3, 0.0)
        await asyncio.wait_for(second, 60)
        await budget.settle(5, 0.0, 5, 0.0)
        with pytest.raises(StoppedError, match="does not hold the next call"):
            await budget.set_aside(3, 0.0)
        return budget

    assert asyncio.run(run()).spent_tokens == 8


def test_a_call_in_another_thread_is_woken() -> None:
    budget, waits, done = Budget(usd=1.0), threading.Event(), threading.Event()

    async def second() -> None:
        waiting = asyncio.ensure_future(budget.set_aside(0, 0.5))
        await asyncio.sleep(0)
        waits.set()
        await waiting
        done.set()

    async def first() -> None:
        await budget.set_aside(0, 1.0)
        thread.start()
        assert await asyncio.to_thread(waits.wait, 60)
        await budget.settle(0, 1.0, 0, 0.25)

    thread = threading.Thread(target=asyncio.run, args=(second(),), daemon=True)
    asyncio.run(first())
    assert done.wait(60)
    thread.join()
