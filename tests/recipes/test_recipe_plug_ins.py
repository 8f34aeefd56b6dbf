"""Recipes of other packages."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import Run
from faults import fails
from pages import ROOT
from plug_ins import Install

from graphbrick import recipe
from graphbrick.core.errors import PipelineError
from graphbrick.core.plugins import PluginWarning
from graphbrick.recipes import all_recipes, published

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
(RECIPES,) = [block.split("```")[0] for block in PAGE.split("```toml\n") if block.startswith("[parts]")]


def test_the_recipe_of_the_contributing_page_is_found_by_name(tmp_path: Path, install: Install, run: Run) -> None:
    file = tmp_path / "recipes.toml"
    file.write_text(RECIPES, encoding="utf-8")
    for value in (file, RECIPES):
        install("recipes", mine=value)
        one = recipe("nearest-first")
        assert repr(one.pipeline(scorer="NGram()")) == "ShortestPaths() >> Rerank(NGram(), n=8) >> PathAnswer()"
        assert one.group == "mine"
    assert list(all_recipes()) == [*published(), "NEAREST-FIRST"]
    assert "Shortest paths, ranked by words" in run("recipes").out


def test_a_part_without_a_default_of_its_own_has_that_of_the_published_recipes(install: Install) -> None:
    install("recipes", mine='[recipes.short]\npipeline = "$extract >> ShortestPaths() >> PathAnswer()"')
    assert recipe("short").shown == "PPR(k=1000) >> ShortestPaths() >> PathAnswer()"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (12, "it is neither the path of a file of recipes nor its text, but 12"),
        ("[recipes", "the recipes are not TOML: "),
        ("[mine]", "the file holds no recipes"),
        (Path("nowhere.toml"), "nowhere.toml: the recipes cannot be read: No such file"),
        ('[recipes.12]\npipeline = "PPR()"', "it has the name of another recipe; rename it"),
    ],
)
def test_what_holds_no_recipes_is_one_warning(install: Install, value: object, reason: str) -> None:
    install("recipes", mine=value)
    with pytest.warns(PluginWarning) as warned:
        assert all_recipes() == published()
    assert [reason in str(one.message) for one in warned] == [True]
    assert recipe(12).name == "12"
    with fails("recipe.not_published", PipelineError, name="mine"):
        recipe("mine")
