"""Print a document to a terminal, 80 characters wide unless the terminal is wider.

Names and values of the source are plain text, never markup; escape codes and direction marks in them are
printed as escapes. Streams whose encoding lacks box characters get ASCII. A width counts terminal cells:
Japanese characters take two.
"""

from __future__ import annotations

import io
import os
import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from duckrisk.base.numbers import format_number
from duckrisk.base.sentences import Data, Sentence, Text
from duckrisk.report.blocks import (
    Block,
    Code,
    Column,
    Commands,
    Detail,
    Document,
    Facts,
    Figure,
    Heading,
    Items,
    Listing,
    PageOnly,
    Pair,
    Paragraph,
    drop_empty_headings,
    flatten_pairs,
)
from duckrisk.report.render import MAX_ROWS, folding
from duckrisk.report.safe import escape_commands, escape_unprintable
from duckrisk.report.words import Words

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text as Styled

#: Cells of a line without a terminal (a choice: what terminals have by default).
DEFAULT_WIDTH = 80
#: Cells of a line on a wider terminal (a choice: longer lines of text are hard to read).
MAX_WIDTH = 110
#: Lines of a first screen (a choice: about what a terminal window shows on a laptop).
MAX_SCREEN_LINES = 40
#: Lines of a head that is printed before the rest is known (derived: the smallest rest takes at most 20;
#: tests/report/test_early_screen.py).
MAX_HEAD_LINES = 20
#: Cells of a name on a first screen (a choice: a sentence with two names then takes two lines).
_MAX_SCREEN_NAME = 30
#: Cells of the column of a bar (a choice: a bar in eighths of a cell then has 80 steps).
_BAR_WIDTH = 10
#: ASCII for marks of the catalogue, for encodings that lack them.
_ASCII = {
    **{ord("‹"): "<", ord("›"): ">", ord("…"): "...", ord("·"): "*", ord("→"): "->"},
    **{ord("✓"): "+", ord("✗"): "x", ord("≥"): ">="},
}
#: The colours of the signs of the catalogue, on terminals with colours.
_SIGNS = {"✓": "green", "✗": "red"}
_STYLES = {"verdict": "bold", "headline": "bold", "warning": "bold", "reading": "dim", "body": ""}
_SEVERITIES = {"": "", "good": "", "open": "", "bad": "bold"}


def print_document(document: Document, file: TextIO, width: int | None = None, language: str = "en") -> None:
    """Print a document to a stream.

    Args:
        document: The document.
        file: The stream.
        width: Cells of a line; by default those of the terminal, from 40 to 110, and 80 without a terminal.
        language: "en" or "ja".
    """
    _Terminal(file, width, Words(language)).print(document)


def print_screen(
    make: Callable[[int], Document],
    sizes: Sequence[int],
    file: TextIO,
    width: int | None = None,
    language: str = "en",
) -> None:
    """Print the largest first screen that has at most 40 lines.

    Args:
        make: Makes the document of a size.
        sizes: The sizes, the largest first; if none fits, the last one is printed.
        file: The stream.
        width: Cells of a line, as in :func:`print_document`.
        language: "en" or "ja".
    """
    terminal = _Terminal(file, width, Words(language), screen=True)
    for size in sizes:
        text = terminal.render(make(size))
        if terminal.count_lines(text) <= MAX_SCREEN_LINES:
            break
    terminal.write(text)


class ScreenInPieces:
    """A first screen whose head is printed as soon as it is known, and the rest below it.

    Args:
        file: The stream.
        width: Cells of a line, as in :func:`print_document`.
        language: "en" or "ja".
    """

    def __init__(self, file: TextIO, width: int | None = None, language: str = "en") -> None:
        self._terminal = _Terminal(file, width, Words(language), screen=True)
        self._lines = 0
        self._size: int | None = None
        self._last: Block | None = None

    def print(self, make: Callable[[int], Document], sizes: Sequence[int], max_lines: int) -> None:
        """Print the next piece in the largest size that fits.

        No piece has a larger size than the one before.

        Args:
            make: Makes the document of a size.
            sizes: The sizes, the largest first; if none fits, the last one is printed.
            max_lines: Lines of the screen up to the end of this piece.
        """
        for size in sizes:
            if self._size is not None and size > self._size:
                continue
            document = make(size)
            text = self._terminal.render(document, self._last)
            lines = self._lines + self._terminal.count_lines(text)
            if lines <= max_lines:
                break
        self._size, self._lines = size, lines
        self._last = next(filter(_is_shown, reversed(document.blocks)), self._last)
        self._terminal.write(text)


def to_text(document: Document, width: int = DEFAULT_WIDTH, language: str = "en") -> str:
    """Render a document as it is printed without a terminal."""
    file = io.StringIO()
    print_document(document, file, width, language)
    return file.getvalue()


class _Terminal:
    def __init__(self, file: TextIO, width: int | None, words: Words, screen: bool = False) -> None:
        self.file, self.words, self.screen = file, words, screen
        self.encoding = getattr(file, "encoding", None) or "utf-8"
        # Old consoles draw box characters two cells wide even if their encoding has them.
        self.ascii = not self.encoding.lower().startswith(("utf", "u8"))
        self.dots = ".." if self.ascii else "…"
        self.console = _make_console(file, width)
        self.width = self.console.width

    def print(self, document: Document) -> None:
        # The whole text at once, so that `write` can escape what the encoding lacks before any of it is out.
        self.write(self.render(document))

    def render(self, document: Document, before: Block | None = None) -> str:
        """Render a document, or what follows the last block of another one."""
        with self.console.capture() as capture:
            if before is None:
                self.print_text(document.title, "bold")
            for block in drop_empty_headings(filter(_is_shown, flatten_pairs(document.blocks))):
                if self._needs_blank_line(before, block):
                    self.console.print()
                self.print_block(block)
                before = block
        return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"

    def _needs_blank_line(self, before: Block | None, block: Block) -> bool:
        """Check whether an empty line separates two blocks.

        A first screen has fewer of them.
        """
        if self.screen and isinstance(block, Paragraph) and block.role == "reading":
            return False
        if self.screen and isinstance(before, Listing) and isinstance(block, Listing):
            return any(column.head for column in block.columns)  # without heads it goes on with the table
        if self.screen and isinstance(before, Paragraph) and before.role in ("reading", "headline"):
            return True
        if self.screen and isinstance(before, (Items, Commands)) and isinstance(block, Paragraph):
            return True
        return before is None or isinstance(before, (Listing, Figure)) or _has_head(block)

    def count_lines(self, text: str) -> int:
        """Count the lines that a text takes on the terminal, also wrapped ones."""
        from rich.cells import cell_len

        plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
        return sum(max(1, -(-cell_len(line) // self.width)) for line in plain.splitlines())

    def write(self, text: str) -> None:
        text = escape_commands(text)
        try:
            self.file.write(text)
        except UnicodeEncodeError:
            self.file.write(text.encode(self.encoding, "backslashreplace").decode(self.encoding))

    def print_block(self, block: Block) -> None:
        match block:
            case Heading():
                self.print_text(block.text, "bold")
            case Paragraph():
                self.print_text(block.text, _STYLES[block.role])
            case Items():
                for position, text in enumerate(block.texts, 1):
                    self.print_text(text, indent=2, mark=f"{position}. " if block.numbered else "")
            case Facts():
                for fact in block.facts:
                    key = "fact.remark" if fact.remark else "fact"
                    sentence = Sentence(key, name=fact.name_with_sign, figure=fact.figure, remark=fact.remark)
                    self.print_text(sentence, _SEVERITIES[fact.severity], indent=2)
            case Listing():
                self.print_table(block)
            case Figure():
                if block.stand_in is not None:
                    if block.title:
                        self.print_text(block.title, "bold")
                    self.print_table(block.stand_in)
            case Code():
                for line in block.text.split("\n"):
                    self.console.print("  " + self.show_data(line), soft_wrap=True)
            case Commands():
                self.print_commands(block)
            case Detail() | PageOnly() | Pair():
                pass  # `render` has taken the blocks out of pairs

    # --- text ------------------------------------------------------------------------------------

    def show_data(self, text: str) -> str:
        """Escape data for this stream, and shorten it on a first screen."""
        escaped = escape_unprintable(text, self.encoding)
        return folding.shorten(escaped, _MAX_SCREEN_NAME, self.dots) if self.screen else escaped

    def format(self, text: Any) -> str:
        return self.words.format_parts(text, self.show_data, self.show_words)

    def show_words(self, text: str) -> str:
        """Replace marks in words of the catalogue that an ASCII stream lacks."""
        if not self.ascii:
            return text
        missing = {code: plain for code, plain in _ASCII.items() if not self.can_show(chr(code))}
        return text.translate(missing).encode(self.encoding, "replace").decode(self.encoding)

    def can_show(self, character: str) -> bool:
        """Check whether the stream's encoding has this character."""
        try:
            character.encode(self.encoding)
        except UnicodeEncodeError:
            return False
        return True

    def print_text(self, text: Text, style: str = "", indent: int = 0, mark: str = "") -> None:
        from rich.padding import Padding
        from rich.text import Text as Styled

        lines = folding.wrap(mark + self.format(text), self.width - indent)
        styled = Styled("\n".join(lines), style=style, overflow="fold")
        self.console.print(Padding(self.colour_sign(styled, text), (0, 0, 0, indent)))

    def colour_sign(self, styled: Styled, text: Any) -> Styled:
        """Colour the sign at the beginning of a sentence, never one in data."""
        for sign, colour in _SIGNS.items():
            if isinstance(text, Sentence) and styled.plain.startswith(self.show_words(sign)):
                follows = styled.plain[1:2]
                if follows in ("", " "):
                    styled.stylize(colour, 0, 1)
        return styled

    def print_commands(self, block: Commands) -> None:
        """Print commands with their purposes in a second column.

        The purpose of a command that is too long stands below it. A command longer than a line breaks between
        its words, with a backslash for the shell.
        """
        from rich.cells import cell_len
        from rich.text import Text as Styled

        commands = [(self._break_command(words), self.format(purpose)) for words, purpose in block.commands]
        single = [(cell_len(lines[0]), cell_len(purpose)) for lines, purpose in commands if len(lines) == 1]
        # The purposes begin behind the longest command that leaves enough room for all of them.
        fitting = (
            size
            for size, _ in single
            if size + 4 + max(purpose for other, purpose in single if other <= size) <= self.width
        )
        longest = max(fitting, default=0)
        for lines, purpose in commands:
            printed = list(map(Styled, lines))
            if len(lines) == 1 and cell_len(lines[0]) <= longest:
                printed[0].append(" " * (longest - cell_len(lines[0]) + 2)).append(purpose, "dim")
            else:
                printed.append(Styled("    " + purpose, "dim"))
            for line in printed:
                self.console.print(Styled("  ").append_text(line), soft_wrap=True)

    def _break_command(self, words: Sequence[str]) -> list[str]:
        """Break a command into lines that a shell joins again."""
        from rich.cells import cell_len

        pieces: list[str] = []
        for word in words:
            after_option = bool(pieces) and pieces[-1].startswith("-") and " " not in pieces[-1]
            if after_option and not word.startswith("-"):  # an option and its value stay together
                pieces[-1] += f" {shlex.quote(word)}"
            else:
                pieces.append(shlex.quote(word))
        lines = [""]
        for piece in pieces:
            if lines[-1] and cell_len(lines[-1]) + cell_len(piece) + 5 > self.width:
                lines[-1] += " \\"
                lines.append("    " + piece)
            else:
                lines[-1] += f" {piece}" if lines[-1] else piece
        return lines

    # --- tables ----------------------------------------------------------------------------------

    def print_table(self, listing: Listing) -> None:
        """Print a table that fits the width.

        Numbers keep their digits. Text is broken or shortened, then columns are dropped by their priority.
        """
        from rich.padding import Padding
        from rich.table import Table
        from rich.text import Text as Styled

        if not listing.rows:
            return
        listing = listing.select_columns(i for i, column in enumerate(listing.columns) if not column.wide)
        listing = listing.truncate(
            MAX_ROWS["terminal"] if listing.terminal_rows is None else listing.terminal_rows
        )
        listing, heads, widths = self._fit_columns(listing)
        table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_edge=False, header_style="dim")
        table.show_header = any(heads)
        for column, head, width in zip(listing.columns, heads, widths, strict=True):
            justify: Any = "right" if column.numeric else "left"
            styled = Styled(folding.fold(head, width, self.dots), justify=justify)
            table.add_column(
                styled, justify=justify, width=width, no_wrap=True, overflow="crop", vertical="top"
            )
        for row in listing.rows:
            table.add_row(*self._make_cells(listing, row, widths))
        self.console.print(Padding(table, (0, 0, 0, 2)))
        rest = listing.describe_rest(elsewhere=True)
        if self.screen and listing.rows_not_shown:
            rest = Sentence("screen.more", count=format_number(listing.rows_not_shown))
        if rest is not None:
            self.print_text(rest, "dim", indent=2)

    def _fit_columns(self, listing: Listing) -> tuple[Listing, list[str], list[int]]:
        """Drop columns until the others fit; return these with heads and widths."""
        while True:
            whole, short = self._format_heads(listing.columns)
            for heads in (whole, short):
                widths = self._choose_widths(listing, heads)
                if widths is not None:
                    columns = zip(heads, short, widths, strict=True)
                    folded = [
                        head if folding.can_fold(head, width) else less for head, less, width in columns
                    ]
                    return listing, folded, widths
            last = max(range(len(listing.columns)), key=lambda i: (listing.columns[i].priority, i))
            listing = listing.select_columns(i for i in range(len(listing.columns)) if i != last)

    def _format_heads(self, columns: tuple[Column, ...]) -> list[list[str]]:
        """Format the heads in full, and in their short forms."""
        whole = [self.format(column.head) for column in columns]
        short = [self.format(column.head if column.short is None else column.short) for column in columns]
        return [whole, short]

    def _choose_widths(self, listing: Listing, heads: list[str]) -> list[int] | None:
        """Choose the widths of columns; None if texts would get too narrow.

        Each column of text needs its `min_width`.
        """
        from rich.cells import cell_len

        def measure_longest_word(text: str) -> int:
            longest = max((cell_len(word) for word in text.split(" ")), default=0)
            if self.words.language == "en":
                return longest
            # Japanese has no blanks: its words end where a line may.
            return next((width for width in range(1, longest) if folding.can_fold(text, width)), longest)

        content_widths = [
            max(cell_len(self.format(row[position])) for row in listing.rows)
            if not column.bar
            else _BAR_WIDTH
            for position, column in enumerate(listing.columns)
        ]

        def find_min_width(column: Column, head: str) -> int:
            """Return the cells that a head needs; over numbers it may take several lines."""
            if not column.numeric:
                return cell_len(head)
            longest = measure_longest_word(head)
            # A name from the data can be shortened; words of the catalogue cannot.
            can_shorten = isinstance(column.head, Data) and column.short is None
            return min(longest, column.min_width) if can_shorten else longest

        widths = [
            max(width, find_min_width(column, head), 1)
            for column, head, width in zip(listing.columns, heads, content_widths, strict=True)
        ]
        flexible = [p for p, column in enumerate(listing.columns) if not column.numeric and not column.bar]
        room = self.width - 2 - 2 * (len(widths) - 1)
        room -= sum(width for i, width in enumerate(widths) if i not in flexible)
        min_total = sum(min(widths[i], listing.columns[i].min_width) for i in flexible)
        if room < min_total and len(widths) > 1:
            return None
        flexible.sort(key=lambda i: widths[i])
        for count, i in enumerate(flexible):
            reserved = sum(min(widths[j], listing.columns[j].min_width) for j in flexible[count + 1 :])
            fair = max(1, min(room // (len(flexible) - count), room - reserved))
            widths[i] = min(widths[i], fair)
            room -= widths[i]
        # The rest of the line goes to heads over numbers: first to fit one line, then to shortened names.
        for i, head in enumerate(heads):
            lacking = cell_len(head) - widths[i]
            if listing.columns[i].numeric and 0 < lacking <= room:
                widths[i], room = widths[i] + lacking, room - lacking
        shortened = [
            i
            for i, head in enumerate(heads)
            if listing.columns[i].numeric and measure_longest_word(head) > widths[i]
        ]
        for count, i in enumerate(shortened):
            widths[i] += (added := max(0, room) // (len(shortened) - count))
            room -= added
        return widths

    def _make_cells(self, listing: Listing, row: Iterable[Any], widths: list[int]) -> list[Styled]:
        from rich.text import Text as Styled

        return [
            self.make_bar(cell, width)
            if column.bar
            else self.colour_sign(Styled(self._fold_cell(cell, width, listing.whole)), cell)
            for column, cell, width in zip(listing.columns, row, widths, strict=True)
        ]

    def _fold_cell(self, cell: Any, width: int, whole: bool) -> str:
        """Break a cell into lines; names and values may be shortened, sentences may not."""
        fold = folding.fold if isinstance(cell, str) and not whole else folding.fold_whole
        return fold(self.format(cell), width, self.dots)

    def make_bar(self, part: float, length: int) -> Styled:
        """Draw a bar for a share of `length` cells.

        A share above 0 has at least an eighth of a cell.
        """
        from rich.text import Text as Styled

        if self.ascii:
            filled = max(1, round(part * length)) if part > 0 else 0
            return Styled("#" * filled + " " * (length - filled), style="blue")
        eighths = max(1, round(part * length * 8)) if part > 0 else 0
        blocks = "█" * (eighths // 8) + ("", *"▏▎▍▌▋▊▉")[eighths % 8]
        return Styled(blocks + " " * (length - len(blocks)), style="blue")


def _is_shown(block: Block) -> bool:
    """Check whether a terminal shows anything of a block."""
    if isinstance(block, Figure):
        return block.stand_in is not None
    return not isinstance(block, (Detail, PageOnly)) and not (isinstance(block, Listing) and not block.rows)


def _has_head(block: Block) -> bool:
    """Check whether a block begins with a line that names it."""
    return isinstance(block, Heading) or (isinstance(block, Figure) and block.title != "")


def _make_console(file: TextIO, width: int | None) -> Console:
    from rich.console import Console, detect_legacy_windows

    terminal = bool(getattr(file, "isatty", lambda: False)())
    # Only a terminal gets colours, even with FORCE_COLOR.
    plain = (
        not terminal
        or bool(os.environ.get("NO_COLOR"))
        or os.environ.get("TERM") == "dumb"
        or detect_legacy_windows()
    )
    console = Console(
        file=file,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
        force_jupyter=False,
        force_terminal=not plain,
        color_system=None if plain else "standard",
        width=width or (None if terminal else DEFAULT_WIDTH),
        safe_box=True,
    )
    if width is None and terminal:
        console.width = max(40, min(console.width, MAX_WIDTH))
    return console
