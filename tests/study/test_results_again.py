"""What `make results` reads out of the output of scripts, and that its rows are those of RESULTS.md."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import results

PAGE = (Path(__file__).parents[2] / "RESULTS.md").read_text(encoding="utf-8").splitlines()

UNLABELLED = """
| graph | pipeline | hops | n | Hits@1 | F1 | median ms | learned in s |
|---|---|---|---|---|---|---|---|
| world | default | 1 | 32 | 1.000 | 1.000 | 10.0 |  |
| world | default | 2 | 33 | 0.970 | 0.970 | 7.0 |  |
| world | default | 3 | 34 | 0.882 | 0.867 | 6.7 |  |
| world | default, patterns alone | 1 | 32 | 0.906 | 0.906 | 6.7 |  |
| world | learned | 1 | 32 | 1.000 | 1.000 | 16.3 | 59 |
"""


@pytest.mark.parametrize("row", results.ROWS, ids=lambda row: row.name)
def test_that_a_row_says_what_the_page_says(row):
    cells = [line.split(" | ") for line in PAGE if line.startswith(f"| {row.title}")]
    assert len(cells) == 1, row.title
    assert row.stored in cells[0][1]


def test_that_the_readme_says_of_metaqa_what_the_page_says():
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    for title in ("▼ MetaQA, after `graphbrick learn`", "MetaQA, 200 labels, what `ask` runs"):
        (row,) = (line for line in PAGE if line.startswith(f"| {title} |"))
        one, two, three = (
            f"{float(figure):.2f}".lstrip("0").replace("1.00", "1.0") for figure in row.split(" | ")[1].split(" / ")
        )
        assert f"{one}, {two} and {three}" in readme, title


def test_that_all_rows_take_less_than_an_hour_and_have_names_of_their_own():
    assert sum(row.minutes for row in results.ROWS) < 60
    assert len({row.name for row in results.ROWS}) == len(results.ROWS)


def test_that_scripts_of_rows_are_there():
    for row in results.ROWS:
        for command in row.commands:
            script = command.split()[1]
            assert script == "-m" or (results.ROOT / script).is_file(), script


def test_tables_of_an_output_are_read_by_titles():
    output = "text | not a table\n| a | b c |\n|---|---:|\n| 1 | 2 |\n| 3 | |\n\n| a | d |\n|---|---|\n| 1 | 5 |\n"
    assert results.tables(output) == [{"a": "1", "b c": "2"}, {"a": "3", "b c": ""}, {"a": "1", "d": "5"}]
    assert results.cell(output, "b c", a="1") == "2"
    assert results.cell(output, "d", a="1") == "5"


def test_that_a_cell_is_not_guessed():
    output = "| a | b |\n|---|---|\n| 1 | 2 |\n| 1 | 3 |\n"
    with pytest.raises(results.FigureError, match="2 rows"):
        results.cell(output, "b", a="1")
    with pytest.raises(results.FigureError, match="0 rows"):
        results.cell(output, "b", a="7")
    with pytest.raises(results.FigureError, match="0 rows"):
        results.cell(output, "c", a="1")


def test_shares_are_written_as_on_the_page():
    assert [results.share(text) for text in ("0.970", "1.000", "0.05", "0.0", "0.9996")] == [
        ".970", "1.0", ".050", ".000", "1.000",
    ]  # fmt: skip


def test_hits_by_hops_are_those_of_one_pipeline():
    assert results.by_hops("world", "default")(UNLABELLED) == "1.0 / .970 / .882"
    with pytest.raises(results.FigureError):
        results.by_hops("world", "learned")(UNLABELLED)


def test_verdicts_are_those_of_all_kinds():
    output = "kind                right    wrong  refused\ncall                    1        9        3\n"
    with pytest.raises(results.FigureError):
        results.verdicts(output)
    assert results.verdicts(output + "all                    58        0        2\n") == "58 / 0 / 2"


def test_small_tables_are_counted_without_the_eighth():
    head = "| table | questions | right | no answer, rightly | no answer, but there is one | wrong |\n|---|---|---|\n"
    rows = """\
| club | 28 | 21 | 6 | 0 | 1 |
| farm | 29 | 19 | 4 | 6 | 0 |
| newcomer | 10 | 8 | 2 | 0 | 0 |
| all | 67 | 48 | 12 | 6 | 1 |
"""
    confidence = "\n| confidence | right | wrong |\n|---|---|---|\n| 0.9 to | 119 | 1 |\n"
    assert results.small_tables(head + rows + confidence) == "40 right, 10 rightly refused, 6 missed, 1 wrong"
    with pytest.raises(results.FigureError):
        results.small_tables(head)


def test_recall_is_the_mean_of_both_halves():
    output = "indexed\n| pipeline | recall@2 | recall@5 |\n|---|---|---|\n| default | .1 / .2 | 0.930 / 0.960 |\n"
    assert results.passages(output) == ".945"


def test_milliseconds_are_those_of_restart_and_direction():
    head = "| triples | restart | direction | seeds | first ms | warm ms |\n|---|---|---|---|---|---|\n"
    lines = [
        f"| 129,950 | {restart} | {way} | {seeds} | 1.0 | {ms} |\n"
        for restart, way, seeds, ms in (
            ("0.8", "out", "ordinary", "11.7"),
            ("0.8", "out", "hub", "12.4"),
            ("0.8", "both", "ordinary", "14.9"),
            ("0.2", "both", "ordinary", "22.5"),
        )
    ]
    assert results.small_ppr(head + "".join(lines)) == "11.7 ms along, 14.9 ms both ways"


def test_lines_of_figures():
    read = {row.name: row.read for row in results.ROWS}
    printed = "import graphbrick              0.054 s\nask with BM25()     peak memory 201 MB resident\n"
    assert read["import"](printed) == ".054 s"
    assert (
        read["memory"](printed + "ask with MiniLM()   peak memory 452 MB resident\n")
        == "201 MB (BM25), 452 MB (MiniLM)"
    )
    with pytest.raises(results.FigureError):
        read["memory"](printed)
    shape = "modules of a pipeline                 119\nlines of a pipeline                15,180\n"
    assert read["modules"](shape) == "119 modules, 15,180 lines"
    cells = "| share | labels | correlation | PPI++ |\n|---:|---:|---:|---:|\n| 0.9 | 30 | 0.6 | 97.2 (18.3) |\n"
    assert read["intervals"](cells) == "97.2 %"


def row_of(command: str, **more: object) -> results.Row:
    return results.Row("one", "One", "5 / 0 / 0", (command,), results.verdicts, 1, **more)


def prints(text: str) -> str:
    return f"{{python}} -c 'print(\"{text}\")'"


def test_a_row_that_is_the_same_and_one_that_differs(tmp_path):
    runner = results.Runner(tmp_path, tmp_path)
    same = results.measure(row_of(prints("all 5 0 0")), runner)
    assert (same["now"], same["state"]) == ("5 / 0 / 0", "same")
    other = results.measure(row_of(prints("all 4 1 0")), runner)
    assert (other["now"], other["state"], other["stored"]) == ("4 / 1 / 0", "differs", "5 / 0 / 0")
    timed = results.measure(row_of(prints("all 4 1 0"), is_time=True), runner)
    assert timed["state"] == "measured"


def test_that_a_failed_command_is_told(tmp_path):
    runner = results.Runner(tmp_path, tmp_path)
    failed = results.measure(row_of("{python} -c 'raise SystemExit(\"no such graph\")'"), runner)
    assert failed["state"] == "failed"
    assert "no such graph" in failed["note"]
    silent = results.measure(row_of(prints("nothing")), runner)
    assert (silent["state"], silent["now"]) == ("failed", "")


def test_that_missing_data_is_told_with_how_to_get_it(tmp_path):
    row = row_of("{python} -c 'raise SystemExit(1)'", needs="{data}/metaqa", get="a folder of its authors")
    told = results.measure(row, results.Runner(tmp_path, tmp_path))
    assert told["state"] == "not run"
    assert str(tmp_path / "metaqa") in told["note"]
    assert "a folder of its authors" in told["note"]


def test_that_nothing_is_fetched_unasked(tmp_path):
    fetching = "{python} -c 'import pathlib, sys; pathlib.Path(sys.argv[1]).touch()' {work}/set"
    row = row_of(fetching, fetch="{work}/set")._replace(commands=(fetching, prints("all 5 0 0")))
    told = results.measure(row, results.Runner(tmp_path, tmp_path))
    assert told["state"] == "not run"
    assert "--fetch" in told["note"]
    assert not (tmp_path / "set").exists()
    assert results.measure(row, results.Runner(tmp_path, tmp_path), fetch=True)["state"] == "same"
    assert (tmp_path / "set").exists()
    again = row._replace(commands=("{python} -c 'raise SystemExit(1)'", prints("all 5 0 0")))
    assert results.measure(again, results.Runner(tmp_path, tmp_path))["state"] == "same"


def test_that_a_command_of_two_rows_runs_once(tmp_path):
    script = 'import pathlib, sys; pathlib.Path(sys.argv[1]).open("a").write("x"); print("all 5 0 0")'
    row = row_of(f"{{python}} -c '{script}' {{work}}/runs")
    runner = results.Runner(tmp_path, tmp_path)
    assert [results.measure(row, runner)["state"] for _ in range(2)] == ["same", "same"]
    assert (tmp_path / "runs").read_text() == "x"


def test_that_an_unknown_row_is_refused_with_those_there_are():
    with pytest.raises(SystemExit, match=r"no row is called nope; there are .*operators"):
        results.chosen(["operators", "nope"])
    assert [row.name for row in results.chosen(["chains", "company"])] == ["company", "chains"]
    assert results.chosen(None) == list(results.ROWS)


def test_the_command_prints_and_writes_what_is_not_run(tmp_path, monkeypatch, capsys):
    out = tmp_path / "rows.json"
    monkeypatch.setattr(sys, "argv", ["results.py", "--only", "metaqa", "--data", str(tmp_path), "--json", str(out)])
    with pytest.raises(SystemExit) as ended:
        results.main()
    assert ended.value.code == 0
    assert "| MetaQA, not learned | .793 / .760 / .840 |  |  | needs" in capsys.readouterr().out
    (row,) = json.loads(out.read_text(encoding="utf-8"))
    assert (row["name"], row["state"], row["now"]) == ("metaqa", "not run", "")
