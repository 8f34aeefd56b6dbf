"""The entry point: Ctrl-C and a lack of memory at any moment."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from graphbrick import __version__
from graphbrick.cli.app import main
from graphbrick.graphs.build import builder

WHILE_IMPORTING = """
    import os, signal, sys
    from importlib.abc import MetaPathFinder
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for what it runs in the background
    class Finder(MetaPathFinder):
        def find_spec(self, name, path, target=None):
            if name == {module!r}:
                {action}
    sys.meta_path.insert(0, Finder())
    from graphbrick.cli.__main__ import main
    sys.argv = ["graphbrick", "build", "nothing.txt", "g.graph"]
    main()
"""


@pytest.mark.whole
@pytest.mark.skipif(sys.platform == "win32", reason="sends itself a signal")
@pytest.mark.parametrize("module", ["graphbrick.cli.app", "typer", "graphbrick.graphs.build.builder"])
def test_ctrl_c_while_modules_are_imported_is_one_line(module: str) -> None:
    code = WHILE_IMPORTING.format(module=module, action="os.kill(os.getpid(), signal.SIGINT)")
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True)
    assert (done.returncode, done.stderr, done.stdout) == (130, "stopped by Ctrl-C\n", "")


@pytest.mark.whole
def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "graphbrick", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"graphbrick {__version__}\n")


@pytest.mark.parametrize("given", [None, "30"])
def test_threads_of_linear_algebra_do_not_spin_unless_the_user_says_so(given: str | None) -> None:
    code = """
    import os, sys
    from graphbrick.cli.__main__ import main
    sys.argv = ["graphbrick", "--version"]
    try:
        main()
    finally:
        print(os.environ["OPENBLAS_THREAD_TIMEOUT"])
    """
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_THREAD_TIMEOUT"}
    if given is not None:
        environment["OPENBLAS_THREAD_TIMEOUT"] = given
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, env=environment
    )
    assert done.stdout.splitlines()[-1] == (given or "16")


@pytest.mark.posix
def test_no_memory_while_modules_are_imported_is_one_line() -> None:
    code = WHILE_IMPORTING.format(module="typer", action="raise MemoryError")
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "error: not enough memory to load graphbrick\n")


def test_no_memory_in_a_build_is_one_line_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object, **__: object) -> None:
        raise MemoryError("Unable to allocate 64.0 MiB")

    source = tmp_path / "kb.txt"
    source.write_text("Kenya|capital|Nairobi\n")
    monkeypatch.setattr(builder.rows, "sort_triples", full)
    with pytest.raises(SystemExit) as stopped:
        main(["build", str(source), str(tmp_path / "g.graph")])
    assert stopped.value.code == 1
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("error: not enough memory (Unable to allocate 64.0 MiB); ")
    assert [file.name for file in tmp_path.iterdir()] == ["kb.txt"]
