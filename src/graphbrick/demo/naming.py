"""Names in the world graph: labels as people write them, and aliases that are not ambiguous in questions."""

from __future__ import annotations

import gettext
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from graphbrick.language import scripts
from graphbrick.language.folding import fold

# Where ISO 4217 gives a name that nobody would ask for ("Rand", "Rial Omani") or another spelling.
_CURRENCIES = {
    line.split(" ", 1)[0]: line.split(" ", 1)[1]
    for line in """\
AED United Arab Emirates dirham
AFN Afghan afghani
ALL Albanian lek
AOA Angolan kwanza
AZN Azerbaijani manat
BAM Bosnian convertible mark
BBD Barbadian dollar
BDT Bangladeshi taka
BGN Bulgarian lev
BIF Burundian franc
BOB Bolivian boliviano
BTN Bhutanese ngultrum
BWP Botswana pula
CNY Chinese yuan
CRC Costa Rican colón
CVE Cape Verdean escudo
ERN Eritrean nakfa
FJD Fijian dollar
GBP British pound
GEL Georgian lari
GHS Ghanaian cedi
GMD Gambian dalasi
GTQ Guatemalan quetzal
GYD Guyanese dollar
HNL Honduran lempira
HTG Haitian gourde
HUF Hungarian forint
IDR Indonesian rupiah
ILS Israeli new shekel
ISK Icelandic króna
JPY Japanese yen
KGS Kyrgyzstani som
KHR Cambodian riel
KRW South Korean won
KZT Kazakhstani tenge
LKR Sri Lankan rupee
LSL Lesotho loti
MKD Macedonian denar
MMK Myanmar kyat
MNT Mongolian tugrik
MOP Macanese pataca
MRU Mauritanian ouguiya
MUR Mauritian rupee
MVR Maldivian rufiyaa
MWK Malawian kwacha
MZN Mozambican metical
NAD Namibian dollar
NGN Nigerian naira
NIO Nicaraguan córdoba
OMR Omani rial
PAB Panamanian balboa
PEN Peruvian sol
PKR Pakistani rupee
PGK Papua New Guinean kina
PLN Polish złoty
PYG Paraguayan guaraní
RON Romanian leu
RWF Rwandan franc
SCR Seychellois rupee
SLE Sierra Leonean leone
SRD Surinamese dollar
STN São Tomé and Príncipe dobra
SZL Swazi lilangeni
THB Thai baht
TJS Tajikistani somoni
TMT Turkmenistani manat
TOP Tongan paʻanga
UAH Ukrainian hryvnia
UGX Ugandan shilling
UYU Uruguayan peso
UZS Uzbekistani som
VES Venezuelan bolívar
VND Vietnamese dong
VUV Vanuatu vatu
WST Samoan tala
XAF Central African CFA franc
XOF West African CFA franc
ZAR South African rand
ZWG Zimbabwe gold""".splitlines()
}

# Where ISO 639 gives a name in brackets, an older name, or one that is also the name of a country.
_LANGUAGES = {
    pair.split("=")[0].strip(): pair.split("=")[1]
    for pair in """\
    arc=Aramaic, av=Avar, be=Belarusian, bem=Bemba, ber=Berber, bua=Buryat, chm=Mari, diq=Zazaki, doi=Dogri, dv=Dhivehi,
    el=Greek, ff=Fula, fud=Futunan, hna=Mina, hns=Caribbean Hindustani, ht=Haitian Creole, ilo=Ilocano, kl=Greenlandic,
    kok=Konkani, ktu=Kituba, ky=Kyrgyz, lg=Luganda, lus=Mizo, men=Mende, ms=Malay, na=Nauruan, nan=Southern Min,
    ne=Nepali, nrf=Channel Islands Norman, nso=Northern Sotho, oc=Occitan, or=Odia, pa=Punjabi, pam=Kapampangan,
    ps=Pashto, rn=Kirundi, rom=Romani, sov=Sonsorolese, ss=Swazi, sw=Swahili, tem=Temne, tkl=Tokelauan, to=Tongan,
    toi=Zambian Tonga, tvl=Tuvaluan, tyv=Tuvan, ug=Uyghur, war=Waray, yue=Cantonese""".replace("\n", " ").split(",")
}

# Short and former names in use beside the ones of GeoNames and ISO 3166. "Congo" stands twice, so neither gets it.
_COUNTRIES = {
    "AE": ("UAE", "Emirates"),
    "BA": ("Bosnia",),
    "BS": ("The Bahamas",),
    "CC": ("Keeling Islands",),
    "CD": ("DR Congo", "DRC", "Congo", "Congo-Kinshasa", "Zaire"),
    "CG": (
        "Congo",
        "Congo-Brazzaville",
    ),
    "CI": ("Côte d'Ivoire", "Cote d'Ivoire"),
    "CV": ("Cape Verde",),
    "CZ": ("Czech Republic",),
    "FK": ("Malvinas",),
    "GB": ("UK", "U.K.", "Great Britain", "Britain"),
    "GM": ("The Gambia",),
    "KP": ("DPRK",),
    "LC": ("St Lucia",),
    "KN": ("St Kitts and Nevis",),
    "MK": ("Macedonia",),
    "MM": ("Burma",),
    "MO": ("Macau",),
    "NL": ("The Netherlands", "Holland"),
    "PS": ("Palestine",),
    "RU": ("Russian Federation",),
    "SZ": ("Swaziland",),
    "TL": ("East Timor",),
    "TR": ("Türkiye",),
    "US": ("USA", "U.S.", "U.S.A.", "United States of America"),
    "VA": ("Holy See",),
    "VC": ("St Vincent and the Grenadines",),
    "VI": ("United States Virgin Islands",),
}

_MISTRANSLATED = {"المالديف"}  # the Maldives, but given for Moldova

_LOCALES = "ar bn cs de el es fa fi fr he hi hu id it ja ko nl pl pt ro ru sv th tr uk ur vi zh_CN zh_TW"

# Words that a question may hold without meaning a place, a currency or an airport.
_WORD_LIST = """
    a about above add ads after again age ago air airport airports all along also always am among an and any are area
    around art as ask at away back bad bam bar basic be beach because been before beg below ben best better between
    big bit bob bon bone border borders both boy bud build but by call calling came can capital car case cat central
    centre change chi chin cia city coast code come common continent cop could country cup currency cut dad dal dam
    day days did district diy do does dog domain done dong down drug dual each east eastern end english even ever
    every eye far few find first five flag follow for found four free from full gel genes get gig girl give go gold
    good great group gulf had hail ham han hand hang has have he head help her here high him hippo his home homo hour
    house how hui hundred if in inc indie internet into is island islands it its job just kale keep kilo kin kind know
    lad lake land language large last late lead led left less let lies life like lil lime line lion list little live
    local log logos lone long look los lot lower luck mad made main make male man manger many map mar mark may me mean
    med mel men mid middle money monster month mop more most mountain much must my name near need neighbour neighbours
    never new next nice night no north northern not now number of off official often old on once one only open or
    other our out over own page paid pal para part past pat pay pen people per pet place plan play point port pristine
    province pueblo pus question ran rand range read real rec red region rest right rim river road rob roles ron room
    rub run said sale sam same san sat saw say school sea second see sell sent serve serves set sha she short show
    side sin sine sip sit size small so solo som some son sos soul south southern speak speaks spend spoken start
    state still stop sub such sum sumo sun take talk tan tango tell ten terminus than that the their them then there
    these they thing think this those three through till time tip to today together told too took top town trade
    travel tree tried tru try tub tunes turn two under until up upper us use used uses using valley van very vine
    visit walk want war was water way we week well went were west western what when where which while white who whole
    whom whose why will wish with within without women won word words work world would write year years yes yet you
    young your zone
"""
_WORDS = frozenset(_WORD_LIST.split())

_UNSPACED = re.compile(f"[{scripts.KANA}{scripts.HAN}{scripts.HANGUL}]")
LATIN = re.compile(f"[{scripts.LATIN}]")


# A name is folded to see whether it is clear, and then again to see whether it is distinct.
_folded = lru_cache(1024)(fold)


def is_word(name: str) -> bool:
    """Return whether a name is also a common English word, which may occur in a question by chance."""
    return fold(name) in _WORDS


def is_clear(name: str) -> bool:
    """Return whether a name can be an alias: not a code, lower-case transliteration, stub or common word.

    >>> [n for n in ("内罗毕", "Naïrobi", "NBO", "nai luo bi", "Of", "Aa") if is_clear(n)]
    ['内罗毕', 'Naïrobi']
    """
    if (name.isascii() and name.isupper()) or re.search("[,،(]", name):
        return False
    if LATIN.search(name) and not any(c.isupper() for c in name):
        return False
    folded = _folded(name)
    letters = len(folded.replace(" ", ""))
    return letters >= (2 if _UNSPACED.search(name) else 3) and folded not in _WORDS


def distinct(label: str, names: Iterable[str], taken: Collection[str] = ()) -> tuple[str, ...]:
    """Return the names that linking can distinguish from the label, from earlier names and from taken ones.

    >>> distinct("São Tomé", ["Sao Tome", "Saint Thomas", "SAINT THOMAS"])
    ('Saint Thomas',)
    """
    chosen: dict[str, str] = {}
    own = fold(label)
    for name in names:
        folded = _folded(name)
        if folded and folded != own and folded not in taken:
            chosen.setdefault(folded, name)
    return tuple(chosen.values())


def currency_label(code: str, iso_name: str) -> str:
    """Return the name of a currency as people write it.

    >>> currency_label("KES", "Kenyan Shilling"), currency_label("USD", "US Dollar"), currency_label("EUR", "Euro")
    ('Kenyan shilling', 'US dollar', 'euro')
    """
    first, _, last = iso_name.rpartition(" ")
    return _CURRENCIES.get(code, f"{first} {last.lower()}".strip())


def language_label(code: str, iso_name: str) -> str:
    """Return the name of a language without the additions in brackets of ISO 639.

    >>> language_label("sw", "Swahili (macrolanguage)"), language_label("de", "German")
    ('Swahili', 'German')
    """
    return _LANGUAGES.get(code, re.sub(r" *\(.*\)", "", iso_name))


def country_label(name: str, iso: Any) -> str:
    """Return the GeoNames name of a country with the accents of ISO 3166; ``iso`` is its pycountry row or None."""
    name = name.strip().removeprefix("The ").replace("U.S.", "US")
    accented = [n for n in _iso_names(iso) if fold(n) == fold(name)]
    return accented[0] if accented else name


def country_aliases(
    iso: Any, countries: dict[str, str], folder: str, taken: Collection[str]
) -> dict[str, tuple[str, ...]]:
    """Return other names of countries, by code: official, short, and those of some thirty languages.

    A name that two countries would get (as "Congo") is given to neither.

    Args:
        iso: The rows of ``pycountry.countries``.
        countries: The label of each country, by code.
        folder: Folder of pycountry's translations.
        taken: Folded names that mean something else ("Columbia", which is Colombia in Romanian).
    """
    rows = {row.alpha_2: row for row in iso}
    catalogs = [_catalog(Path(folder) / locale) for locale in _LOCALES.split()]
    names: dict[str, list[str]] = {}
    for code, label in countries.items():
        row = rows.get(code)
        own = [*_COUNTRIES.get(code, ()), *_iso_names(row)]
        originals = dict.fromkeys([label, *_iso_names(row), *([row.name] if row else [])])
        translated = [c.gettext(n) for c in catalogs for n in originals]
        # What is hand-picked is sure; what comes out of the data must not mislead.
        clear = [n for n in [*own, *translated] if n in _COUNTRIES.get(code, ()) or is_clear(n)]
        names[code] = list(distinct(label, clear, {*taken, *_MISTRANSLATED}))
    count = Counter(fold(n) for code, label in countries.items() for n in [label, *names[code]])
    return {code: tuple(n for n in own if count[fold(n)] == 1) for code, own in names.items()}


def _iso_names(row: Any) -> Iterator[str]:
    """Return the names of a pycountry row without the inverted ones ("Korea, Republic of")."""
    for key in ("name", "common_name", "official_name"):
        name = getattr(row, key, None)
        if name and (key == "official_name" or "," not in name):
            yield name.removeprefix("the ")


def _catalog(locale: Path) -> gettext.NullTranslations:
    """Return the country names of one language; a language that pycountry lacks translates nothing."""
    path = locale / "LC_MESSAGES" / "iso3166-1.mo"
    if not path.exists():
        return gettext.NullTranslations()
    with path.open("rb") as file:
        return gettext.GNUTranslations(file)
