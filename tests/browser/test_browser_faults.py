"""What new users stumbled over, page by page."""

from __future__ import annotations

import re
from urllib.parse import quote_plus

import pytest

from conftest import WORD, until

pytestmark = pytest.mark.browser

KENYA = "What is the capital of Kenya?"
ASK_KENYA = "#/ask?graph=world&q=What+is+the+capital+of+Kenya%3F"
NOTES = "#/ask?graph=notes&q=What+is+the+capital+of+Kenya%3F"
COMPARE = "#/compare?graph=world&graph=world&q=x&pipeline=+&pipeline=+"
TABS = ["Ask", "Graph", "Documents", "Compare", "Pipeline", "Tune", "Label"]


def box(page, selector: str) -> dict[str, float]:
    return page.locator(selector).first.bounding_box()


def ask(page, question: str) -> None:
    page.get_by_role("combobox", name="Question").fill(question)
    page.get_by_role("button", name=re.compile("^Ask( again)?$")).click()
    page.wait_for_selector(".share")


def test_suggestions_belong_to_what_is_typed_and_cover_no_answer(visit):
    page = visit.open(ASK_KENYA)
    page.wait_for_selector(".share")
    field = page.get_by_role("combobox", name="Question")
    field.fill("What is the capital of Portug")
    page.get_by_role("option", name=re.compile("^Portugal")).first.wait_for()
    bottom = box(page, ".ask-form .suggestions")
    assert bottom["y"] + bottom["height"] <= box(page, ".answers")["y"]
    field.fill("Where does nobody")
    assert not page.locator(".ask-form .suggestions").is_visible()  # at once, not when the next ones come


def test_questions_asked_before_and_examples_go_on_from_what_is_typed(visit):
    page = visit.open("#/ask?graph=world")
    page.wait_for_selector(".example")
    example = page.locator(".example").first.inner_text().splitlines()[0].split("?")[0]
    page.get_by_role("combobox", name="Question").press_sequentially(example[:12])
    assert page.get_by_role("option", name=re.compile(re.escape(example))).first.inner_text()


@pytest.mark.parametrize("width", [768, 390])
def test_every_page_and_the_choice_of_a_graph_can_be_reached(visit, width):
    page = visit.open("#/ask?graph=world", viewport={"width": width, "height": 844})
    page.wait_for_selector("#pages a")
    assert page.locator("#pages a").all_inner_texts() == TABS
    for one in [*page.locator("#pages a").all(), page.locator("#graph")]:
        place = one.bounding_box()
        assert place["x"] >= 0
        assert place["x"] + place["width"] <= width
    for name, ready in {"Documents": ".documents-page", "Label": ".label-case"}.items():
        page.get_by_role("link", name=name, exact=True).click()
        page.wait_for_selector(ready)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_no_marks_of_docstrings_stand_in_the_texts_of_bricks(visit):
    page = visit.open("#/pipeline?graph=world&text=PPR(k%3D50)+>>+ShortestPaths()+>>+Rerank(BM25(),+n%3D8)")
    for name in ("PPR", "Rerank"):
        page.locator(".block-name", has_text=name).click()
        page.locator(".more summary").first.click()
        assert "`" not in page.locator(".block-form").first.inner_text()
    page.get_by_role("button", name="Insert a stage after PPR").click()
    assert "`" not in page.locator(".picker-list").inner_text()
    assert "``" not in visit.open("docs").locator("main").inner_text()


def test_no_folder_of_the_server_and_no_model_call_where_none_was_made(visit, places):
    page = visit.open(NOTES)
    page.wait_for_selector(".share")
    page.locator("summary", has_text="All evidence").click()
    folder = places["notes"].removesuffix("notes.graph")
    assert folder not in page.locator("main").inner_text()
    assert "model call" not in page.locator("main").inner_text()
    page.get_by_role("link", name="Documents", exact=True).click()
    page.wait_for_selector(".passages li")
    assert folder not in page.locator("main").inner_text()
    page = visit.open("#/ask?graph=world&q=What+are+the+capitals+of+the+countries+that+border+Uganda%3F")
    page.wait_for_selector(".share")
    assert "model call" not in page.locator("main").inner_text()


def test_one_of_a_thing_is_in_the_singular(visit):
    for place, ready in {ASK_KENYA: ".share", "#/graph?graph=staff&entity=p1": ".relation-row"}.items():
        page = visit.open(place)
        page.wait_for_selector(ready)
        words = page.locator("main").inner_text()
        assert not re.search(
            r"(?<![\d,.])1 (answers|paths|triples|entities|neighbours|passages|relations|steps)\b", words
        )


def test_names_in_a_chart_do_not_cover_each_other(visit):
    page = visit.open("#/compare?graph=world&study=runs")
    page.wait_for_selector(".plot .point text")
    boxes = [one.bounding_box() for one in page.locator(".plot .point text").all()]
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            apart = a["x"] + a["width"] <= b["x"] or b["x"] + b["width"] <= a["x"]
            assert apart or a["y"] + a["height"] <= b["y"] + 1 or b["y"] + b["height"] <= a["y"] + 1


def test_a_conversation_goes_on_stays_in_the_browser_and_is_cleared(visit):
    page = visit.open(ASK_KENYA)  # a link begins a conversation too
    page.wait_for_selector(".share")
    assert page.locator(".answer-text").all_inner_texts() == ["Nairobi"]
    ask(page, "and of Uganda?")
    until(page, "document.querySelector('.answer-text')?.textContent === 'Kampala'")
    assert "“and of Uganda?” was read as “What is the capital of Uganda?”" in page.locator(".completed").inner_text()
    assert page.locator(".earlier-question").all_inner_texts() == [KENYA]
    page.get_by_role("link", name="graphbrick").click()
    page.reload()
    page.wait_for_selector(".earlier")
    assert page.locator(".earlier-question").all_inner_texts() == ["What is the capital of Uganda?", KENYA]
    assert "Nairobi" in page.locator(".earlier").last.inner_text()
    page.locator(".earlier .example").last.click()
    page.wait_for_selector(".share")
    assert page.locator(".answer-text").all_inner_texts() == ["Nairobi"]
    page.get_by_role("button", name="Clear history").click()
    page.reload()
    page.wait_for_selector(".share")
    assert page.locator(".earlier").count() == 0


@pytest.mark.parametrize("width", [400, 1400])
def test_a_long_word_breaks_wherever_it_stands(visit, width):
    page = visit.open("#/ask?graph=long", viewport={"width": width, "height": 900})
    for question in (WORD, f"Who made {WORD}?", f"Tell me about {WORD}", f"What is the hash of {WORD}?"):
        page.goto(f"{visit.address}/#/ask?graph=long&q={quote_plus(question)}")
        page.reload()
        page.wait_for_selector(".share, .result .notice")
        assert (question[:9], page.evaluate("document.documentElement.scrollWidth")) == (question[:9], width)
    for row in page.locator(".earlier").all():
        words, forget = row.locator(".earlier-question").bounding_box(), row.get_by_role("button").last.bounding_box()
        assert words["x"] + words["width"] <= forget["x"]
    for place, ready in {
        "#/graph?graph=long": ".types, .card, main h1",
        f"#/graph?graph=long&entity={WORD}": ".relation-row",
    }.items():
        page.goto(f"{visit.address}/{place}")
        page.wait_for_selector(ready)
        page.wait_for_timeout(300)  # the card of an entity comes later than its place
        assert (place[:20], page.evaluate("document.documentElement.scrollWidth")) == (place[:20], width)


def test_a_whole_number_is_no_count_and_a_count_says_how_many_more(visit):
    page = visit.open("#/ask?graph=staff")
    ask(page, "What is the size of Release Team?")
    assert page.locator(".answer-text").all_inner_texts() == ["12"]
    assert "more" not in page.locator(".answers").inner_text()
    ask(page, "How many people are members of Checkout Team?")
    until(page, "document.querySelector('.answer-text')?.textContent === '13'")
    assert page.locator(".answers").inner_text().endswith("and 12 more")


def test_a_new_conversation_speaks_of_no_question_before(visit):
    page = visit.open("#/ask?graph=world")
    ask(page, KENYA)
    ask(page, "Is Uganda a country?")
    page.get_by_role("button", name="New conversation").click()
    page.wait_for_selector(".hero h1")
    page.get_by_role("combobox", name="Question").fill("and of Uganda?")
    page.keyboard.press("Enter")
    page.wait_for_selector(".result .panel, .result .notice")
    assert page.locator(".completed").count() == 0


def test_namesakes_are_told_apart_in_their_chips_and_one_is_chosen(visit):
    page = visit.open("#/ask?graph=staff&q=Which+team+is+Maria+Torres+in%3F")
    page.wait_for_selector(".share")
    until(page, "document.querySelector('.others .apart')?.textContent.includes('title')")
    titles = {page.locator(where).first.inner_text().split()[-1] for where in (".chip .apart", ".others .apart")}
    assert titles == {"Engineer", "Analyst"}
    before = page.locator("button.answer .answer-text").first.inner_text()
    page.locator(".others button").first.click()
    until(
        page,
        f"![null, undefined, {before!r}].includes(document.querySelector('button.answer .answer-text')?.textContent)",
    )


def test_everything_is_asked_at_once(visit):
    page = visit.open("#/ask?graph=staff")
    page.get_by_role("button", name="Everything").click()
    page.get_by_role("combobox", name="Question").fill(KENYA)
    page.keyboard.press("Enter")
    page.wait_for_selector(".among section[aria-label=world]")
    page.wait_for_selector(".among section[aria-label=notes] mark.quote")
    until(page, "!document.querySelector('.result .working')")
    assert "No answer in" in page.locator(".among").inner_text()
    assert "in=all" in page.url
    page.get_by_role("button", name="All documents").click()
    until(page, "document.querySelectorAll('.among > section').length === 1")
    page.get_by_role("button", name="Open in notes").click()
    page.wait_for_selector(".share")


def test_a_quote_is_marked_in_its_passage_and_each_passage_stands_once(visit):
    page = visit.open(NOTES)
    page.wait_for_selector(".passage-card mark.quote")
    answers = page.locator(".answers .answer-text").all_inner_texts()
    assert "Its capital is Nairobi." in answers[0]
    marked = page.locator(".passage-card mark.quote").all_inner_texts()
    assert "Its capital is Nairobi." in marked
    assert len(marked) == len(answers)
    assert all(any(mark in answer for answer in answers) for mark in marked)
    texts = page.locator(".passage-card .rendered").all_inner_texts()
    assert len(texts) == len(set(texts))
    assert page.locator(".answers .score, .passage-card .score").count() == 0


def test_markdown_is_rendered_and_brings_nothing_in(visit):
    page = visit.open("#/documents?graph=notes")
    page.locator(".document", has_text="Zebra guide").click()
    page.locator(".passages .heading", has_text="Zebra guide").wait_for()
    reader = page.locator(".passages")
    assert reader.locator("strong", has_text="Tsavo").count() == 1
    assert reader.locator("em", has_text="nothing").count() == 1
    assert reader.locator("td").all_inner_texts() == ["Ada", "Tsavo"]
    assert reader.locator("a").get_attribute("rel") == "noreferrer"
    assert "<script>document.title = 'hacked'</script>" in reader.inner_text()
    assert page.locator("img, .passages script, .passages b").count() == 0
    assert page.title() != "hacked"
    names = {one.lower() for one in reader.locator("button.name").all_inner_texts()}
    assert 1 <= len(names) <= 10
    assert page.locator(".mentions button").count() <= 10


def test_lines_of_cells_are_a_table_in_documents_that_are_not_markdown(visit):
    page = visit.open("#/documents?graph=notes")
    page.wait_for_selector(".passages")
    text = r"Wards | of both\nhouses\n\nWard | Beds\nNorth | 12\nSouth | a long one\n\nThe end"
    marks = f"[[{text.index('North') - 5}, {text.index('12') - 3}, '']]"  # each line end is two characters here
    made = f"rendered('{text}', {{name: 'a.rst', quotes: {marks}}})"
    page.evaluate(
        f"import('./page/js/markdown.js').then(({{rendered}}) => {made})"
        ".then((made) => {made.id = 'made'; document.querySelector('main').replaceChildren(made)})"
    )
    until(page, "document.querySelector('#made')")
    made = page.locator("#made")
    assert made.locator("th, td").all_inner_texts() == ["Ward", "Beds", "North", "12", "South", "a long one"]
    assert made.locator("p").all_inner_texts() == ["Wards | of both\nhouses", "The end"]
    assert "North" in "".join(made.locator("mark").all_inner_texts())


def test_a_graph_begins_with_its_types_which_lead_to_entities_and_their_properties(visit):
    page = visit.open("#/graph?graph=staff")
    page.wait_for_selector(".schema-map")
    assert sorted(page.locator(".type-name").all_text_contents()) == ["Person", "Team"]
    assert page.locator(".relation-label").text_content().endswith("member of, leads")
    page.locator(".type-node", has_text="Person").click()
    page.wait_for_selector(".browse-list li")
    assert page.locator(".entity [role=status]").inner_text() == "14 entities"
    page.get_by_role("button", name=re.compile("^Engineer")).first.click()
    until(page, "document.querySelector('.entity [role=status]')?.textContent.startsWith('2 entities')")
    assert "value=Engineer" in page.url
    page.locator(".browse-list button", has_text="Tom Berg").click()
    page.wait_for_selector(".relation-row")
    assert "Engineer" in page.locator(".entity .properties").inner_text()
    assert page.locator(".schema-map").is_hidden()


def test_a_graph_without_types_begins_with_its_best_known_entities(visit):
    page = visit.open("#/graph?graph=notes")
    until(
        page,
        "/^1?\\d entities and [1-9]\\d* triples? drawn/.test(document.querySelector('.filters p')?.textContent || '')",
    )


@pytest.mark.parametrize(
    ("place", "ready", "kind"),
    [("#/graph?graph=staff", ".schema-map", "svg"), ("#/graph?graph=staff&entity=p1", ".relation-row", "png")],
)
def test_the_picture_of_a_graph_can_be_saved(visit, place, ready, kind, tmp_path):
    page = visit.open(place)
    page.wait_for_selector(ready)
    page.wait_for_timeout(600)  # forces move the nodes
    with page.expect_download() as download:
        page.get_by_role("button", name="Save picture").click()
    download.value.save_as(tmp_path / "picture")
    body = (tmp_path / "picture").read_bytes()
    assert download.value.suggested_filename.endswith(f".{kind}")
    assert body.startswith(b"<svg" if kind == "svg" else b"\x89PNG")
    assert len(body) > 2_000


def test_an_address_of_an_entity_that_is_not_there_offers_those_that_are(visit):
    page = visit.open("#/graph?graph=staff&entity=Tom+Berk")
    page.get_by_text("There is no entity “Tom Berk” here").wait_for()
    page.get_by_role("button", name="Tom Berg").click()
    page.wait_for_selector(".relation-row")
    visit.problems.clear()  # the browser reports that the key was not there


@pytest.mark.parametrize(
    "place", [ASK_KENYA, f"{ASK_KENYA}&in=all", "#/compare?graph=world&graph=world&q=x&pipeline=+&pipeline=+"]
)
def test_work_that_takes_long_says_so_within_two_seconds(visit, place):
    page = visit.open("#/graph?graph=staff")
    page.wait_for_selector(".schema-map")
    page.route("**/v1/ask*", lambda route: None)  # which never answers
    page.evaluate(f"location.hash = {place!r}")
    page.wait_for_selector(".working", timeout=2_000)
    until(page, "/ [2-9] s$/.test(document.querySelector('.working').textContent)")


def test_no_name_in_the_drawing_covers_another(visit):
    page = visit.open("#/graph?graph=staff")
    page.wait_for_selector(".schema-map")
    nodes = [
        {"key": f"n{i}", "x": 40 * (i % 5), "y": 6 * (i // 5), "size": 3, "width": 60, "weight": i} for i in range(40)
    ]
    names = page.evaluate(
        "async (nodes) => [...(await import('./page/js/names.js')).readableNames(nodes)]",
        nodes,
    )
    assert names[0] == "n39"  # the one that matters most
    assert 1 < len(names) < len(nodes)
    by_key = {node["key"]: node for node in nodes}
    for i, one in enumerate(names):
        for other in names[:i]:
            a, b = by_key[one], by_key[other]
            assert abs(a["y"] - b["y"]) >= 16 or abs(a["x"] - b["x"]) >= 60


def test_a_link_that_is_followed_before_the_page_is_loaded_keeps_the_graph(visit):
    page = visit.open("#/ask?graph=world")
    page.route("**/ask.js", lambda route: None)  # as on a slow machine
    page.evaluate("location.hash = '#/ask?graph=staff'")
    page.reload()
    page.locator("#pages").get_by_text("Graph", exact=True).click()
    until(page, "location.hash.startsWith('#/graph')")
    assert page.evaluate("location.hash") == "#/graph?graph=staff"
