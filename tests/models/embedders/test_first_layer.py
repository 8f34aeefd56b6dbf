from __future__ import annotations

import pytest
from faults import fails

from graphbrick.core.errors import ModelError
from graphbrick.models.embedders import first_layer as module
from graphbrick.models.embedders.first_layer import first_layer
from graphbrick.models.embedders.minilm import MiniLM

pytestmark = pytest.mark.skipif(not MiniLM().is_installed, reason="needs graphbrick[minilm]")


@pytest.mark.whole
def test_words_that_mean_about_the_same_are_near() -> None:
    texts = ["money", "river", "currency", "lake", "film", "movie"]
    money, river, currency, lake, film, movie = first_layer().embed(texts)
    assert money @ currency > 0.25 > money @ lake
    assert river @ lake > 0.25 > river @ movie
    assert film @ movie > 0.25 > film @ currency


@pytest.mark.whole
def test_common_words_and_their_order_hardly_count() -> None:
    first, second, other = first_layer().embed(
        ["the currency of Kenya", "Kenya -> currency", "the president of the river"]
    )
    assert first @ second > 0.9 > 0.5 > first @ other


def test_a_text_without_pieces_is_like_no_other() -> None:
    empty, full = first_layer().embed(["", "Kenya"])
    assert empty @ full == 0
    assert empty @ empty == 1


def test_weights_of_another_form_are_refused() -> None:
    with fails("first_layer.unknown_form", ModelError):
        module._table(b"\x3a\x00", 30_522)
