"""The page that asks, in a real browser."""

from __future__ import annotations

import re
from urllib.parse import quote_plus

import pytest

from conftest import MARKUP, listening, until

pytestmark = pytest.mark.browser

UGANDA = "What are the capitals of the countries that border Uganda?"
ASKED = "#/ask?q=What+are+the+capitals+of+the+countries+that+border+Uganda%3F&graph=world"
CAPITALS = {"Kinshasa", "Kigali", "Dodoma", "Juba", "Nairobi"}
FIRST_VIEW_MS, FIRST_VIEW_BYTES = 1_000, 400_000


def answers(page) -> list[str]:
    page.wait_for_selector(".share")
    return page.locator(".answer-text").all_text_contents()


def words(page) -> str:
    return page.locator(".replay-words").inner_text()


def test_the_first_view_comes_within_a_second_and_is_small(visit):
    painted = []
    for _ in range(3):  # the best of three: other work on the machine slows single ones
        page = visit.open()
        page.wait_for_selector(".examples")
        painted.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
    sizes = page.evaluate("performance.getEntries().map((one) => one.transferSize || 0)")
    assert min(painted) < FIRST_VIEW_MS
    assert 10_000 < sum(sizes) < FIRST_VIEW_BYTES


def test_an_example_of_the_first_view_is_answered(visit):
    page = visit.open()
    example = page.locator(".example").first
    asked = example.inner_text().split("?")[0]
    example.click()
    assert answers(page)
    assert page.locator("#question").input_value().startswith(asked)


def test_a_greeting_is_answered_with_questions_to_ask(visit):
    page = visit.open("#/ask?q=Hello!&graph=world")
    offered = page.locator(".readings .example")
    offered.first.wait_for()
    assert page.get_by_role("paragraph").filter(has_text="Hello! I answer questions from ").is_visible()
    assert page.get_by_role("heading", name="You can ask, for example").is_visible()
    assert offered.count() == 3
    offered.first.click()
    assert answers(page)


def test_what_a_long_run_does_is_shown(visit):
    recipe = quote_plus("PPR(k=300) >> ShortestPaths() >> Rerank(MiniLM(), n=8) >> PathAnswer()")
    question = quote_plus("Which currency is used in the country whose capital is Lima?")
    page = visit.open(f"#/ask?q={question}&graph=world&pipeline={recipe}")
    page.locator(".running .working", has_text=re.compile("^(LinkLabels|PPR|ShortestPaths|Rerank)")).wait_for()
    assert answers(page)


def test_no_suggestions_cover_the_answer_to_a_question_that_was_sent(visit):
    page = visit.open()
    field = page.get_by_role("combobox", name="Question")
    field.fill("What is the capital of Portugal")
    field.press("Enter")
    assert answers(page) == ["Lisbon"]
    page.wait_for_timeout(500)  # longer than suggestions wait
    assert not page.locator(".suggestions").first.is_visible()


def test_a_card_shows_relations_with_counts_and_leads_to_neighbours(visit):
    page = visit.open("#/ask?q=Tell+me+about+Uganda&graph=world")
    page.wait_for_selector("article.card")
    card = page.locator("article.card")
    assert card.locator("h2").inner_text() == "Uganda"
    relations = card.locator(".card-relations tr").all_inner_texts()
    assert any(row.startswith("→ capital") and "Kampala" in row for row in relations)
    assert any("in all" in row for row in relations)
    card.get_by_role("button", name="Kampala").first.click()
    page.wait_for_selector(".graph-page")
    assert "entity=" in page.url


def test_a_question_is_answered_with_its_paths(visit):
    page = visit.open()
    page.locator("#question").fill(UGANDA)
    page.get_by_role("button", name="Ask", exact=True).click()
    assert set(answers(page)) == CAPITALS
    assert page.locator(".map .node.seed").count() == 1
    assert page.locator(".map .node.answer").count() == 5
    assert page.locator(".map .edge").count() == 10
    stages = page.locator(".timeline > .stage .what").all_inner_texts()
    assert [stage.split()[0] for stage in stages] == ["LinkLabels", "Operators", "PathAnswer"]
    assert "q=What+are+the+capitals" in page.url


def test_a_path_is_replayed_hop_by_hop_by_buttons_and_keys(visit):
    page = visit.open(ASKED)
    answers(page)
    page.get_by_role("button", name="Nairobi", exact=False).first.click()
    assert words(page) == "Kenya – capital → Nairobi"
    page.get_by_role("button", name="To the start").click()
    assert words(page) == "The search starts at Uganda."
    page.get_by_role("button", name="One hop forward").click()
    assert words(page) == "Uganda – borders → Kenya"
    assert page.locator(".map .node.lit").count() == 2
    page.keyboard.press("ArrowRight")
    assert page.locator(".map .edge.lit").count() == 2
    page.keyboard.press("Home")
    page.get_by_role("button", name="Play").click()
    until(page, "document.querySelector('.replay-steps').textContent === 'Hop 2 of 2'")
    until(page, "document.querySelector('.play').textContent === 'Play'")
    page.get_by_role("button", name="All paths").click()
    assert page.locator(".map.focused").count() == 0


def test_a_seed_can_be_replaced_and_the_question_runs_again(visit):
    page = visit.open(ASKED)
    answers(page)
    page.locator(".chip-name").click()
    page.get_by_role("combobox", name="Replace Uganda with").press_sequentially("Portugal")
    page.get_by_role("option", name=re.compile("^Portugal")).first.wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('.chip-name')?.textContent === 'Portugal'")
    assert answers(page) == ["Madrid"]
    assert "seed=country%3APT" in page.url
    page.get_by_role("button", name="Find them in the question").click()
    until(page, "document.querySelectorAll('.answer-text').length === 5")
    assert "seed=" not in page.url


def test_names_are_suggested_while_a_question_is_typed(visit):
    page = visit.open()
    field = page.get_by_role("combobox", name="Question")
    field.press_sequentially("What is the capital of Portug")
    page.get_by_role("option", name=re.compile("^Portugal")).first.click()
    assert field.input_value() == "What is the capital of Portugal"
    field.press("Enter")
    assert answers(page) == ["Lisbon"]


def test_a_link_shows_the_same_run_and_the_run_can_be_copied(visit):
    page = visit.open(ASKED, permissions=["clipboard-read", "clipboard-write"])
    first = answers(page)
    page.get_by_role("button", name="Link", exact=True).click()
    link = page.evaluate("navigator.clipboard.readText()")
    other = visit.open(link.removeprefix(f"{visit.address}/"))
    assert answers(other) == first
    page.get_by_role("button", name="Python", exact=True).click()
    text = page.evaluate("navigator.clipboard.readText()")
    assert UGANDA in text
    compile(text, "copied", "exec")


def test_a_question_about_nothing_in_the_graph_says_what_to_do(visit):
    page = visit.open("#/ask?q=xyzzy+plugh%3F&graph=world")
    page.wait_for_selector(".notice.bad")
    assert page.get_by_text("Choose where to start").is_visible()


def test_a_reading_that_may_be_meant_is_one_click_away(visit):
    page = visit.open("#/ask?q=How+many+hospitals+does+Kenya+have%3F&graph=world")
    page.wait_for_selector(".readings .example")
    assert "I do not know the word 'hospitals' in this graph." in page.locator(".notice").inner_text()
    offered = page.locator(".readings .example")
    assert 1 <= offered.count() <= 3
    words = offered.first.inner_text().splitlines()[0]
    offered.first.click()
    page.wait_for_selector(".taken")
    assert page.locator(".taken").inner_text().removeprefix("Shown: ") in words
    assert answers(page)


def test_markup_in_labels_is_shown_as_text(visit):
    page = visit.open("#/ask?q=Whom+does+Safe+know%3F&graph=hostile&pipeline=ShortestPaths()+>>+PathAnswer()")
    assert MARKUP in answers(page)
    assert MARKUP in page.locator(".map title").all_text_contents()
    assert page.locator("img").count() == 0
    assert page.title() != "hacked"


def test_a_phone_shows_one_path_from_top_to_bottom_without_scrolling_sideways(visit):
    page = visit.open(ASKED, viewport={"width": 390, "height": 844}, has_touch=True)
    assert len(answers(page)) == 5
    assert page.locator(".map .node").count() == 3
    assert "One of 5 paths is drawn at a time" in page.locator(".map-panel").inner_text()
    assert page.get_by_role("button", name="All paths").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_nothing_moves_for_those_who_want_less_motion(visit):
    page = visit.open(ASKED, reduced_motion="reduce")
    answers(page)
    page.get_by_role("button", name="One hop forward").click()
    assert words(page).startswith("Uganda – borders → ")
    assert page.evaluate("document.getAnimations().length") == 0


def test_a_server_with_a_token_asks_for_it(chromium, places):
    from conftest import Visit

    with listening(graphs={"hostile": places["hostile"]}, token="open-sesame-and-more") as url:
        visit = Visit(chromium, url)
        page = visit.open()
        page.get_by_role("textbox", name="Token").fill("open-barley")
        page.keyboard.press("Enter")
        page.get_by_role("alert").filter(has_text="That token is wrong.").wait_for()
        page.get_by_role("textbox", name="Token").fill("open-sesame-and-more")
        page.keyboard.press("Enter")
        page.wait_for_selector(".hero h1")
        assert page.locator("#pages a").all_inner_texts() == ["Ask", "Graph", "Compare", "Pipeline"]
        run = "{graph: {name: 'g'}, question: 'q', pipeline: 'p'}"
        page.evaluate(
            f"import('./page/js/share.js').then(({{asCommand}}) => {{document.title = asCommand({run}, [])}})"
        )
        until(page, "document.title.includes('graphbrick ask')")
        assert ' --token "$GRAPHBRICK_TOKEN"' in page.title()
        assert "open-sesame" not in page.title()
        visit.close()
        assert [text for text in visit.problems if "401" not in text] == []


def test_the_whole_subgraph_is_drawn_on_request(visit):
    page = visit.open("#/ask?graph=world&q=What+is+the+capital+of+Kenya%3F&pipeline=PPR(k%3D30)+>>+ShortestPaths()")
    page.wait_for_selector(".share")
    page.get_by_role("button", name="Show the subgraph of 30 entities").click()
    page.wait_for_selector(".subgraph-stage canvas")
    assert page.locator(".subgraph .legend li").all_inner_texts() == ["start", "answer", "on a path", "other"]
