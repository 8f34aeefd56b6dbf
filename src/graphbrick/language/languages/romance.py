"""What words of Spanish, Portuguese, Italian and French share with their other forms."""

from __future__ import annotations

from functools import lru_cache

ROMANCE = frozenset(("spanish", "portuguese", "italian", "french"))
# Endings of nouns, adjectives and verbs as `fold` leaves them, the longest first.
_ENDINGS = tuple(
    sorted(
        # «actualizaciones», «funcionamiento», «installation»
        "aciones acoes azioni ations acion acao azione ation iciones icoes izioni itions icion icao izione ition "
        "amientos imientos amiento imiento amentos imentos amento imento amenti imenti ements ement "
        # «instalando», «compartidas», «configurate»
        "iendo ando endo indo ados adas idos idas ado ada ido ida ati ata ate ato iti ita ite ito "
        "uti uta ute uto ees ee aron ieron aban aba avam ava iam arian aria eria iria aram eram iram ara era ira "
        "ar er ir are ere ire ano ono ons ez ent ant am em an en oes ais eis as os es a e i o s".split(),
        key=len,
        reverse=True,
    )
)
_SHORTEST = 3  # letters that are left
_SHORTEST_OF_LONG = 4  # letters that are left of a word with an ending of three letters or more


@lru_cache(maxsize=65_536)
def romance_root(word: str) -> str:
    """Return the part that a folded word of a Romance language shares with its other forms and with derived nouns.

    >>> romance_root("actualiza") == romance_root("actualizaciones"), romance_root("apago") == romance_root("apagar")
    (True, True)
    >>> romance_root("configurazione") == romance_root("configurare"), romance_root("senhas") == romance_root("senha")
    (True, True)
    """
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= (_SHORTEST_OF_LONG if len(ending) > 2 else _SHORTEST):
            return word[: -len(ending)]
    return word
