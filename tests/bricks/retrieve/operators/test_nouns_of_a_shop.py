"""Questions over a shop of posters that its tables call products: unknown nouns, reviews that are triples, totals."""

from __future__ import annotations

import pytest
from built_graphs import built_from_nodes_and_edges

from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

NODES = {
    "customer": "id,label,name,total_spent\nc1,Customer,Ada Marsh,300\nc2,Customer,Ben Holt,90\nc3,Customer,Cleo,0\n",
    "product": "id,label,name,price,stock\n"
    "p1,Product,Fort Point,70,80\np2,Product,Calm Sea,90,10\np3,Product,Wall Skate,20,95\np4,Product,Dog Grass,15,0\n",
    "category": "id,label,name\nk1,Category,nature\nk2,Category,sports\n",
    "order": "id,label,name,total,tax_rate,nb_items\n"
    "o1,Order,QX1001,160,0.2,2\no2,Order,QX1002,140,0.1,2\no3,Order,QX1003,90,0.2,1\n",
}
EDGES = {
    "in_category": "start,end,type\np1,k1,IN_CATEGORY\np2,k1,IN_CATEGORY\np3,k2,IN_CATEGORY\np4,k1,IN_CATEGORY\n",
    "placed": "start,end,type\nc1,o1,PLACED\nc1,o2,PLACED\nc2,o3,PLACED\n",
    "contains": "start,end,type,quantity\n"
    "o1,p1,CONTAINS,1\no1,p2,CONTAINS,1\no2,p1,CONTAINS,2\no2,p3,CONTAINS,1\no3,p2,CONTAINS,1\n",
    "reviewed": "start,end,type,date,rating,status\n"
    "c1,p1,REVIEWED,2024-11-05,5,accepted\nc1,p3,REVIEWED,2024-12-06,1,pending\n"
    "c2,p2,REVIEWED,2024-12-07,1,rejected\nc2,p1,REVIEWED,2024-12-08,2,pending\n",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_nodes_and_edges(tmp_path_factory.mktemp("posters"), NODES, EDGES)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which posters has Ada Marsh ordered?", {"Fort Point", "Calm Sea", "Wall Skate"}),
        ("how many different posters did Ada Marsh order?", {"3"}),
        ("Our most expensive poster?", {"Calm Sea"}),
        ("Which posters have never been reviewed?", {"Dog Grass"}),
        ("which posters cost more than 60 and have over 70 in stock?", {"Fort Point"}),
        ("what's the average price of a nature poster?", {"58.33"}),
        ("How much is the Fort Point poster?", {"70"}),
    ],
)
def test_an_unknown_noun_is_read_as_the_only_class_that_fits(shop: Graph, question: str, answers: set[str]) -> None:
    result = default_pipeline(shop).run(shop, question)
    assert set(result.answer.texts) == answers
    assert result.answer.confidence == pytest.approx(0.4)
    assert "operators.noun_as_class" in result.trace.event_codes


@pytest.mark.whole
@pytest.mark.parametrize(
    "question",
    [
        "How many coupons does Ada Marsh have?",
        "Which frames did we keep for Ada Marsh?",  # no word of the graph says what is done
        "Where does Ada Marsh dance?",
    ],
)
def test_without_other_words_that_say_what_is_asked_no_class_is_taken(shop: Graph, question: str) -> None:
    assert default_pipeline(shop)(shop, question).texts == ()


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which products have pending reviews?", {"Fort Point", "Wall Skate"}),
        ("Which customers have rejected reviews?", {"Ben Holt"}),
        ("Which products have no pending reviews?", {"Calm Sea", "Dog Grass"}),
        ("Which products have a review with rating 1?", {"Wall Skate", "Calm Sea"}),
        ("Which products have reviews with a rating of 5?", {"Fort Point"}),
        ("How many products have reviews since December 2024?", {"3"}),
        ("Which products got a 1 star review?", {"Wall Skate", "Calm Sea"}),
        ("products with five star reviews", {"Fort Point"}),
        ("Who gave Fort Point 5 stars?", {"Ada Marsh"}),
        ("who gave Calm Sea a 1-star review", {"Ben Holt"}),
    ],
)
def test_reviews_are_triples_with_properties(shop: Graph, question: str, answers: set[str]) -> None:
    assert set(default_pipeline(shop)(shop, question).texts) == answers


@pytest.mark.whole
def test_a_rating_is_no_tax_rate(shop: Graph) -> None:
    result = default_pipeline(shop).run(shop, "which product has the best average rating")
    assert not any("tax_rate" in str(event) for event in result.trace.events)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("which order has the highest total", {"QX1001"}),
        ("which order had the lowest total", {"QX1003"}),
        ("What was the highest order total?", {"160"}),
        ("What was the biggest order ever by total?", {"QX1001"}),
        ("which customer has the highest total spent", {"Ada Marsh"}),
        ("top 2 customers by total spent", {"Ada Marsh", "Ben Holt"}),
    ],
)
def test_a_total_that_is_a_property_is_no_sum(shop: Graph, question: str, answers: set[str]) -> None:
    assert set(default_pipeline(shop)(shop, question).texts) == answers


def test_from_us_says_nothing(shop: Graph) -> None:
    assert set(default_pipeline(shop)(shop, "Which products has Ben Holt bought from us?").texts) == {"Calm Sea"}
