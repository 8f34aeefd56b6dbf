"""Write docs/cli.md and docs/bricks.md from the code; with --check, fail if they are out of date."""

from __future__ import annotations

import sys
from pathlib import Path

from typer.main import get_command
from typer.testing import CliRunner

from graphbrick.cli import app
from graphbrick.show import brick_facts

FOLDER = Path(__file__).parent
NOTE = "<!-- Written by docs/generate.py (make docs); do not edit. -->\n\n"


def cli_page() -> str:
    """The help of every command."""
    names = list(get_command(app).commands)  # type: ignore[attr-defined]
    parts = [
        NOTE,
        "# Command line\n\nExit codes: 0 done, 1 user error (one line on stderr), 2 nothing found.\n",
    ]
    for name in ["", *names]:
        arguments = [name, "--help"] if name else ["--help"]
        text = CliRunner().invoke(app, arguments, prog_name="graphbrick", terminal_width=100).output
        lines = "\n".join(line.rstrip() for line in text.strip().splitlines())
        parts.append(f"\n## graphbrick {name}".rstrip() + f"\n\n```\n{lines}\n```\n")
    return "".join(parts)


def bricks_page() -> str:
    """Every brick with its parameters and paper."""
    parts = [NOTE, "# Bricks\n\n`graphbrick bricks` prints this list, with the bricks of installed plug-ins.\n"]
    for row in brick_facts():
        parts.append(f"\n## {row['name']}\n\n*{row['kind']}* — {row['summary']}\n")
        if row["parameters"]:
            parts.append("\n| parameter | type | default | |\n|---|---|---|---|\n")
        for parameter in row["parameters"]:
            default = "" if parameter["default"] is None else f"`{parameter['default']}`"
            parts.append(f"| `{parameter['name']}` | {parameter['type']} | {default} | {parameter['doc']} |\n")
        if row["paper"]:
            parts.append(f"\n{row['paper']}\n")
    return "".join(parts).replace("``", "`")


def main() -> int:
    """Write the pages, or compare them."""
    pages = {FOLDER / "cli.md": cli_page(), FOLDER / "bricks.md": bricks_page()}
    stale = [page for page, text in pages.items() if not page.exists() or page.read_text(encoding="utf-8") != text]
    if "--check" in sys.argv:
        for page in stale:
            print(f"{page} is out of date; run: make docs")
        return 1 if stale else 0
    for page in stale:
        page.write_text(pages[page], encoding="utf-8")
        print(f"wrote {page}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
