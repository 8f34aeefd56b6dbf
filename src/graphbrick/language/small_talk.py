"""Messages that ask nothing of a graph: greetings, thanks, farewells, and questions about what one can ask.

Also the sentences that introduce a question.
"""

from __future__ import annotations

import re
from functools import cache

from graphbrick.language.courtesy import without_courtesy
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.folding import fold

GREETING, THANKS, FAREWELL, APPROVAL, ABILITIES = "greeting", "thanks", "farewell", "approval", "abilities"
_FILLER = "filler"
_LONGEST = 40  # tokens of a message, which in scripts without spaces are characters
_FROM_HERE = 200  # characters, from which on nothing is read

_SENTENCES = Expression(r"^(?P<before>.*[a-z]{3}[.!]) (?P<asked>[A-Z][^.!?]*\??)$", re.DOTALL)
_ASKS = Expression(
    r"(?:who|whom|whose|what|which|where|when|how|in which|from which|to which|is|are|was|were|do|does|did|has|have|can"
    r"|could|would|will|please|tell|list|show|give|name|find|count)\b",
    re.IGNORECASE,
)
_ASIDE = Expression(
    r"(?P<before>(?:(?:hi|hello|hey|sorry|ok|okay|so|well)[,!.]? )*(?:i|i'm|i've|i'd|i'll|we|we're|we've"
    r"|someone|somebody|quick|just a|stupid|silly|simple|one more question)\b ?[^:?]{0,90}?(?::| ?[–—]| -+)) "
    r"(?P<asked>[^:]+)$",
    re.IGNORECASE,
)
_WISHING = Expression(  # «I'm building a farm and need to know how tall an enderman is»
    r"(?P<before>(?:i|we|i'm|i've|we're|we've)\b [^:?.]{0,90}?\b(?:and|so)(?: (?:i|we))?"
    r"(?:'d| would| now| really| also)* (?:need|want(?:ed)?|have|like|love|try(?:ing)?|(?:am |was )?wonder(?:ing)?)"
    r"(?: to (?:know|find out|see|learn|check|understand|figure out))?) (?P<asked>[^:]+)$",
    re.IGNORECASE,
)
_BACK = Expression(
    r"\b(?:it|they|them|he|she|him|her|his|their|same|this|these|those|ones?)\b"
    r"|\b(?:of|for|by|at|in|from|to|with|is|about) that\b|(?<!are )(?<!is )(?<!was )(?<!were )\bthere\b",
    re.IGNORECASE,
)
_RESTRICTS = Expression(
    r"\d|\b(?:only|not|never|none|neither|nor|nobody|nothing|but|no|without|except|apart|besides|just the|other than"
    r"|it|they|them|this|that|these|those|he|she|him|her|his|their)\b|n't\b",
    re.IGNORECASE,
)
_AFTER = Expression(
    r"[^.!?]+\? +(?P<after>(?:(?:i|we) (?:just |really |still )?"
    r"(?:want|need|have|would like|'d like|am|are|plan|must|ought)|i'm|we're|i'd like|we'd like|it's for|it is for"
    r"|this is for|asking for|(?:my|our|the) (?:[\w-]+ ){1,3}(?:wants?|needs?|asked|asks|would like)) [^?]*)$",
    re.IGNORECASE,
)
_NARROWS = Expression(
    r"\d|\b(?:only|not|never|none|neither|nobody|nothing|but|no|without|except|apart|besides|just the|other than|mean"
    r"|those|ones?|which|who|that|like)\b(?<!would like)(?<!d like)|n't\b",
    re.IGNORECASE,
)
_OCCASION = (
    r"(?:slides?|talk|presentation|report|memo|newsletter|flyer|leaflet|poster|article|blog post|press release|meeting"
    r"|workshop|course|training|audit|quiz|dashboard|handout|brochure|speech|briefing)"
)
_FOR_OCCASION = Expression(
    rf"\b(?:have|has|am in|is in|preparing|writing|wants?|needs?|asked for)\b.* (?:an?|the|this|my|our) (?:[\w-]+ )?"
    rf"(?:{_OCCASION}|list|overview|summary|number|answer)\b",
    re.IGNORECASE,
)
_PURPOSE = Expression(
    rf"(?P<before>for (?:(?:an?|the|my|our|this|next) )?(?:[\w-]+ ){{0,3}}{_OCCASION}"
    r"(?: (?:on|about|of|with|at|in|next|this|today|tomorrow)\b[^:?]{0,60})?:) (?P<asked>[^:]+)$",
    re.IGNORECASE,
)

# A line for each of some languages: English, German, French, Spanish, Portuguese and Italian, Dutch and Swedish, Polish
# and Turkish, Russian and Ukrainian, Chinese, Japanese, Korean, Arabic, Hindi and Thai. As `fold` gives them.
_PHRASES = {
    GREETING: (
        "hi|hello|hey|howdy|hiya|yo|welcome|greetings|good morning|good evening|good afternoon|good day|how are you|"
        "how are you doing|how are you today|how is it going|how's it going|what's up|nice to meet you|are you there|"
        "can you hear me|anybody there|anyone there",
        "hallo|servus|moin|grüezi|guten morgen|guten tag|guten abend|grüß gott|wie geht es dir|wie geht es ihnen|"
        "wie geht's|na",
        "bonjour|salut|bonsoir|coucou|ça va|comment ça va|comment vas-tu|comment allez-vous",
        "hola|buenos días|buenas tardes|buenas noches|buenas|qué tal|cómo estás|cómo está",
        "olá|oi|bom dia|boa tarde|boa noite|tudo bem|como vai|ciao|salve|buongiorno|buonasera|come stai|come va",
        "hoi|goedemorgen|goedemiddag|goedenavond|goedendag|dag|hoe gaat het|hej|hejsan|god morgon|god dag|hei|moi",
        "cześć|dzień dobry|dobry wieczór|hej|witam|jak się masz|merhaba|selam|günaydın|iyi akşamlar|iyi günler|"
        "nasılsın|nasılsınız",
        "привет|здравствуй|здравствуйте|доброе утро|добрый день|добрый вечер|как дела|вітаю|привіт|добрий день",
        "你好|您好|你好吗|早上好|下午好|晚上好|嗨|哈喽|大家好",
        "こんにちは|こんばんは|おはよう|おはようございます|やあ|はじめまして|お元気ですか|もしもし",
        "안녕|안녕하세요|안녕하십니까|반갑습니다|좋은 아침",
        "مرحبا|أهلا|أهلا وسهلا|السلام عليكم|صباح الخير|مساء الخير|كيف حالك|هلا",
        "नमस्ते|नमस्कार|आप कैसे हैं|สวัสดี|สวัสดีครับ|สวัสดีค่ะ|หวัดดี|สบายดีไหม",
    ),
    THANKS: (
        "thanks|thank|thx|ty|cheers|much appreciated|i appreciate it|many thanks|thank you",
        "danke|vielen dank|besten dank|herzlichen dank|danke schön|dankeschön|merci",
        "merci|merci beaucoup|je vous remercie|je te remercie",
        "gracias|muchas gracias|mil gracias|te lo agradezco",
        "obrigado|obrigada|muito obrigado|muito obrigada|grazie|grazie mille|molte grazie",
        "bedankt|dank je|dank je wel|dank u|dank u wel|hartelijk dank|tack|tack så mycket|takk|kiitos",
        "dziękuję|dzięki|dziękuję bardzo|teşekkürler|teşekkür ederim|çok teşekkürler|sağ ol|sağol",
        "спасибо|спасибо большое|большое спасибо|благодарю|дякую|spasibo",
        "谢谢|謝謝|多谢|多謝|谢谢你|謝謝你|非常感谢|感谢",
        "ありがとう|ありがとうございます|ありがとうございました|どうも|どうもありがとう|感謝します",
        "고마워|고맙습니다|감사합니다|감사해요|고마워요",
        "شكرا|شكرا جزيلا|شكرا لك|أشكرك|shukran|shukran jazilan",
        "धन्यवाद|शुक्रिया|बहुत धन्यवाद|ขอบคุณ|ขอบคุณครับ|ขอบคุณค่ะ|ขอบคุณมาก|ขอบใจ",
    ),
    FAREWELL: (
        "bye|bye bye|goodbye|good bye|see you|see you later|see you soon|see ya|good night|have a nice day|"
        "have a good day|take care|farewell",
        "tschüss|tschüs|auf wiedersehen|bis bald|bis später|bis dann|gute nacht|schönen tag|schönen tag noch",
        "au revoir|à bientôt|à plus|à plus tard|bonne nuit|bonne journée|bonne soirée|adieu",
        "adiós|hasta luego|hasta pronto|hasta mañana|nos vemos|chao",
        "tchau|até logo|até mais|adeus|arrivederci|a presto|buonanotte|addio",
        "tot ziens|doei|tot straks|hej då|vi ses|ha det",
        "do widzenia|na razie|pa pa|hoşça kal|hoşçakal|görüşürüz|güle güle|iyi geceler",
        "пока|до свидания|до встречи|всего доброго|спокойной ночи|до побачення",
        "再见|再見|拜拜|回头见|晚安",
        "さようなら|さよなら|またね|じゃあね|バイバイ|おやすみ|おやすみなさい",
        "안녕히 계세요|안녕히 가세요|잘 가|잘 있어|또 봐요",
        "مع السلامة|وداعا|إلى اللقاء|تصبح على خير",
        "अलविदा|फिर मिलेंगे|लाก่อน|ลาก่อน|แล้วพบกันใหม่|บาย",
    ),
    APPROVAL: (
        "ok|okay|cool|great|nice|perfect|awesome|wonderful|lovely|well done|got it|i see|good job|great job|"
        "excellent|"
        "amazing|that's great|that is great|good bot|alright|all right|sounds good|understood|super|good",
        "prima|toll|klasse|super|gut|sehr gut|alles klar|verstanden|in ordnung|großartig|passt",
        "d'accord|parfait|super|très bien|génial|compris|c'est bon|bien",
        "vale|perfecto|genial|muy bien|entendido|estupendo|de acuerdo",
        "perfeito|ótimo|muito bem|entendi|legal|perfetto|ottimo|va bene|capito|bene|benissimo",
        "goed|heel goed|mooi|prima|begrepen|bra|jättebra|toppen|förstått",
        "świetnie|super|dobrze|rozumiem|tamam|harika|çok iyi|güzel|anladım",
        "хорошо|отлично|понятно|ладно|супер|добре",
        "好的|好|很好|明白了|知道了|太好了|不错",
        "わかりました|分かりました|了解|了解です|いいね|すごい|はい",
        "알겠습니다|좋아요|네|알았어|좋습니다",
        "حسنا|تمام|ممتاز|جيد|رائع|فهمت",
        "ठीक है|अच्छा|बढ़िया|โอเค|ดีมาก|เข้าใจแล้ว|เยี่ยม",
    ),
    ABILITIES: (
        "help|help me|help please|can you help me|can you help|could you help me|i need help|what can you do|"
        "what can you do for me|what do you do|what can i ask|what can i ask you|what can i ask here|"
        "what could i ask|"
        "what should i ask|what may i ask|what can you answer|what can you tell me|what do you know|who are you|"
        "what are you|what is this|what's this|how does this work|how do you work|how does it work|"
        "how can you help|how can you help me|how can i use this|how do i use this|how to use this|"
        "what questions can you answer|what questions can i ask|which questions can you answer|"
        "which questions can i ask|what kind of questions can i ask|what kind of questions can you answer|"
        "give me an example|give me examples|"
        "give me some examples|show me examples|show me some examples|examples|example questions|show examples|"
        "introduce yourself|tell me about yourself|what are you able to do|what are your capabilities|are you a bot|"
        "are you human|are you an ai|are you chatgpt|how do i start|where do i start|get started",
        "hilfe|hilf mir|was kannst du|was können sie|was kannst du alles|was kannst du tun|was kann ich fragen|"
        "was kann ich dich fragen|was kann man fragen|wer bist du|wer sind sie|was bist du|was ist das|"
        "wie funktioniert das|wie geht das|beispiele|zeig mir beispiele|was weißt du|kannst du mir helfen|"
        "was kann ich hier fragen|welche fragen kann ich stellen|was machst du",
        "aide|à l'aide|aide-moi|aidez-moi|que peux-tu faire|que pouvez-vous faire|qu'est-ce que tu peux faire|"
        "que sais-tu faire|qui es-tu|qui êtes-vous|qu'est-ce que c'est|comment ça marche|que puis-je demander|"
        "que puis-je te demander|exemples|donne-moi des exemples|que sais-tu|tu peux m'aider|pouvez-vous m'aider",
        "ayuda|ayúdame|qué puedes hacer|qué sabes hacer|qué sabes|quién eres|qué eres|qué es esto|cómo funciona|"
        "cómo funciona esto|qué puedo preguntar|qué te puedo preguntar|qué puedo preguntarte|ejemplos|"
        "dame ejemplos|me puedes ayudar|puedes ayudarme",
        "ajuda|o que você pode fazer|o que você sabe fazer|o que podes fazer|quem é você|quem és tu|o que é isto|"
        "o que é isso|como funciona|o que posso perguntar|exemplos|pode me ajudar|aiuto|aiutami|cosa puoi fare|"
        "che cosa puoi fare|cosa sai fare|chi sei|che cosa sei|cos'è questo|come funziona|cosa posso chiedere|"
        "cosa posso chiederti|esempi|puoi aiutarmi",
        "hulp|help mij|wat kun je|wat kan je|wat kun je doen|wat kan je doen|wat kunt u|wie ben je|wie bent u|"
        "wat is dit|hoe werkt dit|hoe werkt het|wat kan ik vragen|voorbeelden|hjälp|vad kan du göra|vad kan du|"
        "vem är du|"
        "vad är det här|hur fungerar det|vad kan jag fråga",
        "pomoc|pomóż mi|co potrafisz|co umiesz|co możesz zrobić|kim jesteś|co to jest|jak to działa|"
        "o co mogę zapytać|przykłady|yardım|ne yapabilirsin|neler yapabilirsin|sen kimsin|kimsin|bu nedir|"
        "nasıl çalışır|ne sorabilirim|neler sorabilirim|örnekler|bana yardım et",
        "помощь|помоги|помоги мне|помогите|что ты умеешь|что ты можешь|что вы умеете|что вы можете|кто ты|кто вы|"
        "что это|как это работает|что можно спросить|что я могу спросить|примеры|допоможи|що ти вмієш|хто ти",
        "帮助|幫助|帮帮我|帮我|你能做什么|你能做什麼|你会做什么|你可以做什么|你会什么|你是谁|你是誰|您是谁|这是什么|"
        "怎么用|怎么使用|我可以问什么|我能问什么|可以问什么|举个例子|例子|你知道什么",
        "ヘルプ|助けて|何ができますか|何ができるの|なにができますか|何ができる|あなたは誰ですか|誰ですか|これは何ですか|"
        "使い方|使い方を教えて|何を聞けますか|何を質問できますか|例|例を見せて",
        "도움말|도움|도와줘|도와주세요|무엇을 할 수 있나요|무엇을 할 수 있어|뭘 할 수 있어|뭘 할 수 있나요|너는 누구야|"
        "누구세요|이게 뭐야|어떻게 사용하나요|무엇을 물어볼 수 있나요|예시",
        "مساعدة|ساعدني|ماذا يمكنك أن تفعل|ماذا تستطيع أن تفعل|ماذا تفعل|من أنت|ما هذا|كيف يعمل هذا|كيف تعمل|"
        "ماذا يمكنني أن أسأل|ماذا يمكن أن أسأل|أمثلة|هل يمكنك مساعدتي",
        "मदद|मेरी मदद करो|तुम क्या कर सकते हो|आप क्या कर सकते हैं|आप कौन हैं|तुम कौन हो|यह क्या है|उदाहरण|"
        "ช่วยด้วย|ช่วยเหลือ|คุณทำอะไรได้บ้าง|ทำอะไรได้บ้าง|คุณคือใคร|นี่คืออะไร|ใช้งานอย่างไร|ถามอะไรได้บ้าง|"
        "ตัวอย่าง",
    ),
    _FILLER: (
        "you|u|so|very|much|many|a|a lot|for|your|the|help|it|that|this|was|is|and|again|all|everyone|there|good|"
        "morning|evening|afternoon|night|day|see|later|soon|yes|no|please|sir|team|bot|friend|mate|guys|folks|"
        "assistant|graphbrick|just|saying|testing|to|say|wanted|i|then|now|really|too|answer|answers|well|oh|ah|hm",
        "schon|sehr|vielen|bitte|dir|ihnen|für|die|das|hilfe|antwort|und|ja|nein|nochmal|zusammen|alle",
        "beaucoup|s'il te plaît|s'il vous plaît|oui|non|et|à|tous|pour|votre|ton|l'aide|aide|mille",
        "muchas|por|favor|por favor|si|no|y|todos|tu|ayuda|la",
        "per favore|sì|no|e|a|tutti|por favor|sim|não|muito|pela|ajuda",
        "alsjeblieft|ja|nee|en|allemaal|voor|de|hulp|snälla|nej|och|alla",
        "proszę|tak|nie|bardzo|lütfen|evet|hayır|çok|herkese",
        "пожалуйста|да|нет|и|всем|большое|за|будь ласка|так|ні",
        "吗|呢|啊|了|请|大家|很|非常|你|您|的|帮助|请问",
        "ね|よ|です|ください|皆さん|本当に|とても",
        "요|여러분|정말|제발",
        "لك|جدا|من فضلك|يا|صديقي|جزيلا|نعم|لا|و|على|المساعدة|كثيرا",
        "जी|कृपया|बहुत|ครับ|ค่ะ|คะ|นะ|มาก|ด้วย|ทุกคน",
    ),
}


def small_talk(text: str) -> str:
    """Return what a message does that asks nothing of a graph: one of the kinds above; empty for any other message.

    Every word must belong to a phrase of small talk. In a question the phrases must be whole: «Hi there, is it open?»
    is not small talk.

    >>> [small_talk(text) for text in ("Hi there!", "Thanks, bye", "What can you do?", "谢谢你！", "Was kannst du?")]
    ['greeting', 'thanks', 'abilities', 'thanks', 'abilities']
    >>> [small_talk(text) for text in ("Thanks, and when does it open?", "Who is Hi?", "good", "help desk")]
    ['', '', 'approval', '']
    """
    tokens = tuple(fold(text).split()) if len(text) <= _FROM_HERE else ()
    if not 0 < len(tokens) <= _LONGEST:
        return ""
    kinds = _kinds(tokens, fillers=not text.rstrip().endswith(("?", "？", "؟")))
    return next((kind for kind in (THANKS, FAREWELL, ABILITIES, GREETING, APPROVAL) if kind in kinds), "")


def _kinds(tokens: tuple[str, ...], *, fillers: bool) -> set[str]:
    """Return the kinds of the phrases that a message is made of; none if a part of it is not a phrase."""
    phrases, longest = _table()
    reached: dict[int, set[str]] = {0: set()}  # the kinds of the phrases up to each place, by the fewest phrases
    for start in range(len(tokens)):
        for end in range(min(len(tokens), start + longest), start, -1) if start in reached else ():
            kind = phrases.get(tokens[start:end])
            if kind is not None and (fillers or kind != _FILLER):
                reached.setdefault(end, reached[start] | {kind})
    return reached.get(len(tokens), set())


@cache
def _table() -> tuple[dict[tuple[str, ...], str], int]:
    """Return the kind of every phrase, as folded tokens, and the tokens of the longest."""
    table: dict[tuple[str, ...], str] = {}
    for kind, lines in _PHRASES.items():
        for line in lines:
            for phrase in line.split("|"):
                table.setdefault(tuple(fold(phrase).split()), kind)
    return table, max(map(len, table))


def lead_in(text: str) -> str:
    """Return the sentences before a question that only introduce it; "" where they may be part of what is asked.

    A sentence with a number, «not», «only», or a pronoun may be part of it, and so may the question after it.

    >>> lead_in("Hello, I am preparing a report about the storm. How many flights of Envoy Air were planned?")
    'Hello, I am preparing a report about the storm.'
    >>> lead_in("I'm new here, so bear with me: who runs Auth?"), lead_in("Our Oslo office only: who works there?")
    ("I'm new here, so bear with me:", '')
    >>> lead_in("Quick one - who runs Auth?"), lead_in("I plan a trip and want to know when it opens")
    ('Quick one -', '')
    >>> lead_in("In stock: which products cost most?"), lead_in("Our unpaid orders: which are late?")
    ('', '')
    >>> lead_in("I only need those of 2013. Which flights were late?")
    ''
    >>> lead_in("Ada Marsh works in Oslo. Who is her boss?")
    ''
    """
    parts = _SENTENCES.match(text) or _ASIDE.match(text) or _WISHING.match(text)
    if parts is None or not _ASKS.match(parts["asked"]):
        return ""
    refers = _RESTRICTS.search(parts["before"]) or _BACK.search(parts["asked"])
    return "" if refers else parts["before"]


def lead_out(text: str) -> str:
    """Return the sentence after a question that only says why it is asked; "" where it may be part of what is asked.

    >>> lead_out("When is Ada's birthday? We want to get her a cake."), lead_out("Who works there? I need only nurses.")
    ('We want to get her a cake.', '')
    >>> lead_out("Who owns Auth? Who runs it?"), lead_out("Which are late? I mean orders of 2013.")
    ('', '')
    """
    parts = _AFTER.match(text)
    return "" if parts is None or _NARROWS.search(parts["after"]) else parts["after"]


def is_of_occasion(after: str) -> bool:
    """Return whether the sentence after a question speaks of the occasion on which it is asked.

    >>> is_of_occasion("The boss wants a list by noon."), is_of_occasion("We need oncology wards.")
    (True, False)
    """
    return _FOR_OCCASION.search(after) is not None


def purpose(text: str) -> str:
    """Return what a question is asked for, where it says so first: «for the newsletter:»; "" for nothing.

    >>> purpose("For a slide on history: which releases came out before 2000?")
    'For a slide on history:'
    >>> purpose("For dairy products: which suppliers are there?"), purpose("For the 2013 report: who was hired?")
    ('', '')
    >>> purpose("For the training department: who earns most?"), purpose("In the training, who was there?")
    ('', '')
    """
    found = _PURPOSE.match(text)
    return found["before"] if found and _ASKS.match(found["asked"]) and not _RESTRICTS.search(found["before"]) else ""


def question_alone(text: str) -> str:
    """Return a question without what only makes it polite or introduces it.

    >>> question_alone("Good morning! I am new here. Could you tell me who owns Auth?")
    'who owns Auth?'
    >>> question_alone("Could you tell me who owns Auth? My boss wants a list.")
    'who owns Auth?'
    """
    after = lead_out(text)
    text = text.removesuffix(after).rstrip() if is_of_occasion(after) else text
    return without_courtesy(text.removeprefix(lead_in(text)).lstrip())
