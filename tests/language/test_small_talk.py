"""Messages that ask nothing of a graph, in the languages that questions are read in."""

from __future__ import annotations

import pytest

from graphbrick.language.small_talk import ABILITIES, APPROVAL, FAREWELL, GREETING, THANKS, small_talk

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
