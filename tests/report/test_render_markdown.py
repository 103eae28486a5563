"""Markdown: whatever a name is, tables keep their shape and it is shown as it is."""

from __future__ import annotations

import html
import re

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duckrisk.base.results import GateResult
from duckrisk.report.render.markdown import escape_data, to_line
from duckrisk.report.safe import escape_unprintable
from duckrisk.report.sections.gates import describe_outcome
from tests.cases import Cases
from tests.command import command
from tests.hostile import HOSTILE
from tests.singled_out import EIGHTS, hostile_reports
from tests.tables import thinned

pytestmark = pytest.mark.slow


def cells(row: str) -> list[str]:
    """The cells of a row as GitHub splits it: at every bar without a backslash."""
    return re.split(r"(?<!\\)\|", row)[1:-1]


@pytest.mark.parametrize("place", range(len(EIGHTS)))
def test_tables_keep_their_shape(place):
    lines = hostile_reports()[place].to_markdown().splitlines()
    width = None
    for line in lines:
        if not line.startswith("|"):
            width = None
            continue
        width = width or len(cells(line))
        assert len(cells(line)) == width
    assert not any("<" in line.replace("<sub>", "") for line in lines)


def test_markdown_shows_exactly_the_name():
    markdown_it = pytest.importorskip("markdown_it")
    renderer = markdown_it.MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    with Cases() as case:
        for name in HOSTILE:
            with case(ascii(name)):
                page = renderer.render(f"| head |\n| --- |\n| x{escape_data(name)}x |\n")
                body = re.fullmatch(r".*<td>(.*)</td>.*", page, re.DOTALL)
                assert body is not None
                assert "<" not in body[1]
                assert html.unescape(body[1]).replace("\u2060", "") == f"x{escape_unprintable(name)}x"


def test_nobody_is_called_and_nothing_linked():
    shown = escape_data("@someone #12 https://example.com www.example.com")
    assert not re.search(r"@\w|#\d|https://|www\.", shown.replace("&#8288;", " "))


# --- whatever a person types ------------------------------------------------------------------------

TYPED = [
    "<script>alert(1)</script>",
    "![](http://example.com/i.png)",
    "[here](http://example.com)",
    "a|b|c",
    "`code` and ``more``",
    "two\nlines",
    "*bold* _under_ ~~gone~~",
    "<!-- gone -->",
    "# head",
    "<http://example.com>",
    "&lt;b&gt; &amp;",
    "\\|\\`\\*",
]


def tokens(text: str):
    """The kinds of tokens of a page."""
    markdown_it = pytest.importorskip("markdown_it")
    parser = markdown_it.MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    return {inner.type for token in parser.parse(text) for inner in (token, *(token.children or ()))}


def assert_plain(text: str, *shown: str) -> None:
    kinds = tokens(text)
    assert not {"html_block", "html_inline", "link_open", "image", "s_open"} & kinds, kinds
    parser = pytest.importorskip("markdown_it").MarkdownIt("commonmark", {"html": True}).enable(["table"])
    page = html.unescape(re.sub(r"</?[a-z][a-z0-9]*( [^>]*)?>", "", parser.render(text))).replace(
        "\u2060", ""
    )
    for one in shown:
        assert escape_unprintable(one) in page, one


@pytest.fixture
def named(tmp_path, monkeypatch):
    """A table whose columns and whose file are called like this."""
    monkeypatch.chdir(tmp_path)
    columns = ", ".join(f'hash(i + {100 * n}) % 9 AS "{name}"' for n, name in enumerate(TYPED))
    duckdb.sql(f"SELECT {columns} FROM range(60) t(i)").write_parquet("t.parquet")
    for name in ("![](x) `|` <b>.parquet", "r <i> | [a](b).parquet"):
        (tmp_path / name).write_bytes((tmp_path / "t.parquet").read_bytes())
    return "![](x) `|` <b>.parquet"


def test_gates_conditions_and_names_are_shown_as_they_are(named):
    """Those that fail and those that pass, in the table and in the last line."""
    gates = [f"attribute_risk[{name}].mean_risk > {limit}" for name in TYPED for limit in ("0.0001", "1")]
    where = (
        """ "<script>alert(1)</script>" <> 99 AND "a|b|c" <> 99 AND "![](http://example.com/i.png)" <> 99 """
    )
    asked = ["assess", named, "--only", "attribute_risk", "--known-records", "0", "--format", "markdown"]
    result = command(*asked, "--where", where, "--show-values", *(f"--fail-on={gate}" for gate in gates))
    assert result.code == 1, result.err
    assert_plain(result.out, *gates, *TYPED, named, where.strip())
    last = result.out.rstrip().rpartition("\n\n")[2]
    assert_plain(last, *gates[::2])


@pytest.mark.parametrize(
    "asked",
    thinned([
        ("compare", "{}", "r <i> | [a](b).parquet", "--only", "utility", "--fail-on",
         "tables[{}].records < 99"),
        ("advise", "{}", "--fail-on", "policy"),
        ("anonymize", "{}", "-o", "o <u> | [x](y).csv", "--drop", "a|b|c", "--delete", '"<!-- gone -->" > 7',
         "--fail-on", "released < 1"),
        ("assess", "{}", "--only", "class_sizes", "--quasi-identifier", "a|b|c", "--fail-on",
         "class_sizes.smallest_class < 100"),
    ]),
)  # fmt: skip
def test_other_reports(named, asked):
    result = command(*(word.format(named) for word in asked), "--format", "markdown")
    assert result.code in (0, 1), result.err
    assert_plain(result.out, named if asked[0] != "anonymize" else "o <u> | [x](y).csv")


@settings(max_examples=100, deadline=None)
@given(
    st.text(st.characters(codec="utf-8") | st.sampled_from("<>[]()!|`*_~\\#&@\n.:/"), min_size=1, max_size=40)
)
def test_a_gate_of_any_text_is_a_line_of_text(text):
    shown = to_line(describe_outcome((GateResult(text, False, 1.0, None),)))
    assert "\n" not in shown
    assert_plain(shown, text.strip())  # blanks at the end of a line are shown nowhere
