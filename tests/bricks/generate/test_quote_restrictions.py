"""Quote: sentences with the day, year, number or limit that a question asks about come first."""

from __future__ import annotations

import numpy as np
import pytest
from faults import told

from graphbrick import BM25, Citation, Evidence, Passage, Query, Quote
from graphbrick.bricks.generate.restricted import restriction_scores
from graphbrick.bricks.generate.sentence_scores import sentence_scores
from graphbrick.core.trace import Trace, record
from graphbrick.text.documents.quotable import quotable

BUSES = """# Bus 12
On weekdays bus 12 runs every 20 minutes from 5 am. On Saturdays it runs every half hour. On Sundays it runs once an
hour.

# Bus 14
On weekdays bus 14 runs every 15 minutes. On Sundays it runs every half hour. The ride takes 18 minutes.
"""
POOL = """# Pool
From Monday to Thursday the pool is open from 7 am to 9 pm. It is closed on Fridays for cleaning. On Saturdays it opens
at 9 am. Between December and February it opens at noon. In 2022 it had 3,000 visitors, in 2023 only 2,000.
"""
BADEN = """# Freibad
Das Freibad ist montags bis freitags von 9 bis 20 Uhr geöffnet, am Wochenende ab 8 Uhr. Dienstags öffnet es erst um
13 Uhr. Gelbe Säcke gibt es hier nicht. Die Anmeldungen sind bis zum 31. Mai möglich.
"""
HALL = (
    "The mayor is Helen Brandt. Before her Rolf Aske was mayor. Books are lent. Newspapers cannot be lent. It is big."
)
FERRIES = """Ferry 1 sails to Skorra. In summer it departs at 8 am. The crossing takes 70 minutes. It is white.
Ferry 2 sails to Mell. In summer it departs at 9 am. The crossing takes 40 minutes. It is blue."""
VERSIONS = "Version 1.2 was ratified on October 1st, 2022. Version 1.1 was ratified on April 26th, 2004."


def first(question: str, text: str) -> str:
    """Return the sentence with the highest score where all are equally similar to the question."""
    sentences = quotable((Passage(text, (Citation("a.md", 0, len(text)),)),))
    scores = sentence_scores(question, sentences, np.full(len(sentences), 0.5))
    return sentences[int(scores.total.argmax())].text


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("Is the pool open on Fridays?", POOL, "It is closed on Fridays for cleaning."),
        ("Is the pool open on Wednesday?", POOL, "From Monday to Thursday the pool is open"),
        ("When does the pool open on Saturdays?", POOL, "On Saturdays it opens at 9 am."),
        ("When does the pool open in January?", POOL, "Between December and February it opens at noon."),
        ("How many visitors did the pool have in 2023?", POOL, "In 2022 it had 3,000 visitors, in 2023 only 2,000."),
        ("When does bus 12 run on Sundays?", BUSES, "On Sundays it runs once an hour."),
        ("How often does bus 14 run on Sundays?", BUSES, "On Sundays it runs every half hour."),
        ("How often does bus 12 run on weekdays?", BUSES, "On weekdays bus 12 runs every 20 minutes"),
        ("How long does the ride with bus 14 take?", BUSES, "The ride takes 18 minutes."),
        ("When was version 1.1 ratified?", VERSIONS, "Version 1.1 was ratified"),
        ("What can not be lent?", HALL, "Newspapers cannot be lent."),
        ("who is the mayor", HALL, "The mayor is Helen Brandt."),
        ("Who was mayor before Helen Brandt?", HALL, "Before her Rolf Aske was mayor."),
        ("Wann öffnet das Freibad dienstags?", BADEN, "Dienstags öffnet es erst um 13 Uhr."),
        ("Wann ist das Freibad am Sonntag geöffnet?", BADEN, "Das Freibad ist montags bis freitags"),
        ("Bis wann kann man sich anmelden?", BADEN, "Die Anmeldungen sind bis zum 31. Mai möglich."),
    ],
)
def test_what_restricts_the_question_decides(question: str, text: str, expected: str) -> None:
    assert first(question, text).startswith(expected)


def test_the_nearest_number_before_a_sentence_is_its_own() -> None:
    sentences = quotable((Passage(FERRIES, (Citation("a.md", 0, len(FERRIES)),)),))
    crossings = [i for i, one in enumerate(sentences) if one.text.startswith("The crossing")]
    for ferry, is_own in (("1", [True, False]), ("2", [False, True])):
        scores = restriction_scores(f"How long is the crossing of ferry {ferry}?", sentences, [-1] * len(sentences))
        assert [bool(scores[i] > 0) for i in crossings] == is_own
        assert [bool(scores[i] < 0) for i in crossings] == [not one for one in is_own]


def test_a_number_with_a_unit_is_not_the_number_of_a_bus() -> None:
    text = "The walk takes 14 minutes. The walk to the stop takes longer with bus 14."
    assert first("Which walk is with bus 14?", text) == "The walk to the stop takes longer with bus 14."


def test_a_sentence_that_goes_on_is_about_what_the_one_before_names() -> None:
    text = "# Town\nYellow bags are taken away on Fridays. They are sold in the library. Red bins are sold in the hall."
    assert first("Where are yellow bags sold?", text) == "They are sold in the library."


def test_a_price_is_an_amount_of_money() -> None:
    text = "The tower has 90 steps for a visit. A visit of the tower costs 4 euros. A visit of the tower takes 2 hours."
    assert first("What does a visit of the tower cost?", text) == "A visit of the tower costs 4 euros."


def test_the_hours_of_another_house_are_no_answer() -> None:
    pool = "On Sundays it is open from 10 am. From Monday to Thursday it is open too. The water is warm."
    library = "The reading room is open from Monday to Friday. It has a stove. The books are old."
    items = tuple(
        Passage(text, (Citation(f"{name}.md", 0, len(text), section=f"{name} > Opening hours"),))
        for name, text in (("Pool", pool), ("Library", library))
    )
    sentences = quotable(items)
    for question, expected in (("Is the library open on Sundays?", 1), ("Is the pool open on Sundays?", 0)):
        scores = sentence_scores(question, sentences, np.full(len(sentences), 0.5), items)
        assert sentences[int(scores.total.argmax())].item == expected
    with record(Trace(), "test", "generate") as entry:
        Quote(BM25(), n=1).generate(Query("Is the library open on Sundays?"), Evidence(items[1:]))
    assert told(entry.events) == [("quote.other_part", {"words": ["Sundays"]})]


def test_a_line_with_a_colon_is_quoted_though_it_has_two_words() -> None:
    text = "# Library\nMonday: closed\nTuesday: 10 am to 6 pm\nWednesday: 10 am to 6 pm\nReading\nNew books"
    assert first("On which days is the library closed?", text) == "Monday: closed"
    assert not {"Reading", "New books"} & {one.text for one in quotable((Passage(text, (Citation("a.md"),)),))}


def test_what_the_first_quotation_speaks_of_is_not_told() -> None:
    for question in (
        "Is the pool open on Fridays?",
        "How many visitors did it have in 2023?",
        "Is it open in January?",
    ):
        with record(Trace(), "test", "generate") as entry:
            Quote(BM25(), n=1).generate(Query(question), Evidence((Passage(POOL, (Citation("a.md", 0, 9),)),)))
        assert entry.events == []


def test_documents_that_contradict_each_other_are_both_quoted() -> None:
    texts = ("Tickets cost 5 euros.", "Tickets cost 7 euros.")
    items = tuple(Passage(text, (Citation(f"{i}.txt", 0, len(text)),)) for i, text in enumerate(texts))
    answer = Quote(BM25(), n=3).generate(Query("What do tickets cost?"), Evidence(items))
    assert set(answer.texts) == set(texts)
    assert answer.support == ((0,), (1,)) if answer.texts == texts else ((1,), (0,))
    assert {answer.evidence.items[i].citations[0].document for rows in answer.support for i in rows} == {
        "0.txt",
        "1.txt",
    }


def test_a_long_question_is_answered_like_a_short_one() -> None:
    assert first("Is the pool open on Fridays? " * 180, POOL) == "It is closed on Fridays for cleaning."
