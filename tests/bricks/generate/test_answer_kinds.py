"""The kinds of sentences that questions ask for."""

from __future__ import annotations

import time

import pytest

from graphbrick.bricks.generate.answer_kinds import answer_pattern, has_kind


@pytest.mark.parametrize(
    ("sentence", "defines"),
    [
        ("Galway is a port.", True),
        ("The well-known port of Galway is old.", True),
        ("- A keeper (of boats) is a person.", True),
        ("- Galway is a port.", True),
        ("He says that in the long years before the war it is old.", False),
        ("Galway has a port.", False),
    ],
)
def test_a_sentence_that_defines(sentence: str, defines: bool) -> None:
    pattern = answer_pattern("What is Galway?")
    assert pattern is not None
    assert bool(pattern.search(sentence)) == defines


@pytest.mark.parametrize("sentence", ["-" * 70, "- " * 70, "a-" * 70, "--a--" * 30, "=" * 70 + " x-"])
def test_lines_of_signs_take_no_time(sentence: str) -> None:
    pattern = answer_pattern("What is the current version?")
    assert pattern is not None
    start = time.perf_counter()
    pattern.search(sentence)
    assert time.perf_counter() - start < 1


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("Where is the log?", "It is /var/log/ship/a.txt.", "It is a/b, and old."),
        ("Where do I find the log?", "See example.org.", "See it."),
        ("To whom do I write?", "Ask office@example.org.", "Ask him."),
        ("Which address is it?", "https://example.org/a", "It is old."),
        ("How many ships are there?", "There are one or two.", "It is one of the ships (see Section 4.3, page 7) [1]."),
    ],
)
def test_places_addresses_and_numbers(question: str, answer: str, other: str) -> None:
    pattern = answer_pattern(question)
    assert pattern is not None
    assert has_kind(pattern, answer)
    assert not has_kind(pattern, other)


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("Quanto custa o bilhete?", "O bilhete custa 3 euros.", "O bilhete tem 3 páginas."),
        ("¿Cada cuánto sale el barco?", "El barco sale cada noche.", "El barco sale del puerto."),
        ("Ogni quanto parte la nave?", "La nave parte ogni sera.", "La nave parte dal porto."),
        ("Quanto tempo dura a viagem?", "A viagem dura dois dias.", "A viagem tem dois barcos."),
        ("Quantos barcos há?", "Há três barcos.", "Há barcos."),
        ("Para que serve o guindaste?", "O guindaste permite levantar barcos.", "O guindaste fica no porto."),
        ("À quoi sert la grue ?", "La grue est un outil du port.", "C'est la fin de la page."),
        ("Onde está o registo?", "O registo está em /var/log/navio.", "O registo é antigo."),
        ("Desde quando existe o porto?", "O porto existe desde junho de 1921.", "O porto existe."),
        ("Perché il porto è chiuso?", "È chiuso perché piove.", "È chiuso."),
    ],
)
def test_kinds_in_romance_languages(question: str, answer: str, other: str) -> None:
    pattern = answer_pattern(question)
    assert pattern is not None
    assert has_kind(pattern, answer)
    assert not has_kind(pattern, other)
