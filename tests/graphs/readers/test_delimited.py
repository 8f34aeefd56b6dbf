"""Delimited files: delimiters, quotes, headers and columns."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from delimited_files import KENYA, fault, read, skipped, write
from faults import fails

from graphbrick.core.errors import InputError
from graphbrick.core.properties.values import Raw
from graphbrick.graphs.readers import ReadOptions, read_source
from graphbrick.graphs.readers.roles import plain_name
from graphbrick.graphs.records.records import BadRecords, EdgeRecord, EntityRecord


@pytest.mark.parametrize(
    ("name", "delimiter"),
    [
        ("kb.txt", "|"),
        ("kb.txt", "\t"),
        ("kb.txt", ","),
        ("kb.txt", ";"),
        ("kb.tsv", "\t"),
        ("kb.tab", "\t"),
        ("kb.csv", ","),
        ("kb.psv", "|"),
        ("KB.TXT.GZ", "|"),
        ("kb.tsv.gz", "\t"),
    ],
)
def test_delimiter_is_recognised(tmp_path: Path, name: str, delimiter: str) -> None:
    text = "".join(delimiter.join(triple) + "\n" for triple in KENYA)
    data = gzip.compress(text.encode()) if name.lower().endswith(".gz") else text.encode()
    (tmp_path / name).write_bytes(data)
    assert read(tmp_path / name) == KENYA


def test_sniffing_prefers_the_delimiter_that_always_gives_three_columns(tmp_path: Path) -> None:
    rows = ["A, B and C|starring|D", "E|tags|F, G, H", "I, J, K|year|1999"]
    assert read(write(tmp_path, "kb.txt", "\n".join(rows))) == [tuple(row.split("|")) for row in rows]


def test_sniffing_bears_a_bad_line(tmp_path: Path) -> None:
    records, faults = skipped(write(tmp_path, "kb.txt", "broken\na|b|c\nd|e|f\ng|h|i\n"))
    assert records == [("a", "b", "c"), ("d", "e", "f"), ("g", "h", "i")]
    assert faults == [(1, "reader.wrong_width")]


@pytest.mark.parametrize("spelled", ["\t", "tab", "\\t"])
def test_given_delimiter(tmp_path: Path, spelled: str) -> None:
    assert read(write(tmp_path, "kb.csv", "a\tb\tc,d\n"), delimiter=spelled) == [("a", "b", "c,d")]


def test_given_delimiter_of_two_characters_reads_any_suffix(tmp_path: Path) -> None:
    assert read(write(tmp_path, "kb.dat", "a::b::c\n"), delimiter="::") == [("a", "b", "c")]


@pytest.mark.parametrize(
    ("name", "line", "columns", "fits", "advice"),
    [
        ("kb.tsv", "a|b|c", 1, "|", "try --delimiter '|'"),
        ("kb.csv", "a;b;c", 1, ";", "try --delimiter ';'"),
        ("kb.csv", "a\tb\tc", 1, "\t", "try --delimiter tab"),
        ("kb.psv", "a,b,c", 1, ",", "try --delimiter ','"),
        ("kb.tsv", "a\tb", 2, None, ""),
        ("kb.txt", "alone", 1, None, ""),
        ("kb.tsv", "a\tb\tc\td", 4, None, "names the columns of records"),
    ],
)
def test_wrong_number_of_columns(
    tmp_path: Path, name: str, line: str, columns: int, fits: str | None, advice: str
) -> None:
    error = fault(write(tmp_path, name, f"\n{line}\n"))
    assert (error.code, error.line, error.text) == ("reader.wrong_width", 2, line)
    assert (error.values["columns"], error.values["width"], error.values["fits"]) == (columns, 3, fits)
    assert error.reason.endswith(advice)
    assert str(error).startswith(f"{tmp_path / name}, line 2: ")


def test_mark_line_ends_blank_lines_and_spaces_are_stripped(tmp_path: Path) -> None:
    content = b"\xef\xbb\xbf\r\n Kenya |capital| Nairobi \r\n   \r\n\nKenya|currency|Kenyan shilling"
    assert read(write(tmp_path, "kb.txt", content)) == KENYA
    assert read(write(tmp_path, "kb.txt.gz", content)) == KENYA
    assert read(write(tmp_path, "kb.csv", content.replace(b"|", b","))) == KENYA


def test_quotes_are_ordinary_in_literal_files(tmp_path: Path) -> None:
    assert read(write(tmp_path, "kb.tsv", '"a\tsays\t"b" c\n"d\tx\ty\n')) == [('"a', "says", '"b" c'), ('"d', "x", "y")]


def test_csv_quotes(tmp_path: Path) -> None:
    content = '"Bond, James",says,"a ""word"""\r\n"two\nlines",has,x\n5" disk,is,old\n'
    assert read(write(tmp_path, "kb.csv", content)) == [
        ("Bond, James", "says", 'a "word"'),
        ("two\nlines", "has", "x"),
        ('5" disk', "is", "old"),
    ]


def test_csv_line_is_where_the_record_starts(tmp_path: Path) -> None:
    content = 'a,b,c\n\n"two\nlines",b,c\n"three\n\nlines",b\nd,e,f\n,e,"\n"\n'
    records, faults = skipped(write(tmp_path, "kb.csv", content))
    assert records == [("a", "b", "c"), ("two\nlines", "b", "c"), ("d", "e", "f")]
    assert faults == [(5, "reader.wrong_width"), (9, "reader.empty_cell")]


def test_broken_csv_quotes_are_bad_records(tmp_path: Path) -> None:
    records, faults = skipped(write(tmp_path, "kb.csv", 'a,b,c\n"a"x,b,c\nd,e,f\n"open,e,f\n'))
    assert records == [("a", "b", "c"), ("d", "e", "f")]
    assert faults == [(2, "reader.not_csv"), (4, "reader.not_csv")]


def test_quoted_record_with_an_unreadable_line_is_bad_as_a_whole(tmp_path: Path) -> None:
    records, faults = skipped(write(tmp_path, "kb.csv", b'a,b,c\n"x\n\xff",b,c\nd,e,f\n'))
    assert records == [("a", "b", "c"), ("d", "e", "f")]
    assert faults == [(2, "reader.not_text")]


def test_quoted_record_over_a_line_that_is_too_long_is_bad_as_a_whole(tmp_path: Path) -> None:
    content = 'a,b,c\n"x\n' + "y" * 100 + '\nz",b,c\nd,e,f\n'
    records, faults = skipped(write(tmp_path, "kb.csv", content), max_line_bytes=50)
    assert records == [("a", "b", "c"), ("d", "e", "f")]
    assert faults == [
        (3, "reader.line_too_long"),
        (2, "reader.not_text"),
    ]


@pytest.mark.parametrize(
    ("header", "order"),
    [
        ("head\trelation\ttail", (0, 1, 2)),
        ("Subject\tPredicate\tObject", (0, 1, 2)),
        ("tail\thead\trel", (1, 2, 0)),
        ("source\ttarget\ttype", (0, 2, 1)),
        ("source\tmetaedge\ttarget", (0, 1, 2)),
        ("src\tdst\tlabel", (0, 2, 1)),
        (":START_ID\t:END_ID\t:TYPE", (0, 2, 1)),
        (":START_ID(Person)\t:TYPE\tx:END_ID(Film)", (0, 1, 2)),
        ("~from\t~to\t~label", (0, 2, 1)),
        ("_start\t_end\t_type", (0, 2, 1)),
        ("s:string\tp:String\to:string[]", (0, 1, 2)),
    ],
)
def test_header_is_recognised(tmp_path: Path, header: str, order: tuple[int, int, int]) -> None:
    cells = ("a", "b", "c")
    expected = [(cells[order[0]], cells[order[1]], cells[order[2]])]
    assert read(write(tmp_path, "kb.tsv", f"\n{header}\na\tb\tc\n")) == expected


def test_reserved_column_wins_over_a_property_of_that_name(tmp_path: Path) -> None:
    file = write(tmp_path, "kb.csv", ":START_ID,relation,type:string,:END_ID,:TYPE\na,x,y,b,KNOWS\n")
    assert read(file) == [EdgeRecord("a", "KNOWS", "b", {"relation": "x", "type": "y"})]


def test_columns_beside_the_three_are_properties(tmp_path: Path) -> None:
    file = write(tmp_path, "kb.txt", "id|source|weight|relation|target\n1|a|0.5|r|b\n2|c||r|d\n")
    assert read(file) == [
        EdgeRecord("a", "r", "b", {"id": Raw("1"), "weight": Raw("0.5")}),
        EdgeRecord("c", "r", "d", {"id": Raw("2")}),
    ]


def test_row_unlike_the_header_is_bad(tmp_path: Path) -> None:
    records, faults = skipped(write(tmp_path, "kb.tsv", "source\trelation\ttarget\tnote\na\tr\tb\na\tr\tb\tn\n"))
    assert records == [EdgeRecord("a", "r", "b", {"note": Raw("n")})]
    assert faults == [(2, "reader.wrong_width")]


def test_without_known_names_the_first_row_is_a_triple(tmp_path: Path) -> None:
    assert read(write(tmp_path, "kb.tsv", "source\tlikes\tpie\n")) == [("source", "likes", "pie")]
    assert read(write(tmp_path, "kb.tsv", "head\tlikes\ttail\n"), header=False) == [("head", "likes", "tail")]
    assert read(write(tmp_path, "kb.tsv", "head\trelation\ttail\n"), header=False) == [("head", "relation", "tail")]


def test_a_header_that_is_known_in_part_is_no_triple(tmp_path: Path) -> None:
    error = fault(write(tmp_path, "e.csv", "source,target,weight\nKenya,Uganda,0.5\n"))
    assert (error.code, error.values["known"]) == ("columns.header_in_part", ["source", "target"])
    assert "--columns" in error.reason


def test_a_header_alone_gives_no_triples(tmp_path: Path) -> None:
    assert read(write(tmp_path, "kb.tsv", "\nhead\trelation\ttail\n")) == []
    assert read(write(tmp_path, "kb.tsv", "head\trelation\ttail\n\n \n")) == []


def test_bad_lines_among_many_good_ones(tmp_path: Path) -> None:
    lines = [f"entity {i}\tr\tentity {i + 1}" for i in range(3000)]
    lines[10], lines[20], lines[30], lines[40] = "", " \r", "two\tcells", "\tr\tempty head"
    records, faults = skipped(write(tmp_path, "kb.tsv", "\n".join(lines)))
    assert len(records) == 2996
    assert faults == [(31, "reader.wrong_width"), (41, "reader.empty_cell")]


def test_header_that_is_told_but_not_known(tmp_path: Path) -> None:
    assert read(write(tmp_path, "kb.tsv", "x\ty\tz\na\tb\tc\n"), header=True) == [("a", "b", "c")]
    records = read(write(tmp_path, "kb.tsv", "x\ty\tz\tw\na\tb\tc\td\n"), header=True)
    assert [record.key for record in records if isinstance(record, EntityRecord)] == ["Kb/1"]


def test_columns_by_name_and_by_number(tmp_path: Path) -> None:
    file = write(tmp_path, "kb.tsv", "who\twhat\twhom\twhen\na\tr\tb\t1\n")
    assert read(file, columns=("who", "what", "whom")) == [EdgeRecord("a", "r", "b", {"when": Raw("1")})]
    assert read(file, columns=("who", "2", "4")) == [EdgeRecord("a", "r", "1", {"whom": Raw("b")})]
    assert read(file, columns=("3", "2", "1"), header=True) == [EdgeRecord("b", "r", "a", {"when": Raw("1")})]
    assert read(file, columns=("3", "2", "1")) == [
        EdgeRecord("whom", "what", "who", {"column 4": Raw("when")}),
        EdgeRecord("b", "r", "a", {"column 4": Raw("1")}),
    ]
    known = write(tmp_path, "known.tsv", "head\trelation\ttail\na\tr\tb\n")
    assert read(known, columns=("3", "2", "1")) == [("b", "r", "a")]


def test_column_that_is_not_there(tmp_path: Path) -> None:
    file = write(tmp_path, "kb.tsv", "Source\twhat\ttarget\na\tr\tb\n")
    error = fault(file, columns=("sorce", "what", "target"))
    assert (error.code, error.values) == ("columns.no_name", {"column": "sorce", "near": "Source", "file": file})
    assert fault(file, columns=("Source", "1", "target")).code == "columns.not_different"
    assert fault(file, columns=("zzz", "what", "target")).values == {"column": "zzz", "near": "", "file": file}
    error = fault(file, columns=("1", "2", "4"), header=False)
    assert (error.code, error.values) == ("columns.no_number", {"column": "4", "at_most": 3, "file": file})
    bad = BadRecords(skip=True)
    with fails("columns.no_name", InputError, column="sorce"):
        read(file, bad, columns=("sorce", "what", "target"))


@pytest.mark.parametrize(
    ("cell", "plain"),
    [
        (":LABEL", ":label"),
        (":label", ":label"),
        ("~id", ":id"),
        ("id:ID", ":id"),
        ("name:string[]", "name"),
        ("name:String(single)", "name"),
        ("rdf:type", "type"),
        ("skos:definition", "definition"),
        (":head", "head"),
        ("_id", "id"),
        ("Alternate-Names", "alternate_names"),
        ("", ""),
    ],
)
def testplain_name(cell: str, plain: str) -> None:
    assert plain_name(cell) == plain


@pytest.mark.whole
@pytest.mark.shared
def test_metaqa(data_dir: Path) -> None:
    triples = read(data_dir / "metaqa" / "kb.txt.gz")
    distinct = {triple for triple in triples if isinstance(triple, tuple)}
    assert len(distinct) == 133_582
    assert len({end for head, _, tail in distinct for end in (head, tail)}) == 43_234
    assert len({relation for _, relation, _ in distinct}) == 9
    assert triples[0] == ("Kismet", "directed_by", "William Dieterle")


@pytest.mark.whole
@pytest.mark.shared
def test_freebase(data_dir: Path) -> None:
    triples = read(data_dir / "freebase" / "triples.tsv.gz")
    assert len(triples) == 381_186
    assert triples[0] == ("m.027rn", "location.country.form_of_government", "m.06cx9")


def test_a_quoted_record_of_many_lines_is_bounded(tmp_path: Path) -> None:
    file = tmp_path / "kb.csv"
    file.write_text("h,r,t\na,b,c\n" + '"x\ny",' * 1000)
    options = ReadOptions(max_line_bytes=500)
    with fails("reader.not_csv", InputError, line=3):
        list(read_source(file, nodes=None, options=options, bad=BadRecords()))
