"""Questions in scripts that the encoder was not trained for: words rank."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphbrick import BM25, MiniLM, Passages, index, parse
from graphbrick.core.trace import NOTE
from graphbrick.graphs.corpus import TextGraph
from graphbrick.language.folding import search_words
from graphbrick.learn.default import TEXT_PIPELINE

# Language: names of rules, a document about one of them, a question, and its answer.
RULES = {
    "zh": (
        "租船 借书 停车 游泳 露营 钓鱼 宠物 摄影 烧烤 滑冰",
        "# {x}规则\n\n{x}的费用为{a}元。\n\n{x}应当提前{b}天预约。\n\n{x}每次最长{c}分钟。\n\n负责人为 Li{i} Wang。\n",
        "{x}要提前几天预约？",
        "{x}应当提前{b}天预约。",
    ),
    "ja": (
        "貸船 図書 駐車 水泳 野営 釣り ペット 撮影 焼肉 スケート",
        "# {x}の規則\n\n{x}の料金は{a}円です。\n\n{x}は{b}日前に予約が必要です。\n\n{x}は一回{c}分までです。\n",
        "{x}は何日前に予約しますか？",
        "{x}は{b}日前に予約が必要です。",
    ),
    "ko": (
        "보트 도서 주차 수영 야영 낚시 애견 촬영 바비큐 스케이트",
        "# {x} 규칙\n\n{x} 요금은 {a}원입니다.\n\n{x} 예약은 {b}일 전에 해야 합니다.\n\n{x} 이용은 {c}분까지입니다.\n",
        "{x} 예약은 며칠 전에 해야 합니까?",
        "{x} 예약은 {b}일 전에 해야 합니다.",
    ),
    "th": (
        "เช่าเรือ ยืมหนังสือ จอดรถ ว่ายน้ำ ตั้งแคมป์ ตกปลา สัตว์เลี้ยง ถ่ายภาพ ปิ้งย่าง สเก็ต",
        "# กฎ{x}\n\nค่า{x}คือ {a} บาท\n\n{x}ต้องจองล่วงหน้า {b} วัน\n\n{x}ครั้งละไม่เกิน {c} นาที\n",
        "{x}ต้องจองล่วงหน้ากี่วัน",
        "{x}ต้องจองล่วงหน้า {b} วัน",
    ),
    "ar": (
        "القوارب الكتب السيارات السباحة التخييم الصيد الحيوانات التصوير الشواء التزلج",
        "# قواعد {x}\n\nرسوم {x} هي {a} ريالا.\n\nيجب حجز {x} قبل {b} أيام.\n\nمدة {x} لا تزيد على {c} دقيقة.\n",
        "قبل كم يوم يجب حجز {x}؟",
        "يجب حجز {x} قبل {b} أيام.",
    ),
    "he": (
        "סירות ספרים חניה שחייה מחנאות דיג חיות צילום מנגל החלקה",
        "# כללי {x}\n\nהמחיר של {x} הוא {a} שקלים.\n\nיש להזמין {x} לפני {b} ימים.\n\nמשך {x} עד {c} דקות.\n",
        "כמה ימים לפני יש להזמין {x}?",
        "יש להזמין {x} לפני {b} ימים.",
    ),
}


def filled(form: str, i: int, name: str) -> str:
    return form.format(x=name, i=i, a=i + 11, b=i + 3, c=i + 20)


def rules(folder: Path, language: str) -> TextGraph:
    names, document, _, _ = RULES[language]
    text = "\n".join(filled(document, i, name) for i, name in enumerate(names.split()))
    (folder / "rules.md").write_text(text, encoding="utf-8")
    return index([folder / "rules.md"], folder / "rules.graph").graph


@pytest.mark.whole
@pytest.mark.parametrize("language", RULES)
def test_every_rule_answers_its_question(tmp_path: Path, language: str) -> None:
    graph = rules(tmp_path, language)
    names, _, question, answer = RULES[language]
    pipeline = parse(f"{TEXT_PIPELINE.partition(' >> ')[0]} >> Quote(BM25(), n=1)")
    for i, name in enumerate(names.split()):
        run = pipeline.run(graph, filled(question, i, name))
        assert run.answer is not None
        assert filled(answer, i, name) in run.answer.texts[0]
        assert run.trace.event_codes == ["passages.other_script"]


def test_fusion_leaves_such_questions_to_words(tmp_path: Path) -> None:
    graph = rules(tmp_path, "zh")
    by_words, both = (Passages(embedder, n=9) for embedder in (None, MiniLM()))
    question = "停车要提前几天预约？"
    texts = [
        [item.text for item in parse(repr(brick)).run(graph, question).evidence.items] for brick in (by_words, both)
    ]
    assert texts[0] == texts[1]
    assert "passages.other_script" in parse(repr(both)).run(graph, question).trace.event_codes


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        ("Where is Nairobi?", True),
        ("Где находится Калуга?", False),
        ("Πού είναι η Κοζάνη;", False),
        ("Wo liegt Köln?", True),
        ("2 + 2 = ?", True),
        ("停车要提前几天？", False),
        ("What is 借书证?", True),
        ("متى تغلق المكتبة؟", False),
        ("휴관일은 언제입니까?", False),
    ],
)
def test_scripts_that_minilm_reads(text: str, is_read: bool) -> None:
    assert MiniLM().reads(text) == is_read


def test_words_of_scripts_without_spaces_are_characters_and_pairs() -> None:
    assert search_words("停车场, 借书 OK") == ["停", "车", "场", "借", "书", "ok", "停车", "车场", "借书"]
    assert search_words("Zürich, Köln") == ["zurich", "koln"]
    assert BM25().score("车场", ["场车", "车场"]).argmax() == 1


def test_words_of_slavic_languages_are_found_with_other_endings(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        "# Копирование\n\nФайлы копируются клавишей F5.\n\n# Поиск\n\nПапки ищут клавишей F7.\n\n"
        "# Вид\n\nПанель меняют клавишей F2.\n",
        encoding="utf-8",
    )
    graph = index([tmp_path / "a.md"], tmp_path / "a.graph").graph
    for question, expected in (
        ("Какая клавиша для копирования файла?", "F5"),
        ("Как найти папку?", "F7"),
        ("Чем сменить панели?", "F2"),
    ):
        run = parse(TEXT_PIPELINE.replace("0.5)", "0)")).run(graph, question)
        assert run.answer is not None
        assert expected in run.answer.texts[0]
        assert [event.code for event in run.trace.events if event.told_as == NOTE] == ["passages.other_script"]
