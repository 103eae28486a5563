"""Options of the local page."""

from __future__ import annotations

from dataclasses import dataclass

from duckrisk.base.options import OptionSet, option


@dataclass(frozen=True)
class Options(OptionSet, group="Output"):
    """How the page is reached."""

    port: int = option(0, help="The port of the page; 0 takes a free one.", minimum=0, maximum=65_535)
    no_browser: bool = option(False, help="Print the address, and open no browser.")
