"""Blocks of rows, and the mass of a set of seeds on the driver; without Spark."""

from __future__ import annotations

import numpy as np
import pytest

from graphbrick.spark.walks import blocks
from graphbrick.spark.walks.blocks import Leaving, build_block
from graphbrick.spark.walks.progress import Way
from graphbrick.spark.walks.set_mass import SetMass

ENTITIES, ROW_LENGTH = 60, 8


@pytest.fixture
def ends() -> tuple[np.ndarray, np.ndarray]:
    """Both ends of every step of walks both ways; entity 0 is in a third of the triples, and some are there twice."""
    draw = np.random.default_rng(5).integers(0, ENTITIES, (300, 2))
    draw[::3, 1] = 0
    return np.concatenate([draw[:, 0], draw[:, 1]]), np.concatenate([draw[:, 1], draw[:, 0]])


def cut(ends: tuple[np.ndarray, np.ndarray], parts: int) -> list[blocks.Block]:
    """The rows in chunks of a few targets, spread over blocks."""
    import pyarrow

    sources, targets = ends
    degree = np.bincount(sources, minlength=ENTITIES)
    rows = []
    for entity in range(ENTITIES):
        own = targets[sources == entity].tolist()
        chunks = [own[first : first + ROW_LENGTH] for first in range(0, len(own), ROW_LENGTH)]
        rows += [(entity, [{"id": to, "degree": int(degree[to])} for to in chunk]) for chunk in chunks]
    struct = pyarrow.struct([("id", pyarrow.int64()), ("degree", pyarrow.int64())])
    found = []
    for part in range(parts):
        ids, lists = zip(*rows[part::parts][::-1], strict=True)
        arrays = [pyarrow.array(ids, pyarrow.int64()), pyarrow.array(lists, pyarrow.list_(struct))]
        batch = pyarrow.record_batch(arrays, names=["id", "targets"])
        (made,) = build_block(iter([batch.slice(0, 5), batch.slice(5)]))
        found.append(blocks._read(made))
        assert (found[-1].degrees == degree[found[-1].known]).all()
    return found


@pytest.mark.parametrize("parts", [1, 3])
def test_blocks_pass_on_what_the_triples_would(ends, parts) -> None:
    sources, targets = ends
    mass = np.random.default_rng(6).normal(size=ENTITIES)
    few = np.array([0, 3, 17])
    some = np.zeros(ENTITIES)
    some[few] = mass[few]
    expected = {4: np.bincount(targets, mass[sources], ENTITIES), 7: np.bincount(targets, some[sources], ENTITIES)}
    expected[9] = expected[4]
    listed = (np.concatenate([np.arange(ENTITIES), few]), np.concatenate([mass, mass[few]]))
    leaving = Leaving([4, 7], np.array([0, ENTITIES, ENTITIES + 3]), *listed, [9], mass[None])
    found = {number: np.zeros(ENTITIES) for number in expected}
    for block in cut(ends, parts):
        for number, ids, sums, _ in blocks._arriving(block, leaving):
            assert len(np.unique(ids)) == len(ids)
            found[number][ids if len(ids) else block.rows] += sums
    for number, sums in expected.items():
        assert found[number] == pytest.approx(sums, abs=1e-12)


def test_few_targets_are_sorted_and_summed_as_many_are_counted(ends, monkeypatch) -> None:
    (block,) = cut(ends, 1)
    ids, shares = np.array([2, 30, 59]), np.array([0.5, 0.25, 1.0])
    found = []
    for often in (0.0, 1e9):
        monkeypatch.setattr(blocks, "_OFTEN", often)
        found.append(blocks._push(block, ids, shares))
    assert found[0][0].tolist() == found[1][0].tolist()
    assert found[0][1] == pytest.approx(found[1][1])


def test_entities_without_rows_pass_nothing_on() -> None:
    block = blocks.Block(*(np.array(values) for values in ([1, 5], [0, 1, 2], [0, 0], [5], [1])))
    places, sums = blocks._push(block, np.array([0, 3, 9]), np.ones(3))
    assert (len(places), len(sums)) == (0, 0)


def masses(degrees: np.ndarray) -> tuple[SetMass, SetMass]:
    """A set that lists its entities, and the same with an entry for each entity."""
    start = np.array([3, 8])
    made = [SetMass(start, degrees[start], np.full(2, 0.5)) for _ in range(2)]
    made[1].widen(degrees)
    return made[0], made[1]


def test_listed_and_wide_mass_are_the_same(ends) -> None:
    sources, targets = ends
    degrees = np.bincount(sources, minlength=ENTITIES)
    few, wide = masses(degrees)
    way = Way(0.2, True, ROW_LENGTH)
    for _ in range(8):
        for limit in (0.01, 1e-4):
            ids, shares, degree = few.leaving(few.push(limit, way)[0])
            assert (degree == degrees[ids]).all()
            own, own_shares, _ = wide.leaving(wide.push(limit, way)[0])
            assert own.tolist() == ids.tolist()
            assert own_shares == pytest.approx(shares)
            share = np.zeros(ENTITIES)
            share[ids] = shares
            arriving = targets[share[sources] != 0]
            sums = share[sources][share[sources] != 0]
            few.receive(arriving, sums, degrees[arriving])
            wide.add(np.arange(ENTITIES), np.bincount(arriving, sums, ENTITIES))
            assert few.progress(0.2, 5) == pytest.approx(wide.progress(0.2, 5))
    seeds = np.array([3, 8])
    for keep in (None, 5):
        found = [dict(zip(*map(np.ndarray.tolist, mass.scores(0.2, keep, seeds)), strict=True)) for mass in (few, wide)]
        assert found[0] == pytest.approx(found[1])
        assert {3, 8} <= set(found[0])


def test_ties_at_the_cut_are_kept() -> None:
    mass = SetMass(np.arange(6), np.ones(6, np.int64), np.array([0.4, 0.1, 0.1, 0.1, 0.2, 0.1]))
    ids, _ = mass.scores(0.5, 3, np.array([0]))
    assert ids.tolist() == [0, 1, 2, 3, 4, 5]
    assert mass.scores(0.5, 2, np.array([5]))[0].tolist() == [0, 4, 5]
