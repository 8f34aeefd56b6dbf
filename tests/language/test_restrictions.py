"""Days, months, years, numbers and limits of texts, in several languages."""

from __future__ import annotations

import pytest

from graphbrick.language.languages.german import german_root
from graphbrick.language.restrictions import restrictions

WEEK = frozenset(range(7))


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("It is closed on Fridays.", {4}),
        ("From Monday to Thursday it is open from 7 am", {0, 1, 2, 3}),
        ("montags bis freitags von 9 bis 20 Uhr", {0, 1, 2, 3, 4}),
        ("Mo-Fr 9-17 Uhr, Sa. 9-12 Uhr", {0, 1, 2, 3, 4, 5}),
        ("Fri-Mon: closed", {4, 5, 6, 0}),
        ("Mon to Fri", {0, 1, 2, 3, 4}),
        ("Di - Do geschlossen", {1, 2, 3}),
        ("the to Do list", set()),
        ("am Donnerstagnachmittag", {3}),
        ("An Sonn- und Feiertagen", {6}),
        ("on weekdays and at the weekend", WEEK),
        ("open daily", WEEK),
        ("le mardi et le jeudi", {1, 3}),
        ("del lunes al viernes", {0, 1, 2, 3, 4}),
        ("The sun sat on the wed floor. So do I.", set()),
        ("The market is on Saturday, 8 am to noon, and on Tuesday.", {5, 1}),
    ],
)
def test_days_of_the_week(text: str, days: set[int]) -> None:
    assert restrictions(text).days == days


@pytest.mark.parametrize(
    ("text", "months"),
    [
        ("from November to February", {10, 11, 0, 1}),
        ("Between December and February it is open at weekends", {11, 0, 1}),
        ("in July and August", {6, 7}),
        ("vom 15. Mai bis zum 10. September", {4, 5, 6, 7, 8}),
        ("You may march in the park.", {2}),
        ("since May 2020", {4}),
        ("It may rain", set()),
    ],
)
def test_months(text: str, months: set[int]) -> None:
    assert restrictions(text).months == months


def test_numbers_have_the_word_before_them_unless_a_unit_follows() -> None:
    found = restrictions("Bus 14 takes 18 minutes and costs 1,200.50 euros in 2023; see Art. 5 and version 1.1.")
    assert found.labelled == {("bus", "14"), ("art", "5"), ("vers", "1.1")}
    assert found.measured == {"18", "1,200.50"}
    assert found.years == {"2023"}
    assert restrictions("1,000 and 1.000 and 1000").numbers == {"1000"}


def test_limits_and_negations() -> None:
    assert restrictions("Who was mayor before Anna?").limits == {"before"}
    assert restrictions("der letzte Tag nach dem Fest").limits == {"last", "after"}
    assert restrictions("It can't be borrowed.").is_negative
    assert restrictions("Hunde sind nicht erlaubt.").is_negative
    assert not restrictions("Notes are allowed.").is_negative


def test_texts_without_end_are_read_in_part() -> None:
    assert restrictions("Mon-" * 100_000).days == {0}
    assert restrictions("1," * 100_000).labelled == frozenset()
    assert restrictions("a" * 5_000 + " Monday").days == frozenset()


def test_german_roots_join_participles_and_nouns_with_their_verbs() -> None:
    assert len({german_root(word) for word in ("abgeschaltet", "abschalten", "abschaltung")}) == 1
    assert len({german_root(word) for word in ("anmelden", "angemeldet", "anmeldungen")}) == 1
    assert german_root("bahn") != german_root("bank")
