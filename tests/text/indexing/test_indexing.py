"""Graphs from documents: what they hold, and that changes equal a fresh start."""

from __future__ import annotations

import json
import pickle
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np
import pytest
from commands import Run, refused
from documents import FILES, write_documents
from faults import fails
from forks import run_until_killed
from hypothesis import given, settings
from hypothesis import strategies as st

import graphbrick
from graphbrick import (
    BM25,
    ByHeading,
    Graph,
    Passages,
    Phrases,
    Query,
    Quote,
    Subgraph,
    build,
    change,
    index,
    parse,
)
from graphbrick.cli.pipelines import NO_ENCODER
from graphbrick.core.errors import GraphbrickError, GraphFormatError, InputError
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.store.beside_text import text_folder
from graphbrick.learn.default import TEXT_PIPELINE, WORDS_PIPELINE, default_pipeline
from graphbrick.models.embedders.minilm import MiniLM
from graphbrick.models.indexes.embed_graph import lacks_vectors
from graphbrick.models.vectors.store import store_of
from graphbrick.testing import TINY
from graphbrick.text.documents.document import Document
from graphbrick.text.documents.store import TextStore
from graphbrick.text.extract.extraction import Extraction
from graphbrick.text.indexing import indexing
from graphbrick.text.indexing.graph_records import text_records


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return write_documents(tmp_path / "docs", FILES)


def triples(graph: Graph) -> set[str]:
    return {graph.triple_text(int(triple)) for triple in graph.triple_ids()}


def whole(graph: TextGraph) -> object:
    """Everything that a graph made from text holds, by key."""
    begin, mentions = graph.mentions
    rows = [
        tuple(graph.key(entity) for entity in mentions[begin[i] : begin[i + 1]].tolist())
        for i in range(graph.n_passages)
    ]
    assert graph.weights is not None
    facts = zip(graph.key_triples(), graph.weights.tolist(), strict=True)
    passages = [
        graph.passage(i)._replace(document=Path(graph.passage(i).document).name) for i in range(graph.n_passages)
    ]
    labels = {graph.key(i): (graph.label(i), tuple(graph.aliases(i))) for i in range(graph.n_entities)}
    return passages, rows, sorted(facts), labels


def test_a_graph_of_entities_sentences_and_passages(tmp_path: Path, docs: Path) -> None:
    graph = index([docs], tmp_path / "notes.graph").graph
    assert "Kenya -> occurs with -> Nairobi" in triples(graph)
    assert "Kenya -> occurs with -> Lake Victoria" in triples(graph)
    assert not any("Nairobi" in text and "Uganda" in text for text in triples(graph))
    victoria = graph.entity("lake victoria")
    found = graph.passages([victoria, graph.entity("mars")], 10)
    assert [Path(passage.document).name for passage in found[0]] == ["kenya.md", "uganda.txt"]
    assert found[0][0].section == "Kenya > Lakes"
    assert graph.passages([victoria], 1) == [found[0][:1]]
    assert graph.weights is not None
    assert len(graph.weights) == graph.n_triples
    assert 0 < graph.weights.min() <= graph.weights.max() <= 1
    with TextStore(text_folder(tmp_path / "notes.graph")) as store:
        for i in range(graph.n_passages):
            passage = graph.passage(i)
            _, text = store.document(passage.document) or ("", "")
            assert text[passage.start : passage.end] == passage.text
    with pytest.raises(IndexError):
        graph.passage(graph.n_passages)


def test_every_way_to_open_it(tmp_path: Path, docs: Path) -> None:
    graph = index([docs], tmp_path / "notes.graph").graph
    assert isinstance(graphbrick.open(tmp_path / "notes.graph"), TextGraph)
    assert isinstance(pickle.loads(pickle.dumps(graph)), TextGraph)
    changed = change(tmp_path / "notes.graph", add=[("kenya", "borders", "Somalia")]).graph
    opened = graphbrick.open(tmp_path / "notes.graph")
    assert isinstance(opened, TextGraph)
    assert opened.hash == changed.hash
    assert opened.passages([opened.entity("Somalia"), opened.entity("kenya")], 9)[0] == []
    assert opened.weights is None
    with fails("index.changed_graph"):
        index([docs], tmp_path / "notes.graph")
    shutil.rmtree(next(text_folder(tmp_path / "notes.graph").glob("passages-*")))
    with pytest.raises(GraphFormatError, match="indexing was interrupted, or the graph was replaced"):
        graphbrick.open(tmp_path / "notes.graph")


def test_only_what_is_new_is_done(tmp_path: Path, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "notes.graph"
    first = index([docs], place)
    assert (first.extracted, first.is_new, first.documents) == (4, True, 3)
    again = index([docs], place)
    assert (again.extracted, again.is_new, again.graph.hash) == (0, False, first.graph.hash)
    (docs / "chad.txt").write_text("Lake Chad is in Chad.")
    (docs / "tea.txt").unlink()
    (docs / "uganda.txt").rename(docs / "u.txt")
    texts: list[str] = []
    extract = Phrases.extract
    monkeypatch.setattr(Phrases, "extract", lambda self, some: texts.extend(some) or extract(self, some))
    changed = index([docs], place)
    assert sorted(texts) == ["chad\nLake Chad is in Chad.", f"u\n{FILES['uganda.txt']}"]
    assert changed.graph.named("Kericho") == []
    index([], place, extractor=Phrases(longest=1))
    assert len(texts) == 2 + 4


def test_changes_equal_a_fresh_start(tmp_path: Path, docs: Path) -> None:
    index([docs], tmp_path / "one.graph")
    (docs / "uganda.txt").unlink()
    (docs / "tea.txt").write_text(FILES["uganda.txt"])
    (docs / "0.md").write_text(FILES["kenya.md"])
    changed = index([docs], tmp_path / "one.graph")
    assert whole(changed.graph) == whole(index([docs], tmp_path / "two.graph").graph)


def records(store: TextStore) -> tuple[object, ...]:
    """Return what the graph of a store is built from, after extracting what is missing."""
    extractor = Phrases()
    keys = store.missing(extractor.identity)
    found = extractor.extract(list(store.texts(keys)))
    store.keep(extractor.identity, [(key, one.to_json()) for key, one in zip(keys, found, strict=True)])
    results = [(one, Extraction.from_json(store.result(one.digest, extractor.identity))) for one in store.passages()]
    made = text_records(lambda: results, dict(store.merges()))
    rows = made.triples
    arrays = made.begin, made.mentions, rows.weight, rows.begin, rows.passages
    return list(made.records()), list(store.passage_texts()), [array.tolist() for array in arrays]


@pytest.mark.whole
@settings(max_examples=20, deadline=None)
@given(
    versions=st.lists(
        st.dictionaries(st.sampled_from("abc"), st.sampled_from([*FILES.values(), "Tea is in Kenya."])),
        min_size=2,
        max_size=4,
    )
)
def test_any_changes_give_the_records_of_a_fresh_start(versions: list[dict[str, str]]) -> None:
    chunker = ByHeading()
    with TemporaryDirectory() as folder, TextStore(Path(folder, "1")) as store, TextStore(Path(folder, "2")) as fresh:
        for version in versions:
            for name in "abc":
                if name in version:
                    document = Document(name, "", version[name])
                    store.put(document, name, repr(chunker), chunker.spans(document))
                else:
                    store.forget_file(name)
            records(store)
        for name, text in versions[-1].items():
            document = Document(name, "", text)
            fresh.put(document, name, repr(chunker), chunker.spans(document))
        assert records(store) == records(fresh)


KILLED = """
from graphbrick import index
count = 0
def progress(step, done, total):
    global count
    count += 1
    if count == int(arguments[2]):
        die()
index([arguments[0]], arguments[1], progress=progress)
"""


@pytest.mark.posix
@pytest.mark.parametrize("calls", [2, 5])
def test_a_kill_at_any_step_loses_nothing(tmp_path: Path, docs: Path, calls: int) -> None:
    place = tmp_path / "notes.graph"
    run_until_killed(KILLED, docs, place, calls)
    done = index([docs], place)
    assert done.extracted == (4 if calls < 4 else 0)
    assert whole(done.graph) == whole(index([docs], tmp_path / "fresh.graph").graph)


@pytest.mark.parametrize("step", ["_graph_of", "write_corpus"])
def test_an_interruption_around_building_is_made_good(
    tmp_path: Path, docs: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    place = tmp_path / "notes.graph"
    index([docs], place)
    (docs / "chad.txt").write_text("Lake Chad is in Chad.")
    real = getattr(indexing, step)

    def interrupted(*arguments: object, **options: object) -> None:
        if step == "build":
            real(*arguments, **options)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(indexing, step, interrupted)
        with pytest.raises(KeyboardInterrupt):
            index([docs], place)
    done = index([docs], place)
    assert (done.extracted, done.is_new) == (0, True)
    assert done.graph.named("Lake Chad")


def test_what_is_refused(tmp_path: Path, docs: Path) -> None:
    place = tmp_path / "notes.graph"
    build(TINY, place)
    with pytest.raises(GraphbrickError, match="holds a graph already"):
        index([docs], place)
    assert not text_folder(place).exists()
    with fails("sources.not_there", InputError):
        index([tmp_path / "none"], tmp_path / "a.graph")
    (docs / "bad.txt").write_bytes(b"\0")
    with fails("index.unread_files", InputError, n=1):
        index([docs], tmp_path / "b.graph")
    assert len(index([docs], tmp_path / "b.graph", skip_bad=True).reading.problems) == 1


def test_passages_and_quotes(tmp_path: Path, docs: Path) -> None:
    graph = index([docs], tmp_path / "notes.graph").graph
    evidence = Passages(n=2).retrieve(Query("Which lake borders Uganda?"), Subgraph(graph))
    assert [Path(item.citations[0].document).name for item in evidence.items] == ["kenya.md", "uganda.txt"]
    assert evidence.items[0].citations[0].section == "Kenya > Lakes"
    assert graph.entity("lake victoria") in evidence.items[0].entities
    answer = parse("Passages(n=4) >> Quote(BM25(), n=1)")(graph, "Which lake borders Uganda?")
    assert answer.texts == ("Lake Victoria borders Kenya and Uganda.",)
    assert answer.support == ((0,),)
    nodes = np.array([graph.entity("kampala")], dtype=np.int32)
    part = Subgraph(graph, nodes, np.zeros(0, dtype=np.int32))
    assert [Path(item.citations[0].document).name for item in Passages().retrieve(Query("Victoria"), part).items] == [
        "uganda.txt"
    ]
    nothing = (Passages() >> Quote(BM25()))(graph, "xyzzy")
    assert nothing.texts == ()
    assert nothing.trace is not None
    assert nothing.trace.event_codes == ["quote.no_passage"]
    with pytest.raises(GraphbrickError, match=r"needs all passages of its documents, .* make the graph from documents"):
        parse("Passages() >> Quote(BM25())")(build(TINY, tmp_path / "tiny.graph"), "Which?")


def test_other_bricks_run_on_it(tmp_path: Path, docs: Path) -> None:
    graph = index([docs], tmp_path / "notes.graph").graph
    run = parse("PPR(k=5) >> Passages(n=1)").run(graph, "Where is Kampala?")
    assert run.evidence is not None
    assert [Path(item.citations[0].document).name for item in run.evidence.items] == ["uganda.txt"]
    assert parse("ShortestPaths() >> Rerank(BM25()) >> PathAnswer()")(graph, "What occurs with Kampala?").texts


def test_the_commands(run: Run, tmp_path: Path, docs: Path) -> None:
    place = str(tmp_path / "notes.graph")
    for name in ("a.png", "b.log.gz"):
        (docs / name).write_bytes(b"\0")
    first = run("index", str(docs), place)
    assert "3 documents (3 new, 0 changed, 0 deleted), 4 passages (4 read now)" in first.out
    assert f"note: left out: 2 files of other kinds (.log.gz, .png): {docs / 'a.png'}, {docs / 'b.log.gz'}" in first.err
    assert "note: names were found by capitals and function words, without a model" in first.err
    assert '"new": false' in run("index", place, "--json").out
    asked = run("ask", place, "Which lake borders Uganda?", "--pipeline", "Passages() >> Quote(BM25(), n=1)")
    assert "Lake Victoria borders Kenya and Uganda.\n" in asked.out
    assert "kenya.md, Kenya > Lakes (characters " in asked.out
    listed = run("documents", place).out
    assert "kenya.md  Kenya  2 passages" in listed
    assert run("documents", place, str(docs / "kenya.md"), "--start", "2", "--end", "7").out == "Kenya\n"
    refused(run("documents", place, "none.md"), "has no document 'none.md'")
    kenya = str(docs / "kenya.md")
    refused(
        run("documents", place, kenya, "--start", "9999"),
        f"has the characters 0 to {len(FILES['kenya.md'])}, got --start 9999;",
    )
    refused(run("documents", place, kenya, "--start", "9", "--end", "9"), "got --start 9 --end 9;")
    with TextStore(text_folder(tmp_path / "notes.graph")) as store:
        store.set("extractor", "Phrases(n=)")
    refused(run("index", place), "the extractor of the last time, 'Phrases(n=)', cannot be used any more", "--extract")
    refused(run("documents", place), "name another by --extract")
    with TextStore(text_folder(tmp_path / "notes.graph")) as store:
        store.set("extractor", "BM25()")
    refused(run("index", place), "the extractor of the last time, 'BM25()', finds no entities; name another by")
    assert "3 documents" in run("index", place, "--extract", "Phrases()").out
    refused(run("index", str(tmp_path / "other.graph")), "name documents too: graphbrick index docs/")
    refused(run("index", str(docs), place, "--extract", "BM25()"), "--extract takes a brick that finds entities")
    refused(run("index", str(docs), place, "--chunks", "BM25()"), "--chunks takes a brick that cuts documents")
    refused(run("documents", str(tmp_path / "no.graph")), "was not made from documents")


def test_a_first_run_of_no_use_leaves_nothing_behind(run: Run, tmp_path: Path) -> None:
    place, docs = tmp_path / "notes.graph", tmp_path / "docs"
    docs.mkdir()
    refused(run("index", str(tmp_path / "no"), str(place)), "no such file")
    assert sorted(tmp_path.iterdir()) == [docs]
    (docs / "a.txt").write_bytes(b"\0\1\2")
    refused(run("index", str(docs), str(place)), "a.txt")
    refused(run("index", str(docs), str(place), "--skip-bad"), "there is no document, as no file could be read")
    assert sorted(tmp_path.iterdir()) == [docs]
    (docs / "a.txt").write_text("The capital of Kenya is Nairobi.")
    (docs / "b.txt").write_bytes(b"\0\1\2")
    refused(run("index", str(docs), str(place)), "b.txt")
    assert text_folder(place).is_dir()  # what was read is not read again
    done = index([docs], place, skip_bad=True)
    assert (done.reading.same, done.reading.added) == (1, 0)
    assert "1 document (0 new, 0 changed, 0 deleted), 1 passage (0 read now), " in run("index", str(place)).out


@pytest.mark.whole
def test_a_full_disk_is_said_and_the_rest_goes_on_later(run: Run, tmp_path: Path) -> None:
    docs, place = tmp_path / "docs", tmp_path / "notes.graph"
    docs.mkdir()
    for i in range(20):
        (docs / f"{i}.txt").write_text(f"The capital of Kenya is Nairobi, says number {i}. " * 300)
    opened = TextStore.__init__

    def full(store: TextStore, folder: Path) -> None:
        opened(store, folder)
        store._db.execute("PRAGMA max_page_count = 40")

    with patch.object(TextStore, "__init__", full):
        refused(run("index", str(docs), str(place)), "documents.sqlite: the disk is full; free space and run the same")
    done = index([docs], place)
    assert 0 < done.reading.same < 20
    assert done.documents == 20


def test_passages_are_embedded_while_indexing_and_the_default_finds_what_continues_them(
    run: Run, tmp_path: Path, docs: Path
) -> None:
    place = tmp_path / "notes.graph"
    run("index", str(docs), str(place))
    graph = TextGraph.open(place)
    assert not lacks_vectors(graph, MiniLM())
    assert store_of(graph).missing(MiniLM(), list(graph.passage_texts())) == []
    assert repr(default_pipeline(graph)) == repr(parse(TEXT_PIPELINE))
    with patch.object(MiniLM, "encode", autospec=True, side_effect=MiniLM.encode) as encode:
        evidence = parse(TEXT_PIPELINE.partition(" >> ")[0]).run(graph, "Nairobi?").evidence
    assert [list(call.args[1]) for call in encode.call_args_list] == [["Nairobi?"]]
    assert evidence is not None
    assert len(evidence.items) == 4
    asked = run("ask", str(place), "Which country has a lake at its border, and Nairobi as its capital?")
    assert "The capital of Kenya is Nairobi." in asked.out


def test_the_first_question_embeds_what_indexing_did_not(run: Run, tmp_path: Path, docs: Path) -> None:
    place = tmp_path / "notes.graph"
    run("index", str(docs / "uganda.txt"), str(place), "--no-embed")
    assert lacks_vectors(TextGraph.open(place), MiniLM())
    assert "In Uganda, the capital is Kampala." in run("ask", str(place), "What is the capital of Uganda?").out
    assert not lacks_vectors(TextGraph.open(place), MiniLM())


def test_without_the_encoder_passages_are_found_by_words_which_is_said(
    run: Run, tmp_path: Path, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = str(tmp_path / "notes.graph")
    monkeypatch.setattr(MiniLM, "is_installed", False)
    assert NO_ENCODER in run("index", str(docs), place).err
    asked = run("ask", place, "Which lake borders Uganda?", "--json")
    assert NO_ENCODER in asked.err
    assert json.loads(asked.out)["answers"][0]["text"] == "Lake Victoria borders Kenya and Uganda."
    assert repr(default_pipeline(TextGraph.open(Path(place)))) == repr(parse(WORDS_PIPELINE))
