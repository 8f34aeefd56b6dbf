"""A plug-in of graphbrick: a reader, a scorer, a command and recipes."""

from pathlib import Path

RECIPES = Path(__file__).with_name("recipes.toml")
