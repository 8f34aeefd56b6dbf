"""Messages that ask nothing of a graph, in the languages that questions are read in."""

from __future__ import annotations

import pytest

from graphbrick.language.courtesy import without_courtesy
from graphbrick.language.small_talk import ABILITIES, APPROVAL, FAREWELL, GREETING, THANKS, lead_in, small_talk

SAID = {
    GREETING: "hi|Hello!|hi there|Good morning everyone|Hey, how are you?|Hallo zusammen|Guten Tag|Bonjour, ça va ?|"
    "¡Hola!|Olá|Buongiorno|Goedemorgen|Cześć|Merhaba|Привет!|你好|こんにちは|안녕하세요|مرحبا|नमस्ते|สวัสดีครับ|Hej",
    THANKS: "thanks|Thank you so much for your help!|ok thanks, bye|Vielen Dank!|merci beaucoup|muchas gracias|"
    "obrigado|Grazie mille!|Dank je wel|dziękuję|teşekkür ederim|Спасибо большое|谢谢你！|你好，谢谢|"
    "ありがとうございます|감사합니다|شكرا جزيلا|धन्यवाद|ขอบคุณมากครับ|tack så mycket",
    FAREWELL: "bye|Good night!|See you later|Tschüss|au revoir|adiós|arrivederci|tot ziens|до свидания|再见|さようなら",
    APPROVAL: "ok|Great!|got it|perfect, well done|alles klar|d'accord|vale|хорошо|好的",
    ABILITIES: "what can you do?|What can I ask you?|help|Help me please|Who are you?|hello, what can you do?|"
    "was kannst du?|Que peux-tu faire ?|¿Qué puedes hacer?|o que você pode fazer|cosa puoi fare?|Wat kun je doen?|"
    "co potrafisz?|ne yapabilirsin?|Что ты умеешь?|你能做什么？|何ができますか？|무엇을 할 수 있나요?|"
    "ماذا يمكنك أن تفعل؟|"
    "คุณทำอะไรได้บ้าง",
}


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in SAID.items() for text in texts.split("|")])
def test_messages_that_ask_nothing(kind, text):
    assert small_talk(text) == kind


@pytest.mark.parametrize(
    "text",
    [
        "Who is Hi?",
        "Thanks, and when does it open?",
        "no",
        "yes",
        "Good Morning, Vietnam",
        "",
        "?",
        "Is this nice?",
        "what is this about?",
        "What can you do in Oslo?",
        "help desk",
        "who are you talking about",
        "谢谢的价格是多少？",
        "Danke schön, was kostet das?",
        "hi " * 100,
        "x" * 100_000,
    ],
)
def test_questions_are_not_small_talk(text):
    assert small_talk(text) == ""


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Are there teams without a lead? Which ones?", "which teams without a lead?"),
        ("Do any services lack an owner, and if so, which?", "which services lack an owner?"),
        ("Some services are public. Which ones?", "which services are public?"),
        ("Make me a list of teams", "teams"),
        ("We're looking for services in Go", "services in Go"),
        ("Are there more teams than offices? Which?", "Are there more teams than offices? Which?"),
        ("Is there anybody in Oslo? Who?", "Is there anybody in Oslo? Who?"),
        ("Can I get the Oslo services?", "Can I get the Oslo services?"),
    ],
)
def test_two_questions_for_the_same_are_one(text: str, plain: str) -> None:
    assert without_courtesy(text) == plain


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("I run a shop and need to know who owns Auth", "I run a shop and need to know"),
        ("hi, I'm new here - which teams are there?", "hi, I'm new here -"),
        ("I want those of 2013 and need to know who owns Auth", ""),
        ("The Oslo - Bergen line: which stops has it?", ""),
        ("I have only one shop and want to know who owns Auth", ""),
    ],
)
def test_wishes_and_pauses_before_a_question(text: str, before: str) -> None:
    assert lead_in(text) == before
