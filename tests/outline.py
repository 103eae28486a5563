"""The outline of an HTML page: its tags, and the names in it."""

from __future__ import annotations

import re
from html.parser import HTMLParser

ALLOWED = set(
    re.findall(
        r"\w+",
        """html head meta title style body header p h1 strong dl div dt dd b span nav ul ol li a main section
        h2 h3 figure figcaption svg desc rect line circle path text polyline details summary table caption
        thead tr th tbody td bdi pre code footer""",
    )
)


class Outline(HTMLParser):
    """Checks nesting, and collects tags, attributes and the text of <bdi> elements."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.names: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)
        if tag == "bdi":
            self.names.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "bdi":
            self.names[-1] += data
