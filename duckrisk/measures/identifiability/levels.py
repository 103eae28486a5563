"""How sensitive a column is, by its economic (E) and psychological (P) level.

There is a chart of types, the level that a person gave a column, and a proposal for a column without one. The
chart is `datasets/levels.csv`; `datasets/README.md` gives its source.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from duckrisk.base.errors import UsageError, find_similar_names, quote_names
from duckrisk.base.files import read_text
from duckrisk.base.options.identifiability import DEFAULT_PROFILE as DEFAULT_PROFILE
from duckrisk.base.options.identifiability import PROFILES as PROFILES
from duckrisk.base.sentences import Data, Sentence, Text
from duckrisk.roles import FEW, Decision, word_lists
from duckrisk.roles import words as name_words

_PACKAGE = Path(__file__).resolve().parents[2]
_INSIDE = _PACKAGE / "datasets" / "levels.csv"
#: An installed package carries the chart inside; a checkout has it next to the package.
CHART_FILE = _INSIDE if _INSIDE.is_file() else _PACKAGE.parent / "datasets" / "levels.csv"

LEVELS = (1, 2, 3)


@dataclass(frozen=True)
class Level:
    """How much a leak hurts, 1 to 3 each; `type` is None if only the two numbers are known.

    Attributes:
        type: The key of the type in the chart.
        economic: The economic level.
        psychological: The psychological level.
        listed: Values with a level of their own, as texts; all others have this one.
        by_prefix: Whether a listed text also stands for the values that begin with it.
    """

    type: str | None
    economic: int
    psychological: int
    listed: tuple[tuple[str, Level], ...] = ()
    by_prefix: bool = False

    @property
    def own_levels(self) -> tuple[Level, ...]:
        """The levels of the values: this one, and those of listed values that differ."""
        return tuple(dict.fromkeys([replace(self, listed=(), by_prefix=False), *dict(self.listed).values()]))


@dataclass(frozen=True)
class Entry:
    """A type of the chart.

    Attributes:
        type: Its key.
        economic: Its economic level.
        psychological: Its psychological level.
        evidence: Where its level comes from.
        label: Its name.
        words: Words of column names that mean it.
    """

    type: str
    economic: int
    psychological: int
    evidence: str
    label: str
    words: tuple[str, ...]

    @property
    def level(self) -> Level:
        """Return the level of the type."""
        return Level(self.type, self.economic, self.psychological)


@dataclass(frozen=True)
class Proposal:
    """A level that nobody has confirmed yet, and its reason."""

    level: Level
    reason: Sentence


# --- the chart -----------------------------------------------------------------------------------


class _Chart(NamedTuple):
    """A chart: the file as it is now, and the profile that chooses its rows (None: all)."""

    path: Path
    profile: str | None
    changed: int


def read_chart(profile: str = DEFAULT_PROFILE) -> Mapping[str, Entry]:
    """Read the types of a profile.

    Args:
        profile: One of :data:`PROFILES`, or a CSV file with the columns type, economic and psychological;
            label, evidence and words are optional.

    Returns:
        The types, in the order of the file.

    Raises:
        UsageError: There is no such profile, or the file is no chart.
    """
    return _read_entries(_find_chart(profile))


def name_type(kind: str) -> Text:
    """Return the name of a type; those of the model have one in every language.

    Args:
        kind: The key of the type.
    """
    if any(kind in read_chart(profile) for profile in PROFILES):
        return Sentence(f"jo_type.{kind}")
    return Data(kind.replace("_", " "))


def _find_chart(profile: str) -> _Chart:
    own = profile.endswith(".csv")
    if not own and profile not in PROFILES:
        known = " and ".join(f'"{name}"' for name in PROFILES)
        raise UsageError("identifiability.unknown_profile", profile=profile, known=known)
    path = Path(profile) if own else CHART_FILE
    try:
        changed = path.stat().st_mtime_ns
    except (OSError, ValueError):
        raise UsageError("identifiability.chart_not_found", path=path) from None
    return _Chart(path, None if own else profile, changed)


@cache
def _read_entries(source: _Chart) -> Mapping[str, Entry]:
    name = source.path.name
    try:
        reader = csv.DictReader(io.StringIO(read_text(source.path), newline=""), strict=True)
        columns = reader.fieldnames or ()
        numbered = [(reader.line_num, row) for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error):
        raise UsageError("identifiability.chart_not_csv", name=name) from None
    for column in ("type", "economic", "psychological"):
        if column not in columns:
            raise UsageError("identifiability.chart_column_missing", name=name, column=column)
    entries: dict[str, Entry] = {}
    said: dict[str, str] = {}
    for line, row in numbered:
        if source.profile is not None and source.profile not in (row["profile"] or "").split():
            continue
        entry = _read_entry(f'Line {line} of the chart of levels "{name}"', row)
        if entry.type in entries:
            raise UsageError("identifiability.duplicate_chart_type", name=name, entry_type=entry.type)
        for word in entry.words:
            if said.setdefault(word, entry.type) != entry.type:
                raise UsageError(
                    "identifiability.duplicate_chart_word",
                    name=name,
                    word=word,
                    said=said[word],
                    entry_type=entry.type,
                )
        entries[entry.type] = entry
    if not entries:
        raise UsageError("identifiability.chart_without_types", name=name)
    return MappingProxyType(entries)


def _read_entry(place: str, row: dict[str, str | None]) -> Entry:
    if None in row or any(row[column] is None for column in ("type", "economic", "psychological")):
        raise UsageError("identifiability.field_count_differs", place=place)
    name = (row["type"] or "").strip()
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise UsageError("identifiability.invalid_type_name", place=place)
    levels = []
    for column in ("economic", "psychological"):
        text = (row[column] or "").strip()
        if text not in ("1", "2", "3"):
            raise UsageError("identifiability.chart_level_out_of_range", place=place, column=column)
        levels.append(int(text))
    words = tuple((row.get("words") or "").casefold().split())
    label = (row.get("label") or "").strip() or name.replace("_", " ")
    return Entry(name, levels[0], levels[1], (row.get("evidence") or "").strip(), label, words)


# --- what a person says --------------------------------------------------------------------------


_PAIR = re.compile(r"\s*([+-]?\d{1,9})\s*,\s*([+-]?\d{1,9})\s*")


def parse_level(level: Any, column: str, profile: str = DEFAULT_PROFILE) -> Level:
    """Parse the level that was given for a column.

    Args:
        level: A type of the chart, E and P as "2,1" or [2, 1], or levels by value: a mapping with the keys
            default, and values or file.
        column: The name of the column.
        profile: The profile of the chart.

    Raises:
        UsageError: It is no level.
    """
    if isinstance(level, dict):
        return _parse_levels_by_value(level, column, profile)
    if isinstance(level, str) and (pair := _PAIR.fullmatch(level)):
        level = [int(number) for number in pair.groups()]
    if isinstance(level, str) and "," not in level:
        types = read_chart(profile)
        name = re.sub(r"[\s_-]+", "_", level.strip().casefold())
        if name in types:
            return types[name].level
        alike = _list_alike(level, profile)[:3] or find_similar_names(level, list(types))
        likely = " or ".join(f'"{kind}"' for kind in alike)
        hint = (
            f"; did you mean {likely}?"
            if likely
            else f"; there are {quote_names([*(kind for kind in _COMMON if kind in types), *types])}."
        )
        raise UsageError(
            "identifiability.unknown_type",
            column=column,
            given=level,
            called=_called(profile),
            hint=hint,
        )
    whole = isinstance(level, (list, tuple)) and all(type(number) is int for number in level)
    if not whole or len(level) != 2:
        raise UsageError("identifiability.invalid_level", column=column)
    economic, psychological = level
    if economic not in LEVELS or psychological not in LEVELS:
        raise UsageError(
            "identifiability.level_out_of_range",
            column=column,
            economic=economic,
            psychological=psychological,
        )
    return Level(None, economic, psychological)


def _parse_levels_by_value(given: dict[str, Any], column: str, profile: str) -> Level:
    """Parse a default level, and the levels of values or of prefixes in a file."""
    values, file = given.get("values"), given.get("file")
    is_whole = given.keys() <= {"default", "values", "file"} and "default" in given
    if not is_whole or isinstance(given["default"], dict) or (values is None) == (file is None):
        raise UsageError("identifiability.invalid_levels_by_value", column=column)
    if file is not None:
        values = _read_level_file(str(file), column)
    if not isinstance(values, dict) or not values or any(isinstance(own, dict) for own in values.values()):
        raise UsageError("identifiability.invalid_levels_by_value", column=column)
    listed = tuple((str(value).strip(), parse_level(own, column, profile)) for value, own in values.items())
    return replace(parse_level(given["default"], column, profile), listed=listed, by_prefix=file is not None)


def _read_level_file(path: str, column: str) -> dict[str, str]:
    """Read values or prefixes and their types from a CSV file without a header."""
    try:
        rows = list(csv.reader(io.StringIO(read_text(Path(path)), newline=""), strict=True))
    except (OSError, UnicodeDecodeError, ValueError, csv.Error):
        raise UsageError("identifiability.levels_not_csv", column=column, path=path) from None
    rows = [row for row in rows if row]
    if any(len(row) != 2 or not row[0].strip() for row in rows):
        raise UsageError("identifiability.levels_not_csv", column=column, path=path)
    return {row[0]: row[1] for row in rows}


def _called(profile: str) -> str:
    return f'the chart "{Path(profile).name}"' if profile.endswith(".csv") else f'the profile "{profile}"'


# --- what a name says ----------------------------------------------------------------------------


def _words(text: str) -> list[str]:
    return text.split()


#: Parts of an address that find nobody, and so do not count as the address in JO's identifiability.
_AREA = "area"
_AREAS = _words(
    "country countryofresidence region prefecture state province county city town village municipality "
    "district 国 国名 居住国 都道府県 県 市 市区町村 都市 地域"
)
_PURCHASES = "purchase_history"
#: Words that say a purchase only together with others that do.
_SHOP_WORDS = frozenset(
    _words("item product price description quantity qty order transaction 価格 金額 数量 個数")
)
#: In a table of purchases, these belong to the purchase where nothing else is said.
_SHOP_MEASURES = frozenset(
    _words(
        "date time datetime timestamp day week month year hour amount total value "
        "日付 日時 日 時刻 時間 年月日 合計"
    )
)
#: Things have these too: in a table of purchases the name has to speak of a person.
_OF_THINGS = frozenset(_words("name height weight 名前 名"))
_NAMES = ("name", "名")
#: Words that do not change what is held: whose it is, its number, its unit, how coarse it is.
_SILENT = (
    word_lists.PERSON_WORDS
    | word_lists.NUMBER_WORDS
    | _SHOP_MEASURES
    | frozenset(
        _words(
            "a an the of in on at by per for to from with my your our own self "
            "home work current present original old new last first latest primary secondary residence "
            "billing shipping delivery contact "
            "min max mean median avg average sum count cnt "
            "quarter annual yearly monthly weekly daily hourly gross net "
            "level group grp band bin bucket bracket range category cat class years yr yrs dt ts "
            "text txt str raw clean masked hash hashed line column col field var variable attr attribute "
            "cm mm kg lb lbs yen jpy usd eur gbp dollar euro "
            "の 等 本 現 現在 自宅 本人 別 層 帯 区分 分類 種別 値 数 円 万円 千円 歳 才 月 年"
        )
    )
)
#: Tokens of a name that are read (a choice: longer names say no more).
_LONGEST = 16

#: Types with advice to read before they are confirmed.
_ADVICE = ("illness_history", _PURCHASES)
#: What the roles found out about a direct identifier whose name says more than its words here.
_BY_ROLE = {
    "email": "email_address",
    "telephone": "phone_number",
    "person": "name",
}


class _Said(NamedTuple):
    """What a name says: the types of its words in their order, the words, and whether it names a person."""

    types: tuple[str, ...]
    words: tuple[str, ...]
    person: bool
    silent: tuple[str, ...]

    @property
    def shop_words_only(self) -> bool:
        """Return whether all words are about purchases and can mean something else."""
        return set(self.types) == {_PURCHASES} and not any(w not in _SHOP_WORDS for w in self.words)


@cache
def _read_lexicon(source: _Chart) -> dict[str, str]:
    said = {word: entry.type for entry in _read_entries(source).values() for word in entry.words}
    return dict.fromkeys(_AREAS, _AREA) | said


def _list_forms(word: str) -> Iterable[str]:
    """List a word, the word without a number, and the singulars it may have."""
    yield word
    if len(bare := word.rstrip("0123456789")) > 2:
        yield bare
    for ending, singular in (("ies", "y"), ("es", "is"), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            yield word[: -len(ending)] + singular


def _interpret(name: str, lexicon: Mapping[str, str]) -> _Said | None:
    """Interpret a name; return None if a word is not understood.

    "product weight" is no person's. The longest run of tokens that is a word counts. Japanese does not part
    its words, so it is read by characters.
    """
    units: list[str] = []
    for token in name_words.name_tokens(name):
        units += [token] if token.isascii() else list(token)
    types: list[str] = []
    words: list[str] = []
    silent: list[str] = []
    person = False
    start = 0
    while start < len(units):
        for end in range(min(len(units), start + _LONGEST), start, -1):
            run = "".join(units[start:end])
            word = next((form for form in _list_forms(run) if form in lexicon), None)
            if word is not None:
                types.append(lexicon[word])
                words.append(word)
            elif quiet := next((form for form in _list_forms(run) if form in _SILENT), None):
                silent.append(quiet)
                person = person or quiet in word_lists.PERSON_WORDS
            elif not (run.isdecimal() or (len(run) == 1 and run.isascii())):
                continue
            start = end
            break
        else:
            return None
    named = [word in _NAMES for word in words]
    if not all(named):  # the name of something: "drug name"
        types = [kind for kind, is_name in zip(types, named, strict=True) if not is_name]
        words = [word for word, is_name in zip(words, named, strict=True) if not is_name]
    return _Said(tuple(types), tuple(words), person, tuple(silent))


@lru_cache(maxsize=16)
def _is_about_purchases(source: _Chart, names: tuple[str, ...]) -> bool:
    """Return whether the columns of a table are about purchases.

    Two that say so are enough, one and another that may, or three that may.
    """
    lexicon = _read_lexicon(source)
    weight = 0
    for name in names:
        said = _interpret(name, lexicon)
        if said is not None and _PURCHASES in said.types:
            weight += 1 if said.shop_words_only else 2
    return weight >= 3


# --- proposals -----------------------------------------------------------------------------------


def propose_level(
    decision: Decision, profile: str = DEFAULT_PROFILE, table: Sequence[str] = ()
) -> Proposal | None:
    """Propose a level for a column without one, from its name and its values.

    Args:
        decision: The role of the column.
        profile: The profile of the chart.
        table: The names of all columns: what one leaves open, the others may say.

    Returns:
        The proposal; None if nothing is credible.
    """
    source = _find_chart(profile)
    types = _read_entries(source)
    identifier = decision.role == "direct_identifier"
    if identifier and decision.reason == Sentence("roles.holds_email"):
        return _make_proposal(types.get("email_address"), decision.reason)
    name = decision.column.name
    said = _interpret(name, _read_lexicon(source))
    if said is None:
        kind = _BY_ROLE.get(decision.kind or "") if identifier else None
        if kind is None or decision.reason is None:
            return None
        return _make_proposal(types.get(kind), decision.reason)
    if not said.types:
        if name_words.user_score(name) == 3:
            return _make_proposal(types.get("membership_number"), _make_reason("given_number"))
        if _SHOP_MEASURES.intersection(said.silent) and _is_about_purchases(source, tuple(table)):
            return _make_proposal(types.get(_PURCHASES), _make_reason("beside_purchases"))
        return None
    kind = _find_agreed(said.types, types)
    if kind is None or (_is_unique_to_person(kind) and _is_flag(decision)):
        return None
    words = " ".join(name_words.name_tokens(name))
    if kind == _AREA:
        address = types.get("address")
        if address is None:
            return None
        area = Level(None, address.economic, address.psychological)
        return Proposal(area, _make_reason("area", words=Data(words)))
    in_a_shop = _is_about_purchases(source, tuple(table))
    if said.shop_words_only and not in_a_shop:
        return None
    if in_a_shop and not said.person and _OF_THINGS.issuperset(said.words):
        return None
    reason = _make_reason("says", words=Data(words))
    if words != kind.replace("_", " "):
        reason = _make_reason("taken_as", words=Data(words), type=name_type(kind))
    if kind in _ADVICE:
        reason = _make_reason(f"advice_{kind}", reason=reason)
    return _make_proposal(types[kind], reason)


def _make_reason(key: str, **values: Text) -> Sentence:
    """Return a reason for a level."""
    return Sentence(f"identifiability.level.{key}", **values)


def _make_proposal(entry: Entry | None, reason: Sentence) -> Proposal | None:
    return None if entry is None else Proposal(entry.level, reason)


def _find_agreed(kinds: tuple[str, ...], types: Mapping[str, Entry]) -> str | None:
    """Return the type that a name says: the last of several, if all have one level."""

    def level(kind: str) -> tuple[int, int] | None:
        entry = types.get("address" if kind == _AREA else kind)
        return None if entry is None else (entry.economic, entry.psychological)

    return kinds[-1] if len({level(kind) for kind in kinds}) == 1 else None


def _is_unique_to_person(kind: str) -> bool:
    """Return whether a value of this type is nearly unique to a person."""
    return kind in ("name", "address", "email_address", "login_id") or kind.endswith("_number")


def _is_flag(decision: Decision) -> bool:
    """Return whether a column can only say if there is a telephone, not its number."""
    few = decision.present >= FEW and decision.distinct <= 2 and decision.role != "constant"
    return decision.column.type == "BOOLEAN" or few


#: Named first where a type is like nothing: one of each of the levels that columns mostly have.
_COMMON = ("occupation", "preferences", "purchase_history")
#: Share of the pairs of letters that a mistyped type has in common with the right one (a choice: half).
_LIKE = 0.5


@cache
def _list_terms(source: _Chart) -> list[tuple[str, frozenset[str]]]:
    return [
        (entry.type, _list_pairs(term))
        for entry in _read_entries(source).values()
        for term in {
            entry.type.replace("_", ""): None,
            **dict.fromkeys(entry.type.split("_")),
            **dict.fromkeys(entry.words),
        }
    ]


def _list_pairs(text: str) -> frozenset[str]:
    """List the pairs of neighbouring characters, which make texts alike."""
    return frozenset(text[i : i + 2] for i in range(len(text) - 1)) or frozenset([text])


def list_nearest_types(column_name: str, profile: str = DEFAULT_PROFILE, most: int = 3) -> list[str]:
    """List the types of the whole words in a column's name, the last word's first.

    A name that is only spelled like a word says nothing ("pickup" like "checkup").

    Args:
        column_name: The name.
        profile: The profile of the chart.
        most: Number of types at most.
    """
    source = _find_chart(profile)
    lexicon = _read_lexicon(source)
    types = _read_entries(source)
    tokens = name_words.name_tokens(column_name)[-_LONGEST:]
    kinds: list[str] = []
    for end in range(len(tokens), 0, -1):
        for start in range(end):
            run = "".join(tokens[start:end])
            kind = next((lexicon[form] for form in _list_forms(run) if form in lexicon), None)
            kinds += [kind] if kind is not None and kind in types else []
    return list(dict.fromkeys(kinds))[:most]


def _list_alike(column_name: str, profile: str) -> list[str]:
    """List the types with names or words like a column's name, best first."""
    tokens = name_words.name_tokens(column_name)[:_LONGEST]
    texts = ["".join(tokens), *(t for t in tokens if t not in _SILENT and (len(t) > 2 or not t.isascii()))]
    queries = [_list_pairs(text) for text in dict.fromkeys(texts) if text]
    best: dict[str, float] = {}
    for kind, pairs in _list_terms(_find_chart(profile)):
        for query in queries:
            alike = 2 * len(query & pairs) / (len(query) + len(pairs))
            if alike >= _LIKE and alike > best.get(kind, 0.0):
                best[kind] = alike
    return sorted(best, key=lambda kind: -best[kind])
