"""What a search for sites asks: how many, how far apart, among which candidates, how near to roads and the like."""

from __future__ import annotations

import re

from csrag.ask.intent.draft import Draft, number
from csrag.ask.intent.measures import COUNT, LENGTH, count_of, length_km
from csrag.ask.intent.rule import Rule, names_any
from csrag.ask.records import SitingQuery
from csrag.quantities import QUANTITIES

SEARCH_FIELDS = (
    "site_count", "portfolio", "min_separation_km", "site_candidates", "min_average_burn_probability", "max_site_slope_pct",
    "max_km_to_road", "max_km_to_substation", "max_km_to_plant",
)  # fmt: skip
"""Fields that mean something in a search only; they go when the intent does."""
_SITE = (
    r"(?:sites?|places?|locations?|spots?|candidates?|options?|positions?|towns?|communities|cities|substations?|picks|lugares|"
    r"sitios|ubicaciones|parcels)"
)
_PLANT = (
    r"(?:(?:biomass|power|small|biomat|community|wood|chip|energy|chp|new|more) )*(?:plants?|units?|gasifiers?|cogens?|"
    r"facilities|projects|installations|generators|plantas)"
)
_BEST = (
    r"(?:best|top|cheapest|leading|optimal|most suitable|lowest[ -]cost|least[ -]cost|finest|most promising|ideal|highest[ -]ranked|"
    r"best[ -]ranked|good|decent|suitable|promising|solid|mejores)"
)
_SIZE = (
    r"(?:(?:\d{1,3}(?:\.\d{1,2})?|one|two|three|four|five|six|eight|ten|dos|tres|cinco)[ -]?(?:mws?|megawatts?|megs?|kws?|"
    r"megavatios?) )?"
)
_WORD = r"(?:(?!mw|megawatt|kw|years?|miles?|km|counties|treatments?|percent|%)[a-z-]{2,14} )"
_VERB = (
    r"(?:pick|find|choose|select|give|show|list|name|identify|recommend|suggest|locate|place|site|sites|put|string|rank|want|"
    r"need|propose|looking for|look for|build|squeeze|fit|dame|muestra|elige|busca|encuentra|evaluate|shortlist|nominate|scout)"
)
_COUNTS: tuple[Rule, ...] = (
    Rule(rf"\b{_BEST} {COUNT}(?= (?:of |sites|places|locations|spots|for |in |at |near |on |with |by |"
        rf"{_SIZE}{_WORD}{{0,3}}?{_SITE})|[,.?!;]| ?$)"),
    Rule(rf"{COUNT} (?:of the )?{_WORD}{{0,1}}?{_BEST}(?: {_WORD}{{0,2}}?{_SITE})?\b"),
    Rule(rf"\b{_VERB}(?: (?:me|us|out|up|down|the|my|our|all|just|only|some|exactly|"
        rf"about))* {COUNT} {_SIZE}{_WORD}{{0,3}}?(?P<what>{_SITE}|{_PLANT})\b"),
    Rule(rf"(?:^|[.,;:!?] ?|\bthe |\bwhich ){COUNT} {_SIZE}{_WORD}{{0,2}}?{_SITE}\b(?! on (?:our|the|my) list| (?:that|which) "
        rf"(?:were|had))"),
    Rule(rf"\b(?:which|what|where are the|cuales(?: son)?(?: los| las)?|los|las) {COUNT}(?= (?:would|are|is|have|has|can|could|"
        rf"{_SITE}|should|mejores))"),
)  # fmt: skip
_COUNT_WORDS = (
    "site", "place", "location", "spot", "candidate", "option", "position", "town", "communit", "cit", "substation", "pick", "lugar",
    "sitio", "ubicac", "parcel", "plant", "unit", "gasif", "cogen", "facilit", "project", "install", "generator", "best", "top",
    "cheapest", "lead", "optim", "suit", "lowest", "least", "finest", "promis", "ideal", "rank", "good", "decent", "solid", "mejor",
    "which", "what", "where", "cual", "los ", "las ",
)  # fmt: skip
_FOLLOW_COUNT = Rule(
    rf"^\W*(?:(?:and|now|make (?:it|that)|give me|show(?: me)?|only|just|what about|how about|then|ok|the|best|top|with|for|"
    rf"instead|please|of) ?,? ?)*"
    rf"{COUNT}(?P<noun> (?:{_WORD}{{0,2}}{_SITE}|of them|instead|please|more|only))?\W*(?:please|instead|then)?\W*$"
)
_COMPETE = (
    r"(?:compet\w+|overlap\w*|shar(?:e|es|ing)|fight(?:ing)?|stealing|steal|cannibali[sz]\w+|interfer\w+|conflict\w*|"
    r"get(?:ting)? in (?:each other's|the) way|eat(?:ing)? into|rob(?:bing)?|double[ -]count\w*|draw(?:ing)? on the same)"
)
_PORTFOLIO = Rule(
    rf"\b(?:do(?:es)?n't|do(?:es)? not|not|won't|never|no|none|without|cannot|can't|nobody|aren't|avoid\w*)\b(?: "
    rf"[a-z']{{1,12}}){{0,6}}? {_COMPETE}\b"
    rf"(?!(?: with| against)? (?:(?:the )?(?:existing|other|current|nearby)|people|us\b|our))|"
    r"\bnon-?(?:compet\w+|overlapping)\b|\bportfolio\b|\bfleet of\b|\bnetwork of (?:\w+ )?(?:plants|gasifiers|units|"
    r"facilities)\b|\b(?:its|their) own (?:wood|fuel|supply|woodshed|fuelshed|catchment|clusters)\b|"
    r"\bsin (?:que )?(?:compet\w+|compit\w+)|\bque no (?:se )?compit\w+|\beach (?:cluster|stand|ton|tree) (?:is )?(?:used|"
    r"counted|burned|taken) (?:only )?once\b|\b(?:separate|distinct|exclusive) (?:fuel ?sheds?|woodsheds?|supply areas?|"
    r"catchments?)\b",
    (
        "compet",
        "compit",
        "overlap",
        "shar",
        "fight",
        "steal",
        "cannibal",
        "interfer",
        "conflict",
        "way",
        "eat",
        "rob",
        "double",
        "draw",
        "portfolio",
        "fleet",
        "network of",
        "own ",
        "once",
        "shed",
        "supply area",
        "catchment",
    ),
)
_SEPARATION: tuple[Rule, ...] = (
    Rule(rf"\b(?:at least |no less than |not less than |more than |over |a |min(?:imum)?(?: of)? |spaced |about |separated by "
        rf")*{LENGTH}(?: or more)? (?:apart|from each other|from one another|away from each other|between (?:them|sites|plants|"
        rf"each))\b"),
    Rule(rf"\b(?:no two|no (?:sites|plants|pair|three|locations|places)|none|not|never)(?: [a-z]{{2,10}}){{0,3}}? (?:closer|"
        rf"nearer)(?: together| to each other)? than {LENGTH}(?: (?:to|from) each other| apart)?"),
    Rule(rf"\b(?:separat\w+|spac(?:ed|ing)|apart|keep (?:them|the sites|sites)|distance between (?:them|sites|plants|the (?:sites|"
        rf"plants)))(?: (?:is|of|at|by|least|to|be|them|sites|min|minimum|apart|must|should|from|each|other))*(?: ?[=:])? {LENGTH}"),
    Rule(rf"\b(?:separad[oa]s|distantes)(?: (?:por|al|menos|unos|a|mas|de))* {LENGTH}"),
)  # fmt: skip
_APART_WORDS = ("apart", "each other", "one another", "between", "closer", "nearer", "separa", "spac", "distant")
_ADJ = (
    r"(?:(?:existing|current|present|operating|idle|closed|old|former|retired|active|biomass|wood|wood-burning|wood-fired|power|"
    r"the|our|any|all|known|nearby|bioenergy) )*"
)
_AMONG = (
    r"\b(?:among(?:st)?|from among|out of|one of|of all|limited to|restrict(?:ed)? to|only (?:consider|at|look at|use|search)|"
    r"consider(?:ing)? only|choose from|pick from|select from|between|across|at one of|search(?:ing)?(?: through| among)?|"
    r"candidates?(?: are| is|:)?|using|use|drawn from|entre) "
)
_RANKED = rf"\b(?:which|what|rank(?:ing)?|best|cheapest|top|ideal|mejor(?:es)?|cual(?:es)?|que) (?:(?:{COUNT}|of|the|de|los|las) )*"
_CANDIDATES: tuple[tuple[str, Rule], ...] = (
    ("plants", Rule(
        rf"{_AMONG}{_ADJ}(?:existing|current|operating|idle|closed|old|former|retired|biomass|power|wood|wood-burning|"
        rf"wood-fired) {_ADJ}(?:plants?|mills?|facilities|power stations|plant sites?|mill sites?)\b|"
        rf"{_RANKED.replace('?P<count>', '?:')}{_ADJ}(?:existing|current|operating|idle|closed|old|former|"
        rf"retired) {_ADJ}(?:plants?|mills?|facilities|power stations|plant sites?|mill sites?)\b|"
        r"\b(?:existing|old|former|closed|idle|brownfield) (?:biomass |power |mill )?(?:plant|mill) sites\b|\bplantas existentes\b|"
        r"\b(?:at|candidates:?) existing (?:biomass |power )*plants\b",
        ("existing", "existentes", "current", "operating", "idle", "closed", "old", "former", "retired", "biomass", "power", "wood",
         "brownfield"))),
    ("substations", Rule(
        rf"{_AMONG}{_ADJ}substations?\b|{_RANKED.replace('?P<count>', '?:')}{_ADJ}substations?\b|\bat (?:existing )?substations\b|"
        rf"\bcandidates?:? substations?\b|\b(?:entre|cuales?) (?:las )?subestaciones\b", ("substation", "subestac"))),
    ("towns", Rule(
        rf"{_AMONG}{_ADJ}(?:towns?|communities|cities|villages|settlements|pueblos|ciudades)\b|"
        rf"{_RANKED.replace('?P<count>', '?:')}{_ADJ}(?:small |mountain |rural |forest )?(?:towns?|communities|cities|village|"
        rf"pueblos?|ciudades)\b(?! and)",
        ("town", "communit", "cities", "village", "settlement", "pueblo", "ciudad"))),
)  # fmt: skip
_LIMIT = (
    r"(?:within|inside|no (?:more|farther|further) than|not (?:more|farther|further) than|at most|less than|under|closer than|"
    r"up to|max(?:imum)?(?: of)?|not over|a menos de|nearer than)"
)
_THING = (
    r"(?:an? |the |any |some |nearest |closest |existing |other |paved |public |main |good |major |county |state |power |"
    r"biomass |wood |wood-burning |electric(?:al)? |grid |transmission |una? |la )*(?P<thing>sub-?stations?|roads?|highways?|"
    r"power plants?|biomass plants?|plants?|sawmills?|subestacion|carretera)"
)
_NEAR: tuple[Rule, ...] = (
    Rule(rf"\b{_LIMIT} {LENGTH}(?: away)?(?: (?:or less|at most))? (?:of|from|to|off|de) {_THING}\b"),
    Rule(rf"\b{LENGTH},?(?: away)? (?:of|from|to|off) {_THING}(?:,? (?:at most|or less|or closer|max(?:imum)?|tops))?\b"),
    Rule(rf"\b{_THING}(?: (?:that is|is|are|must be|has to be|should be|available|close|nearby))* {_LIMIT} {LENGTH}"),
    Rule(rf"\b(?:distance|proximity)(?: of| to| from)* {_THING}(?: (?:is|of|at|to|be|must|should))*(?: ?[=:<])? (?:{_LIMIT} "
        rf")?{LENGTH}"),
    Rule(rf"\b(?:near(?:er|by)?|close to|next to) {_THING},?:? ?\(?{_LIMIT} {LENGTH}\)?"),
)  # fmt: skip
_A_PLANT = re.compile(
    r"\b(?:existing|other|another|nearest|closest)\b|\b(?:an?|any|some) (?:\w+ )*(?:power |biomass |wood[ -]burning )plants?$"
)
_FIELD_OF = (
    ("sub", "max_km_to_substation"),
    ("road", "max_km_to_road"),
    ("highway", "max_km_to_road"),
    ("carretera", "max_km_to_road"),
)
_SET_OF = Rule(rf"\b(?:portfolio|fleet|network|set|group|string|chain) of {COUNT}")
_NOT_NEAR = Rule(
    r"(?<!no )(?<!not )\b(?:at least|no closer than|no nearer than|not closer than|"
    rf"more than|further than|farther than|beyond|min(?:imum)?(?: of)?) {LENGTH}(?: away)? (?:from|of|off|to) {_THING}\b"
)
_MOST_SAID = 999
_ONE_SITE = Rule(rf" {_SIZE}{_WORD}{{0,3}}?(?:{_SITE}|{_PLANT})\b")
"""After "one": the best one of two places is no search for a single site."""
MOST_SITES = int(QUANTITIES["site_count"].high)


def read_search(draft: Draft, base: SitingQuery | None) -> None:
    """Set the fields of a search that the turn names, before the amounts are read.

    Parameters
    ----------
    draft : Draft
        The turn, with its places masked.
    base : SitingQuery or None
        The question before; after a search "and ten sites" needs no verb.
    """
    text = draft.source.masked
    again = base is not None and base.intent == "search"
    if m := _PORTFOLIO.search(text):
        draft.put("portfolio", True, *m.span())
        draft.marks.add("searching")
        if many := _SET_OF.search(text):
            _put_count(draft, many)
        draft.source.mask(*m.span())
    _separation(draft)
    if names_any(text, ("substation", "sub-station", "road", "highway", "plant", "mill", "carretera", "subestacion")):
        _near_things(draft)
    _candidates(draft)
    _count(draft, again)


def _separation(draft: Draft) -> None:
    source = draft.source
    if not names_any(source.masked, _APART_WORDS):
        return
    for rule in _SEPARATION:
        if m := rule.search(source.masked):
            draft.put("min_separation_km", length_km(m), *m.span())
            draft.marks.add("sites apart")
            source.mask(*m.span())
            return


def _near_things(draft: Draft) -> None:
    """Distances to roads, substations and plants; "and 1 km of a road" goes on with the limit before it."""
    source = draft.source
    if m := _NOT_NEAR.search(source.masked):
        said = source.original(*m.span())
        draft.note(
            f'a least distance to a road, substation or plant ("{said}") is not a rule of a search; it is left out'
        )
        source.mask(*m.span())
    first = True
    for _ in range(4):
        text = source.masked
        found = [
            m
            for i, rule in enumerate(_NEAR)
            if (i != 1 or not first or _bounded(rule, text)) and (m := rule.search(text))
        ]
        if not found:
            return
        m = min(found, key=lambda m: (m.start(), -m.end()))
        thing = m["thing"]
        field = next((f for word, f in _FIELD_OF if thing.startswith(word)), "max_km_to_plant")
        named = m[0][: m.end("thing") - m.start()]
        if field == "max_km_to_plant" and not (_A_PLANT.search(named) or thing.startswith(("power", "biomass"))):
            # "within 20 miles of the plant" is the radius.
            return
        first = False
        draft.put(field, length_km(m), *m.span())
        source.mask(*m.span())


def _bounded(rule: Rule, text: str) -> bool:
    """Whether a distance without a limit before it has one behind it; "a lot 2 miles from a road" only tells."""
    m = rule.search(text)
    return m is not None and re.search(r"(?:at most|or less|or closer|max(?:imum)?|tops)$", m[0]) is not None


def _candidates(draft: Draft) -> None:
    source = draft.source
    for name, rule in _CANDIDATES:
        m = rule.search(source.masked)
        if m is None:
            continue
        draft.put("site_candidates", name, *m.span())
        return


def _count(draft: Draft, again: bool) -> None:
    source = draft.source
    text = source.masked
    if "site_count" in draft.values or not (again or names_any(text, _COUNT_WORDS)):
        return
    for rule in _COUNTS:
        m = rule.search(text)
        if (
            m is None
            or not 1 <= count_of(m) <= _MOST_SAID
            or (m["count"] == "one" and not _ONE_SITE.match(text, m.end()))
        ):
            continue
        what = m["what"] if "what" in m.re.groupindex else ""
        plants = bool(what) and re.fullmatch(_SITE, what) is None
        if (
            plants
            and not {"searching"} & draft.marks
            and not re.search(r"\bwhere\b|\bdonde\b|\bsites?\b|\bplaces?\b", text)
        ):
            continue
        if plants and "portfolio" not in draft.values and count_of(m) > 1:
            draft.put("portfolio", True, *m.span("count"))
            draft.note(f"{count_of(m)} plants are placed so that no two burn the same wood")
        _put_count(draft, m)
        return
    if again and (m := _FOLLOW_COUNT.match(text)) and (m["noun"] or not m["count"][0].isdigit()):
        _put_count(draft, m)


def _put_count(draft: Draft, m: re.Match[str]) -> None:
    count = count_of(m)
    if m["count"].startswith(("a couple", "a handful")):
        draft.note(f'"{m["count"]}" is read as {count} sites')
    draft.put("site_count", count, *m.span("count"))
    draft.source.mask(*m.span("count"))


def settle_search(
    draft: Draft, intent: str, explicit: set[str], state: dict[str, object], defaults: SitingQuery
) -> None:
    """Take the fields of a search back where the question is none, saying so of limits that cannot act."""
    if intent == "search":
        return
    for field in SEARCH_FIELDS:
        if state[field] == getattr(defaults, field):
            continue
        if field in draft.values and field not in {"site_count", "site_candidates", "portfolio"}:
            value = state[field]
            draft.note(
                f"{field} ({number(value) if isinstance(value, float) else value}) is a limit of a search for sites; it does not "
                f"act here"
            )
        state[field] = getattr(defaults, field)
        explicit.discard(field)
