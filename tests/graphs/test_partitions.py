from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import igraph
import numpy as np
import pytest
from faults import fails, told
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.core.errors import GraphFormatError
from graphbrick.core.files.folders import working_folder
from graphbrick.core.trace import StageTrace, Trace, record
from graphbrick.graphs import partitions
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.changes.delta import change
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.partitions import Method, Partitions, folder_of, keep, part, partitions_of
from graphbrick.graphs.store import beside

CLUBS = [[f"{club}{i}" for i in range(6)] for club in ("fox", "owl", "bee")]
INSIDE = [(a, "knows", b) for club in CLUBS for i, a in enumerate(club) for b in club[i + 1 :]]
DEFAULT = Method()
BETWEEN = [("fox0", "met", "owl0"), ("owl1", "met", "bee0"), ("hermit", "knows", "hermit")]


@pytest.fixture
def clubs(tmp_path: Path) -> Graph:
    """Three clubs whose members all know each other, joined by one triple each, and somebody who knows only himself."""
    return build([*INSIDE, *BETWEEN], tmp_path / "clubs.graph")


@pytest.fixture(scope="module")
def random_graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    rng = np.random.default_rng(1)
    ends = [(a, b) for a, b in rng.integers(0, 400, (3000, 2)).tolist() if a // 40 == b // 40 or rng.random() < 0.1]
    records = [(f"n{a}", f"r{rng.integers(2)}", f"n{b}") for a, b in ends]
    return build(records, tmp_path_factory.mktemp("random") / "random.graph")


def traced(graph: Graph, method: Method = DEFAULT) -> tuple[Partitions, StageTrace]:
    with record(Trace(), "Test()", "extract") as entry:
        return partitions_of(graph, method), entry


def names(graph: Graph, found: Partitions) -> list[list[str]]:
    ends = zip(found.pointer[:-1].tolist(), found.pointer[1:].tolist(), strict=True)
    return [sorted(graph.label(node) for node in found.member[a:b].tolist()) for a, b in ends]


def folders(graph: Graph) -> list[str]:
    return sorted(file.name for file in graph.path.with_name(f"{graph.path.name}.partitions").iterdir())


def test_clubs_are_the_partitions(clubs: Graph) -> None:
    assert names(clubs, part(clubs, Method())) == [*map(sorted, CLUBS), ["hermit"]]


@given(st.lists(st.integers(-5, 5), max_size=30))
def test_labels_of_any_numbers_become_partitions(labels: list[int]) -> None:
    found = Partitions.of(np.array(labels, dtype=np.int32))
    first = list(dict.fromkeys(labels))
    assert found.label.tolist() == [first.index(label) for label in labels]
    assert len(found) == len(first)
    groups = [[i for i, label in enumerate(labels) if label == value] for value in first]
    assert found.member.tolist() == [i for group in groups for i in group]
    assert np.diff(found.pointer).tolist() == [len(group) for group in groups]
    for i, label in enumerate(labels):
        group = found.member[found.pointer[found.label[i]] :]
        assert group[found.place[i]] == i
        assert groups[first.index(label)][found.place[i]] == i


def test_partitions_are_as_good_as_those_of_igraph(random_graph: Graph) -> None:
    csr = random_graph.csr
    heads = np.repeat(np.arange(csr.n_nodes), csr.out_degrees())
    other = igraph.Graph(
        csr.n_nodes, [(h, t) for h, t in zip(heads.tolist(), csr.tail.tolist(), strict=True) if h != t]
    )
    best = other.community_leiden(objective_function="modularity", n_iterations=10).modularity
    assert other.modularity(part(random_graph, Method()).label.tolist()) >= 0.95 * best


def test_modularity_by_hand_and_by_igraph(clubs: Graph, random_graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    # 15 triples inside each club, and two between clubs: degrees 31, 32 and 31, and the hermit's own triple counts not.
    by_hand = 45 / 47 - (31**2 + 32**2 + 31**2) / 94**2
    assert part(clubs, Method()).modularity(clubs) == pytest.approx(by_hand)
    one = Partitions.of(np.zeros(clubs.n_entities, dtype=np.int32))
    assert one.modularity(clubs) == pytest.approx(0)
    csr, found = random_graph.csr, part(random_graph, Method())
    heads = np.repeat(np.arange(csr.n_nodes), csr.out_degrees())
    pairs = [(h, t) for h, t in zip(heads.tolist(), csr.tail.tolist(), strict=True) if h != t]
    for at_once in (10_000_000, 100):
        monkeypatch.setattr(partitions, "_AT_ONCE", at_once)
        theirs = igraph.Graph(csr.n_nodes, pairs).modularity(found.label.tolist())
        assert found.modularity(random_graph) == pytest.approx(theirs)


def test_a_deleted_triple_counts_in_no_modularity(clubs: Graph) -> None:
    found = part(clubs, Method())
    changed = change(clubs.path, delete=[("fox0", "met", "owl0"), ("owl1", "met", "bee0")]).graph
    assert found.modularity(changed) == pytest.approx(1 - 3 * (30 / 90) ** 2)


def test_the_same_numbers_give_the_same_partitions(random_graph: Graph) -> None:
    one, two = part(random_graph, Method()), part(random_graph, Method())
    assert one.label.tolist() == two.label.tolist()
    fine = part(random_graph, Method(resolution=20.0))
    assert len(fine) > len(one)
    assert part(random_graph, Method(seed=1)).label.shape == one.label.shape


def test_large_partitions_are_parted_again(random_graph: Graph) -> None:
    whole, done = part(random_graph, Method()), list[float]()
    small = part(random_graph, Method(size=15), progress=lambda step, at, total: done.append(at))
    assert max(np.diff(whole.pointer)) > 15
    assert max(np.diff(small.pointer)) < max(np.diff(whole.pointer))
    assert sum(np.diff(small.pointer) > 15) <= 1  # unless Leiden leaves one whole
    # Each lies in one of the others.
    assert all(len(set(whole.label[small.label == i])) == 1 for i in range(len(small)))
    assert done == sorted(done)
    assert done[-1] == random_graph.n_entities


def test_what_cannot_be_divided_stays(tmp_path: Path) -> None:
    star = build([("hub", "has", f"leaf {i}") for i in range(50)], tmp_path / "star.graph")
    assert len(part(star, Method(size=10))) == 1


def test_without_a_triple_between_two_entities_each_is_alone(tmp_path: Path) -> None:
    graph = build([("a", "is", "a"), ("b", "is", "b")], tmp_path / "g.graph")
    assert names(graph, part(graph, Method())) == [["a"], ["b"]]


def test_they_are_made_once_and_kept_for_other_processes(clubs: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    first, entry = traced(clubs)
    command = f"graphbrick prepare partitions {clubs.path}"
    assert told(entry.events) == [("partitions.made", {"state": "missing", "n": 4, "command": command})]
    assert traced(clubs)[1].events == []
    monkeypatch.setitem(sys.modules, "graspologic_native", None)  # reading needs no library
    again, entry = traced(Graph.open(clubs.path))
    assert entry.events == []
    assert again.label.tolist() == first.label.tolist()
    assert not again.label.flags.writeable
    facts = json.loads(next(clubs.path.parent.glob("*.partitions/*/facts.json")).read_text())
    assert facts["graph"] == clubs.hash
    assert (facts["resolution"], facts["seed"], facts["size"], facts["partitions"]) == (1.0, 0, 100_000, 4)
    with fails("partitions.no_library"):
        partitions_of(Graph.open(clubs.path), Method(seed=5))


def test_other_parameters_are_kept_beside(clubs: Graph) -> None:
    for method in (Method(), Method(resolution=2.0), Method(seed=3), Method(size=5)):
        assert len(traced(clubs, method)[1].events) == 1
    assert len(folders(clubs)) == 4
    assert "--resolution 2.0 --seed 3" in partitions.command(clubs, Method(2.0, 3))


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda folder: (folder / "label.npy").write_bytes(b"short"), "label.npy is 5 bytes instead of"),
        (lambda folder: (folder / "member.npy").unlink(), "member.npy is missing"),
        (lambda folder: (folder / "facts.json").unlink(), "no facts.json"),
        (lambda folder: (folder / "facts.json").write_text("{"), "facts.json cannot be read"),
        (lambda folder: (folder / "facts.json").write_text('{"format": 99, "files": {}}'), "format 99 instead of 1"),
        (lambda folder: (folder / "facts.json").write_text('{"format": 1, "files": {}}'), "arrays ['int64'"),
    ],
)
def test_damage_is_told_and_repaired(clubs: Graph, damage, reason: str) -> None:
    expected = partitions_of(clubs, Method()).label.tolist()
    folder = folder_of(clubs, Method()).folder
    damage(folder)
    if reason.startswith("arrays"):
        np.save(folder / "label.npy", np.zeros(3, dtype=np.int64))
    found, entry = traced(Graph.open(clubs.path))
    ((code, values),) = told(entry.events)
    assert (code, values["state"]) == ("partitions.made", "damaged")
    assert reason in entry.events[0]
    assert found.label.tolist() == expected
    assert traced(Graph.open(clubs.path))[1].events == []
    assert folders(clubs) == [folder.name]


def test_a_label_that_was_overwritten_is_told(clubs: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside.facts_of, "__kwdefaults__", {"largest": 0})  # as of a large file, without a checksum
    partitions_of(clubs, Method())
    folder = folder_of(clubs, Method()).folder
    for label in (2, 99, -1):
        np.save(folder / "label.npy", np.full(clubs.n_entities, label, dtype=np.int32))
        found = partitions_of(Graph.open(clubs.path), Method())
        with pytest.raises(GraphFormatError) as caught:
            found.inside(clubs, np.array([0], dtype=np.int32), True, True)
        assert caught.value.code in ("partitions.no_such_partition", "partitions.disagree")


def test_what_is_inside_are_all_of_the_partitions_of_the_seeds(clubs: Graph) -> None:
    found = partitions_of(clubs, Method())
    seeds = np.array([clubs.entity("owl3"), clubs.entity("hermit")], dtype=np.int32)
    members, chosen, pointers, neighbours = found.inside(clubs, seeds, True, False)
    assert sorted(clubs.label(int(i)) for i in members) == ["hermit", *sorted(CLUBS[1])]
    assert members[chosen].tolist() == seeds.tolist()
    assert len(pointers) == 8
    assert len(neighbours) == 15 + 1  # the triples of the club, and the loop
    assert len(found.inside(clubs, seeds[:0], True, True).members) == 0


def test_those_of_an_older_graph_are_replaced(clubs: Graph) -> None:
    old = partitions_of(clubs, Method())
    partitions_of(clubs, Method(seed=1))
    newer = build([*INSIDE, *BETWEEN, ("hermit", "met", "fox0")], clubs.path, overwrite=True)
    found, entry = traced(newer)
    assert told(entry.events)[0][1]["state"] == "of another version"
    assert len(found) == 3
    assert folders(newer) == sorted(
        [folder_of(newer, Method()).folder.name, folder_of(clubs, Method(seed=1)).folder.name]
    )
    # Who has the old graph open goes on with what it has.
    assert names(clubs, old)[-1] == ["hermit"]


def test_a_large_graph_is_not_parted_in_passing(clubs: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partitions, "_LARGE", 10)
    with fails("partitions.graph_is_large", state="missing"):
        partitions_of(clubs, Method())
    keep(clubs, Method(), part(clubs, Method()))
    assert traced(clubs)[1].events == []


def test_a_folder_that_cannot_be_written_is_an_event(clubs: Graph) -> None:
    (clubs.path.parent / "clubs.graph.partitions").write_text("a file")
    found, entry = traced(clubs)
    assert len(found) == 4
    assert told(entry.events)[1][0] == "partitions.not_kept"
    assert traced(clubs)[1].events == []  # this process has them


def test_what_a_killed_process_left_is_removed_and_not_what_a_running_one_writes(clubs: Graph) -> None:
    parent = folder_of(clubs, Method()).parent
    parent.mkdir()
    left = parent / ".1-1-a.part"
    left.mkdir()
    (left / "label.npy").write_bytes(b"half")
    with working_folder(parent, ".part") as work:
        assert not left.exists()
        partitions_of(clubs, Method())
        assert work.exists()
    assert not work.exists()


def test_threads_make_them_once(clubs: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = list[float]()

    def counted(*arguments: object) -> Partitions:
        calls.append(1)
        return part(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(partitions, "part", counted)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: partitions_of(clubs, Method()), range(8)))
    assert len(calls) == 1
    assert all(each is found[0] for each in found)


def test_after_a_small_change_new_entities_join_the_partition_of_most_of_their_neighbours(clubs: Graph) -> None:
    before, _ = traced(clubs)
    added = [("cub", "knows", "fox1"), ("fox2", "knows", "cub"), ("cub", "met", "owl2"), ("kit", "knows", "cub")]
    changed = change(clubs.path, add=added).graph
    after, entry = traced(changed)
    ((code, values),) = told(entry.events)
    assert (code, values["new"], round(values["changed"], 3)) == ("partitions.of_earlier_version", 2, 0.077)
    assert after.label[: clubs.n_entities].tolist() == before.label.tolist()
    assert names(changed, after)[0] == sorted([*CLUBS[0], "cub", "kit"])
    after_reopening, entry = traced(Graph.open(clubs.path))
    assert entry.events == []
    assert after_reopening.label.tolist() == after.label.tolist()
    # What has changed is counted from where the partitions were found, not from where they were extended.
    changed = change(clubs.path, add=[("cub", "knows", "fox3"), ("kit", "knows", "fox4")]).graph
    after, entry = traced(changed)
    assert told(entry.events)[0][1]["state"] == "changed too much"


def test_new_entities_that_are_connected_with_each_other_only_have_a_partition_of_their_own(clubs: Graph) -> None:
    traced(clubs)
    changed = change(clubs.path, add=[("ant1", "knows", "ant2"), ("elk1", "knows", "elk2")]).graph
    after, _ = traced(changed)
    assert names(changed, after) == [*map(sorted, CLUBS), ["hermit"], ["ant1", "ant2"], ["elk1", "elk2"]]


def test_a_deleted_triple_leaves_the_partitions_as_they_are(clubs: Graph) -> None:
    before, _ = traced(clubs)
    after, entry = traced(change(clubs.path, delete=[INSIDE[0]]).graph)
    assert after.label.tolist() == before.label.tolist()
    assert round(told(entry.events)[0][1]["changed"], 3) == 0.021


def test_partitions_of_a_large_graph_that_has_changed_much_are_refused(
    clubs: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    traced(clubs)
    changed = change(clubs.path, add=[(f"fly{i}", "knows", "fox0") for i in range(6)]).graph
    monkeypatch.setattr(partitions, "_LARGE", 10)
    with fails("partitions.graph_is_large", state="changed too much"):
        partitions_of(changed, DEFAULT)


def test_what_is_beside_a_damaged_or_foreign_folder_is_not_used(clubs: Graph) -> None:
    traced(clubs)
    (folder_of(clubs, DEFAULT).folder / "label.npy").write_bytes(b"")
    changed = change(clubs.path, add=[("cub", "knows", "fox1")]).graph
    assert told(traced(changed)[1].events)[0][1]["state"] == "of another version"
    # Building again numbers the entities anew.
    traced(changed)
    again = build([*BETWEEN, *INSIDE], clubs.path, overwrite=True)
    assert told(traced(again)[1].events)[0][1]["state"] == "of another version"
