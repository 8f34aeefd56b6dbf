"""Answers that are sentences stand on lines of their own in a message; names stand side by side."""

from __future__ import annotations

from graphbrick.serve.conversation.answer_text import answer_text, answers_line


def test_sentences_stand_on_lines_and_names_side_by_side() -> None:
    names = {"answers": [{"text": "Kenya", "support": []}, {"text": "Uganda", "support": []}], "support": []}
    assert answers_line(names) == "Kenya, Uganda"
    sentence = "Lake Victoria is the largest lake of Africa, and borders three countries."
    lines = {"answers": [{"text": sentence, "support": []}, {"text": "Kenya has lakes.", "support": []}], "support": []}
    assert answers_line(lines) == f"{sentence}\nKenya has lakes."


def computed(text: str, plan: str) -> dict[str, object]:
    values = [text, plan]
    return {"text": f"answer: {text}, plan: {plan}", "columns": ["answer", "plan"], "values": values, "citations": []}


def test_one_plan_of_twenty_answers_is_one_line() -> None:
    cities = [f"City {i}" for i in range(20)]
    run = {
        "answers": [{"text": city, "support": [i]} for i, city in enumerate(cities)],
        "support": [computed(city, "every city") for city in cities],
    }
    assert answer_text(run) == ", ".join(cities) + " [1]\n\n[1] every city"


def test_a_plan_and_the_path_of_an_answer_are_both_told() -> None:
    path = {"text": "Russia -> borders -> China"}
    run = {
        "answers": [{"text": "China", "support": [0, 1]}, {"text": "Russia", "support": [2]}],
        "support": [computed("China", "most borders"), path, computed("Russia", "most borders")],
    }
    assert answer_text(run) == "China [1][2], Russia [1]\n\n[1] most borders\n[2] Russia -> borders -> China"


def test_each_entity_of_a_name_is_told_by_what_tells_it_apart() -> None:
    readings = [
        {"about": "Paris (city in France)", "texts": ["2,138,551"], "answers": 1},
        {"about": "Paris (city in Texas)", "texts": ["24,782"], "answers": 3},
    ]
    run = {"answers": [{"text": "2,138,551", "support": []}], "support": [], "readings": readings}
    assert answer_text(run) == (
        "Paris (city in France): 2,138,551\n\nOthers of this name:\nParis (city in Texas): 24,782, and 2 more"
    )


def test_as_much_evidence_is_listed_as_is_cited_and_the_rest_is_counted() -> None:
    paths = [{"text": f"Search Team <- member of <- Member {i}"} for i in range(6)]
    plan = computed("16", "count of members")
    answers = [{"text": "16", "support": [*range(7)]}]
    of_all = {"answers": answers, "support": [plan | {"counted": 16}, *paths]}
    listed = [f"[{i + 2}] {path['text']}" for i, path in enumerate(paths)]
    told = "16 [1][2][3]\n\n[1] count of members\n" + "\n".join(listed[:2])
    assert answer_text(of_all) == f"{told}\nand 14 more"
    assert answer_text({"answers": answers, "support": [plan, *paths]}) == f"{told}\nand 4 more"
    short = {"answers": [{"text": "16", "support": [0, 1, 2]}], "support": [plan, *paths]}
    assert answer_text(short) == told
    written = {"answers": [{"text": "There are 16 [1, 6].", "support": [*range(7)]}], "support": [plan, *paths]}
    assert answer_text(written) == "There are 16 [1, 6].\n\n[1] count of members\n" + "\n".join(listed)
