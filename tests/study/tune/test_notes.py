"""What a result says of limits and of few questions."""

from __future__ import annotations

from graphbrick.study.tune.aims import Aim, Figures
from graphbrick.study.tune.race import Candidate, Race
from graphbrick.study.tune.result.result import _about_limits, _about_questions

FAST = Aim.parse("latency<50ms")


def notes(figures: dict[str, Figures], *, compared: str = "") -> list[str]:
    race = Race([FAST], [1], 1.0, [Candidate(name, "", "", only_compared=name == compared) for name in figures])
    return _about_limits([(FAST, race.candidates[-1])], figures, race)


def test_a_pipeline_that_keeps_the_limit_is_named() -> None:
    figures = {
        "default": Figures(0.6, 0.005, 0, 0, 50),
        "#2": Figures(0.7, 0.09, 0, 0, 50),
        "#9": Figures(0.8, 0.0505, 0, 0, 50),
    }
    assert notes(figures) == ["#9 does not keep 'latency<50ms' on the other questions; default does."]
    (text,) = notes(figures, compared="default")
    assert text == "No pipeline measured keeps 'latency<50ms' on the other questions; #9 comes nearest."
    figures["#9"] = figures["#9"]._replace(seconds=0.2)
    assert notes(figures, compared="default")[0].endswith("#2 comes nearest.")
    figures["#9"] = figures["#9"]._replace(seconds=0.04)
    assert notes(figures) == []
    assert notes({"#9": Figures(0.8, 0.2, 0, 0, 9)}, compared="#9") == []


def test_no_difference_is_told_without_final_figures() -> None:
    assert _about_questions(False, 11, 0) == ["11 questions to choose by are few."]
    assert _about_questions(False, 60, 0) == []
    (text,) = _about_questions(False, 60, 49)
    assert "differences of some 20 points" in text
