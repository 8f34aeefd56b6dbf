"""Studies, documents and labels in a real browser."""

from __future__ import annotations

import csv

import pytest

from conftest import until

pytestmark = pytest.mark.browser


def test_a_study_shows_figures_the_front_and_where_questions_were_lost(visit):
    page = visit.open("#/compare?graph=world&study=runs")
    page.wait_for_selector(".question-list li")
    assert page.locator(".figures tbody th").first.inner_text().startswith("large")
    assert page.locator(".plot .point").count() == 3
    assert page.locator(".plot .point.front").count() == 2  # slow is worse and slower than large
    page.get_by_label("lost at").select_option("linking")
    until(page, "document.querySelector('.study [role=status]')?.textContent.match(/^[12]?\\d questions?$/)")
    page.locator(".question-list summary").first.click()
    page.wait_for_selector(".question-run .lost")
    assert "linking" in " ".join(page.locator(".question-run .lost").all_inner_texts())
    page.get_by_label("by", exact=True).select_option("f1")
    until(page, "document.querySelector('.figures thead th:nth-child(2)')?.textContent === 'F1'")


def test_a_search_shows_its_recipes_and_one_is_used(visit):
    page = visit.open("#/ask?graph=world")
    page.locator("#pages a", has_text="Tune").click()
    page.wait_for_selector(".tune-effects li")
    assert page.locator(".tune-aims h3").all_inner_texts() == ["Best quality", "Best with latency<1ms"]
    assert page.locator(".plot .point.front").count() == 2
    assert "#7 <b>best</b>" in page.locator(".figures tbody th").first.inner_text()  # as a text
    assert "without Rerank: costs 12.0 points" in page.locator(".tune-effects li").first.inner_text()
    assert "points better than with KHop (n = 12 and 9" in page.locator(".tune-effects li").last.inner_text()
    page.get_by_role("button", name="Use this: best for quality").click()
    page.wait_for_selector(".block")
    text = page.get_by_label("Recipe text").input_value()
    assert text.split() == "PPR(k=50) >> ShortestPaths() >> Rerank(BM25(), n=8) >> PathAnswer()".split()


def test_a_citation_opens_its_place_in_the_document(visit):
    page = visit.open("#/ask?graph=notes&q=What+is+the+capital+of+Kenya%3F")
    page.wait_for_selector(".share")
    assert "Its capital is Nairobi." in page.locator(".answer-text").first.inner_text()
    page.locator(".answers .citation").first.click()
    page.wait_for_selector(".passage-window mark")
    assert "Its capital is Nairobi" in page.locator(".passage-window mark").inner_text()
    assert "Lake Victoria" in page.locator(".passage-window blockquote").inner_text()
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")


def test_a_document_is_uploaded_read_and_deleted(visit):
    page = visit.open("#/documents?graph=notes")
    page.wait_for_selector(".passages li")
    assert page.locator(".passages button.name", has_text="Nairobi").count() > 0
    text = b"# Rwanda\nKigali is the capital of Rwanda. Lake Kivu borders Rwanda."
    page.locator("#upload").set_input_files({"name": "rwanda.md", "mimeType": "text/markdown", "buffer": text})
    page.locator(".document", has_text="Rwanda").wait_for()
    page.locator(".document", has_text="Rwanda").click()
    page.locator(".passages li", has_text="Kigali is the capital of Rwanda").wait_for()
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Delete rwanda.md").click()
    until(page, "![...document.querySelectorAll('.document')].some((one) => one.textContent.includes('Rwanda'))")


def test_names_are_merged_and_the_merge_is_taken_back(visit):
    page = visit.open("#/documents?graph=notes")
    page.get_by_label("This name").fill("Kenyan")
    page.get_by_label("is the same as").fill("Kenya")
    page.get_by_role("button", name="Merge", exact=True).click()
    page.get_by_role("button", name="Undo: Kenyan is Kenya").click()
    until(page, "!document.querySelector('.merge')")


def test_answers_are_labelled_by_keys_and_the_labels_are_in_the_file(visit, labels):
    page = visit.open("#/label")
    page.wait_for_selector(".label-case")
    page.keyboard.press("1")
    page.keyboard.press("s")
    until(page, "location.hash.endsWith('row=1')")
    page.get_by_role("button", name="No").first.click()
    until(page, "document.querySelectorAll('.label-values [aria-pressed=true]').length === 1")
    page.keyboard.press("ArrowLeft")
    until(page, "location.hash.endsWith('row=0')")
    until(page, "document.querySelectorAll('.label-values [aria-pressed=true]').length === 2")
    page.wait_for_load_state("networkidle")
    with labels.open(newline="", encoding="utf-8") as file:
        rows = [(row["context_relevance"], row["answer_relevance"]) for row in csv.DictReader(file)]
    assert rows[:3] == [("1", "skip"), ("0", ""), ("", "")]
