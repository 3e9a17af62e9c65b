"""Lines that try to steer the system instead of asking: set aside before anything is read from them."""

from __future__ import annotations

from csrag.ask.intent.rule import Rule, names_any
from csrag.ask.intent.text import Source

NOTE = "a line that reads as an instruction to the system was set aside"
_ROLE = Rule(
    r"(?:(?<![a-z] )|(?<=[.;!?] ))\b(?:system|assistant|developer|sistema|admin|administrator)"
    r"(?: (?:prompt|message|note|override|instruction))? ?:"
)
_LOGGING = Rule(r" ?(?:auto|ground|cable|heli|whole|cut|manual|mech|skyline|ctl)")
_BACK = Rule(r"\b(?:user|usuario|human|question|pregunta|end of (?:system|instructions?)) ?:")
_ORDER = Rule(
    r"\b(?:ignore|disregard|forget|override|bypass|ignora|olvida|ignorar|skip)"
    r"(?: (?:all|any|every|of|the|your|my|these|those|this|tus|las|sus|todas|previous|prior|above|earlier|other|system|"
    r"safety|default|original|instrucciones)){0,6}"
    r" (?:instructions?|instrucciones|prompts?|guidelines|programming|training data|guardrails|system message)\b"
)
_PLAY = Rule(
    r"\b(?:you are now|you're now|pretend (?:you|to be)|act as (?:a|an|if)|jailbreak|developer mode|"
    r"(?:reply|respond|answer) (?:only )?with (?:only |just )?(?:the )?(?:word|number|\$|\d)|"
    r"(?:print|reveal|show|repeat|output) (?:me )?(?:your|the) (?:system )?(?:prompt|instructions)|"
    r"always answer|from now on (?:answer|reply|you))"
)
_TAG = Rule(
    r"<(?P<tag>system|inst|assistant)>[^<]{0,2000}</(?P=tag)>|<\|?/?(?:system|im start|im end|assistant|user|"
    r"inst)[^<>\n]{0,20}>|\[/?inst\]|###? ?(?:system|instruction)"
)
_THEN = Rule(r",? (?:and|y|then) (?:just |only )?(?:answer|reply|say|output|respond|responde|print|set)[^,.;?!]{0,80}")


_ECHO = Rule(
    r"\b(?:just|simply|only) (?:say|write|answer|tell (?:me|them|us)|put|report|state) (?:that )?(?:it(?:'s| is| costs?)? )?"
    r"(?:\$ ?|usd )?\d"
)
ECHO_NOTE = "a figure handed in to be repeated is not: the answer holds what is computed"
_WORDS = (
    "system", "assistant", "developer", "sistema", "admin", "ignor", "disregard", "forget", "overrid", "bypass", "olvid", "skip",
    "you are now", "you're now", "pretend", "act as", "jailbreak", "reply", "respond", "answer", "print", "reveal", "show me",
    "show your", "show the", "repeat", "output", "from now", "<", "[", "##",
)  # fmt: skip


def set_aside(source: Source) -> None:
    """Blank instruction lines in `source` and say so in its notes; an answer that is handed in is not given back."""
    if names_any(source.text, ("just", "simply", "only")) and _ECHO.search(source.text):
        source.notes.append(ECHO_NOTE)
    if not names_any(source.text, _WORDS):
        return
    spans = [m.span() for m in _TAG.finditer(source.text)]
    open_end = 0
    questions = [a for a, b in source.sentences() if source.text[a:b].rstrip().endswith("?")]
    for m in _ROLE.finditer(source.text):
        if m.start() < open_end or _LOGGING.match(source.text, m.end()):
            continue
        back = _BACK.search(source.text, m.end())
        if back:
            open_end = back.end()
        else:
            # No one speaks after it: everything up to the next question is the line, or at least its own sentence.
            end = source.sentence(m.end())[1]
            open_end = next((a for a in questions if a >= end), end)
        spans.append((m.start(), open_end))
    for pattern in (_ORDER, _PLAY):
        for m in pattern.finditer(source.text):
            if m.start() < open_end:
                continue
            open_end = source.sentence(m.start())[1]
            rest = source.text[: m.start()] + source.text[open_end:]
            if sum(c.isalpha() for c in rest) < 12:
                # The question shares the sentence: only the order itself goes.
                open_end = m.end()
                if then := _THEN.match(source.text, open_end):
                    open_end = then.end()
            spans.append((m.start(), open_end))
        open_end = 0
    if spans:
        source.drop_all(spans)
        source.notes.append(NOTE)
