"""Passes pseudonyms of a release on between customers, and renews them after some records."""

from __future__ import annotations

from typing import Any

from duckrisk.contests.pwscup import tables
from duckrisk.engine.templates import identifier
from duckrisk.release.anonymization.chain import Chain
from duckrisk.release.anonymization.pseudonyms import draw_pseudonyms


def renew_pseudonyms(chain: Chain, history: tables.Original, user: str, most_records: int) -> int:
    """Renew pseudonyms, each in the first period after some records under it.

    Args:
        chain: The release, aligned with the history.
        history: The history.
        user: The binding of its pseudonyms.
        most_records: The records.

    Returns:
        The number of pseudonyms that there are then.
    """
    chain.number += 1
    renewals, drawn, moves = (chain.name_table(name) for name in ("renewals", "pseudonyms", "moves"))
    chain.session.run(
        "counted_renewals", name=renewals, **_describe(chain, history, user), most_records=most_records
    )
    pairs = {"source": identifier(renewals), "column": "pseudonym", "period": identifier("renewals")}
    draw_pseudonyms(chain, drawn, pairs)
    chain.session.run(
        "renewed_pseudonyms", name=moves, renewals=identifier(renewals), pseudonyms=identifier(drawn)
    )
    return _move(chain, history, user, moves)["pseudonyms"]


def pass_pseudonyms_on(chain: Chain, history: tables.Original, user: str, share: float) -> int:
    """Let a share of the customers of each period pass their pseudonyms on in a ring.

    Args:
        chain: The release, aligned with the history.
        history: The history.
        user: The binding of its pseudonyms.
        share: The share, from 0 to 1.

    Returns:
        The number of pseudonyms of periods that another customer has now.
    """
    chain.number += 1
    moves = chain.name_table("moves")
    chain.session.run(
        "passed_on_pseudonyms",
        name=moves,
        **_describe(chain, history, user),
        share=share,
        drawn=chain.chance.render_draw("passed_on_pseudonyms"),
    )
    return _move(chain, history, user, moves)["moved"]


def _describe(chain: Chain, history: tables.Original, user: str) -> dict[str, Any]:
    return {"source": chain.relation, "original": identifier(history.table), "user": user}


def _move(chain: Chain, history: tables.Original, user: str, moves: str) -> dict[str, int]:
    """Continue a chain with other pseudonyms; return the counts of the moves."""
    name, listed = chain.name_table("moved"), identifier(moves)
    chain.session.run(
        "moved_pseudonyms",
        name=name,
        **_describe(chain, history, user),
        moves=listed,
        columns=chain.bindings,
    )
    chain.continue_with_table(name)
    counted: dict[str, int] = chain.session.fetch_row("count_moves", moves=listed)
    return counted
