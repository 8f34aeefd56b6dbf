"""Sentences: whole ones, in several languages."""

from __future__ import annotations

import pytest

from graphbrick.text.documents.sentences import sentences


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He left. She stayed!", ["He left.", "She stayed!"]),
        ("東京は首都です。人口は多い。", ["東京は首都です。", "人口は多い。"]),
        ("नैरोबी राजधानी है। वह बड़ा है।", ["नैरोबी राजधानी है।", "वह बड़ा है।"]),
        ("متى تغلق؟ تغلق يوم الجمعة.", ["متى تغلق؟", "تغلق يوم الجمعة."]),
        ("Dr. J. R. Ochieng of the U.S. left. It rained.", ["Dr. J. R. Ochieng of the U.S. left.", "It rained."]),
        ("He said “No.” She left.", ["He said “No.”", "She left."]),
        ("Is it open? No. It is closed.", ["Is it open?", "No.", "It is closed."]),
        ("The firm is Acme Ltd. It was sold.", ["The firm is Acme Ltd.", "It was sold."]),
        ("He was born in 1921. She was older.", ["He was born in 1921.", "She was older."]),
        ("version 3.11 of it", ["version 3.11 of it"]),
        ("Go to Settings > Options... > Colours. Wait.", ["Go to Settings > Options... > Colours.", "Wait."]),
        ("Go to File… → Open… → Print. Wait.", ["Go to File… → Open… → Print.", "Wait."]),
        ("Add Acme Inc. & Sons. Wait.", ["Add Acme Inc. & Sons.", "Wait."]),
        ("He left.\n> She stayed.", ["He left.", "> She stayed."]),
    ],
)
def test_marks_end_sentences(text: str, expected: list[str]) -> None:
    assert split(text) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "The contract with Acme Ltd. was signed by Dr. Rosa Lund on 3 Jan. 2024.",
        "The fee is approx. 40 euro per vol. and must be paid by Mr. Peter Hale.",
        "Nach § 4 Abs. 2 des Gesetzes muss Rosa Lund die Klage erheben.",
        "Die Gebühr beträgt 40 Euro bzw. 50 Euro, z. B. am 3. Januar 2024.",
        "See fig. 3, pp. 40 and No. 7 of vol. 2 (cf. Art. 5 of the act).",
        "They work for Yahoo! and other firms, e.g. Acme Inc. of Galway.",
        "Порт открыт весь год, см. Приложение, стр. 12 и рис. 3, т.е. Galway и т. д. по списку, напр. Cork.",
        "Порт відкрито, див. Додаток, мал. 3, напр. Cork.",
        "Port jest otwarty, np. Galway, zob. Rozdział, str. 12, tj. Cork.",
        "Přístav je otevřen, např. Galway, srov. Kapitola, obr. 3, tzv. Cork.",
        "De haven is open, bijv. Galway, vgl. Hoofdstuk, blz. 12, d.w.z. Cork.",
        "Il porto è aperto, p.es. Galway, cfr. Capitolo, pag. 12, dott. Rosa Lund.",
        "O porto está aberto, p.ex. Galway, pág. 12, Sra. Rosa Lund.",
        "Im 19. Jahrhundert kostete die Fahrt ca. 10 Mark.",
    ],
)
def test_abbreviations_do_not(sentence: str) -> None:
    assert split(f"{sentence} It rained.") == [sentence, "It rained."]


def test_lines() -> None:
    long = "long " * 12
    assert split(f"{long}\nline. Short\nline") == [f"{long}\nline.", "Short", "line"]
    column = "The committee of Galway reviewed\nthe annual plan of Rosa Lund and\nfound that it needs a new crane."
    assert split(column) == [column]
    assert split("Steps:\n10. Open the lid. Wait.\n11. Close it.") == [
        "Steps:",
        "10. Open the lid.",
        "Wait.",
        "11. Close it.",
    ]
    assert split(f"# A heading that is {long}\nIts text.") == [f"# A heading that is {long.strip()}", "Its text."]
    table = "| Ship of the company | Passengers on it |\n|---|---|\n| Nordlys | 300 |"
    assert split(table) == table.split("\n")
    assert len(split("\n".join(["twenty small letters in it"] * 1_000))) > 10


@pytest.mark.parametrize(
    "link",
    ["[two\nlines](options.md#two)", "[Several options\nof one. Two](a.md)", "[a\nb](https://example.org/a.b?c)"],
)
def test_a_link_over_two_lines_is_not_cut(link: str) -> None:
    text = f"Some values are split. See {link} for more."
    assert [text[start:end] for start, end in sentences(text)] == ["Some values are split.", f"See {link} for more."]


def test_brackets_that_are_no_link_do_not_join_lines() -> None:
    text = "He had [one\n\nTwo] ships.\nIt rained."
    assert [text[start:end] for start, end in sentences(text)] == ["He had [one", "Two] ships.", "It rained."]


@pytest.mark.parametrize(
    "table",
    [
        "Key | Action\nCtrl+D | Search it (sparingly. It needs an index)\nCtrl+E | Is it old? Open it! Now.",
        "| Key | Action |\n|---|---|\n| D | Search. Find it. |\n| E | Open. Then wait. |",
        "Key\tAction\nCtrl+D\tSearch it. It needs an index.\nCtrl+E\tOpen. Wait.",
        "东 | 借书。停车。\n西 | 停车。借书。",
    ],
)
def test_no_row_of_a_table_is_cut(table: str) -> None:
    assert [text for text in split(f"The keys.\n\n{table}\n\nIt rained. It snowed.") if "---" not in text] == [
        "The keys.",
        *(line for line in table.split("\n") if "---" not in line),
        "It rained.",
        "It snowed.",
    ]


def test_rows_that_begin_with_names_are_sentences_of_their_own() -> None:
    rows = [
        "Name of it Description Example value",
        "input.voltage Input voltage in the whole of the house (V) and",
        "input.voltage.low smallest settable voltage of the transfer\npoint (V)",
        "input.current Input current of it",
    ]
    assert split("\n".join(rows)) == rows
    options = ["-d, --debug raise the level of debugging", "-h, --help show all the options of it", "--all all"]
    assert split("\n".join(options)) == options
    prose = "You may read the current of it in the variable\ninput.current of the driver, which is the\nnewest one."
    assert split(prose) == [prose]


def test_a_bar_alone_makes_no_row() -> None:
    assert len(split("It rained.\nRun `ps | less`. Then wait.\nIt snowed.")) == 4
    assert len(split("It rained.\nRun ps | less. Then wait.\nIt snowed.")) == 4
    assert len(split("Run ps | less. Then wait.")) == 2


def test_rows_of_tables_are_sentences_of_their_own() -> None:
    text = (
        "Type | Description\nselect | One of a few. See escape(1).\n"
        "multiselect | Any number of a long list of values,\nand so on"
    )
    assert [text[a:b] for a, b in sentences(text)] == [
        "Type | Description",
        "select | One of a few. See escape(1).",
        "multiselect | Any number of a long list of values,",
        "and so on",
    ]
