"""Budgets: what their limits may be, when they are over, and what calls reserve and release."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future

import pytest
from faults import fails

from graphbrick.core.errors import InputError
from graphbrick.pipeline import budget as module
from graphbrick.pipeline.budget import Budget, StoppedError, check_budget, current_budget, spending


class Clock:
    """A clock that a test sets."""

    def __init__(self, now: float) -> None:
        self.now = now

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock(100.0)
    monkeypatch.setattr(module, "time", clock)
    return clock


@pytest.mark.parametrize("name", ["tokens", "usd", "seconds"])
def test_a_limit_is_a_number_above_zero(name: str) -> None:
    assert getattr(Budget(**{name: 1}), name) == 1
    for limit in (0, -1, float("inf"), float("nan")):
        with fails("budget.bad_limit", InputError, name=name):
            Budget(**{name: limit})  # type: ignore[arg-type]


def test_a_budget_is_read_from_text() -> None:
    budget = Budget.parse("tokens=20_000, usd = 0.5,seconds=2.5")
    assert (budget.tokens, budget.usd, budget.seconds) == (20_000, 0.5, 2.5)
    budget = Budget.parse("seconds=3")
    assert (budget.tokens, budget.usd, budget.seconds) == (None, None, 3.0)
    assert (budget.spent_tokens, budget.spent_usd) == (0, 0.0)


@pytest.mark.parametrize(
    ("text", "code", "values"),
    [
        ("", "budget.bad_name", {"part": ""}),
        ("token=3", "budget.bad_name", {"part": "token=3"}),
        ("usd=1,tokens", "budget.bad_name", {"part": "tokens"}),
        ("tokens=1,tokens=2", "budget.bad_name", {"part": "tokens=2"}),
        ("tokens=", "budget.not_a_number", {"name": "tokens"}),
        ("tokens=1.5", "budget.not_a_number", {"name": "tokens"}),
        ("usd=much", "budget.not_a_number", {"name": "usd"}),
        ("usd=0", "budget.bad_limit", {"name": "usd"}),
    ],
)
def test_text_that_is_not_a_budget_is_refused(text: str, code: str, values: dict[str, object]) -> None:
    with fails(code, InputError, **values):
        Budget.parse(text)


def test_seconds_count_from_the_first_beginning(clock: Clock) -> None:
    budget = Budget(seconds=10)
    clock.now = 150.0
    assert budget.left() == 10
    budget.begin()
    clock.now = 155.0
    budget.begin()
    budget.check()
    assert budget.left() == 5
    clock.now = 159.5
    budget.check()
    clock.now = 160.0
    with fails("budget.time_over", StoppedError, seconds=10):
        budget.check()
    clock.now = 170.0
    assert budget.left() == -10


def test_without_a_limit_on_seconds_time_is_never_over(clock: Clock) -> None:
    budget = Budget(tokens=1)
    budget.begin()
    clock.now = 1e9
    budget.check()
    assert budget.left() == float("inf")


def test_cancelling_gives_up_what_is_waited_for() -> None:
    budget = Budget(tokens=5)
    before, inside, after = Future[int](), Future[int](), Future[int]()
    with budget.waiting_for(before):
        pass
    with budget.waiting_for(inside):
        budget.check()
        budget.cancel()
        assert inside.cancelled()
    with budget.waiting_for(after):
        assert after.cancelled()
    assert not before.cancelled()
    with fails("budget.cancelled", StoppedError):
        budget.check()


@pytest.mark.parametrize(("limit", "unit"), [("tokens", (1, 0.0)), ("usd", (0, 0.25))])
def test_a_call_fits_up_to_the_limit(limit: str, unit: tuple[int, float]) -> None:
    budget = Budget(**{limit: 10 * max(unit)})  # type: ignore[arg-type]

    def times(n: int) -> tuple[int, float]:
        return n * unit[0], n * unit[1]

    async def calls() -> None:
        await budget.set_aside(*times(6))
        await budget.set_aside(*times(4))
        await budget.settle(*times(6), *times(3))
        await budget.settle(*times(4), *times(2))
        assert (budget.spent_tokens, budget.spent_usd) == times(5)
        with fails("budget.call_too_large", StoppedError):
            await budget.set_aside(*times(6))
        await budget.set_aside(*times(5))
        await budget.settle(*times(5), *times(5))
        assert (budget.spent_tokens, budget.spent_usd) == times(10)
        await budget.set_aside(0, 0.0)
        await budget.settle(0, 0.0, 0, 0.0)
        with fails("budget.call_too_large", StoppedError):
            await budget.set_aside(*times(1))

    asyncio.run(calls())


def test_a_call_waits_while_others_may_release_enough() -> None:
    budget, order = Budget(tokens=10, usd=1.0), list[str]()

    async def call(name: str, tokens: int) -> None:
        await budget.set_aside(tokens, 0.1)
        order.append(f"{name} begins")
        await asyncio.sleep(0)
        order.append(f"{name} ends")
        await budget.settle(tokens, 0.1, 1, 0.05)

    async def calls() -> None:
        await asyncio.gather(call("a", 6), call("b", 6), call("c", 4))

    asyncio.run(calls())
    assert order.index("b begins") > order.index("a ends")
    assert order.index("c begins") < order.index("a ends")
    assert (budget.spent_tokens, round(budget.spent_usd, 9)) == (3, 0.15)


def test_a_stopped_budget_reserves_nothing() -> None:
    budget = Budget(tokens=10)
    budget.cancel()
    with fails("budget.cancelled", StoppedError):
        asyncio.run(budget.set_aside(1, 0.0))


def test_the_current_budget_is_that_of_the_inner_block(clock: Clock) -> None:
    outer, inner = Budget(seconds=10), Budget(tokens=1)
    check_budget()
    with spending(outer) as entered:
        assert (entered, current_budget()) == (outer, outer)
        with spending(inner):
            assert current_budget() is inner
        assert current_budget() is outer
        check_budget()
        clock.now += 10
        with fails("budget.time_over", StoppedError):
            check_budget()
    assert current_budget() is None
    check_budget()
