"""``duckrisk membership synthesize``: a synthetic or perturbed release of a table."""

from __future__ import annotations

from duckrisk.base.options.source import Request
from duckrisk.cli.membership.forms import MAKES
from duckrisk.cli.options import SourceArgument
from duckrisk.cli.pipeline import target_of, write_command
from duckrisk.cli.settings import resources_of
from duckrisk.cli.signature import CommandLine, command
from duckrisk.contests.membership.options import SynthesisOptions


@command(SynthesisOptions, *MAKES)
def synthesize(args: CommandLine, source: SourceArgument = None) -> None:
    """Write a synthetic release with the marginals, means and covariances of a table, or a perturbed one.

    The columns are those of the source; a file of the contest of 2020 (nine columns, no header) is written
    as one.
    """
    from duckrisk.contests.membership.synthesis.methods import Synthesis
    from duckrisk.contests.membership.synthesis.methods import synthesize as run

    target, resources = target_of(args), resources_of(args)
    options, request = Synthesis(**args.of(SynthesisOptions)), args.options(Request, source=source)
    write_command(args, lambda progress: run(request, target, options, resources, progress), [request])
