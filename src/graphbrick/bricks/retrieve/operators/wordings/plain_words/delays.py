"""Late, early and how long in words of the graph: «left more than two hours late», «was in the air for ten hours»."""

from __future__ import annotations

import re

from graphbrick.graphs.graph import Graph
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import stem
from graphbrick.patterns.lexicon import Lexicon
from graphbrick.patterns.properties.durations import unit_by_clocks
from graphbrick.patterns.properties.sources import sources_of

_LEAVE = (
    r"(?:leaves?|left|leaving|departs?|departed|departing|(?:takes?|took|taking) off"
    r"|(?:starts?|started|starting)(?: out| off)?)"
)
_ARRIVE = (
    r"(?:arrives?|arrived|arriving|lands?|landed|landing|(?:comes?|came|coming|gets?|got|getting) in|reached"
    r"|(?:finish|end)(?:es|ed|s)?)"
)
_VERB = rf"(?P<verb>(?:(?P<leave>{_LEAVE})|{_ARRIVE})\b)"
_UNIT = r"(?P<unit>seconds?|minutes?|mins?|hours?|hrs?|days?)"
_N = (
    r"(?:\d[\d.]*|an?|half an|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty"
    r"|sixty)"
)
_HOW = r"(?P<how>more than|over|at least|less than|under|up to|at most|exactly|longer than)"
_BETWEEN = r"(?P<between>(?: (?!not\b|never\b|and\b|or\b|but\b|with\b|that\b|which\b|who\b)[\w.:-]+){0,7}?)"
_LATE_BY = Expression(
    rf"{_VERB}{_BETWEEN} (?:{_HOW} )?(?P<n>{_N}) {_UNIT}(?P<or> or (?:more|less))? "
    r"(?P<late>late|early|behind schedule)\b"
)
_DELAYED_BY = Expression(rf"{_VERB}{_BETWEEN} with (?:an? )?(?P<delay>delays?)\b(?! (?:on|at|in|for)\b)")
_LATE = Expression(rf"{_VERB}{_BETWEEN} (?P<late>late|early|ahead of (?:schedule|time)|behind schedule|with a delay)\b")
_HOW_LATE = Expression(
    rf"^how (?:many {_UNIT} (?:too )?late|late) (?:did|does|do|has|have) (?P<who>(?:the )?e\d+) {_VERB}(?P<rest>.*)$"
)
_HOW_MANY = Expression(rf"^how many {_UNIT} (?P<do>do|does|did|is|was|will) (?P<who>e\d+)(?P<rest>(?: .+)?)$")
_HOW_LONG_IN = Expression(
    r"^how long (?:was|is|were|did|does) (?P<who>(?:the )?e\d+) (?:(?:stay|spend|be) )?(?:in|on|at) (?:the )?"
    r"(?P<noun>[a-z]+)$"
)
_IN_FOR = Expression(
    r"(?: (?:that|which|who))?(?: (?:is|are|was|were|stayed))? (?:in|on|at) (?:the )?(?P<noun>[a-z]+) (?:for )?"
    r"(?=(?:more than|over|at least|less than|under|at most|between|longer than) )"
)
_UNDONE = Expression(r"\b(?:not|never|did|does|do|has|have|had|is|are|was|were) $")
_AUXILIARY = Expression(r"^(?:did|does|do|has|have|had) (?P<who>(?:the )?e\d+) ")
_PLACE = Expression(r" (?:in|at|into) (?P<where>(?:the )?e\d+\b)")
_NOT_OF_SHIFTS = Expression(r"\b(?:first|last|earliest|latest)\b")


def in_words_of_delays(graph: Graph, text: str, lexicon: Lexicon) -> str:
    """Return a question with «a departure delay of more than two hours» for «left more than two hours late».

    Args:
        graph: The graph, in which numbers are called delays.
        text: The question, with placeholders.
        lexicon: The words of the graph.
    """
    return _late(_spent(graph, _in_unit(graph, text, lexicon)), _delays(graph))


def _spent(graph: Graph, text: str) -> str:
    """Return «with an air time of more than ten hours» for «in the air for more than ten hours», of `air_time`."""
    match = _HOW_LONG_IN.match(text) or _IN_FOR.search(text)
    names = {one.stems: one.spoken for one in sources_of(graph) if one.literal is not None and not one.is_date}
    name = names.get((stem(match["noun"]), stem("time")), "") if match else ""
    if match is None or not name:
        return text
    if _HOW_LONG_IN.made(match):
        return f"what is the {name} of {match['who']}"
    return f"{text[: match.start()]} with a {name} of {text[match.end() :]}"


def _delays(graph: Graph) -> tuple[str, str]:
    """Return the names of the delays of a beginning and of an end; "" for those that the graph does not have."""
    own = [one for one in sources_of(graph) if one.literal is not None and stem("delay") in one.words]
    named = {
        side: [one.spoken for one in own if any(_begins(word, side) for word in one.words)]
        for side in ("departure", "arrival")
    }
    names = [found[0] if len(found) == 1 else "" for found in named.values()]
    only = own[0].spoken if len(own) == 1 and not any(named.values()) else ""
    return names[0] or only, names[1] or only


def _begins(word: str, side: str) -> bool:
    return len(word) > 2 and side.startswith(word[:3]) and stem(side).startswith(word)


def _late(text: str, delays: tuple[str, str]) -> str:
    """Return a question with the name of a delay for what it says of late and early."""
    if not any(delays) or _NOT_OF_SHIFTS.search(text):
        return text
    how = _HOW_LATE.match(text)
    if how is not None and (name := _name(how, delays)):
        unit = f" in {how['unit']}" if how["unit"] else ""
        return f"what is the {name} of {how['who']}{how['rest']}{unit}"
    match = _LATE_BY.search(text)
    if match is not None and (name := _name(match, delays)) and match["late"] != "early":
        bound = f"{match['how'] or ('' if match['or'] else 'exactly')} {match['n']} {match['unit']}{match['or'] or ''}"
        return _having(text, match, f"{name} of {bound.strip()}")
    match = _DELAYED_BY.search(text)
    if (
        match is not None
        and (name := _name(match, delays))
        and re.match(r" (?:of|over|above|under)\b", text[match.end() :])
    ):
        return _having(text, match, name)
    match = _LATE.search(text)
    if match is not None and (name := _name(match, delays)):
        is_early = match["late"].startswith(("early", "ahead"))
        return _having(text, match, f"{name} {'under' if is_early else 'over'} 0")
    return text


def _name(match: re.Match[str], delays: tuple[str, str]) -> str:
    return delays[0] if match["leave"] else delays[1]


def _having(text: str, match: re.Match[str], said: str) -> str:
    """Return a question with «have a delay of two hours» for a verb with what it says of late and early."""
    to = "from" if match["leave"] else "to"  # «landed late in e0»
    before = text[: match.start()]
    between, after = (_PLACE.sub(rf" {to} \g<where>", one) for one in (match["between"], text[match.end() :]))
    if _AUXILIARY.match(before):
        return f"{before}have a {said}{after}{between}"
    if _UNDONE.search(before):
        return text  # «did not arrive late»
    return f"{before}{between.strip()}{' ' * bool(between)}with a {said}{after}"


def _in_unit(graph: Graph, text: str, lexicon: Lexicon) -> str:
    """Return «how long does e0 take in minutes» for «how many minutes does e0 take», where times tell the unit."""
    match = _HOW_MANY.match(text)
    if match is None or stem(match["unit"]) in lexicon.words:
        return text
    numbers = (one for one in sources_of(graph) if one.literal is not None and not one.is_date and one.relation < 0)
    is_told = any(unit_by_clocks(graph, one.name) for one in numbers)
    return f"how long {match['do']} {match['who']}{match['rest']} in {match['unit']}" if is_told else text
