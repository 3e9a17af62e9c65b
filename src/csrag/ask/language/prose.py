"""Wording by a model over references to values; whatever does not pass the checks gives way to the template.

The model sees labels and units, never a value, a place name or the question; it writes `{{value_id}}`, and code puts the number
and its unit there. Checked are: references to values that are there, words of a label held against the value they stand with,
and any number, quantifier, comparison or negation in the wording itself.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping

from csrag.ask.language.protocol import Assistant
from csrag.ask.language.writing import MAX_CHARACTERS, Wording, Written, joined, write_text
from csrag.ask.results import Caveat, Fact
from csrag.ask.synthesis.render import Rendered, UnbackedNumberError, check_literal
from csrag.ask.synthesis.sentences import Teller

WORDED_INTENTS = frozenset({"site", "supply_curve", "projection", "sensitivity", "max_capacity"})
"""Answers about one site: the labels of their values are told apart by the words below."""
_ALWAYS = ("average_delivered_cost", "last_ton_cost", "life_average_delivered_cost")
_INSTRUCTIONS = (
    "You write a short plain-English answer for a planner of a biomass plant from a list of computed values. You do not see the "
    "numbers. Where a value belongs, write its id in double braces, like {{id}}: number and unit are put there for you, so write no "
    "unit next to it. Name each value in the same clause by the words of its label. Write no digit, number word, percentage, "
    "comparison, negation or list; no value may be left without its label. Write <<place>> for the site. Use every id in "
    '"must_use". Every sentence states a value. Two short paragraphs, plain sentences, no headings.'
)
REFERENCE = re.compile(r"\{\{([a-z0-9_]{1,80})\}\}")
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_NAME = re.compile(r"<<(?:place|call_[1-8])>>")
# "and" and brackets part clauses too: each value is held against the words that stand nearest to it.
_CLAUSE = re.compile(r"[.;:!?,()\n]|\b(?:and|while|whereas|but|with|versus|vs|against)\b")
_UNIT_AFTER = re.compile(
    r"\}\}\s*-?(?:per\b|usd\b|dollars?\b|cents?\b|bdt\b|(?:green |dry |bone-dry )?tons?\b|tonnes?\b|mwh?\b|kwh\b|km\b|miles?\b|"
    r"acres?\b|pounds?\b|years?\b)",
    re.IGNORECASE,
)
_NOT_ALLOWED = re.compile(
    r"\b(?:zero|nil|none|nothing|couple|score|gross|hal(?:ve[sd]?|ving)|third|fourth|tripl\w+|\w+fold|majority|minority|most|"
    r"several|few|fewer|more|less|lesser|least|greater|higher|lower|cheaper|dearer|bigger|smaller|larger|above|below|exceed\w*|"
    r"not|no|never|neither|nor|without|cannot|can't|isn't|won't|doesn't|https?|www)\b|n't\b",
    re.IGNORECASE,
)
# Words that tell values apart, in groups that exclude each other: what a clause says must fit the value it holds.
_GROUPS: tuple[Mapping[str, tuple[str, str]], ...] = (
    {
        "average": (r"average[sd]?|averaging|mean", r"(?:.*_)?average_.*|mean_.*"),
        "last": (r"last tons?|marginal|dearest|final ton", r"last_ton_.*"),
        "cheapest": (r"cheapest|lowest", r"cheapest_.*"),
        "total": (r"total|bill|altogether", r".*bill.*|total_.*"),
    },
    {
        "delivered": (r"delivered", r".*delivered_cost.*|life_last_year_cost"),
        "harvest": (r"harvest\w*|felling|logging", r".*harvest_cost.*"),
        "haul": (r"haul\w*|trucking|transport\w*", r".*haul_cost.*|mean_road_.*"),
        "unloading": (r"unloading", r"unloading_cost"),
        "move-in": (r"move-?in|mobili[sz]ation", r"move_in_cost"),
        "electricity": (r"electricity|levelised|levelized|lcoe|power cost", r"lcoe_.*|generation_.*"),
    },
    {
        "constant": (r"constant|real", r"lcoe_constant.*"),
        "current": (r"current|nominal", r"lcoe_current.*|.*current_dollars.*"),
    },
    {
        "baseline": (r"baseline|cost-only|otherwise", r"baseline_.*|cost_only_.*"),
        "life": (r"life|lifetime|last year|long run", r"life_.*"),
        "projection": (r"project\w*", r"projection_.*"),
    },
    {
        "radius": (r"radius|within|circle|reach", r".*radius.*"),
        "road": (r"road|one way|drive|driving", r"mean_road_.*"),
    },
    {
        "candidates": (r"candidates?|available|considered", r"candidate_.*|feedstock_available_.*"),
        "selected": (r"selected|chosen|taken|picked", r"selected_.*|feedstock_selected_.*"),
        "demand": (r"demand|needs?|burns?|requires?", r"demand_.*"),
        "treated": (r"treated", r"treated_.*"),
        "saw logs": (r"saw ?logs?|co-?products?", r"coproduct_.*"),
    },
    {
        "moisture": (r"moisture", r"moisture_.*"),
        "capacity": (r"capacity|plant", r"capacity_mw"),
        "trucks": (r"trucks?|loads?", r"truck_.*"),
        "fire": (r"burn probabilit\w+|fire", r".*burn.*|fire_.*"),
    },
)  # fmt: skip


def check_wording(template: str, facts: Mapping[str, Fact], base: Callable[[str], str] = str) -> list[str]:
    """What is wrong with a model's wording, before any value is put in.

    Parameters
    ----------
    template : str
        Wording with references: a sentence, or a whole text.
    facts : mapping of str to Fact
        Values that may be referred to.
    base : callable
        The id under which `csrag.values` knows a value.
    """
    wrong: list[str] = []
    if not template.strip() or len(template) > MAX_CHARACTERS:
        return ["the text is empty or too long"]
    ids = REFERENCE.findall(template)
    wrong += [f"unknown value {i}" for i in ids if i not in facts or facts[i].value is None]
    bare = _NAME.sub(" ", REFERENCE.sub(" ", template))
    if re.search(r"[{}<>\[\]|#*`_=~^]", bare):
        wrong.append("markup or a broken reference")
    if any(_is_number(c) or unicodedata.category(c) in {"Cc", "Cf", "Co", "Cn"} for c in bare.replace("\n", " ")):
        wrong.append("a digit or a hidden character in the wording")
    if re.search(r"[$%€£¢‰]", bare):
        wrong.append("a unit sign in the wording")
    if not bare.isascii() and any(c.isalpha() and not unicodedata.name(c, "").startswith("LATIN") for c in bare):
        wrong.append("letters of another script")
    found = _NOT_ALLOWED.search(bare)
    if found:
        wrong.append(f"the word {found.group(0)!r}")
    try:
        check_literal(bare)
    except UnbackedNumberError as error:
        wrong.append(error.message)
    if _UNIT_AFTER.search(template):
        wrong.append("a unit written beside a value")
    # A sentence that states nothing computed is an opinion, and nothing can be held against it.
    if any(s.strip() and not REFERENCE.search(s) for s in SENTENCE.split(template)):
        wrong.append("a sentence without a value")
    return wrong or _labels(template, facts, base)


def missing_values(template: str, must_use: Iterable[str]) -> list[str]:
    """Values that have to be there and are not."""
    ids = REFERENCE.findall(template)
    return [f"the value {i} is missing" for i in must_use if i not in ids]


def _is_number(character: str) -> bool:
    return unicodedata.category(character)[0] == "N" or unicodedata.numeric(character, None) is not None


def _labels(template: str, facts: Mapping[str, Fact], base: Callable[[str], str]) -> list[str]:
    wrong: list[str] = []
    for clause in _CLAUSE.split(_NAME.sub("place", template)):
        words = REFERENCE.sub(" ", clause).lower()
        for reference in REFERENCE.findall(clause):
            value_id, known = base(reference), False
            if not re.search(r"[a-z]", words):
                wrong.append(f"{value_id} stands without its label")
                continue
            for group in _GROUPS:
                said = {k for k, (pattern, _) in group.items() if re.search(rf"\b(?:{pattern})\b", words)}
                meant = {k for k, (_, pattern) in group.items() if re.fullmatch(pattern, value_id)}
                if (said or meant) and not said <= meant | _shared(said, meant, value_id):
                    wrong.append(f"{value_id} is called {' and '.join(sorted(said - meant))}")
                elif meant and not said:
                    wrong.append(f"{value_id} stands without the words {' or '.join(sorted(meant))}")
                known = known or bool(meant)
            if not known and not _label_words(facts[reference].label) & set(re.findall(r"[a-z]{4,}", words)):
                wrong.append(f"{value_id} stands without a word of its label")
    return wrong


def _label_words(label: str) -> set[str]:
    """Words of a label by which a clause can name its value, in the singular and the plural."""
    found = set(re.findall(r"[a-z]{4,}", label.lower()))
    return found | {w + "s" for w in found} | {w.removesuffix("s") for w in found if len(w) > 4}


def _shared(said: set[str], meant: set[str], value_id: str) -> set[str]:
    """Words that say no wrong label beside the right one: "the plant needs", "electricity" beside the plant."""
    free = {"capacity", "fire"} if not meant else set()
    if value_id.startswith("capacity_mw"):
        free.add("demand")
    return said & free


def write_prose(
    assistant: Assistant,
    fallback: Rendered,
    facts: Mapping[str, Fact],
    place: str,
    caveats: list[Caveat],
    teller: Teller | None = None,
) -> Rendered:
    """A model's wording of an answer where it passes every check, else the template's.

    Parameters
    ----------
    assistant : Assistant
        The model.
    fallback : Rendered
        The template's text, checked.
    facts : mapping of str to Fact
        Computed values.
    place : str
        Name of the site; the model never sees it.
    caveats : list of Caveat
        Receives the note on who wrote the text.
    teller : Teller, optional
        Receives the model's sentences as they pass the checks.
    """
    used = tuple(dict.fromkeys(c.value_id for c in fallback.claims))
    offered = {i: facts[i] for i in used if i in facts and facts[i].value is not None}
    if not offered:
        return fallback
    must_use = tuple(i for i in _ALWAYS if i in offered)
    values = [{"id": i, "label": f.label, "unit": f.unit} for i, f in offered.items()]
    wording = Wording(
        _INSTRUCTIONS, json.dumps({"must_use": must_use, "values": values}, ensure_ascii=False), offered, {"place": place},
        lambda text: check_wording(text, offered), lambda text: missing_values(text, must_use),
    )  # fmt: skip
    written = write_text(assistant, wording, teller or Teller(None))
    return settled(written, fallback, assistant.model.name, caveats)


def settled(written: Written, fallback: Rendered, model: str, caveats: list[Caveat]) -> Rendered:
    """The text that is shown: the model's, the template's, or the model's as far as it passed and then the template's.

    Parameters
    ----------
    written : Written
        What came of the model.
    fallback : Rendered
        The template's text.
    model : str
        Its name.
    caveats : list of Caveat
        Receives the note on who wrote what.
    """
    if written.rendered is None:
        caveats.append(
            Caveat(
                "model_text_refused", f"The model {model} did not write this text: {written.reason}. The template did."
            )
        )
        return fallback
    if not written.reason:
        caveats.append(
            Caveat("text_by_model", f"The wording is by the model {model}; the values in it are computed and put in by csrag. "
                   "The template's full text comes without a model.")
        )  # fmt: skip
        return written.rendered
    many = "first sentence is" if written.sentences == 1 else f"first {written.sentences} sentences are"
    opening = " ".join(fallback.text.split()[:4])
    caveats.append(
        Caveat("text_partly_by_model", f"The {many} by the model {model}; the template wrote what follows, from \"{opening}\" on, "
               f"because the model's text ended there: {written.reason}. The values are computed and put in by csrag throughout.")
    )  # fmt: skip
    return joined(written.rendered, fallback, "\n\n")
