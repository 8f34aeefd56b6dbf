"""Questions, their mentions, and the values of an answer that nobody has set."""

from __future__ import annotations

from graphbrick.core import Answer, Query
from graphbrick.core.query import Mention


def test_alternatives_are_other_readings_of_the_same_mention() -> None:
    paris = Mention("Paris", 3, others=(4, 5))
    query = Query("Is Paris in Texas?", (3, 7, 4), mentions=(paris, Mention("Texas", 7)))
    assert query.alternatives(3) == {4}
    assert query.alternatives(4) == {3}
    assert query.alternatives(7) == set()
    assert query.alternatives(5) == set()  # it is no seed
    assert Query("?", (1, 2)).alternatives(1) == set()


def test_the_question_names_an_entity_by_its_label_or_by_the_words_of_a_mention() -> None:
    mentions = (Mention("nowhere", 3), Mention("Tom Henks", 3, 0.9, (4,)))
    query = Query("Where was Tom Henks born, Meg?", mentions=mentions)
    assert query.name_of(3, "Tom Hanks") == "Tom Henks"
    assert query.name_of(4, "Tom Ford") == "Tom Henks"
    assert query.name_of(3, "Meg") == "Meg"
    assert query.name_of(5, "Ann") == "Ann"


def test_values_that_nobody_has_set() -> None:
    mention, query, answer = Mention("Paris", 3), Query("?"), Answer()
    assert (mention.score, mention.others) == (1.0, ())
    assert (query.seeds, query.id, query.mentions) == ((), "", ())
    assert (answer.from_model, answer.confidence, answer.withheld, answer.trace) == (False, None, "", None)
