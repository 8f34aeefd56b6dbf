"""Run the examples of a page: its files, its commands with their output, and its Python.

A page is run from top to bottom in an empty folder:

- A block with ``title="NAME"`` is a file that the page writes.
- A ``console`` block has commands after ``$``, and what they print; ``...`` stands for anything, also for lines.
  ``graphbrick`` runs in this process, ``python FILE`` runs a file of the page, and ``cat FILE`` shows a file,
  or makes it if it is not there. ``graphbrick serve ... &`` starts a server, which ``curl`` and later commands meet at
  ``localhost:8000``, whatever its port is.
- A ``python`` block with ``>>>`` is a doctest; without, it is run. All blocks of a page share their names.
- A block after the comment ``<!-- not run: REASON -->`` is not run; the names of its commands and options are checked.

    PYTHONPATH=src:benchmarks python tests/support/guides.py docs/tutorials/first-graph.md

writes into the page what its commands print now. Look at the difference.
"""

from __future__ import annotations

import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.main import get_command

from graphbrick.cli import progress
from graphbrick.cli.app import app, main
from server_process import ServerProcess

WIDTH = "100"
FENCE = re.compile(
    r"(?:^<!-- not run: (?P<why>[^\n]+) -->\n+)?"
    r'^```(?P<language>\w*)(?: title="(?P<title>[^"]+)")?\n(?P<body>.*?)^```$',
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page; ``start`` and ``end`` are the offsets of its body."""

    language: str
    body: str
    title: str | None
    why: str | None
    line: int
    start: int
    end: int


@dataclass(frozen=True)
class Command:
    """A command of a console block, and the lines under it."""

    text: str
    output: str
    shown: str


def blocks(text: str) -> Iterator[Block]:
    """Yield the fenced blocks of a page."""
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start("body"))
        yield Block(match["language"], match["body"], match["title"], match["why"], line, *match.span("body"))


def commands(body: str) -> Iterator[Command]:
    """Yield the commands of a console block."""
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        shown = re.match(r"(?:[^\n]*\\\n)*[^\n]*(?:\n|$)", part)
        assert shown is not None
        yield Command(re.sub(r"\\\n\s*", "", shown[0]).strip(), part[shown.end() :], shown[0])


class Shell:
    """Runs the commands of a page, and stops at the end the server that they started."""

    def __init__(self) -> None:
        self._server: ServerProcess | None = None

    def run(self, text: str) -> str:
        """Run a command, and return what it prints on both streams in their order."""
        words = shlex.split(text, comments=True)
        if self._server is not None:
            words = [word.replace("localhost:8000", f"{self._server.host}:{self._server.port}") for word in words]
        match words:
            case ["graphbrick", "serve", *arguments, "&"]:
                self._server = ServerProcess(*arguments)
                self._server.wait_until_ready()
                output = ""
            case ["graphbrick", *arguments]:
                output = _graphbrick(arguments)
            case ["python", _] | ["curl", *_]:
                command = [sys.executable if words[0] == "python" else words[0], *words[1:]]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                output = done.stdout + done.stderr
                assert done.returncode == 0, f"{text} ended with {done.returncode}:\n{output}"
            case ["cat", file]:
                output = Path(file).read_text(encoding="utf-8")
            case _:
                raise AssertionError(f"{text!r} cannot be run here; mark the block: <!-- not run: REASON -->")
        return "\n".join(line.rstrip() for line in output.strip("\n").split("\n")) + "\n"

    def stop(self) -> None:
        """Stop the server, if there is one."""
        if self._server is not None:
            self._server.stop()


def _graphbrick(arguments: list[str]) -> str:
    with redirect_stdout(io.StringIO()) as printed, redirect_stderr(printed):
        try:
            main(arguments)
        except SystemExit as ended:
            code = int(ended.code or 0)
    output = printed.getvalue()
    # 1 is an error of the user, which a page may show; 2 is «nothing found».
    assert code in (0, 2) or (code == 1 and "error: " in output), f"{arguments} ended with {code}:\n{output}"
    return output


def unknown_names(text: str) -> list[str]:
    """Return what a ``graphbrick`` command names that is not there: a command, or an option."""
    words = shlex.split(text, comments=True)
    while words and re.fullmatch(r"\w+=.*", words[0]):
        words.pop(0)
    if words[:1] != ["graphbrick"]:
        return []
    level: Any = get_command(app)
    for place, word in enumerate(words[1:], start=1):
        if not hasattr(level, "commands"):
            break
        if word.startswith("-"):
            continue
        if word not in level.commands:
            # `graphbrick judge RUNS` is short for `graphbrick judge study RUNS`.
            level = level.commands.get("study") if words[place - 1] == "judge" else None
            break
        level = level.commands[word]
    if level is None:
        return [text]
    known = {name for parameter in level.params for name in (*parameter.opts, *parameter.secondary_opts)} | {"--help"}
    return [word for word in words[1:] if re.match(r"--?[a-z]", word) and word.partition("=")[0] not in known]


def matches(expected: str, printed: str) -> bool:
    """Say whether an output is the expected one, in which ``...`` stands for anything."""
    parts = [re.escape(part) for part in re.split(r"\.\.\.", expected.rstrip("\n") + "\n")]
    return re.fullmatch(".*".join(parts), printed, re.DOTALL) is not None


def run_page(text: str, name: str) -> Iterator[tuple[Block, list[tuple[Command, str]]]]:
    """Run a page in the current folder; yield each block that was run, and what its commands printed."""
    here, known, shell = str(Path.cwd()), set(sys.modules), Shell()
    sys.path.insert(0, here)
    try:
        yield from _run_blocks(text, name, shell)
    finally:
        shell.stop()
        sys.path.remove(here)
        for module in set(sys.modules) - known:
            if str(getattr(sys.modules[module], "__file__", "")).startswith(here):
                del sys.modules[module]


def _run_blocks(text: str, name: str, shell: Shell) -> Iterator[tuple[Block, list[tuple[Command, str]]]]:
    values: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(text):
        printed: list[tuple[Command, str]] = []
        if block.title is not None:
            Path(block.title).parent.mkdir(parents=True, exist_ok=True)
            Path(block.title).write_text(block.body, encoding="utf-8")
        elif block.why is not None:
            for command in commands(block.body) if block.language == "console" else ():
                assert unknown_names(command.text) == [], f"{name}:{block.line}: {command.text}"
        elif block.language == "console":
            for command in commands(block.body):
                if command.text.startswith("cat ") and not Path(command.text[4:]).exists():
                    Path(command.text[4:]).write_text(command.output, encoding="utf-8")
                printed.append((command, shell.run(command.text)))
        elif block.language == "python" and ">>>" in block.body:
            test = doctest.DocTestParser().get_doctest(block.body, values, name, name, block.line)
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
            report = io.StringIO()
            runner.run(test, out=report.write, clear_globs=False)
            values |= test.globs
            assert not report.getvalue(), report.getvalue()
        elif block.language == "python":
            exec(compile(block.body, f"{name}:{block.line}", "exec"), values)
        yield block, printed


def check_page(text: str, name: str, *, commands_alone: bool = False) -> int:
    """Run a page, and compare what its commands print with what it says; return the number of blocks that were run.

    Args:
        text: The page.
        name: Its name.
        commands_alone: Whether the page has commands without what they print, which must not fail then.
    """
    count = 0
    for block, printed in run_page(text, name):
        count += block.why is None
        for command, output in printed:
            if commands_alone and not command.output:
                assert not re.search("^error: ", output, re.MULTILINE), f"{name}: {command.text}\n{output}"
                continue
            if not matches(command.output or "\n", output):
                raise AssertionError(f"{name}:{block.line}: {command.text}\nsays\n{command.output}\nprinted\n{output}")
    return count


def rewritten(text: str, name: str) -> str:
    """Return the page with what its commands print now, where that is not what it says."""
    changes = []
    for block, printed in run_page(text, name):
        if any(not matches(command.output or "\n", output) for command, output in printed):
            new = "".join(
                f"$ {command.shown}"
                + (command.output if matches(command.output or "\n", output) else output.lstrip("\n"))
                for command, output in printed
            )
            changes.append((block, new))
    for block, new in reversed(changes):
        text = text[: block.start] + new + text[block.end :]
    return text


def _rewrite() -> None:
    os.environ["COLUMNS"] = WIDTH
    progress.LINE_SECONDS = 3_600.0
    pages = [Path(argument).resolve() for argument in sys.argv[1:]]
    for page in pages:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            new = rewritten(page.read_text(encoding="utf-8"), page.name)
        page.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    _rewrite()
