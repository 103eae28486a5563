"""Mondrian, strict: groups are cut in the middle of their widest quasi-identifier (LeFevre, ICDE 2006).

Categories stand in the order of their hierarchy's leaves. All groups of a level are cut by the same few
statements, one for each quasi-identifier and some more.
"""

from __future__ import annotations

from duckrisk.release.k_anonymity.tuples import Tuples


def split(tuples: Tuples, k: int) -> None:
    """Put every tuple in a class."""
    session = tuples.session
    session.run("mondrian_begin", columns=tuples.columns)
    parts, cut = 0, 1
    while cut:
        session.run("mondrian_widths", heights=tuples.heights, leaves=tuples.leaves, tables=tuples.tables)
        session.run("mondrian_begin_cuts")
        for attribute in range(len(tuples.columns)):
            session.run("mondrian_cuts", attribute=attribute, k=k)
        session.run("mondrian_parts", made=parts)
        cut = session.fetch_row("mondrian_count_parts")["parts"]
        parts += 2 * cut
        session.run("mondrian_next", columns=tuples.columns, k=k, open=False)
        session.run("mondrian_next", columns=tuples.columns, k=k, open=True)
