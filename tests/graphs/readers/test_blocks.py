"""Fast readers against readable ones: what they split is what the slow way gives, and they leave the rest to it."""

from __future__ import annotations

import random
import tempfile
import tracemalloc
from functools import cache
from pathlib import Path

import numpy as np
import pyoxigraph as ox
import pytest
from faults import fails
from hypothesis import example, given, settings
from hypothesis import strategies as st

from graphbrick.core.errors import InputError
from graphbrick.core.files.zstd import zstd
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.readers import ReadOptions, read_source, streams
from graphbrick.graphs.readers.streams import Meter, blocks, open_source
from graphbrick.graphs.records.blocks import FactBlock, TripleBlock
from graphbrick.graphs.records.interner import as_bytes
from graphbrick.graphs.records.rdf_names import local_name
from graphbrick.graphs.records.records import BadRecords, EntityRecord
from graphbrick.kernels.strings.delimited import split_triples
from graphbrick.kernels.strings.lines import may_be_blank
from graphbrick.kernels.strings.ntriples import (
    IRI,
    LABEL,
    PLAIN,
    TAGGED,
    TYPE,
    TYPED,
    Statements,
    split_ntriples,
)
from graphbrick.language.hashing import hash64

CELLS = st.text('ab é\u00a0\u3000\u2009\x1cZ\r\x85\ufeff"', max_size=4)


def by_hand(data: bytes, places: tuple[int, int, int]) -> tuple[list[tuple[str, ...]], list[int]]:
    """The triples of tab-separated text with a header and four columns, and the numbers of its bad lines."""
    triples, bad = [], []
    for number, line in enumerate(data.removesuffix(b"\n").split(b"\n")[1:], 2):
        cells = [cell.strip() for cell in line.decode(errors="replace").split("\t")]
        chosen = tuple(cells[place] for place in places) if len(cells) == 4 else ()
        if b"\0" in line or b"\xff" in line or not (all(chosen) if chosen else cells == [""]):
            bad.append(number)
        elif chosen:
            triples.append(chosen)
    return triples, bad


@given(
    rows=st.lists(st.lists(CELLS, min_size=4, max_size=4) | st.lists(CELLS, max_size=5), max_size=12),
    ends=st.lists(st.sampled_from(["\n", "\r\n", "\n\n"]), min_size=12, max_size=12),
    raw=st.sampled_from([b"", b"", b"\0", b"\xff"]),
    places=st.permutations([0, 1, 2]),
    block=st.integers(8, 200),
)
@example(rows=[["", '"', "", ""], ["", '"', "", ""]], ends=["\n"] * 12, raw=b"", places=[0, 1, 2], block=99)
@example(rows=[["", "", "", '"'], ["Z"], ["Z", "Z", "Z", '"']], ends=["\n"] * 12, raw=b"", places=[0, 1, 2], block=99)
@example(rows=[["a", "b", "c", ""], ["\ufeffa", "b", "c", ""]], ends=["\n"] * 12, raw=b"", places=[0, 2, 1], block=8)
def test_lines_of_triples(rows: list[list[str]], ends: list[str], raw: bytes, places: list[int], block: int) -> None:
    text = "".join("\t".join(row) + end for row, end in zip(rows, ends, strict=False))
    data = b"x\ty\tz\tw:IGNORE\n" + text.encode() + raw
    one, two, three = places
    columns = (str(one + 1), str(two + 1), str(three + 1))
    expected, faults = by_hand(data, (one, two, three))
    bad = BadRecords(skip=True)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "BLOCK_BYTES", block)
        file = Path(folder) / "kb.tsv"
        file.write_bytes(data)
        options = ReadOptions(header=True, columns=columns)
        records = list(read_source(file, nodes=None, options=options, bad=bad))
    assert records == expected
    assert [error.line for error in bad.errors] == faults


def test_the_kernel_leaves_unusual_lines_to_python() -> None:
    text = 'Zoë\tr\té\n Kenya \tcapital\tNairobi\x1c\r\n\ntwo\tcells\n内罗毕\tr\t東京\u3000\n\r\nx y\tr\t"z\n  \n\tr\tx'
    data = as_bytes(text.encode())
    starts, ends, odd = split_triples(data, len(data), ord("\t"), 3, np.arange(3))
    assert TripleBlock(data, starts, ends).records() == [
        ("Zoë", "r", "é"), ("Kenya", "capital", "Nairobi"), ("x y", "r", '"z')
    ]  # fmt: skip
    left = [(number, bytes(data[start:end]).decode(), before) for number, start, end, before in odd.tolist()]
    assert left == [(3, "two\tcells", 2), (4, "内罗毕\tr\t東京\u3000", 2), (5, "\r", 2), (7, "  ", 3), (8, "\tr\tx", 3)]


def test_the_kernel_chooses_columns_and_gives_all_triples_one_relation() -> None:
    data = as_bytes(b"b|x|a\n |x|a\nd|x|c\nknows")
    starts, ends, odd = split_triples(data, len(data) - 5, ord("|"), 3, np.array([2, -1, 0]))
    assert TripleBlock(data, starts, ends).records() == [("a", "knows", "b"), ("c", "knows", "d")]
    assert odd.tolist() == [[1, 6, 11, 1]]


@pytest.mark.parametrize("space", [c for c in map(chr, range(0x3100)) if c.isspace()])
def test_every_white_space_is_noticed(space: str) -> None:
    for text in (space + "a", "a" + space, space):
        data = as_bytes(text.encode())
        assert may_be_blank(data, 0, len(data))


TERMS = st.sampled_from(
    [
        "<http://example.org/a>", "<a:b>", "<http://example.org/a#b>", "<http://example.org>", "<http://a.b/c%20d>",
        "_:b1", "<http://a.b/%2>", "<http://a b>", "<no-scheme>", "<http:///a>", "<http://a:80/b>", "<http://[::1]/>",
        "_:-", "_:a.b", "<http://a/é>", '"text"', '"text"@en', "<>", "<http://a?q=1>", "<urn:isbn:1>", "<a+b:c>",
        "<1a:b>", "<a:b//c>", "_:", "<http://a/b#c#d>", "<http://a/<b>", "<http://a/b\\u0041>", "<mailto:a@b.c>",
        "<http://a/'(b)*+,;=>", "<a:>",
        "<a:label>", "<a:type>", "<a:note>", "<a:label>", "<a:type>", '"é"@en-gb', '"x"@de', '" x"', '""', '"\\u0041"',
        '"1"^^<http://x/y#int>', '"1"^^<http://www.w3.org/2001/XMLSchema#string>', '"x"@EN', '"x"@en-', '"x"@', '"a"b"',
        '"1"^^<no>', '"x\ty"', '"x"@toolong', '"\x7f"', '"\x01"',
    ]
)  # fmt: skip
SPACE = st.sampled_from([" ", "\t", "  ", ""])
STATEMENTS = st.builds(
    lambda terms, spaces, end: "".join(t + s for t, s in zip(terms, spaces, strict=True)) + end,
    st.lists(TERMS, min_size=3, max_size=3),
    st.lists(SPACE, min_size=3, max_size=3),
    st.sampled_from([".", ". ", ".\r", "", ". # note", " .", "<a:g> .", ". <a:b> <a:c> <a:d> ."]),
) | st.sampled_from(["# note", "", " ", "\r", "<a:s> <a:label> <a:b> ."])


def split(lines: list[str], *, literals: bool = True) -> Statements:
    iris = (["a:label"], ["a:type"], ["a:note", "http://www.w3.org/2001/XMLSchema#string"])
    hashes = [np.array([hash64(iri) for iri in group], dtype=np.uint64) for group in iris]
    return Statements(*split_ntriples(as_bytes("\n".join(lines).encode()), as_bytes(b"en"), *hashes, literals))


@given(lines=st.lists(STATEMENTS, max_size=8), literals=st.booleans())
def test_split_ntriples_gives_what_the_parser_gives_or_leaves_a_line(lines: list[str], literals: bool) -> None:
    data, found = "\n".join(lines).encode(), split(lines, literals=literals)
    fast = [
        tuple(data[a:b].decode() for a, b in zip(s, e, strict=True))
        for s, e in zip(found.starts.T, found.ends.T, strict=True)
    ]
    left = {int(line): int(before) for line, _, _, before in found.odd}
    facts = {int(row[6]): row.tolist() for row in found.facts}
    done = 0
    for number, line in enumerate(lines):
        if number in left:
            assert left[number] == done
            continue
        if not line.strip():
            continue
        (quad,) = ox.parse(line, format=ox.RdfFormat.N_TRIPLES)
        subject, predicate, value = quad.subject, quad.predicate.value, quad.object
        head = f"_:{subject.value}" if isinstance(subject, ox.BlankNode) else subject.value  # type: ignore[union-attr]
        tail = f"_:{value.value}" if isinstance(value, ox.BlankNode) else value.value  # type: ignore[union-attr]
        is_literal = isinstance(value, ox.Literal)
        if number in facts:
            key_start, key_end, start, end, what, rank, _ = facts[number]
            assert data[key_start:key_end].decode() == head
            assert data[start:end].decode() == (tail if is_literal else local_name(tail))
            assert what == (LABEL if is_literal else TYPE)
            assert predicate == ("a:label" if is_literal else "a:type")
            languages = {None: 3, "en": 1, "en-gb": 2, "de": 4}
            assert rank == (languages[value.language] if is_literal else 0)
            continue
        assert predicate not in ("a:label", "a:type", "a:note")
        assert fast[done] == (head, predicate, str(value) if is_literal else tail)
        assert (found.literal[done] > 0) == is_literal
        if is_literal:
            assert data[found.value[0, done] : found.value[1, done]].decode() == value.value
            kinds = {PLAIN: "string", TAGGED: "langString"}
            named = data[found.type[0, done] : found.type[1, done]].decode()
            assert kinds.get(found.literal[done], named) == local_name(value.datatype.value)
        done += 1
    assert done == len(fast)


def test_ordinary_statements_are_not_left() -> None:
    lines = [
        "<http://rdf.freebase.com/ns/m.0abc>\t<http://rdf.freebase.com/ns/a.b>\t<http://rdf.freebase.com/ns/m.1>\t.",
        "<http://dbpedia.org/resource/A_(b),_c> <http://dbpedia.org/ontology/x> <http://dbpedia.org/resource/D%27s> .",
        "_:b1 <http://www.w3.org/2002/07/owl#x> _:b2 .\r",
        '<a:a> <a:p> "Zoë, 内罗毕"@en-gb .',
        '<a:a> <a:p> "1967"^^<http://www.w3.org/2001/XMLSchema#gYear> .',
        '<a:a> <a:label> "A" .',
        "<a:a> <a:type> <a:country#State> .",
    ]
    found = split(lines)
    assert (found.starts.shape[1], len(found.facts), len(found.odd)) == (5, 2, 0)
    assert found.literal.tolist() == [IRI, IRI, IRI, TAGGED, TYPED]
    assert len(split(lines, literals=False).odd) == 4


LABEL_IRI, TYPE_IRI = (
    "<http://www.w3.org/2000/01/rdf-schema#label>",
    "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>",
)
NODES = st.sampled_from(["<http://x/a>", "<http://x/b>", "<http://x/p>", "<http://x/é>", "_:n", "<http://x/c%20d>"])
TEXTS = st.sampled_from(
    ['"A"', '"B"@en', '"C"@en-gb', '"D"@de', '" E "', '"F\\u00e9"@en', '""', '"G"@EN', '"1"^^<http://x/int>', '"\\"q"']
)
RDF = st.one_of(
    st.tuples(NODES, st.sampled_from(["<http://x/p>", "<http://x/q>"]), NODES | TEXTS),
    st.tuples(NODES, st.just(LABEL_IRI), TEXTS | NODES),
    st.tuples(NODES, st.just(TYPE_IRI), NODES | TEXTS),
    st.tuples(NODES, st.just("<http://www.w3.org/2000/01/rdf-schema#comment>"), TEXTS),
    st.tuples(NODES, st.just("<http://www.w3.org/2004/02/skos/core#altLabel>"), TEXTS),
).filter(lambda terms: terms[0][0] != '"')


@pytest.mark.whole
@settings(max_examples=30, deadline=None)
@given(statements=st.lists(RDF, max_size=12))
@example(statements=[("<http://x/a>", LABEL_IRI, '"F\\u00e9"@en'), ("<http://x/a>", LABEL_IRI, '"B"@en')])
def test_a_graph_from_blocks_is_the_one_from_plain_records(
    tmp_path_factory: pytest.TempPathFactory, statements: list[tuple[str, str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("rdf")
    lines = [("<http://x/a>", "<http://x/p>", "<http://x/b>"), *statements]
    (folder / "kb.nt").write_text("".join(" ".join(terms) + " .\n" for terms in lines))
    fast = build(folder / "kb.nt", folder / "fast.graph")
    records = read_source(folder / "kb.nt", nodes=None, options=ReadOptions(), bad=BadRecords())
    slow = build(list(records), folder / "slow.graph")

    def told(graph: Graph) -> dict[str, object]:
        return {
            graph.key(e): (graph.label(e), graph.aliases(e), graph.types(e), graph.description(e))
            for e in range(graph.n_entities)
        }

    assert list(fast.key_triples()) == list(slow.key_triples())
    assert told(fast) == told(slow)
    names = [{g.relation_key(r): g.relation_label(r) for r in range(g.n_relations)} for g in (fast, slow)]
    assert names[0] == names[1]


def test_lines_of_the_parser_keep_their_place(tmp_path: Path) -> None:
    rng = random.Random(0)
    lines = [
        f"<a:e{i}> <a:p> " + rng.choice([f"<a:e{i + 1}>", f'"{i}"', f"<a:\\u00e9{i}>", "_:x"]) + " ."
        for i in range(300)
    ]
    (tmp_path / "kb.nt").write_text("\n".join(lines))
    bad = BadRecords()
    read = list(read_source(tmp_path / "kb.nt", nodes=None, options=ReadOptions(), bad=bad))
    triples = [record for record in read if isinstance(record, tuple)]
    assert [head for head, _, _ in triples] == [f"a:e{i}" for i in range(300)]
    expected = [next(iter(ox.parse(line, format=ox.RdfFormat.N_TRIPLES))).object for line in lines]
    values = [
        f"_:{o.value}" if isinstance(o, ox.BlankNode) else o.value if isinstance(o, ox.NamedNode) else str(o)
        for o in expected
    ]  # type: ignore[union-attr]
    assert [tail for _, _, tail in triples] == values


def test_merging_triples_into_a_block() -> None:
    block = TripleBlock.of([("a", "r", "b"), ("c", "r", "d")])
    merged = block.merged([0, 1, 1, 2], [("0", "é", "0"), ("1", "r", "1"), ("2", "r", "2"), ("3", "r", "3")])
    assert [head for head, _, _ in merged.records()] == ["0", "a", "1", "2", "c", "3"]
    assert merged.records()[0] == ("0", "é", "0")
    assert block.merged([], []) is block


def test_a_block_of_facts() -> None:
    block = FactBlock.of([EntityRecord("a", "A", ("x", "y"), ("T",), "about"), EntityRecord("b")])
    assert block.kind.tolist() == [0, 1, 2, 2, 3, 4, 0]
    keys = [block.data[a:b].tobytes() for a, b in zip(block.key_starts, block.key_ends, strict=True)]
    assert keys == [b"a"] * 6 + [b"b"]


# Zstandard


def packed(data: bytes) -> bytes:
    return zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: True})


def test_zstandard_is_read_by_its_first_bytes(tmp_path: Path) -> None:
    frames = packed(b"a|r|b\n") + packed(b"") + packed(b"c|r|d\n")
    for name in ("kb.txt.zst", "kb.txt", "KB.TXT.ZST"):
        (tmp_path / name).write_bytes(frames)
        records = read_source(tmp_path / name, nodes=None, options=ReadOptions(), bad=BadRecords())
        assert list(records) == [("a", "r", "b"), ("c", "r", "d")]


def test_faults_of_zstandard(tmp_path: Path) -> None:
    rng = random.Random(0)
    data = packed("".join(f"{rng.random()}|r|b\n" for _ in range(50_000)).encode())
    cases = {
        "cut.txt.zst": (data[:-1000], "reader.truncated"),
        "cut-late.txt.zst": (data + packed(b"x|r|y\n")[:-2], "reader.truncated"),
        "flipped.txt.zst": (data[:100] + b"\xff" * 50 + data[150:], "reader.damaged"),
        "tail.txt.zst": (data + b"more", "reader.damaged"),
        "plain.txt.zst": (b"a|b|c\n", "reader.not_packed"),
        "empty.txt.zst": (packed(b""), "reader.empty_file"),
    }
    for name, (content, code) in cases.items():
        (tmp_path / name).write_bytes(content)
        with fails(code, InputError):
            list(read_source(tmp_path / name, nodes=None, options=ReadOptions(), bad=BadRecords(skip=True)))


@settings(max_examples=30, deadline=None)
@given(parts=st.lists(st.binary(max_size=3000), min_size=1, max_size=4), size=st.integers(1, 2000))
def test_zstandard_gives_the_bytes_that_were_packed(parts: list[bytes], size: int) -> None:
    whole = b"x" + b"".join(parts)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "kb.zst"
        file.write_bytes(packed(b"x") + b"".join(map(packed, parts)))
        read = []
        if whole.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
            return
        with open_source(file) as stream:
            while chunk := stream.read(size):
                read.append(chunk)
    assert b"".join(read) == whole


def test_the_meter_goes_to_the_end_of_the_file(tmp_path: Path) -> None:
    for name, data in {"a.txt": b"a|r|b\n" * 9, "b.txt": packed(b"a|r|b\n" * 9)}.items():
        (tmp_path / name).write_bytes(data)
        meter = Meter()
        assert list(blocks(tmp_path / name, 100, BadRecords(), meter)) == [(1, b"a|r|b\n" * 9)]
        assert meter.done == len(data)


@cache
def one_huge_line() -> bytes:
    packer, piece = zstd.ZstdCompressor(), b"a" * (1 << 20)
    return b"".join([*(packer.compress(piece) for _ in range(256)), packer.flush()])


@pytest.mark.whole
@pytest.mark.parametrize("name", ["kb.txt.zst", "kb.csv.zst", "kb.nt.zst"])
def test_zstandard_that_unpacks_to_a_huge_line_is_read_piece_by_piece(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(one_huge_line())
    assert (tmp_path / name).stat().st_size < 50_000
    tracemalloc.start()
    try:
        with fails("reader.line_too_long", InputError, line=1, limit=1 << 20):
            list(read_source(tmp_path / name, nodes=None, options=ReadOptions(), bad=BadRecords()))
        assert tracemalloc.get_traced_memory()[1] < 64 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("first", [b"", b"\x50\x2a\x4d\x18\x04\0\0\0size", b"\x5f\x2a\x4d\x18\0\0\0\0"])
def test_skippable_frames_of_zstandard_are_skipped(tmp_path: Path, first: bytes) -> None:
    skipped = b"\x50\x2a\x4d\x18\x03\0\0\0abc"
    (tmp_path / "kb.txt.zst").write_bytes(first + packed(b"a|r|b\n") + skipped + packed(b"c|r|d\n"))
    records = read_source(tmp_path / "kb.txt.zst", nodes=None, options=ReadOptions(), bad=BadRecords())
    assert list(records) == [("a", "r", "b"), ("c", "r", "d")]
