"""The read-only guard: refuses queries that write, read files, or call other servers.

It is the first of two locks; the second is the read-only mode of the engine, where it has one. The guard works on
tokens, so that a word inside a string, a comment or backticks does not count, and it is strict: it refuses what
engines read in different ways (lone carriage returns, escapes of ASCII characters, letters that look like others).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from graphbrick.core.errors import GraphbrickError
from graphbrick.graphs.queries.tokens import CYPHER, SPARQL, QueryTextError, Token, known_language, token_at, tokens_of


class RefusedQueryError(GraphbrickError):
    """A query that was not run, since it may do more than read."""


_LONGEST, _DEEPEST = 100_000, 100  # characters, and brackets in brackets

_PAIRS = {"(": ")", "{": "}", "[": "]"}

_CYPHER_STARTS = ("MATCH", "OPTIONAL", "WITH", "UNWIND", "RETURN", "CALL")
_CYPHER_REFUSED = frozenset(
    "CREATE MERGE INSERT SET DELETE DETACH NODETACH REMOVE DROP ALTER FOREACH LOAD COPY IMPORT EXPORT INSTALL ATTACH "
    "USE".split()
)
_SPARQL_STARTS = ("BASE", "PREFIX", "SELECT", "ASK")
_SPARQL_REFUSED = frozenset(
    "INSERT DELETE LOAD CLEAR CREATE DROP COPY MOVE ADD INTO USING SERVICE FROM CONSTRUCT DESCRIBE DEFINE".split()
)
_PROCEDURES = frozenset(
    "db.labels db.relationshiptypes db.propertykeys db.indexes db.schema.visualization db.schema.nodetypeproperties "
    "db.schema.reltypeproperties db.index.fulltext.querynodes db.index.fulltext.queryrelationships "
    "db.index.vector.querynodes db.index.vector.queryrelationships db.idx.fulltext.querynodes "
    "db.idx.fulltext.queryrelationships db.idx.vector.querynodes db.idx.vector.queryrelationships db.meta.stats "
    "show_tables table_info show_connection show_indexes db_version query_fts_index query_vector_index".split()
)
_FUNCTIONS = (  # the first parts of names with dots
    "date", "datetime", "localdatetime", "localtime", "time", "duration", "point", "vector.similarity", "apoc.any",
    "apoc.coll", "apoc.convert", "apoc.date", "apoc.label", "apoc.map", "apoc.math", "apoc.number", "apoc.temporal",
    "apoc.text", "list",
)  # fmt: skip
_CHANGING_FUNCTIONS = frozenset(("NEXTVAL", "SETVAL"))
_SCHEMES = ("bif:", "sql:", "java:", "javascript:", "file:", "jar:")  # of functions and sources that do anything
_ALLOWED_WITH_SCHEME = frozenset(("bif:contains",))

_NEVER = ("Cc", "Cs", "Co", "Cn", "Zl", "Zp")  # categories of characters: control, private, line ends of Unicode
_ONLY_QUOTED = ("Cf", "Zs", "Mn", "Me")  # invisible, wide spaces, marks on letters
_ESCAPE = re.compile(r"\\(?:u+\{?([0-9A-Fa-f]{1,8})\}?|U([0-9A-Fa-f]{8}))")  # Java reads \uu0027, too
_LOOKS_LIKE = {  # letters of other scripts by the Latin letters that they look like
    "A": "АаΑαɑᴀ", "B": "ВвΒᴃ", "C": "СсϹϲᴄ", "D": "ԀԁᎠᴅ", "E": "ЕеΕεᴇ", "F": "Ϝϝꓝ", "G": "ԌɡɢᏀ", "H": "НнΗһ",
    "I": "ІіΙιıɪӀ", "J": "Јјᴊ", "K": "КкΚκᴋ", "L": "ӀӏʟᏞ", "M": "МмΜᴍ", "N": "ΝɴԤ", "O": "ОоΟοᴏ", "P": "РрΡρᴘ",
    "Q": "Ԛԛ", "R": "Ʀʀг", "S": "Ѕѕꜱ", "T": "ТтΤτᴛ", "U": "Սυᴜ", "V": "Ѵѵνᴠ", "W": "Ԝԝѡᴡ", "X": "ХхΧχ", "Y": "УуΥҮʏ",
    "Z": "Ζᴢ",
}  # fmt: skip
_LIKE_LATIN = {ord(letter): latin for latin, letters in _LOOKS_LIKE.items() for letter in letters}


def check_read_only(text: str, language: str) -> None:
    """Check that a query only reads the graph.

    Allowed are, in Cypher, one statement of MATCH, OPTIONAL MATCH, WITH, UNWIND, RETURN, subqueries, and calls of
    procedures that describe or search the graph; in SPARQL, SELECT and ASK over the graphs of the endpoint. EXPLAIN,
    PROFILE and USE are refused as well as CONSTRUCT, DESCRIBE, FROM and SERVICE. A name that is such a word can be
    written in backticks (Cypher); after a dot or a colon it needs none.

    Args:
        text: The query.
        language: "Cypher" or "SPARQL".

    Raises:
        RefusedQueryError: The query may do more than read; the message names the word.
        GraphbrickError: The language is neither.

    >>> check_read_only("MATCH (n:Film) WHERE n.title = 'DELETE' RETURN n.set", "Cypher")
    >>> check_read_only("MATCH (n) /* all */ DETACH DELETE n", "Cypher")
    Traceback (most recent call last):
    graphbrick.graphs.queries.guard.RefusedQueryError: the query was not run: DETACH at character 21 is not reading; ...
    """
    language = known_language(language)
    if len(text) > _LONGEST:
        text = f"it has {len(text):,} characters; at most {_LONGEST:,} are allowed"
        raise _refusal(text, code="guard.too_long")
    try:
        tokens = tokens_of(text, language)
    except QueryTextError as error:
        raise _refusal(str(error), code=error.code, **error.values) from error
    _check_characters(text, tokens, language)
    _check_brackets(tokens)
    tokens = _one_statement(tokens, language)
    if language == CYPHER:
        _check_cypher(tokens)
    else:
        _check_sparql(tokens)


def _refusal(reason: str, *, code: str, **values: object) -> RefusedQueryError:
    reason = re.sub(r"\S{80,}", lambda word: f"{word[0][:77]}...", reason)  # a word of a query has any length
    return RefusedQueryError(f"the query was not run: {reason}", code=code, **values)


def _refused_word(token: Token, language: str) -> RefusedQueryError:
    allowed = "MATCH ... RETURN" if language == CYPHER else "SELECT or ASK over the graph itself"
    hint = "; a name that is such a word goes in backticks" if language == CYPHER else ""
    return _refusal(
        f"{token.text} at character {token.start + 1} is not reading; write {allowed}{hint}",
        code="guard.refused_word",
        word=token.text,
        place=token.start + 1,
    )


def _check_characters(text: str, tokens: Sequence[Token], language: str) -> None:
    """Refuse characters and escapes that engines may read differently from `tokens`."""
    quoted = {p for t in tokens if t.kind in ("string", "name", "iri") for p in range(t.start, t.end)}
    for place, character in enumerate(text):
        if character in "\t\n" or " " <= character <= "~" or text.startswith("\r\n", place):
            continue
        category = unicodedata.category(character)
        if category in _NEVER or (category in _ONLY_QUOTED and place not in quoted):
            name = unicodedata.name(character, "a control character")
            raise _refusal(
                f"U+{ord(character):04X} ({name}) at character {place + 1} is read in different ways; take it out",
                code="guard.bad_character",
                place=place + 1,
            )
    for match in _ESCAPE.finditer(text):
        character_code = int(match[1] or match[2], 16)
        if character_code < 128 or match.start() not in quoted:
            reason = f"the escape {match[0]} at character {match.start() + 1} hides a character; write it itself"
            raise _refusal(reason, code="guard.escape", place=match.start() + 1)
    refused = _CYPHER_REFUSED | {"CALL", "TRANSACTIONS"} if language == CYPHER else _SPARQL_REFUSED
    for token in tokens:
        if token.kind == "word" and not token.text.isascii() and _plain(token.text) in refused:
            raise _refusal(
                f"{token.text} at character {token.start + 1} looks like {_plain(token.text)}, which is not reading; "
                "write keywords in ASCII letters",
                code="guard.lookalike",
                word=_plain(token.text),
                place=token.start + 1,
            )


def _plain(word: str) -> str:
    """Return a word in the capitals that it looks like.

    >>> _plain("ＣRÉАTE")
    'CREATE'
    """
    decomposed = unicodedata.normalize("NFKD", word)
    bare = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return bare.translate(_LIKE_LATIN).upper()


def _check_brackets(tokens: Sequence[Token]) -> None:
    """Refuse brackets that do not pair, which engines may pair in another way, and too many in each other."""
    closing: list[str] = []
    for token in tokens:
        if token.is_symbol(*_PAIRS):
            closing.append(_PAIRS[token.text])
        elif token.is_symbol(*_PAIRS.values()) and (not closing or closing.pop() != token.text):
            raise _refusal(
                f"the {token.text} at character {token.start + 1} closes nothing; write the bracket before it",
                code="guard.closes_nothing",
                place=token.start + 1,
            )
        if len(closing) > _DEEPEST:
            reason = f"more than {_DEEPEST} brackets are open at character {token.start + 1}; write it simpler"
            raise _refusal(reason, code="guard.too_deep", place=token.start + 1)
    if closing:
        raise _refusal(
            f"a bracket is not closed; write the {closing[-1]}", code="guard.not_closed", missing=closing[-1]
        )


def _one_statement(tokens: Sequence[Token], language: str) -> list[Token]:
    """Return the tokens without a last semicolon; refuse more statements than one."""
    end = len(tokens)
    while end and tokens[end - 1].is_symbol(";"):
        end -= 1
    tokens = list(tokens[:end])
    if not tokens:
        raise _refusal("it is empty", code="guard.empty")
    if language == CYPHER:
        semicolon = next((token for token in tokens if token.is_symbol(";")), None)
        if semicolon is not None:
            raise _another_statement(semicolon)
    return tokens


def _another_statement(semicolon: Token) -> RefusedQueryError:
    place = semicolon.start + 1
    reason = f"another statement begins after the ; at character {place}; write one"
    return _refusal(reason, code="guard.several_statements", place=place)


def _check_beginning(first: Token, allowed: Sequence[str]) -> None:
    if not first.is_word(*allowed):
        reason = f"it begins with {first.text}; allowed are {', '.join(allowed)}"
        raise _refusal(reason, code="guard.wrong_beginning", word=first.text)


def _check_cypher(tokens: list[Token]) -> None:
    if len(tokens) > 2 and tokens[0].is_word("CYPHER") and tokens[1].kind == "number":
        tokens = tokens[2:]  # the version of the language
    _check_beginning(tokens[0], _CYPHER_STARTS)
    for i, token in enumerate(tokens):
        if token.kind == "word" and not _is_name(tokens, i):
            if token.text.upper() in _CYPHER_REFUSED:
                raise _refused_word(token, CYPHER)
            if token.is_word("CALL"):
                _check_call(tokens, i)
            if token.is_word("TRANSACTIONS", "TRANSACTION") and _is_batching(tokens, i):
                raise _refused_word(token, CYPHER)
        if token.is_symbol("("):
            _check_function(tokens, i)


def _is_name(tokens: Sequence[Token], i: int) -> bool:
    """Return whether a word of Cypher is a property, a label or the key of a map rather than a keyword."""
    before = token_at(tokens, i - 1)
    if before.is_symbol(":"):
        return True
    if before.is_symbol("."):  # not after a number: «1.SET» may be read as 1. and SET
        owner, number = token_at(tokens, i - 2), token_at(tokens, i - 3)
        if owner.kind == "word":  # nor after «1e»
            return number.kind != "number" or number.end != owner.start
        return owner.kind in ("name", "parameter") or owner.is_symbol(")", "]", "}")
    return before.is_symbol("{", ",") and token_at(tokens, i + 1).is_symbol(":")


def _dotted(tokens: Sequence[Token], i: int) -> tuple[str, int]:
    """Return the name with dots that begins at a token, in small letters, and the index after it."""
    parts = []
    while token_at(tokens, i).kind in ("word", "name"):
        parts.append(tokens[i].text)
        i += 1
        if not token_at(tokens, i).is_symbol("."):
            break
        i += 1
    return ".".join(parts).lower(), i


def _check_call(tokens: Sequence[Token], i: int) -> None:
    """Refuse calls of procedures that are not known to read; a subquery in brackets is not a call."""
    if token_at(tokens, i + 1).is_symbol("{", "("):
        return
    name, end = _dotted(tokens, i + 1)
    after = token_at(tokens, end)
    if name not in _PROCEDURES or not (after.kind == "end" or after.is_symbol("(") or after.is_word("YIELD")):
        raise _refusal(
            f"CALL {name or '...'} at character {tokens[i].start + 1} is no procedure that is known to read; allowed "
            f"are {', '.join(sorted(_PROCEDURES)[:6])} and other procedures that describe or search the graph",
            code="guard.unknown_procedure",
            name=name,
            place=tokens[i].start + 1,
        )


def _check_function(tokens: Sequence[Token], i: int) -> None:
    """Refuse functions whose name has dots, unless they are known to compute only; ``i`` is the bracket after it."""
    start = i - 1
    if token_at(tokens, start).kind not in ("word", "name"):
        return
    while token_at(tokens, start - 1).is_symbol(".") and token_at(tokens, start - 2).kind in ("word", "name"):
        start -= 2
    if token_at(tokens, start - 1).is_word("CALL"):
        return  # checked as a procedure
    name, _ = _dotted(tokens, start)
    is_known = name.startswith(tuple(f"{prefix}." for prefix in _FUNCTIONS))
    if ("." in name and not is_known) or name.upper() in _CHANGING_FUNCTIONS:
        raise _refusal(
            f"function {name} at character {tokens[start].start + 1} is not known to only compute; use functions of "
            "the language itself",
            code="guard.unknown_function",
            name=name,
            place=tokens[start].start + 1,
        )


def _is_batching(tokens: Sequence[Token], i: int) -> bool:
    """Return whether a word TRANSACTIONS belongs to ``CALL {...} IN TRANSACTIONS``."""
    i -= 1
    while token_at(tokens, i).kind in ("number", "parameter") or token_at(tokens, i).is_word("CONCURRENT"):
        i -= 1
    return token_at(tokens, i).is_word("IN") and token_at(tokens, i - 1).is_symbol("}")


def _check_sparql(tokens: list[Token]) -> None:
    _check_beginning(tokens[0], _SPARQL_STARTS)
    prefixes: dict[str, str] = {}
    for word, name, iri in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if word.is_word("PREFIX") and prefixes.setdefault(name.text, iri.text) != iri.text:
            reason = f"the prefix {name.text} at character {name.start + 1} was declared before; declare it once"
            raise _refusal(reason, code="guard.prefix_twice", prefix=name.text, place=name.start + 1)
    _check_label_service(tokens)
    for token in tokens:
        if token.kind == "word" and token.text.upper() in _SPARQL_REFUSED:
            raise _refused_word(token, SPARQL)
        if token.kind in ("iri", "prefixed"):
            names = [token.text]
            if token.kind == "prefixed":  # «bi» and «f:exec» are bif:exec, and so is LONG::bif:exec to Virtuoso
                prefix, colon, local = token.text.partition(":")
                names.append(prefixes.get(prefix + colon, prefix + colon) + local)
                names += [token.text.rpartition("::")[2]] * ("::" in token.text)
            if any(name.startswith(_SCHEMES) and name not in _ALLOWED_WITH_SCHEME for name in map(str.lower, names)):
                reason = f"{token.text} at character {token.start + 1} may run code or read files; take it out"
                raise _refusal(reason, code="guard.runs_code", name=token.text, place=token.start + 1)
            parts = token.text.upper().split(".")[1:] if token.kind == "prefixed" else []
            if not _SPARQL_REFUSED.isdisjoint(parts):
                raise _refusal(
                    f"{token.text} at character {token.start + 1} ends in a keyword; put a space after the .",
                    code="guard.ends_in_keyword",
                    name=token.text,
                    place=token.start + 1,
                )
    if not any(token.is_word("SELECT", "ASK") for token in tokens):
        raise _refusal("it has neither SELECT nor ASK", code="guard.no_select")
    depth = 0
    for token in tokens:
        depth += token.is_symbol("{", "(", "[") - token.is_symbol("}", ")", "]")
        if token.is_symbol(";") and depth <= 0:
            raise _another_statement(token)


def _check_label_service(tokens: Sequence[Token]) -> None:
    """Refuse the service for labels of Wikidata's query page, and say what to write in its place."""
    for word, *following in zip(tokens, tokens[1:], tokens[2:], strict=False):
        name = next((token for token in following if not token.is_word("SILENT")), word)
        if not word.is_word("SERVICE") or not name.text.endswith(("wikibase:label", "wikiba.se/ontology#label")):
            continue
        variables = (token.text[1:] for token in tokens if token.kind == "variable")
        shown = next((text for text in variables if text.endswith("Label") and text != "Label"), "itemLabel")
        strings = (part.strip() for token in tokens if token.kind == "string" for part in token.text[1:-1].split(","))
        language = next((part for part in strings if re.fullmatch(r"[a-z]{2,3}(-[a-z]+)?", part)), "en")
        raise _refusal(
            f"{name.text} at character {word.start + 1} is a service that only the query page of Wikidata has; write "
            f'OPTIONAL {{ ?{shown.removesuffix("Label")} rdfs:label ?{shown} FILTER(LANG(?{shown}) = "{language}") }} '
            "in its place",
            code="guard.label_service",
            variable=shown,
            language=language,
            place=word.start + 1,
        )
