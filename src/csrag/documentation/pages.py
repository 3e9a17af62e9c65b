"""Pages of the documentation, and the passages they fall into."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from csrag.errors import InternalError

FOLDERS = ("explanation", "how-to", "reference", "tutorial")
"""Decisions are for developers and are not searched."""
PASSAGE_CHARACTERS = 700
_HEADING = re.compile(r"^(#{1,4}) +(.*?)\s*$")
_FENCE = re.compile(r"^```(\w*)\s*$")
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_LISTS = frozenset({"Values of an answer"})
"""Sections that name everything and explain nothing: they match every question."""
_SHOWN = frozenset({"", "text"})
"""Kinds of code block that hold formulas; commands and their output explain no method."""


@dataclass(frozen=True)
class Passage:
    """A citable piece of a page.

    Parameters
    ----------
    page : str
        Path below `docs` without its ending, such as "explanation/fire-score".
    title : str
        The page's heading.
    section : str
        Heading above the passage; the page's own where there is none below it.
    text : str
        Plain words, markup removed.
    """

    page: str
    title: str
    section: str
    text: str

    @property
    def anchor(self) -> str:
        """Address of the section within the documentation."""
        if self.section == self.title:
            return self.page
        words = re.sub(r"[^\w\- ]", "", self.section.lower()).strip().replace(" ", "-")
        return f"{self.page}#{words}"

    @property
    def heading(self) -> str:
        """Page and section in words."""
        return self.title if self.section == self.title else f"{self.title}: {self.section}"


@lru_cache(maxsize=1)
def docs_folder() -> Path:
    """Where the pages are: inside the installed package, or beside its source.

    Raises
    ------
    InternalError
        If the installation carries none.
    """
    here = Path(__file__).resolve().parent
    for place in (here / "pages", here.parents[2] / "docs"):
        if (place / "index.md").is_file():
            return place
    raise InternalError("This installation carries no documentation pages.", "Install csrag again.")


def page_names() -> tuple[str, ...]:
    """Every page that is searched and served, sorted."""
    root = docs_folder()
    found = (p.relative_to(root).with_suffix("").as_posix() for folder in FOLDERS for p in (root / folder).glob("*.md"))
    return tuple(sorted(found))


def page_text(page: str) -> str:
    """Markdown of one page.

    Raises
    ------
    KeyError
        If there is no such page.
    """
    if page not in page_names():
        raise KeyError(page)
    return (docs_folder() / f"{page}.md").read_text(encoding="utf-8")


def plain(text: str) -> str:
    """Words of a piece of Markdown: links by their text, emphasis and code marks gone, white space single."""
    text = re.sub(r"^\s*[-*] ", "", _LINK.sub(r"\1", text))
    text = re.sub(r"[`*]|(?<!\w)_|_(?!\w)", "", text)
    return " ".join(text.split())


def passages_of(page: str, markdown: str) -> list[Passage]:
    """Cut a page at its headings, and long sections at their paragraphs.

    Parameters
    ----------
    page : str
        Name of the page.
    markdown : str
        Its text.

    Returns
    -------
    list of Passage
        In reading order, each about 700 characters at most unless one paragraph is longer.
    """
    title = section = page
    out: list[Passage] = []
    held: list[str] = []

    def give_out() -> None:
        if held:
            out.append(Passage(page, title, section, " ".join(held)))
            held.clear()

    for kind, text in _pieces(_COMMENT.sub("", markdown)):
        if kind in "1234":
            give_out()
            section = plain(text)
            if kind == "1":
                title = section
            continue
        if held and sum(map(len, held)) + len(text) > PASSAGE_CHARACTERS:
            give_out()
        held.append(text)
    give_out()
    return out


def _pieces(markdown: str) -> Iterator[tuple[str, str]]:
    """Headings (level, text), paragraphs, list items, table rows and formula blocks ("p", text)."""
    held: list[str] = []
    fence: str | None = None

    def paragraph() -> Iterator[tuple[str, str]]:
        text = plain("\n".join(held))
        held.clear()
        if text:
            yield "p", text

    for line in markdown.splitlines():
        fenced = _FENCE.match(line)
        if fence is not None:
            if fenced:
                if fence in _SHOWN:
                    yield "p", "; ".join(" ".join(x.split()) for x in held if x.strip())
                held.clear()
                fence = None
            else:
                held.append(line)
            continue
        heading = _HEADING.match(line)
        if fenced or heading or not line.strip() or line.lstrip().startswith(("|", "- ", "* ")):
            yield from paragraph()
        if fenced:
            fence = fenced.group(1)
        elif heading:
            yield str(len(heading.group(1))), heading.group(2)
        elif line.lstrip().startswith("|"):
            cells = [plain(cell) for cell in line.strip().strip("|").split("|")]
            if not all(re.fullmatch(r":?-*:?", cell) for cell in cells):
                yield "p", f"{'; '.join(cell for cell in cells if cell)}."
        elif line.strip():
            held.append(line)
    yield from paragraph()


@lru_cache(maxsize=1)
def all_passages() -> tuple[Passage, ...]:
    """Passages of every page."""
    return tuple(p for page in page_names() for p in passages_of(page, page_text(page)) if p.section not in _LISTS)
