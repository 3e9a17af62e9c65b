"""Words and numbers to the weight on fire, and the least burn probability."""

from __future__ import annotations

import re
from itertools import islice

from csrag.ask.intent.amounts import Amount
from csrag.ask.intent.draft import Draft, number
from csrag.ask.intent.rule import Rule, names_any
from csrag.ask.intent.text import Source

_MAX_TOPICS = 12
_BURN = (
    r"(?:(?:annual|yearly|mean|average) )?(?:burn(?:ing)?[ -]prob(?:abilit(?:y|ies)|s)?\b|"
    r"burn(?:ing)? (?:chance|risk|likelihood|"
    r"odds)|(?:chance|probability|risk|likelihood|odds) (?:of|to) (?:a )?(?:large )?(?:burn(?:ing)?|(?:wild)?fire)|"
    r"fire probabilit(?:y|ies)|probabilidad de (?:incendio|quema))"
)
_BURN_CUE = Rule(
    rf"\b(?:{_BURN}|(?:annual|yearly) (?:chance|probability)(?: of (?:burning|fire))?|likely to burn|chance a year)\b"
)
# Fire words that speak of something else than a weight: buildings, people, a named or past fire.
_OTHER_FIRES = Rule(
    r"\b(?:fire ?(?:stations?|department|dept|house|chief|hall|district|safe council|safe|crews?|engine|trucks?|camp|"
    r"season|road|lookout|insurance|marshal|fighters?|break|breaks|wood|place|protection district|"
    r"alarm|hydrant|sale|code|"
    r"rebuild|victims?|survivors?|recovery|salvage|scar)|cal ?fire|firewood|firehouse|firefighters?|"
    r"(?<!weight )(?<!weighting )(?<!emphasis )(?<!focus )(?<!stress )(?<!importance )(?<!value )(?<!light )(?<!only )on fire|"
    r""
    r"fired|"
    r"(?:since|after|before|from|in|during|survived|lost (?:\w+ )?(?:in|to)) the(?: \w+){0,2} (?:wild)?fires?|"
    r"(?:the|a|big|last|that)(?: \w+){0,2} (?:wild)?fire (?:burned|burnt|took|destroyed|came|swept|"
    r"killed|was in|hit|went|ran)|"
    r"(?:wild)?fires? (?:burned|burnt|took|destroyed|swept|killed))\b"
)
_TOPIC = Rule(
    rf"\b(?:{_BURN}|(?:wild ?)?fires?(?:[ -](?:risks?|hazards?|danger|reduction|benefits?|probability|prone|severity|"
    r"threat|part|side|term|aspect|weight(?:ing)?|score|mitigation|exposure|objective|goal))?|likely to burn|"
    r"(?:stands?|forests?|areas?|places?|clusters?) (?:most )?(?:likely|apt|prone|about) to burn|burn[ -]prone|"
    r"(?:high(?:er|est)?[ -])?hazard (?:stands?|areas?|forests?|zones?)|(?:high[ -]risk|riskier|"
    r"riskiest) (?:stands?|forests?|areas?)|"
    r"incendios?|fuego|riesgo de (?:incendio|fuego)|burn hazard)\b"
)
_WEIGHT_WORD = r"(?:weight(?:s|ing|ed)?|emphasis|importance|share|peso)"
_PLAIN_NUMBER = (
    r"(?P<n>\d{1,3}(?:\.\d+)?|\.\d+)(?P<p> ?(?:%|percent|per cent|pct))?(?! ?(?:mw|kw|gw|km|mi|\$|"
    r"year|mega|bdt|ton|acre|"
    r"\d))"
)
_NUMERIC: list[Rule] = [
    Rule(rf"\bw ?= ?{_PLAIN_NUMBER}"),
    Rule(
        rf"\b(?:wild)?fires?(?:[ -](?:risk|"
            rf"hazard))?(?: an?)?[ -]?{_WEIGHT_WORD}(?: factor)?(?: (?:of|to|at|is|as|be|set to|"
        rf"factor))?(?: ?[=:])? ?{_PLAIN_NUMBER}"),
    Rule(
        rf"\b{_WEIGHT_WORD}(?: (?:of|to|at|is))? {_PLAIN_NUMBER} (?:on|to|for|"
        rf"towards?) (?:the )?(?:wild)?(?:fire|burn)"),
    Rule(
        rf"\b{_WEIGHT_WORD} (?:on|of|for|to) (?:the )?(?:wild)?(?:fire|burn)\w*(?:[ -](?:risk|probability|"
        rf"hazard))?(?: (?:of|to|at|is|be))?(?: ?[=:])? ?{_PLAIN_NUMBER}"),
    Rule(
        rf"(?<![\d.,$]){_PLAIN_NUMBER} (?:of the )?{_WEIGHT_WORD} (?:on|to|for|towards?|given to|"
            rf"goes to|al?) (?:the |"
        rf"el )?(?:wild)?(?:fire|burn|incendio|fuego)"),
    Rule(rf"(?<![\d.,$]){_PLAIN_NUMBER} (?:wild)?fire[ -]{_WEIGHT_WORD}"),
    Rule(
        r"(?<![\d.,$])(?P<n>\d{1,3}(?:\.\d+)?)(?P<p> ?(?:%|percent|pct)) (?:wild)?fires?\b(?! (?:prob|"
        r"chance|risk of))"),
    Rule(
        rf"\bweight(?:ing)? (?:the )?(?:wild)?(?:fire|burn)\w*(?:[ -](?:risk|probability|hazard))?(?: (?:at|by|with|"
        rf"to))? {_PLAIN_NUMBER}"),
    Rule(rf"\b(?:wild)?fire(?:[ -](?:risk|hazard))? (?:at|counts? (?:for)?|is worth|gets|to) {_PLAIN_NUMBER}"),
    Rule(rf"(?<![\d.,$]){_PLAIN_NUMBER} (?:on|for|to|towards?) (?:wild)?fires?\b"),
    Rule(
        r"\b(?:wild)?fires?(?:[ -](?:risk|hazard))?(?: is)? ?[=:]? ?(?P<n>\d{1,3}(?:\.\d+)?)(?P<p> ?(?:%|percent|pct))"
        r"(?! (?:contain|of the (?:land|area|county|forest)|more|less|higher|lower|annual|chance|prob))"),
    Rule(r"\b(?:wild)?fires?(?:[ -](?:risk|hazard))?(?: is)? ?[=:]? ?(?P<n>0?\.\d+)(?P<p>)(?!\d| ?(?:mw|km|mi|%|\$))"),
    Rule(r"(?<![\d.,$])(?P<n>0?\.\d+)(?P<p>) (?:wild)?fires?\b(?! (?:prob|chance|risk of))"),
    Rule(rf"\bpeso (?:de|del|al)(?: fuego| incendio| riesgo de incendio)(?: de(?:l)?)? {_PLAIN_NUMBER}"),
]  # fmt: skip
_A_WEIGHT = r"(?:\d?\.\d+|\d{1,3})(?!\d)(?: ?%)?(?! ?(?:mw|kw|gw|km|mi|meg))"
_WEIGHTS = Rule(
    rf"\b(?:wild)?fire[ -]weights?(?: of| at|:)? ({_A_WEIGHT}(?:, {_A_WEIGHT}){{0,6}},? (?:and|or|"
    rf"vs\.?|versus) {_A_WEIGHT})"
)
_SPLIT = Rule(
    r"(?<![\d.,$/])(\d{1,3})(?: ?%)? ?[/:-] ?(\d{1,3})(?: ?%)?(?: (?:split|weight(?:ing)?|balance|"
    r"mix))?(?: (?:of|between|for|in favou?r of))? "
    r"(?:(costs?(?: ?[/:-] ?| (?:to|and|vs\.?|versus|against) )(?:wild)?fire)|"
    r"(?:wild)?fire(?: ?[/:-] ?| (?:to|and|vs\.?|versus|against) )costs?)\b"
)
_COST_WEIGHT: list[Rule] = [
    Rule(rf"(?:\balpha|α)(?: (?:of|to|at|is|value|=|set to|be|equal to))*(?: ?[=:])? ?{_PLAIN_NUMBER}"),
    Rule(rf"\bcost[ -]{_WEIGHT_WORD}(?: (?:of|to|at|is))?(?: ?[=:])? ?{_PLAIN_NUMBER}"),
    Rule(rf"(?<![\d.,$]){_PLAIN_NUMBER} (?:of the )?{_WEIGHT_WORD} (?:on|to|for) (?:the )?costs?\b"),
    Rule(rf"\bweight(?:ing)? (?:the )?costs?(?: (?:at|by|with|to))? {_PLAIN_NUMBER}"),
    Rule(rf"\b{_WEIGHT_WORD} (?:on|of|for) (?:the )?costs?(?: (?:of|to|at|is))?(?: ?[=:])? ?{_PLAIN_NUMBER}"),
]  # fmt: skip
_SHARES: list[tuple[float, Rule]] = [
    (0.5, Rule(
        rf"\b(?:equal|same|half)\b[\w ]{{0,16}}{_WEIGHT_WORD}|{_WEIGHT_WORD} (?:of )?(?:one[ -])?half\b|"
        rf"\bequally\b|\bas important as\b|\b50[ /-]50\b|\bfifty[ -]fifty\b")),
    (0.25, Rule(rf"{_WEIGHT_WORD} (?:of )?(?:a |one[ -])quarter\b|\b(?:a|one) quarter (?:of the )?{_WEIGHT_WORD}")),
    (1 / 3, Rule(rf"{_WEIGHT_WORD} (?:of )?(?:a |one[ -])third\b|\b(?:a|one) third (?:of the )?{_WEIGHT_WORD}")),
]  # fmt: skip
_NONE = Rule(
    r"\b(?:ignor(?:e|es|ing)|without|no|forget(?: about)?|exclud(?:e|ing)|leav(?:e|ing) out|disregard(?:ing)?|skip|"
    r"(?:don't|do not|shouldn't|should not|won't|mustn't|doesn't|does not|didn't|needn't|never|"
    r"not) (?:\w+ ){0,2}?(?:care|consider|account|matter|weigh|"
    r"count|include|want|worry|need|bother|factor|apply|use|prioriti[sz]e?)(?:ing|ed|s)?(?: about| for| in| with)?|"
    r"regardless of|irrespective of|neglect(?:ing)?|drop(?:ping)?|remov(?:e|ing)|take out|turn(?:ing)? off|"
    r"nothing (?:for|on|about)|zero|not important|"
    r"irrelevant|immaterial|no (?:weight|role|importance|interest)|sin(?: considerar| tener en cuenta)?|ignora(?:r|"
    r"ndo)?|unimportant|"
    r"never mind|set(?:ting)? aside|who cares|not a (?:concern|factor|priority|consideration)|minus|lose|ditch|"
    r"take the .{0,12}out)\b"
)
_OFF = Rule(
    r"\bfire[ -]?(?:risk|hazard|weight(?:ing)?|part)?(?: ?[:=] ?| (?:is |be |set |turned |switched )"
    r"(?:to )?)(?:none|nil|off|nothing)\b"
)
_COST_ONLY = Rule(
    r"\b(?:cost[ -]only|(?:only|just|purely|solely|strictly|simply) (?:on |by |about |the )?costs?(?: (?:matters?|"
    r"counts?))?|costs? alone|"
    r"costs? is all that (?:matters|counts)|solo (?:el )?costo?|least cost only)\b(?! (?:for|of|to|me|us|in|at|per|"
    r"will|would|if|when|\$|\d))"
)
_ALL = Rule(
    r"\b(?:only|solely|purely|entirely|just|exclusively|nothing but|100 ?% (?:on )?) ?"
    r"(?:(?:cares?|worry|think|concerned|interested|focus(?:ed)?|look(?:ing)?) )?(?:the |about |on |in |at |with |"
    r"for )?(?:wild)?fire(?:[ -](?:risk|hazard|benefit|probability))?"
    r"(?: (?:counts?|matters?|is considered|reduction))?\b(?![ -]?(?:prone|matters? (?:a |some)))|"
    r"\b(?:wild)?fires?(?:[ -](?:risk|hazard|benefit))?(?: benefit)? (?:only|alone)\b|"
    r"\b(?:wild)?fires?(?: risk)? is (?:all|the only thing)(?: that)?\b|"
    r"\b(?:all|the only thing) (?:that |i |we |they )?(?:matters?|counts?|cares? about|wants?)(?: here)? is "
    r"(?:wild)?fire\b|\bsolo (?:el )?(?:fuego|incendio)|"
    r"\bnothing (?:else )?but fire\b|\bcost (?:doesn't|does not) matter,? (?:only )?fire\b"
)
_DEGREES: list[tuple[float, Rule]] = [
    (0.05, Rule(
        r"\b(?:a little|little|a tad|tad|slight(?:ly|est)?|light(?:ly)?|a bit|bit of|small|minor|"
            r"modest(?:ly)?|tiny|a touch|"
            r"touch of|some small|marginally|"
        r"barely|gentle|gently|faint|un poco|poco|ligeramente|low (?:priority|weight))\b")),
    (0.7, Rule(
        r"\b(?:maximi[sz](?:e|es|ing|ation)|maximum|mostly|mainly|primarily|predominantly|chiefly|above all|max out|"
            r"first and foremost|"
        r"as much [\w -]{0,20}as possible|foremost|dominant|dominates?|principalmente|ante todo|"
            r"maximizar?|overriding|"
            r"main (?:goal|aim|objective|thing|point)|biggest possible|greatest possible)\b")),
    (0.4, Rule(
        r"\b(?:(?:very |really |quite |so |highly |extremely )?important|importance|(?:high|top|big|major|real|key|"
            r"first|strong) (?:priority|concern|factor|weight|importance|emphasis|issue|deal|consideration)|"
        r"prioriti[sz](?:e|es|ed|ing)|prioridad(?: alta)?|alta prioridad|priority|strong(?:ly)?|heav(?:y|ily)|a lot|"
            r"crucial|critical|essential|vital|very much|emphasi[sz]e|"
        r"greatly|serious(?:ly)?|matters? (?:a lot|very much|greatly|to us a lot)|muy importante|importante|big)\b")),
    (0.2, Rule(
        r"\b(?:protect(?:s|ed|ing|ion)?|defend(?:s|ing)?|shield(?:s|ing)?|safeguard(?:s|ing)?|safer|"
        r"matters?|consider(?:s|ed|ing|ation)?|account(?:ed|ing)?(?: for)?|into account|aware(?:ness)?|"
            r"moderate(?:ly)?|factor(?:ed|ing)?(?: in)?|"
        r"includ(?:e|es|ed|ing)|weigh(?:s|ed|ing)?|care(?:s|d)? about|favou?r(?:s|ed|ing)?|prefer(?:s|red|ring|ably|"
            r"ence)?|concern(?:s|ed)?|"
        r"mind(?:ful)?|conscious|sensitive|reduc(?:e|es|ing|tion)|lower(?:s|ing)?|mitigat(?:e|es|ing|ion)|mitigation|"
            r"target(?:s|ing)?|focus(?:ed|ing)?|"
        r"lean(?:ing)? towards?|bias(?:ed)?(?: towards?)?|weight(?:ed|ing)?|some (?:weight|attention|thought)|"
            r"keep .{0,16}in mind|importa|considera(?:r|ndo)?|"
        r"teniendo en cuenta|tener en cuenta|cuenta|worried about|worry about|with (?:fire|wildfire)|help(?:s|ing)?|"
            r"benefit|smart|informed|medium)\b")),
]  # fmt: skip
_AWARE = Rule(r"\b(?:wild)?fire[ -](?:aware|conscious|smart|informed|sensitive|wise|weighted|focused|minded)\b")
_LEAST = Rule(
    r"(?:\bat least|\babove|\bover|\bmore than|\bgreater than|\bhigher than|\bexceed(?:s|ing)?|\bmin(?:imum)?|"
    r"\bno less than|\bnot less than|\bno lower than|\bbeyond|\bfrom|>|\bor (?:more|higher|above|"
    r"over|greater)|\band (?:up|"
    r"above)|\bmas de|\bal menos|\bupward|\+)"
)
_BELOW = Rule(r"\b(?:less than|below|under|lower than|smaller than|menos de)\b|<")
_OUT = Rule(
    r"\b(?:leav(?:e|es|ing) out|exclud(?:e|es|ing)|skip(?:ping)?|drop(?:ping)?|no|not|"
    r"avoid(?:ing)?|without|ignor(?:e|ing)|"
    r"omit(?:ting)?|nothing|remov(?:e|ing)|except|none)\b"
)
_AVERAGE = Rule(r"\b(?:averag(?:e|es|ing)|mean|avg|on average|overall|promedio|media)\b")
_ONE_IN = Rule(r"\b(?:1|one)[ -]in[ -](?:a )?(\d{1,4}|hundred|thousand)\b")


_WORDS = ("fire", "burn", "incend", "fuego", "hazard", "risk", "only", "alone", "just", "cost", "solo")


def read_min_burn(draft: Draft) -> None:
    """Set `min_burn_probability` (a fraction a year) from "at least 1 % annual burn probability"."""
    source = draft.source
    if not names_any(source.masked, ("burn", "chance", "probab", "incendio", "quema")):
        return
    cues = list(islice(_BURN_CUE.finditer(source.masked), _MAX_TOPICS))
    if not cues:
        return
    for m in cues:
        low, high = source.sentence(m.start())
        near = [a for a in draft.of_unit("pct", "") if low <= a.start and a.end <= high and _gap(a, m) <= 40]
        near = [a for a in near if not _between(source, draft, a, m)]
        if m.group() and (one := _ONE_IN.search(source.masked, low, high)) and abs(one.start() - m.start()) < 60:
            n = {"hundred": 100.0, "thousand": 1000.0}.get(one[1]) or float(one[1])
            if n >= 1:
                draft.put("min_burn_probability", 1 / n, *one.span())
                source.mask(min(m.start(), one.start()), max(m.end(), one.end()))
                return
        if not near:
            continue
        amount = min(near, key=lambda a: _gap(a, m))
        start, end = min(m.start(), amount.start), max(m.end(), amount.end)
        around = source.masked[max(low, start - 40) : min(high, end + 14)]
        bound = _LEAST.search(around) or (_BELOW.search(around) and _OUT.search(source.masked[low:high]))
        if not bound or re.search(r"\bweight", around):
            continue
        fraction = amount.value / 100 if amount.unit == "pct" else amount.value
        if amount.unit == "" and amount.value >= 1:
            fraction = amount.value / 100
            draft.note(f"a burn probability of {number(amount.value)} is read as percent a year")
        # "average burn probability above 2 %" is a limit on what a site takes as a whole, which only a search has.
        whole = "seeking" in draft.marks and _AVERAGE.search(source.masked[max(low, start - 24) : min(high, end + 24)])
        field = "min_average_burn_probability" if whole else "min_burn_probability"
        draft.put(field, fraction, amount.start, amount.end)
        draft.use(amount)
        source.mask(start, end)
        tail = Rule(r",?(?: stands?)? ?only\b").match(source.masked, end)
        if tail:
            source.mask(*tail.span())
        return


def _gap(a: Amount, m: re.Match[str]) -> int:
    return max(m.start() - a.end, a.start - m.end(), 0)


def _between(source: Source, draft: Draft, a: Amount, m: re.Match[str]) -> bool:
    low, high = (a.end, m.start()) if a.end <= m.start() else (m.end(), a.start)
    return any(low <= b.start < high for b in draft.amounts if b.start != a.start) or ";" in source.masked[low:high]


def read_weight_numbers(draft: Draft) -> None:
    """Set `fire_weight` from a number beside the words, before the amounts are read: its digits are no list of MW."""
    if names_any(
        draft.source.masked,
        ("weight", "alpha", "α", "fire", "burn", "emphasis", "share", "peso", "importance", "w=", "w ="),
    ) and _numeric(draft):
        draft.marks.add("weight number")


def _numeric(draft: Draft) -> bool:
    if many := _WEIGHTS.search(draft.source.masked):
        values = [float(v) for v in re.findall(r"\d?\.\d+|\d+", many[1])]
        values = [v / 100 if v > 1 else v for v in values]
        if len(set(values)) > 1 and max(values) <= 1:
            draft.values["_fire_weights"] = list(dict.fromkeys(values))
            draft.spans["_fire_weights"] = many.span()
            draft.put("fire_weight", values[-1], *many.span())
            draft.source.mask(*many.span())
            return True
    return _one_number(draft)


def _one_number(draft: Draft) -> bool:
    """A weight given as a number: taken as it is."""
    source = draft.source
    if (m := _SPLIT.search(source.masked)) and int(m[1]) + int(m[2]) > 0:
        fire = int(m[2]) if m[3] else int(m[1])
        draft.put("fire_weight", fire / (int(m[1]) + int(m[2])), *m.span())
        source.mask(*m.span())
        return True
    for patterns, flip in ((_COST_WEIGHT, True), (_NUMERIC, False)):
        for pattern in patterns:
            m = pattern.search(source.masked)
            if m is None:
                continue
            value = float(m["n"])
            if m["p"] or value > 1:
                value /= 100
            if value > 1:
                continue
            if flip:
                draft.note(f"alpha is the weight on cost, so the fire weight is 1 - {value:g}")
                value = round(1 - value, 12)
            elif not m["p"] and float(m["n"]) > 1:
                draft.note(f"a fire weight of {m['n']} is read as percent")
            draft.put("fire_weight", value, *m.span())
            source.mask(*m.span())
            return True
    return False


def read_fire_weight(draft: Draft) -> None:
    """Set `fire_weight` from a number or from a degree word near a fire word."""
    source = draft.source
    if "fire_weight" in draft.values:
        return
    if not names_any(source.masked, _WORDS):
        return
    source.mask_all([m.span() for m in _OTHER_FIRES.finditer(source.masked)])
    source.mask_all([m.span() for m in _named_fires(source)])
    text = source.masked
    if m := _COST_ONLY.search(text) or _OFF.search(text):
        draft.put("fire_weight", 0.0, *m.span())
        return
    best: tuple[float, tuple[int, int]] | None = None
    for topic in islice(_TOPIC.finditer(text), _MAX_TOPICS):
        low, high = source.sentence(topic.start())
        if m := _ALL.search(text, max(low, topic.start() - 30), high):
            best = (1.0, m.span())
            break
        if m := _AWARE.search(text, topic.start(), min(high, topic.end() + 12)):
            best = (0.2, m.span())
            continue
        found = _degree_near(source, low, high, topic)
        if found is not None:
            best = found
            if found[0] == 0.0:
                break
    if best is not None:
        draft.put("fire_weight", best[0], *best[1])


def _degree_near(source: Source, low: int, high: int, topic: re.Match[str]) -> tuple[float, tuple[int, int]] | None:
    """Degree word in the clause of a fire word, or close by in its sentence."""
    text = source.masked
    a, b = source.clause(topic.start())
    start, end = max(low, a, topic.start() - 60), min(high, b, topic.end() + 60)
    window = text[start:end]
    if none := _NONE.search(window):
        return 0.0, (start + none.start(), start + none.end())
    if re.search(r"\b(?:against|versus|vs|trade-?offs?|between|frontier|pareto)\b", text[low:high]):
        return None
    for share, pattern in _SHARES:
        if m := pattern.search(window):
            return share, (start + m.start(), start + m.end())
    hits = [(value, m) for value, pattern in _DEGREES for m in pattern.finditer(window)]
    if not hits:
        if b - a <= topic.end() - topic.start() + 4 and b < high:
            # "fire? very important": the verdict stands in the next clause.
            nxt = text[b : min(high, b + 30)]
            for value, pattern in _DEGREES[:3]:
                if m := pattern.search(nxt):
                    return value, (b + m.start(), b + m.end())
        return None
    # "a little", "maximise" and "important" say more than "consider"; the first of the table's order wins.
    value, m = hits[0]
    return value, (start + m.start(), start + m.end())


def _named_fires(source: Source) -> list[re.Match[str]]:
    """ "the Dixie Fire", "Camp Fire": a capital on both words, and not at the head of a sentence."""
    return [
        m
        for m in re.finditer(r"\b([a-z]{3,}) (fire)\b", source.masked)
        if source.is_capital(m.start(1))
        and source.is_capital(m.start(2))
        and not source.question[:400].isupper()
        and m[1] not in {"is", "and", "the", "ignore", "with", "without", "only", "but"}
    ]
