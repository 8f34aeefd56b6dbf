"""The files around the code: workflows, packaging, deployments, citation. `make forms` checks their schemas too."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

import graphbrick
from extras_to_try import LARGE, TRIES
from graphbrick.cli.app import app

ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
DEPLOY = ROOT / "examples" / "deploy"


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def project() -> dict[str, Any]:
    return tomllib.loads(text("pyproject.toml"))["project"]


def jobs(workflow: Path) -> dict[str, Any]:
    return yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"]


def steps() -> Iterator[dict[str, Any]]:
    for workflow in WORKFLOWS:
        for job in jobs(workflow).values():
            yield from job["steps"]


def test_workflows_call_only_targets_that_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", text("Makefile"), re.MULTILINE))
    called = {name for step in steps() for name in re.findall(r"^\s*make ([a-z-]+)", step.get("run", ""), re.MULTILINE)}
    assert {"test", "dist", "extras", "coverage", "forms"} <= called
    assert called - targets == set()


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda file: file.stem)
def test_a_workflow_is_bounded_and_may_only_read(workflow: Path) -> None:
    whole = yaml.safe_load(workflow.read_text(encoding="utf-8"))
    assert whole["permissions"] == {"contents": "read"}
    for name, job in whole["jobs"].items():
        assert job["timeout-minutes"] <= 150, name
        wanted = {"id-token": "write"} if any("pypi-publish" in step.get("uses", "") for step in job["steps"]) else None
        assert job.get("permissions") == wanted, name


def test_actions_are_pinned_and_keep_no_credentials() -> None:
    for step in steps():
        action = step.get("uses", "")
        assert re.fullmatch(r"|[\w/.-]+@v\d+(\.\d+)*|docker://[\w/.-]+:\d+\.\d+\.\d+", action), action
        if action.startswith("actions/checkout"):
            assert step["with"]["persist-credentials"] is False
        if "pypi-publish" in action:
            assert action.count(".") == 2  # a whole version


def test_the_matrix_has_the_systems_and_versions_that_the_package_declares() -> None:
    matrix = jobs(ROOT / ".github" / "workflows" / "ci.yml")["test"]["strategy"]["matrix"]
    declared = re.findall(r"Python :: (3\.\d+)", " ".join(project()["classifiers"]))
    assert matrix["python"] == declared
    systems = {"Linux": "ubuntu", "MacOS": "macos", "Windows": "windows"}
    named = {systems[line.split(" :: ")[-1]] for line in project()["classifiers"] if line.startswith("Operating")}
    assert {system.partition("-")[0] for system in matrix["os"]} == named


def test_one_version_stands_everywhere() -> None:
    assert yaml.safe_load(text("CITATION.cff"))["version"] == graphbrick.__version__
    images = re.findall(
        r"graphbrick:(\d\S*)", text("examples/deploy/kubernetes.yaml") + text("examples/deploy/README.md")
    )
    assert len(images) > 2
    assert {image.rstrip("`") for image in images} == {graphbrick.__version__}
    ruff = re.search(r"^ruff==(\S+)$", text("constraints.txt"), re.MULTILINE)
    assert ruff is not None
    assert f"rev: v{ruff[1]}\n" in text(".pre-commit-config.yaml")


def test_every_extra_is_tried() -> None:
    extras = set(project()["optional-dependencies"]) - {"dev"}
    assert set(TRIES) == {"core", *extras}
    assert set(LARGE) < extras
    table = re.findall(r"^\| `([a-z0-9]+)` \|", text("docs/how-to/install.md"), re.MULTILINE)
    assert set(table) == extras | {"core"}


def options_of(arguments: list[str]) -> set[str]:
    return {word.partition("=")[0] for word in arguments if word.startswith("--")}


def test_the_deployments_use_options_that_the_server_has() -> None:
    shown = CliRunner().invoke(app, ["serve", "--help"], env={"COLUMNS": "200"}).output
    known = set(re.findall(r"--[a-z][a-z-]*", shown))
    compose = yaml.safe_load(text("compose.yaml"))["services"]["graphbrick"]["command"]
    (container,) = pods()[0]["spec"]["containers"]
    unit = re.search(r"^ExecStart=(.*)$", text("examples/deploy/graphbrick.service"), re.MULTILINE)
    image = re.search(r"^ENTRYPOINT (\[.*\])$", text("Dockerfile"), re.MULTILINE)
    assert unit is not None
    assert image is not None
    for arguments in (compose, container["args"], unit[1].split(), yaml.safe_load(image[1])):
        assert options_of(arguments) <= known
        assert arguments[-1].endswith(".graph") or arguments in (compose, yaml.safe_load(image[1]))


def pods() -> list[dict[str, Any]]:
    parts = yaml.safe_load_all(text("examples/deploy/kubernetes.yaml"))
    return [part["spec"]["template"] for part in parts if part["kind"] == "Deployment"]


def test_the_deployment_probes_paths_that_answer_without_a_token() -> None:
    from graphbrick.serve.limits.guard import _OPEN

    (pod,) = pods()
    (container,) = pod["spec"]["containers"]
    probes = [container[name]["httpGet"] for name in ("startupProbe", "readinessProbe", "livenessProbe")]
    assert {probe["path"] for probe in probes} == set(_OPEN)
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert {probe["port"] for probe in probes} <= set(ports)
    assert container["args"][container["args"].index("--port") + 1] == str(ports["http"])
    assert {mount["name"] for mount in container["volumeMounts"]} == {
        volume["name"] for volume in pod["spec"]["volumes"]
    }
    assert pod["spec"]["terminationGracePeriodSeconds"] > 30  # what the server takes to finish requests


@pytest.mark.posix
@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not there to check its units")
def test_systemd_reads_the_unit(tmp_path: Path) -> None:
    unit = text("examples/deploy/graphbrick.service").replace("/opt/graphbrick/bin/graphbrick", "/bin/true")
    (tmp_path / "graphbrick.service").write_text(unit, encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(tmp_path / "graphbrick.service")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


def test_the_image_copies_what_a_build_reads() -> None:
    copied = {
        word for line in re.findall(r"^COPY (.*) \S+$", text("Dockerfile"), re.MULTILINE) for word in line.split()
    }
    assert copied == {"pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "NOTICE", "src"}
    assert [name for name in copied if not (ROOT / name).exists()] == []


def test_a_release_gets_links_to_where_it_comes_from() -> None:
    pytest.importorskip("hatchling")
    import sys

    sys.path.insert(0, str(ROOT))
    try:
        import hatch_build
    finally:
        sys.path.remove(str(ROOT))
    page = '[docs](docs/a.md#b) ![p](docs/p.png) [out](https://a.org/b) [up](#top) <img src="docs/q.png">'
    assert hatch_build.absolute(page, "https://h/o/n/raw/v1") == (
        "[docs](https://h/o/n/blob/v1/docs/a.md#b) ![p](https://h/o/n/raw/v1/docs/p.png) [out](https://a.org/b) "
        '[up](#top) <img src="https://h/o/n/raw/v1/docs/q.png">'
    )
    assert set(hatch_build.urls("https://h/o/n")) >= {"Homepage", "Source", "Issues", "Changelog", "Security"}


def test_no_folder_of_tests_has_a_name_that_pytest_leaves_out(pytestconfig: pytest.Config) -> None:
    patterns = pytestconfig.getini("norecursedirs")
    files = [file.relative_to(ROOT) for name in ("src", "tests") for file in (ROOT / name).rglob("*.py")]
    folders = {part for file in files for part in file.parts[:-1]}
    assert "build" in folders
    assert [one for one in folders if any(fnmatchcase(one, pattern) for pattern in patterns)] == []
