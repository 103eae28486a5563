"""``duckrisk membership synthesize``: a synthetic or perturbed release of a table."""

from __future__ import annotations

from typing import Annotated

import typer

from duckrisk.cli.membership.options import (
    BandwidthOption,
    DrawSeedOption,
    MatchOption,
    ReleasedOption,
    ReleaseOption,
)
from duckrisk.cli.options import (
    AttachOption,
    EncodingOption,
    FormatOption,
    HeaderOption,
    MemoryOption,
    OverwriteOption,
    QueryOption,
    QuietOption,
    SourceArgument,
    TableOption,
    TempOption,
    ThreadsOption,
    WhereOption,
)
from duckrisk.cli.output import form_of, in_form, remark, watched
from duckrisk.errors import UsageError


def synthesize(
    source: SourceArgument = None,
    output: ReleaseOption = None,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            help="okada: new records; rr, rrp: cells drawn anew; kanony: small classes are left out.",
        ),
    ] = "okada",
    records: Annotated[
        int | None, typer.Option("--records", help="Number of records to draw. [as many as there are]")
    ] = None,
    distinct: Annotated[
        int | None, typer.Option("--distinct", help="Number of different records to keep of these.")
    ] = None,
    bandwidth: BandwidthOption = None,
    match_marginals: MatchOption = False,
    keep: Annotated[
        float | None,
        typer.Option("--keep", help="For rr and rrp: the probability that a cell stays, such as 0.9."),
    ] = None,
    k: Annotated[
        int | None, typer.Option("--k", help="For kanony: classes of fewer records are left out.")
    ] = None,
    quasi_identifier: Annotated[
        list[str] | None,
        typer.Option("--quasi-identifier", help="For kanony: the columns of the classes; repeatable."),
    ] = None,
    attribute: ReleasedOption = None,
    seed: DrawSeedOption = None,
    overwrite: OverwriteOption = False,
    table: TableOption = None,
    attach: AttachOption = None,
    query: QueryOption = None,
    where: WhereOption = None,
    encoding: EncodingOption = None,
    header: HeaderOption = None,
    format: FormatOption = None,  # named as the option
    memory: MemoryOption = None,
    threads: ThreadsOption = None,
    temp: TempOption = None,
    quiet: QuietOption = False,
) -> None:
    """Write a synthetic release with the marginals, means and covariances of a table, or a perturbed one.

    The columns are those of the source; a file of the contest of 2020 (nine columns, no header) is written
    as one.
    """
    from duckrisk.anonymization import Target
    from duckrisk.membership.synthesis.methods import Synthesis
    from duckrisk.membership.synthesis.methods import synthesize as run
    from duckrisk.session import Resources
    from duckrisk.source import Request

    if output is None:
        raise UsageError("Say where the release goes, with -o FILE.")
    form = form_of(format, None, "The summary is")
    options = Synthesis(
        method=method,
        records=records,
        distinct=distinct,
        bandwidth=bandwidth,
        match_marginals=match_marginals or None,
        keep=keep,
        k=k,
        quasi_identifiers=tuple(quasi_identifier or ()),
        attributes=tuple(attribute) if attribute else None,
        seed=seed,
    )
    request = Request(source, table, attach, query, where, encoding, header)
    resources, target = Resources(memory, threads, temp), Target(output, None, overwrite)
    made = watched(lambda watch: run(request, target, options, resources, watch), quiet)
    if not quiet or format is not None:
        remark(in_form(made, form))
