"""Words of the domain that slips are mended to, and number words. Pure data and the tables made from it."""

from __future__ import annotations

from csrag.ask.intent.words import COMMON

_KEY_WORDS = (
    "gasifier", "gasification", "gasifiers", "cogeneration", "combustion", "helicopter", "thinning", "understory",
    "treatment", "delivered", "moisture", "efficiency", "sensitivity", "sensitive", "tornado", "supply", "pareto",
    "forest", "private", "radius", "capacity", "compare", "biomass", "megawatt", "megawatts", "kilometers",
    "kilometres", "percent", "probability", "wildfire", "national", "federal", "steeper", "diesel", "ownership",
    "budget", "largest", "biggest", "cheapest", "projection", "average", "marginal", "residue", "harvest",
    "circuity", "network", "stratified", "proximity", "nearest", "export", "weight", "burning", "feedstock",
    "combined", "ground", "skyline", "mechanized", "mechanised", "heavy", "moderate", "severe", "light", "crown",
    "ladder", "slopes", "important", "priority", "maximize", "maximise", "slightly", "drivers", "driver", "fallers",
)  # fmt: skip
_REAL_WORDS_TEXT = """
sloped sloper weigh fallen haven heave heavey average averages averaged nation rational lighter slight right night might eight sight
flight lights tight fight brown crowd grown frown drown crows drives driven diver rivers river severed server sever
ladders leader bidder budge budges grounds round around pound found sound wound bound mound hound forests burring
turning exports expert export's harvests residues supplies support compares compared impotent weighs weights height
freight sensitively radium moderated moderates private's privates prorate deliverer delivers federals largess
larges nearer dearest larger bigger cheaper cheapens project projects projected protection rejection injection
wildfires important's forester forested foresee largely nearly barest capacitor biomasa compara comparar
gasificacion cogeneracion combustible combustion radio capacidad nacional privada privadas privado moderada humedad
proyecto sensibilidad federales diesel importante exporta helicoptero forestal presupuesto residuos residuo
"""
_REAL_WORDS = frozenset(_REAL_WORDS_TEXT.split())


_COMMON_SLIPS = {
    "understorey": "understory", "gassification": "gasification", "gasifer": "gasifier", "forrest": "forest",
    "forrests": "forests", "fuell": "fuel", "thining": "thinning", "mositure": "moisture", "deisel": "diesel",
    "disel": "diesel", "diesal": "diesel", "biomas": "biomass", "helecopter": "helicopter", "senstivity": "sensitivity",
    "megawat": "megawatt", "megawats": "megawatts", "killometers": "kilometers", "radious": "radius",
    "methodolgy": "methodology", "reidue": "residue",
}  # fmt: skip
_ENDINGS = ("s", "d", "r", "y", "ly", "ed", "es", "ing", "al", "er", "ers")


def _without_one(word: str) -> list[str]:
    return [word[:i] + word[i + 1 :] for i in range(len(word))]


def _index() -> dict[str, tuple[str, ...]]:
    """Every key word with one letter left out, to the key words it came from (symmetric deletes, one edit)."""
    table: dict[str, tuple[str, ...]] = {}
    for right in _KEY_WORDS:
        for short in (right, *_without_one(right)):
            table[short] = (*table.get(short, ()), right)
    return table


_INDEX = _index()
_KNOWN = frozenset(_KEY_WORDS) | _REAL_WORDS


def _one_slip(word: str, right: str) -> bool:
    """Whether one letter was left out, put in, replaced, or swapped with its neighbour."""
    i = 0
    while i < min(len(word), len(right)) and word[i] == right[i]:
        i += 1
    a, b = word[i:], right[i:]
    return a[1:] == b or a == b[1:] or a[1:] == b[1:] or (len(a) > 1 and a[1::-1] == b[:2] and a[2:] == b[2:])


def mended(word: str) -> str | None:
    """The key word that `word` is a slip of, or None.

    Only words of six letters and more that keep their first letter: "rounds" is no slip of "ground". A word of five
    letters counts where it lacks one of six.
    """
    if word in _COMMON_SLIPS:
        return _COMMON_SLIPS[word]
    if len(word) < 5 or word in _KNOWN or (len(word) == 5 and word in COMMON):
        return None
    hits = {
        right
        for short in (word, *_without_one(word))
        for right in _INDEX.get(short, ())
        if right[0] == word[0] and len(right) >= 6 and _one_slip(word, right)
    }
    if len(hits) != 1:
        return None
    right = hits.pop()
    return None if any(word == right + e or right == word + e for e in _ENDINGS) else right


_SITING_WORDS_TEXT = """
mw kw megawatt megawatts plant plants biomass biomasa fuel combustible delivered cost costs price lcoe bdt
feedstock residue forest thin thinning treatment clear-cut clearcut gasifier gasification chp cogen combustion fire
wildfire burn diesel moisture radius within miles km slope slopes private usfs blm cable helicopter ground-based
sdi tfa tfb rmi supply curve pareto compare versus vs sensitivity tornado project projection largest biggest site
sites best where build budget cap average marginal ton tons zip county near wages drivers capital efficiency
capacity factor debt interest equity export save owns donde costo planta user system
"""
SITING_WORDS = frozenset(_SITING_WORDS_TEXT.split())
"""Words that mark the parts of a long text that are read."""

NUMBER_WORDS: dict[str, int] = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fourty": 40,
    "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "dozen": 12,
    "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7, "ocho": 8, "nueve": 9, "diez": 10,
    "doce": 12, "quince": 15, "veinte": 20, "veinticinco": 25, "treinta": 30, "cuarenta": 40, "cincuenta": 50,
}  # fmt: skip
MULTIPLIERS: dict[str, int] = {
    "hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000, "mil": 1000,
    "millon": 1_000_000, "millones": 1_000_000,
}  # fmt: skip
