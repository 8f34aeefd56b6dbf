"""What a search says of choices and of winners, by chance or not."""

from __future__ import annotations

import pytest

from graphbrick.study.statistics.comparison import Comparison
from graphbrick.study.statistics.intervals import Interval
from graphbrick.study.statistics.paired import holm
from graphbrick.study.tune.race import Candidate, Scored
from graphbrick.study.tune.result.changes import Change, effects_of
from graphbrick.study.tune.result.result import _about_differences


def test_p_values_of_changes_are_corrected_for_their_number() -> None:
    def candidate(name: str, right: int) -> Candidate:
        return Candidate(name, "", "", {}, {("", str(i)): Scored(float(i < right), 0.01, 0, 0) for i in range(60)})

    winner = candidate("a", 40)
    changes = [Change("a", str(right), candidate("b", right)) for right in (34, 38, 40)]
    alone = [effects_of([change], {"a": winner})[0].p for change in changes]
    together = [effect.p for effect in effects_of(changes, {"a": winner})]
    assert together == pytest.approx(holm(alone))
    assert alone[0] < together[0]


def test_three_of_five_lost_questions_may_be_chance() -> None:
    def candidate(name: str, marks: str, seconds: tuple[float, ...]) -> Candidate:
        scores = {("", str(i)): Scored(float(mark), seconds[i], 0, 0) for i, mark in enumerate(marks)}
        return Candidate(name, "", "", {}, scores)

    winner = candidate("a", "11111", (0.01, 0.02, 0.01, 0.03, 0.01))
    worse = candidate("b", "11000", (0.02, 0.01, 0.03, 0.01, 0.01))
    slower = candidate("c", "11111", (0.03, 0.06, 0.03, 0.08, 0.03))

    def change(what: str, changed: Candidate) -> Change:
        pairs = zip(winner.scores.values(), changed.scores.values(), strict=True)
        return Change("a", what, changed, [(one.seconds, other.seconds) for one, other in pairs])

    first, second = effects_of([change("worse", worse), change("slower", slower)], {"a": winner})
    assert (first.p, first.seconds) == (0.5, 0.0)  # 0.25 for each of two changes
    assert "no difference that 5 questions show (-60.0 points)" in first.words()
    assert second.words().endswith("takes 20 ms more")


def test_times_of_pipelines_that_were_asked_apart_are_not_compared() -> None:
    def candidate(name: str, text: str, seconds: float) -> Candidate:
        return Candidate(name, text, name, {}, {("", str(i)): Scored(1.0, seconds, 0, 0) for i in range(20)})

    cold, warm = candidate("a", "ShortestPaths()", 0.2), candidate("b", "AllPaths()", 0.01)
    assert effects_of([Change("a", "b", warm)], {"a": cold})[0].seconds == 0
    assert effects_of([Change("a", "b", warm, [(0.01, 0.03)] * 20)], {"a": cold})[0].seconds == pytest.approx(0.02)
    asks = candidate("c", "ShortestPaths() >> Generate(LLM('a'))", 2.0)  # its time is that of the calls
    assert effects_of([Change("a", "c", asks)], {"a": cold})[0].seconds == pytest.approx(1.8)


@pytest.mark.parametrize(
    ("low", "high", "text"), [(-0.1, 0.3, "About 400 would"), (0.05, 0.15, "(+5.0 to +15.0)."), (0.1, 0.1, "+10.0).")]
)
def test_the_number_of_questions_that_would_do_is_told_where_it_is_higher(low: float, high: float, text: str) -> None:
    row = Comparison("#9", "default", Interval(0.1, low, high, 100), 9, 5, "McNemar", 0.06, 0.06, 0.06, 0)
    (note,) = _about_differences({"#9"}, {"#9"}, [row], "default")
    assert text in note
    assert ("About" in note) is ("About" in text)


def test_a_winner_that_loses_on_other_questions_is_told() -> None:
    row = Comparison("#9", "default", Interval(-0.6, -0.8, -0.4, 50), 0, 30, "McNemar", 0.001, 0.001, 0.001, 0)
    (text,) = _about_differences({"#9"}, {"#9"}, [row], "default")
    assert "default is better than #9" in text
    assert _about_differences({"#9"}, set(), [row], "default") == []  # it does not keep the limit that #9 keeps
    won = row._replace(difference=Interval(0.6, 0.4, 0.8, 50))
    assert _about_differences({"#9"}, {"#9"}, [won], "default") == []
