"""Search over the documentation with SQLite's full-text index, and the measure by which it abstains."""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from csrag.documentation.pages import Passage, all_passages
from csrag.documentation.synonyms import GROUPS

COVERED_AT_LEAST = 0.35
"""Share of the question's weight that a passage must speak of; below it the search abstains. Chosen on the questions in
tests/acceptance/methodology.jsonl (benchmarks/methodology.py)."""
_WORD = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_HEADING_WEIGHT, _BODY_WEIGHT = 3.0, 1.0
_SYNONYM_WORTH = 0.8
_FOREIGN_WORTH = 2.0
_PER_PAGE = 2
_STOP = frozenset((
    "a", "about", "all", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "come", "comes", "could",
    "did", "do", "does", "doing", "explain", "for", "from", "get", "gets", "give", "go", "goes", "had", "has", "have", "how", "i",
    "if", "in", "into", "is", "it", "its", "just", "like", "made", "make", "makes", "many", "me", "mean", "means", "meant", "more",
    "most", "much", "my", "no", "not", "of", "on", "one", "or", "our", "out", "please", "really", "should", "so", "some", "such",
    "tell", "than", "that", "the", "their", "them", "then", "there", "these", "they", "thing", "this", "to", "up", "use", "used",
    "uses", "using", "very", "was", "way", "we", "were", "what", "when", "where", "which", "who", "why", "will", "with", "work",
    "works", "would", "you", "your", "csrag", "number", "numbers", "calculated", "computed", "compute", "calculate", "define",
    "defined", "definition", "exactly", "method", "methodology", "take", "takes", "taken", "count", "counted",
    "account", "handle", "handled",
))  # fmt: skip


@dataclass(frozen=True)
class Found:
    """A passage that answers a question.

    Parameters
    ----------
    passage : Passage
        What was found.
    covered : float
        Share of the question's weighted words that it speaks of [0 to 1].
    """

    passage: Passage
    covered: float


class DocumentationIndex:
    """Full-text index of passages, built in memory.

    Parameters
    ----------
    passages : sequence of Passage
        What is searched.
    synonyms : sequence of tuple of str
        Groups of words of one meaning; empty for plain full-text search.
    """

    def __init__(self, passages: Sequence[Passage], synonyms: Sequence[Sequence[str]] = GROUPS) -> None:
        self._passages = tuple(passages)
        self._db = sqlite3.connect(":memory:", check_same_thread=False)
        self._db.execute("create virtual table passage using fts5(heading, body, tokenize = 'porter unicode61')")
        rows = [(f"{p.title} {p.section}", p.text) for p in passages]
        self._db.executemany("insert into passage (heading, body) values (?, ?)", rows)
        self._groups = tuple(tuple(word.lower() for word in group) for group in synonyms)

    def search(self, question: str, limit: int = 3) -> list[Found]:
        """Passages that speak of what a question asks, the best first.

        Parameters
        ----------
        question : str
            In the user's words.
        limit : int
            How many at most; no more than two of a page.

        Returns
        -------
        list of Found
            Empty where nothing matches at all; whether the first is good enough is the caller's to decide.
        """
        meanings = self._meanings(question)
        if not meanings:
            return []
        matches = [self._rows(meaning) for meaning in meanings]
        n = len(self._passages)
        # A word that stands nowhere tells most: the pages know nothing of what it means.
        weights = [
            math.log((n + 1) / (1 + len(found))) * (1.0 if found else _FOREIGN_WORTH) + 0.3
            for found in (exact | near for exact, near in matches)
        ]
        total = sum(weights)
        query = " OR ".join(_quoted(words) for meaning in meanings for words in meaning)
        ranked = self._db.execute(
            "select rowid, bm25(passage, ?, ?) from passage where passage match ? order by 2 limit 40",
            (_HEADING_WEIGHT, _BODY_WEIGHT, query),
        ).fetchall()
        scored = []
        for row, rank in ranked:
            covered = 0.0
            for weight, (exact, near) in zip(weights, matches, strict=True):
                covered += weight * (1.0 if row in exact else _SYNONYM_WORTH if row in near else 0.0)
            scored.append((covered / total, -float(rank), int(row)))
        best = max((rank for _, rank, _ in scored), default=1.0) or 1.0
        scored.sort(key=lambda s: (-(s[0] + 0.5 * s[1] / best), s[2]))
        out: list[Found] = []
        for covered, _, row in scored:
            passage = self._passages[row - 1]
            if sum(f.passage.page == passage.page for f in out) < _PER_PAGE:
                out.append(Found(passage, min(1.0, covered)))
            if len(out) == limit:
                break
        return out

    def _meanings(self, question: str) -> list[tuple[str, ...]]:
        """What the question is made of: each meaning as its own word first, then the words that may stand for it."""
        text = " ".join(_WORD.findall(question.lower()))
        meanings: list[tuple[str, ...]] = []
        for group in self._groups:
            here = [word for word in group if re.search(rf"\b{re.escape(word)}(?:s|es|ed|ing)?\b", text)]
            if here:
                own = max(here, key=len)
                meanings.append((own, *(word for word in group if word != own)))
                for word in here:
                    text = re.sub(rf"\b{re.escape(word)}(?:s|es|ed|ing)?\b", " ", text)
        words = dict.fromkeys(w for w in _WORD.findall(text) if w not in _STOP and len(w) > 1)
        return [*meanings, *((word,) for word in words)]

    def _rows(self, meaning: Sequence[str]) -> tuple[set[int], set[int]]:
        """Passages that hold the question's own word, and those that hold another of the same meaning."""
        return self._matching(meaning[:1]), self._matching(meaning[1:]) if len(meaning) > 1 else set()

    def _matching(self, words: Iterable[str]) -> set[int]:
        query = " OR ".join(_quoted(word) for word in words)
        return {int(row) for (row,) in self._db.execute("select rowid from passage where passage match ?", (query,))}


def _quoted(words: str) -> str:
    return '"' + words.replace('"', " ") + '"'


@lru_cache(maxsize=1)
def documentation() -> DocumentationIndex:
    """Index of the shipped pages, made once a process."""
    return DocumentationIndex(all_passages())
