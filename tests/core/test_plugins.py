"""Registries: own values by a table, those of plug-ins by entry points."""

from __future__ import annotations

import subprocess
import sys

import pytest
from plug_ins import Install

from graphbrick.core.plugins import PluginWarning, Registry


def registry() -> Registry[int]:
    own = {"inf": "math:inf", "tau": "math:tau"}
    return Registry("graphbrick.numbers", own, lambda value: "" if isinstance(value, float) else "it is not a number")


def test_own_values_come_first_and_plug_ins_are_found_beside_them(install: Install) -> None:
    numbers = registry()
    install("numbers", half=0.5)
    assert (numbers.find("inf"), numbers.find("half"), numbers.find("third")) == (float("inf"), 0.5, None)
    assert numbers.names() == ["inf", "tau", "half"]
    assert list(numbers.all()) == numbers.names()


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("half", ImportError("no module x"), "it cannot be imported: ImportError: no module x"),
        ("half", "0.5", "it is not a number"),
        ("tau", 6.0, "the name is taken; rename it"),
    ],
)
def test_a_plug_in_that_cannot_be_used_is_one_warning(install: Install, name: str, value: object, reason: str) -> None:
    numbers = registry()
    install("numbers", **{name: value, "quarter": 0.25})
    with pytest.warns(PluginWarning) as warned:
        names = numbers.names()
    assert names == ["inf", "tau", "quarter"]
    assert numbers.find("half") is None
    assert numbers.find("tau") == pytest.approx(6.28, abs=0.01)
    assert [str(one.message) for one in warned] == [f"the plug-in number {name} (plugin:{name}) is left out: {reason}"]


def test_the_metadata_of_packages_are_not_read_for_an_own_value() -> None:
    script = """
import sys
from graphbrick.core.plugins import Registry
assert Registry("graphbrick.numbers", {"tau": "math:tau"}, lambda value: "").find("tau") > 6
assert "importlib.metadata" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True)
