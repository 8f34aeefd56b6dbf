"""Ten tasks of somebody new to the workbench, done by the words that are seen; each prints its number of clicks."""

from __future__ import annotations

import re
from typing import Any

import pytest

from conftest import until

pytestmark = pytest.mark.browser
START = "#/ask?graph=world"


class Newcomer:
    """Somebody who knows nothing but the words in the page; counts clicks."""

    def __init__(self, page: Any) -> None:
        self.page, self.clicks = page, 0

    def click(self, words: str, *, within: str = "body") -> None:
        """Click what says some words, exactly or else as its beginning."""
        place = self.page.locator(within)
        exact = place.get_by_text(words, exact=True).locator("visible=true")
        some = place.get_by_text(re.compile(f"^{re.escape(words)}")).locator("visible=true")
        exact.or_(some).first.wait_for()
        (exact if exact.count() else some).first.click()
        self.clicks += 1

    def write(self, prompt: str, text: str) -> None:
        """Write into the field that says a prompt."""
        self.page.get_by_placeholder(prompt).first.fill(text)

    def choose(self, label: str, option: str) -> None:
        """Choose from a list, which takes two clicks."""
        self.page.get_by_label(label).first.select_option(label=option)
        self.clicks += 2

    def sees(self, words: str) -> None:
        """Wait until some words are seen."""
        self.page.get_by_text(words).locator("visible=true").first.wait_for()


@pytest.fixture
def newcomer(visit, request, capsys):
    """Opens a page, and tells at the end how many clicks the task took."""
    made: list[Newcomer] = []

    def begin(place: str = START, **context: Any) -> Newcomer:
        made.append(Newcomer(visit.open(place, **context)))
        return made[-1]

    yield begin
    with capsys.disabled():
        task = request.node.name.removeprefix("test_a_newcomer_").replace("_", " ")
        print(f"\n  {task}: {sum(one.clicks for one in made)} clicks")  # noqa: T201
    assert sum(one.clicks for one in made) <= 4


def test_a_newcomer_asks(newcomer):
    person = newcomer()
    person.write("Ask a question", "What is the capital of Kenya?")
    person.click("Ask", within=".ask-form")
    person.sees("Nairobi")


def test_a_newcomer_corrects_a_namesake(newcomer):
    person = newcomer("#/ask?graph=staff")
    person.write("Ask a question", "Which team is Maria Torres in?")
    person.click("Ask", within=".ask-form")
    person.sees("may also be")
    before = person.page.locator("button.answer .answer-text").first.inner_text()
    person.click("Maria Torres", within=".others")
    until(
        person.page,
        f"![undefined, {before!r}].includes(document.querySelector('button.answer .answer-text')?.textContent)",
    )


def test_a_newcomer_follows_a_path(newcomer):
    person = newcomer("#/ask?graph=world&q=What+are+the+capitals+of+the+countries+that+border+Uganda%3F")
    person.click("Nairobi", within=".answers")
    person.click("Play")
    person.sees("Uganda – borders → Kenya")
    person.sees("Kenya – capital → Nairobi")


def test_a_newcomer_opens_a_passage(newcomer):
    person = newcomer("#/ask?graph=notes")
    person.write("Ask a question", "What is the capital of Kenya?")
    person.click("Ask", within=".ask-form")
    person.click("kenya.md", within=".answers")
    person.page.locator("dialog mark.quote").first.wait_for()
    person.click("Open the document")
    person.sees("Lake Victoria lies between Kenya")


def test_a_newcomer_browses_a_type(newcomer):
    person = newcomer("#/ask?graph=staff")
    person.click("Graph", within="#pages")
    person.click("Person", within=".types")
    person.click("Analyst")
    person.click("Maria Torres", within=".browse-list")
    person.sees("Analyst")


def test_a_newcomer_compares_two_recipes(newcomer):
    person = newcomer()
    person.click("Compare")
    person.write("A question for both", "What is the capital of Kenya?")
    person.page.locator(".side-panel select").nth(2).wait_for()
    person.page.get_by_label("Start from").nth(1).select_option(label="paths")
    person.clicks += 2
    person.click("Run both")
    person.page.locator(".compare-verdict h2").wait_for()


def test_a_newcomer_uploads(newcomer):
    person = newcomer("#/ask?graph=notes")
    person.click("Documents")
    text = b"# Burundi\nGitega is the capital of Burundi. Burundi borders Rwanda."
    with person.page.expect_file_chooser() as chooser:
        person.click("Add documents")
    chooser.value.set_files({"name": "burundi.md", "mimeType": "text/markdown", "buffer": text})
    person.click("Burundi", within=".document-list")
    person.sees("Gitega is the capital of")


def test_a_newcomer_accepts_a_merge(newcomer):
    person = newcomer("#/documents?graph=notes")
    person.click("Look for names that may be the same")
    person.sees("may be")
    alias, name = person.page.locator(".proposals .merge span, .merge span").first.inner_text().split(" may be ")
    person.click("Merge", within=".merge-choice")
    person.sees("You merged")
    person.sees(f"{alias} is {name}")
    person.page.get_by_role("button", name=f"Undo: {alias} is {name}").click()  # as other tests read the same graph
    until(person.page, "!document.body.textContent.includes('You merged')")


def test_a_newcomer_labels(newcomer):
    person = newcomer()
    person.click("Label", within="#pages")
    person.click("Yes")
    pressed = "document.querySelectorAll('.label-values [aria-pressed=true]').length"
    until(person.page, f"{pressed} > 0")
    person.page.locator(
        ".label-values [aria-pressed=true]"
    ).click()  # taken back, as other tests label the same answers
    until(person.page, f"{pressed} === 0")
    person.page.wait_for_load_state("networkidle")


def test_a_newcomer_shares(newcomer):
    person = newcomer(permissions=["clipboard-read", "clipboard-write"])
    person.write("Ask a question", "What is the capital of Kenya?")
    person.click("Ask", within=".ask-form")
    person.click("Link", within=".share")
    person.sees("Copied")
    link = person.page.evaluate("navigator.clipboard.readText()")
    other = newcomer(link[link.index("#") :])
    other.sees("Nairobi")
    assert other.page.get_by_role("combobox", name="Question").input_value() == "What is the capital of Kenya?"
