"""Quote: sentences of passages as answers, and when there is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from faults import told

from graphbrick import BM25, Answer, ByParagraph, Citation, Evidence, MiniLM, Passage, Query, Quote, index, parse
from graphbrick.core.trace import Trace, record
from graphbrick.testing import check_brick
from graphbrick.text.documents.quotable import quotable


def passage(text: str, section: str = "") -> Passage:
    return Passage(text, (Citation("a.md", 0, len(text), section=section),))


def quoted(question: str, *texts: str, n: int = 1, section: str = "", around: int = 0) -> Answer:
    return Quote(BM25(), n=n, around=around).generate(
        Query(question), Evidence(tuple(passage(text, section) for text in texts))
    )


def test_keeps_the_contract() -> None:
    check_brick(Quote(BM25(), n=2))


def test_headings_count_but_are_not_quoted() -> None:
    items = (
        passage("What are the signs of gout?\nA swollen toe is the first.", "Gout > What are the signs of gout?"),
        passage("# Diet and gout\nFish has much acid. Is it bad?", "Diet and gout"),
        passage("A swollen toe is the first."),
    )
    answer = Quote(BM25(), n=2).generate(Query("What are signs of gout?"), Evidence(items))
    assert answer.texts == ("A swollen toe is the first.", "Fish has much acid.")
    assert answer.support == ((0, 2), (1,))
    assert answer.entities == (None, None)
    assert [items[0].text[start:end] for start, end in answer.marks[:1]] == ["A swollen toe is the first."]


def test_a_heading_of_several_sentences_is_not_quoted() -> None:
    title = 'O11. The crane says "Lift again" in the log. Why?'
    item = passage(f"{title}\n\nThe motor says so when the log of the crane is full.", f"Cranes > {title}")
    answer = quoted("Why does the crane say lift again in the log?", item.text, section=item.citations[0].section)
    assert answer.texts == ("The motor says so when the log of the crane is full.",)


def test_lines_that_are_indented_with_tabs_are_no_row() -> None:
    text = "Sometimes this triggers a bug in the kernel, which is\n\ta good thing for the crane and the motor."
    assert quoted("What triggers a bug in the kernel?", text).texts == (" ".join(text.split()),)


def test_evidence_without_documents_is_an_event() -> None:
    with record(Trace(), "test", "generate") as entry:
        assert Quote(BM25()).generate(Query("x"), Evidence((Passage("No document at all."),))).texts == ()
    assert told(entry.events) == [("quote.no_passage", {"items": 1})]


def test_a_long_sentence_is_cut() -> None:
    answer = quoted("lake", "lake " * 300)
    assert answer.texts[0].endswith("...")
    assert len(answer.texts[0]) == 503


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When did the ferry to Voss start?", "The ferry to Voss started in May 1921."),
        ("How many passengers does the ferry to Voss carry?", "The ferry to Voss carries 300 passengers."),
        ("Who built the ferry to Voss?", "The ferry to Voss was built by Alma Berg."),
        ("How long does the ferry to Voss take?", "The ferry to Voss needs two hours."),
        ("Why is the ferry to Voss closed?", "The ferry to Voss is closed because of ice."),
    ],
)
def test_the_kind_of_answer_counts(question: str, expected: str) -> None:
    text = (
        "The ferry to Voss is white. The ferry to Voss carries 300 passengers. The ferry to Voss needs two hours. "
        "The ferry to Voss is closed because of ice. The ferry to Voss was built by Alma Berg. "
        "The ferry to Voss started in May 1921."
    )
    assert quoted(question, text).texts == (expected,)


def test_a_row_is_quoted_with_its_header() -> None:
    table = "# Ships\n| Ship | Passengers |\n|---|---|\n| Nordlys | 300 |\n| Sirius | 120 |"
    assert quoted("How many passengers does Nordlys carry?", table).texts == ("Ship: Nordlys; Passengers: 300",)
    tabs = "Ship\tPassengers\nNordlys\t300\nSirius\t120"
    assert quoted("How many passengers does Sirius carry?", tabs).texts == ("Ship: Sirius; Passengers: 120",)


def test_a_short_list_is_quoted_with_its_introduction() -> None:
    text = "It is open all year. Bring these things to the port:\n- a passport\n- warm clothes\n\nThe port is near."
    assert quoted("What do I bring to the port?", text).texts == (
        "Bring these things to the port: - a passport - warm clothes",
    )


@pytest.mark.parametrize(
    ("items", "quotation"),
    [
        ("- DAEMON (default)\n- USER", "- DAEMON (default) - USER"),
        ("DAEMON (default)\nUSER\n\nIt is old and wide.", "DAEMON (default) USER"),
        ("1. /etc/keeper\n2. /home/keeper", "1. /etc/keeper 2. /home/keeper"),
        ("/etc/keeper\n\n/home/keeper\n\nIt is old and wide.", "/etc/keeper /home/keeper"),
        ("- DAEMON. It is old.\n  It is wide.\n- USER\n\nIt rained.", "- DAEMON. It is old. It is wide. - USER"),
        ("```\nkeeper run\nkeeper stop\n```\nIt is old and wide.", "keeper run keeper stop"),
        ("All of them and the ones of old times. It is wide.", "All of them and the ones of old times."),
        ("".join(f"- item {i:03}\n" for i in range(99)), " ".join(f"- item {i:03}" for i in range(34)) + " …"),
        ("- " + "keeper " * 99, ("- " + "keeper " * 54).strip() + " …"),
    ],
)
def test_a_line_with_a_colon_is_quoted_with_what_it_introduces(items: str, quotation: str) -> None:
    text = f"# Facility\n\nThe choices of this:\n\n{items}"
    question = "What are the choices of this facility?"
    assert quoted(question, text).texts[0] == f"The choices of this: {quotation}"
    assert quoted(question, text, around=60).texts[0].startswith(f"The choices of this: {quotation}")


@pytest.mark.parametrize(
    ("section", "quotation"),
    [
        ("Options > MaxRetries", "MaxRetries: It is one at first."),
        ("Options > `--retries=N`", "--retries=N: It is one at first."),
        ("Options > The retries", "It is one at first."),
        ("Options > 3.2", "It is one at first."),
    ],
)
def test_what_describes_a_named_thing_is_quoted_under_its_name(section: str, quotation: str) -> None:
    assert quoted("What is it at first?", "It is one at first.", section=section, around=250).texts == (quotation,)


def test_items_are_not_quoted_twice() -> None:
    text = "Summary:\n\n- The pump is silent now.\n- The lamp uses less power.\n\nIt rained."
    for question in ("What is in the summary?", "Is the pump silent?", "Does the lamp use less power?"):
        answer = quoted(question, text, around=250)
        assert [answer.texts[0].count(word) for word in ("pump", "lamp")] == [1, 1]


def test_a_list_in_the_next_passage_is_quoted_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("It rained all day.\n\nThe ports of Rosa:\n\n- Galway and\n- Cork", encoding="utf-8")
    graph = index([tmp_path / "a.md"], tmp_path / "a.graph", chunker=ByParagraph(n=10)).graph
    assert graph.n_passages == 2
    answer = parse("Passages(n=4) >> Quote(BM25(), n=1, around=0)")(graph, "Which ports has Rosa?")
    assert answer.texts == ("The ports of Rosa: - Galway and - Cork",)


def test_code_and_menus_are_quoted_where_they_are_asked_for() -> None:
    code = "Start the keeper:\n```\n$ keeper run --fast\n```\nThe keeper run takes a minute."
    assert quoted("How long does a keeper run take?", code).texts == ("The keeper run takes a minute.",)
    assert quoted("Which command is for a fast keeper run?", code).texts == ("$ keeper run --fast",)
    page = "[Opening hours of the port](/a) [Port](/b)\n\nThe [port](/b) has opening hours from 8 to 12."
    assert quoted("What are the opening hours of the port?", page).texts == (
        "The port has opening hours from 8 to 12.",
    )


@pytest.mark.parametrize(
    "text",
    [
        "Ship\nPassengers\nCaptain\nNordlys\n300\nOlav Berg\nSirius\n120\nMary Stone\n",
        "Nordlys\nOlav Berg\nSirius\n",
        "ship\n300",
    ],
)
def test_a_passage_of_short_lines_is_quoted_whole(text: str) -> None:
    assert quoted("How many passengers does Nordlys carry?", text).texts == (" ".join(text.split()),)


@pytest.mark.parametrize(
    "text", ["Thanks!", "hi", "Thank you very much", "Vielen Dank!", "谢谢！", "شكرا", "How are you?"]
)
def test_small_talk_is_no_question(text: str) -> None:
    with record(Trace(), "test", "generate") as entry:
        assert quoted(text, "Thanks to Alma Berg, hi is a greeting here.").texts == ()
    assert told(entry.events) == [("quote.small_talk", {})]


def test_low_confidence_is_withheld_with_what_comes_nearest() -> None:
    evidence = Evidence((passage("The ferry to Voss carries 300 passengers. It is white."),))
    sure = Quote(BM25(), n=1).generate(Query("How many passengers does the ferry to Voss carry?"), evidence)
    unsure = Quote(BM25(), n=1).generate(Query("How is sourdough bread baked on the ferry of Peru?"), evidence)
    assert sure.confidence is not None
    assert unsure.confidence is not None
    assert sure.confidence > 0.6 > 0.3 > unsure.confidence
    with record(Trace(), "test", "generate") as entry:
        refused = Quote(BM25(), n=1, min_confidence=0.5).generate(Query("Who baked bread in Peru?"), evidence)
    assert (refused.texts, len(refused.evidence)) == ((), 1)
    assert refused.withheld
    assert [code for code, _ in told(entry.events)] == ["quote.low_confidence"]


def test_a_sentence_over_a_page_break_is_quoted_whole(tmp_path: Path) -> None:
    first, second = "The town is old. Here Rosa Lund lives in", "the town of Ennis near Limerick. It rained."
    (tmp_path / "a.md").write_text(f"{first}\n\n{second}", encoding="utf-8")
    graph = index([tmp_path / "a.md"], tmp_path / "a.graph", chunker=ByParagraph(n=12)).graph
    assert graph.n_passages == 2
    for question in ("Where does Rosa Lund live?", "Which town is near Limerick?"):
        answer = parse("Passages(n=4) >> Quote(BM25(), n=2, around=0)")(graph, question)
        assert answer.texts[0] == "Here Rosa Lund lives in the town of Ennis near Limerick.", question
        assert len(set(answer.texts)) == 2


def test_links_and_bold_type_are_words() -> None:
    assert [one.text for one in quotable([passage("See [the port](/b). It is **old** now.")])] == [
        "See the port.",
        "It is old now.",
    ]


def test_minilm_leaves_scripts_that_it_cannot_read_to_words() -> None:
    evidence = Evidence((passage("借书应当提前4天预约。停车应当提前5天预约。"),))
    with record(Trace(), "test", "generate") as entry:
        answer = Quote(MiniLM(), n=1, around=0).generate(Query("停车要提前几天预约？"), evidence)
    assert answer.texts == ("停车应当提前5天预约。",)
    assert told(entry.events) == [("quote.other_script", {})]


def test_what_stands_around_a_sentence_is_quoted_as_far_as_there_is_room() -> None:
    text = "The town is old. Rosa Lund came to Ennis in 1950. She lives at the port. It rained. Her ship is white."
    question = "At which port does she live?"
    assert quoted(question, text).texts == ("She lives at the port.",)
    room = quoted(question, text, around=60)
    assert room.texts == ("Rosa Lund came to Ennis in 1950. She lives at the port.",)
    assert [text[start:end] for start, end in room.marks] == ["She lives at the port."]
    assert quoted(question, text, around=250).texts == (text,)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        # Not over a heading, nor beside rows and entries, which say all by themselves.
        ("The ship sails at noon.\n\n# Rosa Lund\n\nRosa Lund lives at the port.", "Rosa Lund lives at the port."),
        ("| Name | Place |\n|---|---|\n| Rosa Lund | Ennis |\n| Mary Stone | Voss |", "Name: Rosa Lund; Place: Ennis"),
        ("Rosa Lund lives here.\n\nMonday: closed\nTuesday: open", "Rosa Lund lives here."),
        # Lines without a mark at their ends are told apart; a number goes on with a sentence.
        ("- Rosa Lund lives here\n- Mary Stone lives there", "Rosa Lund lives here · Mary Stone lives there"),
        # Code goes with the line that introduces it, and with no other.
        ("Rosa Lund calls it so:\n```\n$ keeper run --all\n```\n", "Rosa Lund calls it so: $ keeper run --all"),
        ("Rosa Lund calls it so.\n```\n$ keeper run --all\n```\n", "Rosa Lund calls it so."),
    ],
)
def test_what_is_not_quoted_around_a_sentence(text: str, answer: str) -> None:
    assert quoted("Where does Rosa Lund live?", text, around=250).texts == (answer,)


def test_no_sentence_is_quoted_twice() -> None:
    text = "Rosa Lund lives at the port. Rosa Lund has a white ship. " + "The port is old and wide. " * 9
    answer = quoted("Where does Rosa Lund live?", text, n=3, around=70)
    assert answer.texts[0] == "Rosa Lund lives at the port. Rosa Lund has a white ship."
    assert not any("Rosa Lund" in one for one in answer.texts[1:])


@pytest.mark.parametrize(
    ("known", "unknown"),
    [
        ("Does the keeper run on Linux?", "Does the keeper run on Windows?"),
        ("How many ports has the keeper?", "How much does the keeper cost?"),
    ],
)
def test_names_and_kinds_of_answers_that_nothing_has_lower_the_confidence(known: str, unknown: str) -> None:
    text = "The keeper runs for two minutes. The keeper runs on Linux. The keeper has 3 ports."
    sure, unsure = quoted(known, text).confidence, quoted(unknown, text).confidence
    assert sure is not None
    assert unsure is not None
    assert sure > 0.6 > 0.5 > unsure


def test_function_words_of_other_languages_are_no_content() -> None:
    text = "C'est la fin de la liste et des notes de la page. La commande fakeroot simule un utilisateur."
    assert quoted("À quoi sert donc cette commande dans la page ?", text).texts == (
        "La commande fakeroot simule un utilisateur.",
    )


@pytest.mark.parametrize(
    ("table", "answer"),
    [
        # A first row of data is no header: it would give false names to the others.
        ("3.0.0 | 2020-07-07 | 10\nNordlys 4.0.0 | 2022-06-08 | 14", "Nordlys 4.0.0 | 2022-06-08 | 14"),
        ("i | It is installed.\nNordlys | It is old.", "Nordlys | It is old."),
        # One over a rule is, and so is one whose first column has no name.
        ("| 2020 | 2021 |\n|---|---|\n| Nordlys | 7 |", "2020: Nordlys; 2021: 7"),
        ("| | Passengers |\n|---|---|\n| Nordlys | 300 |", "Nordlys; Passengers: 300"),
        # A full stop in a cell, or one line between rows, does not make the next row a header.
        (
            "Ship | Place\nSirius | Galway (in use. Old)\nAlma | Voss\nNordlys | Cork",
            "Ship: Nordlys; Place: Cork",
        ),
        (
            "Ship | Place\nSirius | Galway\nShips of the north\nAlma | Voss\nNordlys | Cork",
            "Ship: Nordlys; Place: Cork",
        ),
        ("Ship | Place\nSirius | Galway\n\nName | Port\nAlma | Voss\nNordlys | Cork", "Name: Nordlys; Port: Cork"),
        # A first row with the signs of the rows below is one of them.
        ("--sirius | Galway\n--alma | Voss\n--nordlys | Cork", "--nordlys | Cork"),
    ],
)
def test_which_row_of_a_table_names_its_columns(table: str, answer: str) -> None:
    assert quoted("What is said of Nordlys?", table).texts == (answer,)


def test_a_table_that_goes_on_in_another_passage_keeps_its_header(tmp_path: Path) -> None:
    rows = "".join(f"| Ship {i} | 19{i:02} | {i}00 |\n" for i in range(1, 60))
    (tmp_path / "a.md").write_text(
        f"# Ships\n\nAll ships:\n\n| Name | Built | Passengers |\n|---|---|---|\n{rows}\nIt rained.\n"
    )
    graph = index([tmp_path / "a.md"], tmp_path / "a.graph", chunker=ByParagraph(n=60)).graph
    assert graph.n_passages > 4
    for i in (1, 30, 59):
        answer = parse("Passages(n=9) >> Quote(BM25(), n=1)")(graph, f"When was Ship {i} built?")
        assert answer.texts == (f"Name: Ship {i}; Built: 19{i:02}; Passengers: {i}00",)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("¿Qué es la caja?", "La caja es una sala para pagar."),
        ("¿Cuándo abre la caja?", "La caja abre el 3 de mayo."),
        ("¿Cuánto cuesta la caja?", "La caja tiene un precio de 3 euros."),
        ("Who is the current keeper of la caja?", "La caja has a keeper called Rosa Lund."),
    ],
)
def test_kinds_of_answers_in_spanish_and_words_of_today(question: str, expected: str) -> None:
    text = (
        "La caja tiene ventanas. La caja abre el 3 de mayo. La caja tiene un precio de 3 euros. "
        "La caja es una sala para pagar. La caja has a keeper called Rosa Lund."
    )
    assert quoted(question, text).texts == (expected,)


def test_a_table_without_a_header_has_none_in_further_passages(tmp_path: Path) -> None:
    rows = "".join(f"key {i} | It opens door {'abcdefghij'[i % 10]}.\n" for i in range(60))
    (tmp_path / "a.md").write_text(f"# Keys\n\nAll keys:\n\n{rows}\nIt rained.\n")
    graph = index([tmp_path / "a.md"], tmp_path / "a.graph", chunker=ByParagraph(n=60)).graph
    assert graph.n_passages > 4
    answer = parse("Passages(n=9) >> Quote(BM25(), n=1)")(graph, "What does key 37 do?")
    assert answer.texts == ("key 37 | It opens door h.",)


def test_what_is_said_beside_the_sentence_is_not_told_as_missing() -> None:
    text = "The ferry to Voss runs all day. On Sundays it is closed, as on Mondays. The ferry to Voss is white."
    with record(Trace(), "test", "generate") as entry:
        quoted("Does the ferry to Voss run all day on Sundays?", text, around=250)
    assert "quote.other_part" not in [code for code, _ in told(entry.events)]
