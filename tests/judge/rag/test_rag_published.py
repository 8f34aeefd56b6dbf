"""Published figures of systems on documents, beside those of an evaluation."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from faults import fails

from graphbrick.core.errors import InputError
from graphbrick.judge.rag.experiment import RagStudy
from graphbrick.judge.rag.page import write_page
from graphbrick.judge.rag.questions import DOCUMENT, GLOBAL
from graphbrick.judge.rag.systems import read_systems
from graphbrick.judge.rag.tables import Scored, SystemRow
from graphbrick.recipes import recipe
from graphbrick.study.experiments.shipped import shipped
from graphbrick.study.statistics.intervals import Interval

# The two tables that the authors released, without further digits: avg_time, avg_doc_score, avg_global_score,
# memory_used, training_time
RELEASED = {
    "MICHAEL": (1.309, 32.5, 13.542, 1_550_286, 1064.97),
    "VANILLA": (0.7555, 50.7, 22.458, 7_825_725, 19.776),
    "LIGHTRAG-MIX": (3.6634, 92.55, 58.125, 40_741_861, 3734.483),
}


@pytest.mark.parametrize("name", RELEASED)
def test_figures_of_recipes_are_those_of_the_released_tables(name: str) -> None:
    seconds, document, everything, size, building = RELEASED[name]
    figures = recipe(name).figures
    assert figures["query_seconds"] == pytest.approx(seconds, abs=0.01)
    assert figures["document_score"] == pytest.approx(document, abs=0.051)
    assert figures["global_score"] == pytest.approx(everything, abs=0.051)
    assert figures["folder_mb"] == pytest.approx(size / 2**20, abs=0.05)
    assert figures["build_seconds"] == pytest.approx(building, rel=0.002)


def row(name: str, published: str, document: float | None) -> SystemRow:
    mean = None if document is None else Interval(document, document - 5, document + 5, 3)
    scores = {DOCUMENT: Scored(3, mean, 0, 0, document, document), GLOBAL: Scored(2, None, 0, 0)}
    figures = recipe(published).figures if published else {}
    return SystemRow(name, 12.5, True, 80.0, 3.2, 0, 0, 4, 10, 20, 0.25, 0.2, 0, scores, figures)


def page_of(folder: Path, rows: list[SystemRow]) -> str:
    study = RagStudy(folder, {}, {one.name: [] for one in rows}, "a judge", [])
    return write_page(study, rows).read_text()


def test_the_page_has_ours_beside_the_published_figures(tmp_path: Path) -> None:
    page = page_of(tmp_path, [row("vanilla", "VANILLA", 61.0), row("mine", "", 40.0)])
    section = page.split('id="published-figures"')[1].split("</table>")[0]
    lines = [re.sub(r"<[^>]+>", " ", line).split() for line in section.split("<tbody")[1].split("<tr")[1:]]
    shown = [[word for word in line if re.fullmatch(r"[\d.,]+|–", word)] for line in lines]
    # score of documents, score of all, seconds of building, seconds a question, size
    assert shown[0] == ["61.0", "50.7", "–", "22.5", "12.5", "19.8", "0.25", "0.76", "3.2", "7.5"]
    assert shown[1] == ["40.0", "–", "–", "–", "12.5", "–", "0.25", "–", "3.2", "–"]
    assert "56.0–66.0" in section
    assert "compare the order of the systems" in page


def test_without_published_systems_the_page_speaks_of_none(tmp_path: Path) -> None:
    assert "ublished figures" not in page_of(tmp_path, [row("mine", "", 40.0)])


def test_the_file_of_the_package_names_the_recipes_of_its_systems(tmp_path: Path) -> None:
    systems = read_systems(shipped()["ragevaluator.toml"])
    assert [one.published for one in systems] == ["VANILLA", "MICHAEL", "LIGHTRAG-MIX"]
    file = tmp_path / "systems.toml"
    file.write_text('[[system]]\nname = "a"\npublished = "NONE SUCH"\npipeline = "Passages(n=2) >> Quote(BM25())"\n')
    with fails("rag_system.bad_system", InputError, name="a"):
        read_systems(file)
