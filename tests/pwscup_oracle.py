"""The contest on purchase histories by its definitions alone: dictionaries and loops, fractions for shares.

A table is a list of rows in the order of its file; a deleted row is ``None``. In an anonymised table A(T) the
customer of a row is its pseudonym. A guess and the truth give each customer one pseudonym, or DEL, a month.
"""

from __future__ import annotations

import calendar
import datetime as dt
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from pathlib import Path
from typing import Any, NamedTuple

DEL = "DEL"


class Row(NamedTuple):
    """A record as it is written, cell by cell."""

    user: str
    invoice: str
    date: str
    time: str
    item: str
    price: str
    quantity: str

    @property
    def day(self) -> dt.date:
        return dt.date(*map(int, self.date.split("/")))

    @property
    def month(self) -> Month:
        return self.day.year, self.day.month


Month = tuple[int, int]
History = list[Row]
Release = list[Row | None]
Table = Sequence[Row | None]
Guess = dict[str, list[str]]

#: December 2010 to November 2011.
MONTHS: list[Month] = [(2010, 12), *((2011, month) for month in range(1, 12))]


# --- files ---------------------------------------------------------------------------------------


def read(path: Path) -> Release:
    """The rows of T, A(T) or a partial table."""
    rows = [line.split(",") for line in path.read_text("utf-8").splitlines()]
    return [None if cells[0] == DEL else Row(*cells) for cells in rows]


def read_history(path: Path) -> History:
    return present(read(path))


def read_master(path: Path) -> dict[str, tuple[str, ...]]:
    """Sex, decade of birth and country of each customer."""
    rows = [line.split(",") for line in path.read_text("utf-8").splitlines()]
    return {cells[0]: tuple(cells[1:]) for cells in rows}


def read_guess(path: Path) -> Guess:
    rows = [line.split(",") for line in path.read_text("utf-8").splitlines()]
    return {cells[0]: cells[1:] for cells in rows}


def write(path: Path, rows: Iterable[Sequence[str] | None], end: str = "\n") -> Path:
    lines = [",".join(row) if row else "DEL,,,,,," for row in rows]
    path.write_text("".join(line + end for line in lines), "utf-8", newline="")
    return path


def present(rows: Table) -> History:
    return [row for row in rows if row is not None]


def months_of(original: Table) -> list[Month]:
    """All months from the first of a history to its last."""
    first, last = (f(row.month for row in present(original)) for f in (min, max))
    count = (last[0] - first[0]) * 12 + last[1] - first[1] + 1
    return [(first[0] + (first[1] - 1 + i) // 12, (first[1] - 1 + i) % 12 + 1) for i in range(count)]


# --- pseudonyms, partial knowledge ---------------------------------------------------------------


def truth(
    original: History, release: Release, users: Iterable[str] | None = None, months: list[Month] = MONTHS
) -> Guess:
    """F: the pseudonym of each customer in each month."""
    table = {user: [DEL] * len(months) for user in sorted(users or {row.user for row in original})}
    for row, new in zip(original, release, strict=True):
        if new is not None:
            table[row.user][months.index(row.month)] = new.user
    return table


def by_month(original: History) -> Release:
    """A(T) whose pseudonym is a function of customer and month."""
    return [row._replace(user=f"p{row.month[1]}x{row.user}") for row in original]


def constant(original: History) -> Release:
    return [row._replace(user=f"p{row.user}") for row in original]


def partial(original: History, alpha: int, seed: int, prefix: int | None = 2) -> Release:
    """T_alpha: as many rows as the share says are visible, with cut codes of items."""
    count = math.floor(Fraction(alpha * len(original), 100) + Fraction(1, 2))
    seen = set(random.Random(f"{seed} {alpha}").sample(range(len(original)), count))
    return [row._replace(item=row.item[:prefix]) if i in seen else None for i, row in enumerate(original)]


# --- utility -------------------------------------------------------------------------------------

Matrix = dict[str, dict[str, int]]


def matrix(rows: Table, items: set[str], by: str = "quantity") -> Matrix:
    """V: what each user bought of each item: the sum of quantities, or the number of records."""
    cells: Matrix = defaultdict(lambda: defaultdict(int))
    for row in present(rows):
        if row.item in items:
            cells[row.user][row.item] += int(row.quantity) if by == "quantity" else 1
    return cells


def mapped(cells: Matrix, score: Callable[[int], int]) -> Matrix:
    """V with each value replaced by its score; zeros are dropped."""
    scored = {user: {item: score(v) for item, v in row.items()} for user, row in cells.items()}
    return {user: {item: v for item, v in row.items() if v} for user, row in scored.items()}


def cosines(cells: Matrix) -> tuple[dict[tuple[str, str], float], set[str]]:
    """W of the pairs of items, smaller first, that share a user; and the items whose vector is not empty."""
    dots: dict[tuple[str, str], int] = defaultdict(int)
    norms: dict[str, int] = defaultdict(int)
    for row in cells.values():
        bought = sorted(row.items())
        for item, v in bought:
            norms[item] += v * v
        for (i, v), (j, w) in combinations(bought, 2):
            dots[i, j] += v * w
    return {pair: dot / math.sqrt(norms[pair[0]] * norms[pair[1]]) for pair, dot in dots.items()}, set(norms)


def distance(original: Matrix, release: Matrix, diagonal: bool = False) -> float:
    """D(W, W') over the ordered pairs that W has; 0 where it has none."""
    (w, items), (w2, items2) = cosines(original), cosines(release)
    above = [2 * math.fsum(abs(cosine - w2.get(pair, 0.0)) for pair, cosine in w.items())]
    below = [2 * math.fsum(w.values())]
    if diagonal:
        above.append(len(items - items2))
        below.append(len(items))
    return min(1.0, sum(above) / sum(below)) if sum(below) else 0.0


def most_bought(cells: Matrix, top: int) -> set[str]:
    """The items of most users; the larger code first among equals."""
    users = Counter(item for row in cells.values() for item in row)
    return set(sorted(users, key=lambda item: (users[item], item), reverse=True)[:top])


def utility(original: History, release: Release, top: int = 100, profile: str = "judge") -> dict[str, float]:
    """E1 to E6: 0 where nothing is lost."""
    judge, m = profile == "judge", len(original)
    items = {row.item for row in original}
    by = "quantity" if judge else "records"
    v, v2 = matrix(original, items, by), matrix(release, items, by)

    def supply(x: int) -> int:
        return min(6, x // 12) if judge else x // 12

    def retail(x: int) -> int:
        return x if x <= 11 else 0

    best = most_bought(v, top)
    once = [{u: {item: 1 for item in row if item in best} for u, row in cells.items()} for cells in (v, v2)]
    days, prices = 0, Fraction(0)
    for row, new in zip(original, release, strict=True):
        if new is not None:
            days += abs((row.day - new.day).days)
            low, high = sorted((Fraction(row.price), Fraction(new.price)))
            prices += 1 - low / high if high else 0
    gone = 1 - Fraction(len(present(release)), m)
    return {
        "itemcf_supply": distance(mapped(v, supply), mapped(v2, supply), not judge),
        "itemcf_retail": distance(mapped(v, retail), mapped(v2, retail), not judge),
        "topk_list": len(best - most_bought(v2, top)) / top,
        "topk_similarity": distance(once[0], once[1], not judge),
        "date": float(Fraction(days, 31 * m)),
        "price": float(prices / m),
        "deleted_rows": round(float(gone), 4),
    }


# --- attacks and rates ---------------------------------------------------------------------------

#: The columns of the key of each program of the committee.
COMMITTEE: dict[str, tuple[str, ...]] = {
    "S1-datenum": ("date", "quantity"),
    "S2-itemprice": ("item", "price"),
    "S3-itemnum": ("item", "quantity"),
    "S4-itemdate": ("item", "date"),
    "S5-item2pricenum": ("item", "price", "quantity"),
    "S6-item2datenum": ("item", "date", "quantity"),
}

#: The keys of the three patterns that the paper announces.
PATTERNS: dict[str, tuple[str, ...]] = {
    "same day": ("date",),
    "same item": ("item",),
    "same month and item": ("month", "item"),
}


def key(row: Row, columns: Iterable[str], prefix: int | None) -> Hashable:
    return tuple(row.item[:prefix] if name == "item" else getattr(row, name) for name in columns)


def last_wins(
    columns: Sequence[str],
    released: History,
    known: Table,
    users: Iterable[str],
    months: list[Month] = MONTHS,
    prefix: int | None = 2,
) -> Guess:
    """The exact match of keys; what comes later overwrites."""
    pseudonyms = {key(row, columns, prefix): row.user for row in released}
    guess = {user: [DEL] * len(months) for user in users}
    for row in present(known):
        if (found := pseudonyms.get(key(row, columns, prefix))) is not None:
            guess[row.user][months.index(row.month)] = found
    return guess


def committee_attack(
    name: str, released: History, known: Table, users: Iterable[str], months: list[Month] = MONTHS
) -> Guess:
    return last_wins(COMMITTEE[name], released, known, users, months)


def _best(
    points: Mapping[tuple[str, Month], Mapping[str, Any]],
    users: Iterable[str],
    months: list[Month],
) -> Guess:
    """The pseudonym of most points for each customer and month; the smaller one among equals."""
    guess = {user: [DEL] * len(months) for user in users}
    for (user, month), given in points.items():
        if given:
            best = min(given, key=lambda pid: (-given[pid], pid))
            guess[user][months.index(month)] = best
    return guess


def vote(
    columns: Sequence[str],
    released: History,
    known: Table,
    users: Iterable[str],
    months: list[Month] = MONTHS,
    prefix: int | None = 2,
) -> Guess:
    """The pseudonym of the same month that most known rows match."""
    columns = ("month", *columns)
    pseudonyms: dict[Hashable, set[str]] = defaultdict(set)
    for row in released:
        pseudonyms[key(row, columns, prefix)].add(row.user)
    points: dict[tuple[str, Month], Counter[str]] = defaultdict(Counter)
    for row in present(known):
        points[row.user, row.month].update(pseudonyms.get(key(row, columns, prefix), ()))
    return _best(points, users, months)


def overlap(
    released: History,
    known: Table,
    users: Iterable[str],
    months: list[Month] = MONTHS,
    prefix: int | None = 2,
) -> Guess:
    """The pseudonym of the month whose rows are most likely to have the customer's known ones as a part drawn
    by chance, or the other way round where more rows are known than were released."""
    theirs: dict[Month, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for row in released:
        theirs[row.month][row.user][row.item[:prefix]] += 1
    items: dict[tuple[str, Month], Counter[str]] = defaultdict(Counter)
    for row in present(known):
        items[row.user, row.month][row.item[:prefix]] += 1
    told = sum(map(Counter.total, items.values()))
    there = sum(bought.total() for month in theirs.values() for bought in month.values())
    if not told or not there:
        return {user: [DEL] * len(months) for user in users}
    drawn = min(0.98, min(told, there) / max(told, there))
    of_month = {month: sum(theirs[month].values(), Counter()) for month in theirs}

    def likelihood(month: Month, mine: Counter[str], others: Counter[str]) -> float:
        part, whole = (mine, others) if told <= there else (others, mine)
        agreed = {item: min(mine[item], others[item]) for item in mine.keys() & others.keys()}
        score = sum(
            round(
                math.lgamma(whole[item] + 1) - math.lgamma(both + 1) - math.lgamma(whole[item] - both + 1)
                - both * math.log(of_month[month][item] / of_month[month].total()),
                9,
            )
            for item, both in agreed.items()
        )  # fmt: skip
        both = sum(agreed.values())
        score += both * math.log(drawn) + (whole.total() - both) * math.log(1 - drawn)
        return round(score - (part.total() - both) * math.log(100), 6)

    points = {
        (user, month): {
            pid: likelihood(month, bought, others)
            for pid, others in theirs[month].items()
            if bought.keys() & others.keys()
        }
        for (user, month), bought in items.items()
    }
    return _best(points, users, months)


def rates(
    true: Guess, guess: Guess, original: History, release: Release, months: list[Month] = MONTHS
) -> dict[str, float | None]:
    """The four rates. A released row is guessed to be of the smallest customer with its pseudonym."""
    users, cells = len(true), range(len(months))
    hit = sum(true[user][i] == guess[user][i] != DEL for user in true for i in cells)
    active = sum(true[user][i] != DEL for user in true for i in cells)
    owner: dict[tuple[int, str], str] = {}
    for user in sorted(guess, reverse=True):
        owner.update({(i, guess[user][i]): user for i in cells if guess[user][i] != DEL})
    rows = [(row, new) for row, new in zip(original, release, strict=True) if new is not None]
    found = sum(owner.get((months.index(new.month), new.user)) == row.user for row, new in rows)
    return {
        "strict": sum(true[user] == guess[user] for user in true) / users,
        "cell": hit / (len(months) * users),
        "active_cell": hit / active if active else None,
        "row": found / len(rows) if rows else None,
    }


def score(
    original: History,
    release: Release,
    partials: Mapping[int, Table],
    users: Iterable[str],
    months: list[Month] = MONTHS,
    top: int = 100,
    profile: str = "judge",
) -> dict[str, Any]:
    """Utilities, rates of the committee's attacks, UTL, SEC and AVG."""
    users = list(users)
    losses = utility(original, release, top, profile)
    true, released = truth(original, release, users, months), present(release)
    attacks: list[dict[str, Any]] = [
        {
            "attack": name,
            "alpha": alpha,
            **rates(true, committee_attack(name, released, known, users, months), original, release, months),
        }
        for name in COMMITTEE
        for alpha, known in partials.items()
    ]
    utl = max(losses.values())
    sec = max(
        math.fsum(one["strict"] for one in attacks if one["attack"] == name) / len(partials)
        for name in COMMITTEE
    )
    return {"utility": losses, "attacks": attacks, "utl": utl, "sec": sec, "avg": (utl + sec) / 2}


# --- constraints ---------------------------------------------------------------------------------


def _day(text: str) -> dt.date | None:
    if not re.fullmatch(r"[0-9]{4}/[1-9][0-9]?/[1-9][0-9]?", text):
        return None
    try:
        return dt.date(*map(int, text.split("/")))
    except ValueError:
        return None


def _clock(text: str) -> bool:
    found = re.fullmatch(r"([0-9]{1,2}):([0-9]{2})", text)
    return bool(found) and int(text.split(":")[0]) < 24 and int(text.split(":")[1]) < 60


def violations(original: History, release: Release) -> dict[int, int]:
    """How often A(T) breaks each constraint: rows for 2 to 12. Of rows beyond those of T cells alone count;
    for 11 the first row of a customer in a month decides."""
    count = dict.fromkeys(range(1, 13), 0)
    count[1] = int(len(present(release[: len(original)])) < len(original) // 2)
    count[12] = abs(len(release) - len(original))
    items, customers = {row.item for row in original}, {row.user for row in original}
    pseudonyms: dict[tuple[str, Month], str] = {}
    word = r"[A-Za-z0-9_-]+"
    for i, new in enumerate(release):
        if new is None:
            continue
        day = _day(new.date)
        count[2] += not re.fullmatch(word, new.user)
        count[3] += not re.fullmatch(word, new.invoice)
        count[4] += day is None
        count[6] += not _clock(new.time)
        count[8] += not re.fullmatch(r"[0-9]{1,5}(\.[0-9]{1,2})?", new.price)
        count[9] += not re.fullmatch(r"[0-9]{1,6}", new.quantity)
        if i < len(original):
            row = original[i]
            count[5] += day is not None and (day.year, day.month) != row.month
            count[7] += new.item not in items
            count[10] += new.user in customers
            count[11] += pseudonyms.setdefault((row.user, row.month), new.user) != new.user
    return count


# --- association rules, cross tables, subsets ----------------------------------------------------


class Rule(NamedTuple):
    support: Fraction
    confidence: Fraction
    lift: Fraction
    leverage: Fraction
    conviction: Fraction | None


def all_rules(baskets: Sequence[Iterable[str]]) -> dict[tuple[str, str], Rule]:
    """Every rule of one item to another that some basket has."""
    sets, n = [set(basket) for basket in baskets], len(baskets)
    one = Counter(item for basket in sets for item in basket)
    two = Counter(pair for basket in sets for pair in permutations(sorted(basket), 2))
    rules = {}
    for (x, y), both in two.items():
        supp, confidence, right = Fraction(both, n), Fraction(both, one[x]), Fraction(one[y], n)
        rules[x, y] = Rule(
            supp,
            confidence,
            confidence / right,
            supp - Fraction(one[x], n) * right,
            (1 - right) / (1 - confidence) if confidence < 1 else None,
        )
    return rules


def baskets(rows: Table) -> list[set[str]]:
    """The items of each user, date and time."""
    found: dict[Hashable, set[str]] = defaultdict(set)
    for row in present(rows):
        found[row.user, row.day, row.time].add(row.item)
    return list(found.values())


def rule_losses(
    original: Table,
    release: Table,
    support: Fraction = Fraction(1, 100),
    confidence: Fraction = Fraction(3, 10),
) -> dict[str, Any]:
    """The Jaccard distance of the sets of rules, and the mean change of confidence of the original's rules,
    with 0 for one that is not the release's (``confidence``), or that no basket of it has (``measured``)."""
    every = [all_rules(baskets(rows)) for rows in (original, release)]
    kept = [
        {pair for pair, rule in rules.items() if rule.support >= support and rule.confidence >= confidence}
        for rules in every
    ]
    old, new = kept
    change = measured = Fraction(0)
    for pair in old:
        now = every[1][pair].confidence if pair in every[1] else Fraction(0)
        change += abs(every[0][pair].confidence - (now if pair in new else 0))
        measured += abs(every[0][pair].confidence - now)
    return {
        "rules": 1 - Fraction(len(old & new), len(old | new)) if old | new else Fraction(0),
        "confidence": change / len(old) if old else Fraction(0),
        "measured": measured / len(old) if old else Fraction(0),
        "original": len(old),
        "release": len(new),
        "common": len(old & new),
    }


Master = Mapping[str, tuple[str, ...]]


def cross_table(
    original: History,
    rows: Release,
    master: Master,
    places: Sequence[int],
    columns: Sequence[str] = (),
    by: str = "records",
) -> Counter[Hashable]:
    """Records or quantities by attributes of the original's customer and columns of the rows."""
    table: Counter[Hashable] = Counter()
    for row, new in zip(original, rows, strict=True):
        if new is not None:
            cell = tuple(master[row.user][i] for i in places) + tuple(getattr(new, c) for c in columns)
            table[cell] += 1 if by == "records" else int(new.quantity)
    return table


def cross_loss(p: Counter[Hashable], q: Counter[Hashable]) -> dict[str, Fraction]:
    """Total variation of the shares; largest and mean change of counts and of shares over all cells."""
    cells = set(p) | set(q)
    n, m = sum(p.values()), sum(q.values())
    shares = [abs(Fraction(p[c], n or 1) - Fraction(q[c], m or 1)) for c in cells] or [Fraction(0)]
    counts = [Fraction(abs(p[c] - q[c])) for c in cells] or [Fraction(0)]
    return {
        "loss": sum(shares, Fraction(0)) / 2,
        "count_max": max(counts),
        "count_mean": sum(counts, Fraction(0)) / len(counts),
        "share_max": max(shares),
        "share_mean": sum(shares, Fraction(0)) / len(shares),
    }


def subset_loss(
    original: History, release: Release, master: Master, place: int, value: str = "quantity"
) -> Fraction:
    """The relative change of a column's mean in each category of a master attribute, on average."""
    sums: dict[str, list[list[Fraction]]] = defaultdict(lambda: [[], []])
    for row, new in zip(original, release, strict=True):
        for i, one in enumerate((row, new)):
            if one is not None:
                sums[master[row.user][place]][i].append(Fraction(getattr(one, value)))
    losses = []
    for before, after in sums.values():
        if not after:
            losses.append(Fraction(1))
            continue
        a, b = sum(before, Fraction(0)) / len(before), sum(after, Fraction(0)) / len(after)
        largest = max(abs(a), abs(b))
        losses.append(abs(a - b) / largest if largest else Fraction(0))
    return sum(losses, Fraction(0)) / len(losses)


# --- submissions ---------------------------------------------------------------------------------


def contest(
    seed: int, customers: int = 12, months: int = 3, most: int = 6
) -> tuple[History, dict[str, tuple[str, ...]]]:
    """A small original in the order of time, and its master table."""
    r = random.Random(seed)
    people = [str(number) for number in sorted(r.sample(range(12000, 18300), customers))]
    codes = [f"{r.choice((21, 22, 84))}{number}{r.choice(('', '', 'A', 'B'))}" for number in range(100, 118)]
    taste = {user: r.sample(codes, 8) for user in people}
    first = r.randrange(12 - months + 1)
    rows = []
    for year, number in MONTHS[first : first + months]:
        days = r.sample(range(1, calendar.monthrange(year, number)[1] + 1), 6)
        for user in people:
            for _ in range(r.choice((0, 1, 2))):
                day, clock = r.choice(days), f"{r.randrange(7, 20)}:{r.randrange(60):02}"
                for _ in range(r.randrange(1, most + 1)):
                    row = Row(
                        user,
                        "0",
                        f"{year}/{number}/{day}",
                        clock,
                        r.choice(taste[user]),
                        r.choice(("0.85", "1.5", "1.50", "2", "10.95", "165")),
                        str(r.choice((1, 2, 3, 6, 8, 10, 11, 12, 13, 24, 36, 71, 72, 100))),
                    )
                    rows.append(row)
    rows.sort(key=lambda row: (row.day, int(row.time.split(":")[0]), int(row.time.split(":")[1]), row.user))
    attributes = [
        (s, f"{y}/1/1", c) for s in "fm" for y in (1930, 1960) for c in ("United Kingdom", "Others")
    ]
    return rows, {user: r.choice(attributes) for user in people}


def submission(
    original: History,
    seed: int,
    pseudonyms: str = "month",
    dates: float = 0.0,
    items: float = 0.0,
    prices: float = 0.0,
    quantities: float = 0.0,
    deleted: float = 0.0,
) -> Release:
    """A valid A(T): each cell is changed with the probability told, and at most half of the rows deleted.

    Pseudonyms: one a ``month``, a ``constant`` one, ``swapped`` (the same names go to other customers in each
    month), or ``shared`` (customers share some names of a month)."""
    r = random.Random(seed)
    users = sorted({row.user for row in original})
    names: dict[tuple[str, Month], str] = {}
    for month in sorted({row.month for row in original}):
        others = r.sample(users, len(users))
        for i, user in enumerate(users):
            name = {
                "month": f"{month[1]}_{user}-{r.randrange(100)}",
                "constant": f"p{user}",
                "swapped": f"p{others[i]}",
                "shared": f"p{others[i] if i % 3 else others[0]}",
            }
            names[user, month] = name[pseudonyms]
    codes = sorted({row.item for row in original})
    release: Release = []
    for row in original:
        year, number = row.month
        new = row._replace(user=names[row.user, row.month])
        if r.random() < dates:
            day = r.randrange(1, calendar.monthrange(year, number)[1] + 1)
            new = new._replace(date=f"{year}/{number}/{day}")
        if r.random() < items:
            new = new._replace(item=r.choice(codes))
        if r.random() < prices:
            new = new._replace(price=r.choice(("0", "0.01", "1.5", "2.00", f"{r.uniform(0.1, 300):.2f}")))
        if r.random() < quantities:
            new = new._replace(quantity=str(r.choice((1, 5, 11, 12, 30, 999999))))
        release.append(new)
    gone = min(len(original) - len(original) // 2, sum(r.random() < deleted for _ in original))
    for i in r.sample(range(len(original)), gone):
        release[i] = None
    return release
