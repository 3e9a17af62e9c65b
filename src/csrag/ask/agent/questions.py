"""Several questions in one message: taken apart where they are questions of their own, answered in turn.

A sentence that only qualifies ("Fire risk matters."), a fragment that finishes what stands before it ("Delivered cost?"), small
talk and lists of parameters belong to the question beside them. In doubt a message is one question.
"""

from __future__ import annotations

import re

MAX_QUESTIONS = 12
_MAX_CHARACTERS = 4_000
"""Longer messages are read as one question, which condenses them."""
_MAX_SENTENCES = 40
_ABBREVIATION = re.compile(
    r"(?:\b(?:mt|ft|st|mi|no|vs|approx|hwy|rte|sq|yr|ca|co|dr|mr|ms|mrs|fig|inc|etc|incl|e\.g|i\.e|[a-z]|p\.a|a\.m|p\.m|u\.s|u\.s\.a))$",
    re.IGNORECASE,
)
_END = re.compile(r"[.?!;]+[\"'”’)]*(?=\s|$)|\n\s*\n|(?<=[?])\s*(?=¿)")
_LEAD = (
    r"(?:(?:and|also|then|now|next|finally|plus|ok|okay|please|lastly|secondly|second|third|y|tambi[eé]n)\b[,:]?\s*)*"
)
_ASKING = re.compile(
    rf"^\W*{_LEAD}(?:what|whats|how|hows|where|who|which|why|when|can|could|would|will|is|are|does|do|did|should|cu[aá]nto|cu[aá]l|"
    r"d[oó]nde|qu[eé]|c[oó]mo|qui[eé]n)\b",
    re.IGNORECASE,
)
_TELLING = re.compile(
    rf"^\W*{_LEAD}(?:compare|project|show|give|list|explain|run|find|tell|define|describe|calculate|estimate|rank)\b",
    re.IGNORECASE,
)
_FOLLOWING = re.compile(
    r"^\W*(?:and|also|then|next|plus|what about|how about|same|the same|now|y)\b", re.IGNORECASE
)  # fmt: skip
_ALSO = re.compile(
    r"^\W*(?:also|and also|separately|another question|second question|besides|plus|additionally)\b", re.IGNORECASE
)
_NOUN = re.compile(
    r"\b(?:costs?|price|lcoe|supply curve|how much|\$ ?/ ?bdt|sensitiv\w*|projection|trade-?off|tornado|costar\w*)\b", re.IGNORECASE
)  # fmt: skip
_CAPACITY_FIRST = re.compile(r"^\W*(?:and |also |then )*\d[\d.,]*\s?(?:mw|megawatts?|kw)\b", re.IGNORECASE)
_TAG = re.compile(
    r"^\W*(?:right|ok|okay|yes|no|please|thanks?|any idea|anyone|is that (?:ok|possible|right|clear)|can you (?:do|tell me|help)"
    r"(?: me)?(?: that| this)?|could you help(?: me)?|do you know|"
    r"does that (?:make sense|work)|got it|see|eh|correct|possible|really)\W*$",
    re.IGNORECASE,
)
_SMALL_TALK = re.compile(
    r"^\W*(?:(?:hi|hello|hey|good (?:morning|day|evening))\W*(?:there)?\W*)?(?:how are you|can you help(?: me| us)?(?: please)?|"
    r"could you help(?: me| us)?|may i ask(?: you)?(?: a question| something)?|can i ask(?: you)?(?: a question| something)?|"
    r"are you there|got a (?:minute|second)|guess what|you know what)?\W*$",
    re.IGNORECASE,
)
_ITEM = re.compile(r"(?:^|(?<=\s))\(?(\d{1,2}|[a-h])[.)]\s+(?=\S)")
_BULLET = re.compile(r"^[ \t]*[-*•][ \t]+", re.MULTILINE)


def split_questions(message: str) -> list[str]:
    """The questions of a message, in order.

    Parameters
    ----------
    message : str
        What the user wrote.

    Returns
    -------
    list of str
        At least one; the message itself, unchanged, where it is one question. Every later one is meant as a follow-up of those
        before it. No more than 12: what goes beyond stays with the last.
    """
    if len(message) > _MAX_CHARACTERS:
        return [message]
    parts = _list_items(message) or _sentence_groups(message)
    if len(parts) < 2:
        return [message]
    if len(parts) > MAX_QUESTIONS:
        parts = [*parts[: MAX_QUESTIONS - 1], " ".join(parts[MAX_QUESTIONS - 1 :])]
    return parts


def split_message(message: str) -> list[str]:
    """The questions of a message, as `split_questions`; a command for scenarios is never taken apart."""
    from csrag.ask.agent.commands import read_command

    command, parts = read_command(message), split_questions(message)
    # "compare Quincy with Burney. What about 30 MW?" only begins like one that compares scenarios.
    return [message] if command is not None and command.action != "diff" else parts


def _sentences(text: str) -> list[str]:
    out, at = [], 0
    for end in _END.finditer(text):
        mark = end.group()
        if (
            mark.startswith(".")
            and set(mark) == {"."}
            and _ABBREVIATION.search(text[max(0, end.start() - 8) : end.start()])
        ):
            continue
        if mark.startswith(";") and "?" not in mark:
            continue
        out.append(text[at : end.end()].strip())
        at = end.end()
    out.append(text[at:].strip())
    return [s for s in out if any(c.isalnum() for c in s)]


def _list_items(text: str) -> list[str]:
    """Items of a numbered or bulleted list whose every item asks; nothing for a list of parameters."""
    marks = _consecutive(text)
    if not marks:
        marks = [(m.start(), m.end()) for m in _BULLET.finditer(text)]
        if any(
            "?" not in text[b : (marks[k + 1][0] if k + 1 < len(marks) else len(text))]
            for k, (_, b) in enumerate(marks)
        ):
            return []
    if len(marks) < 2:
        return []
    ends = [a for a, _ in marks[1:]] + [len(text)]
    items = [text[b:end].strip(" \t\r\n;,") for (_, b), end in zip(marks, ends, strict=True)]
    if not all(_asks(item) for item in items):
        return []
    lead = text[: marks[0][0]].strip()
    if lead and _names_something(lead):
        items[0] = f"{lead} {items[0]}"
    return items


def _consecutive(text: str) -> list[tuple[int, int]]:
    """Marks "1." "2." ... or "a)" "b)" ... from the first on, without a gap."""
    for labels in ([str(n) for n in range(1, 100)], list("abcdefgh")):
        marks: list[tuple[int, int]] = []
        for m in _ITEM.finditer(text):
            if len(marks) < len(labels) and m.group(1) == labels[len(marks)]:
                marks.append((m.start(), m.end()))
        if len(marks) > 1:
            return marks
    return []


def _asks(text: str) -> bool:
    return "?" in text or bool(
        _ASKING.match(text) or _TELLING.match(text) or _FOLLOWING.match(text) or _NOUN.search(text)
    )


def _complete(text: str) -> bool:
    """Whether a stretch is a question that stands by itself: it ends as one, and asks for something."""
    return "?" in text and bool(_ASKING.search(text) or _NOUN.search(text) or any(
        _ASKING.match(s) or _FOLLOWING.match(s) for s in _sentences(text) if "?" in s))  # fmt: skip


def _sentence_groups(text: str) -> list[str]:
    sentences = _sentences(text)
    if not 2 <= len(sentences) <= _MAX_SENTENCES:
        return []
    groups: list[list[str]] = [[]]
    waiting: list[str] = []
    for sentence in sentences:
        here = " ".join(groups[-1])
        if not groups[-1] or not _begins_anew(here, sentence):
            if groups[-1] and _complete(here) and "?" not in sentence:
                waiting.append(sentence)
            else:
                groups[-1] += [*waiting, sentence]
                waiting = []
            continue
        # What was said since the last question qualifies it, unless it names a place: then it leads up to the next.
        ahead = [s for s in waiting if _names_place(s)]
        groups[-1] += [s for s in waiting if s not in ahead]
        groups.append([*ahead, sentence])
        waiting = []
    groups[-1] += waiting
    return [" ".join(g) for g in groups]


def _begins_anew(before: str, sentence: str) -> bool:
    """Whether a sentence begins a new question after what stands before it."""
    if _TAG.match(sentence):
        return False
    if _complete(before):
        if all(_SMALL_TALK.match(s) for s in _sentences(before)):
            return False
        if "?" in sentence:
            if _ASKING.match(sentence) or _FOLLOWING.match(sentence) or sentence.startswith("¿"):
                return True
            return _names_something(sentence)
        if _TELLING.match(sentence) or _CAPACITY_FIRST.match(sentence):
            return _FOLLOWING.match(sentence) is not None or _names_place(sentence) or _about_method(sentence)
        return bool(_FOLLOWING.match(sentence)) and _asks(sentence[4:]) and _names_place(sentence)
    if not _names_place(before) and not _about_method(before):
        return False
    if _ALSO.match(sentence) and (_ASKING.match(_without_lead(sentence)) or _TELLING.match(_without_lead(sentence))):
        return True
    first = _TELLING.match(before) or _CAPACITY_FIRST.match(before)
    again = _TELLING.match(sentence) or _CAPACITY_FIRST.match(sentence)
    return bool(first and again and _names_place(before) and _names_place(sentence))


def _without_lead(sentence: str) -> str:
    found = _ALSO.match(sentence)
    return sentence if found is None else sentence[found.end() :].lstrip(" ,:")


def _names_place(text: str) -> bool:
    from csrag.ask.intent import parse

    return bool(parse(text).locations)


def _names_something(text: str) -> bool:
    """Whether a stretch names a place or a figure that a question can be about."""
    from csrag.ask.intent import parse

    query = parse(text)
    return bool(query.locations) or query.capacity_mw is not None or query.demand_bdt is not None


def _about_method(text: str) -> bool:
    from csrag.ask.intent import parse

    return parse(text).intent == "methodology"
