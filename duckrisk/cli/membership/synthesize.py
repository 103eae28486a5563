"""``duckrisk membership synthesize``: writes a synthetic or perturbed release."""

from __future__ import annotations

from duckrisk.base.options.source import Request
from duckrisk.cli.membership.forms import RELEASE_OPTIONS
from duckrisk.cli.options import SourceArgument
from duckrisk.cli.pipeline import output_target, run_write_command
from duckrisk.cli.settings import read_resources
from duckrisk.cli.signature import CommandLine, command
from duckrisk.contests.membership.options import SynthesisOptions


@command(SynthesisOptions, *RELEASE_OPTIONS)
def synthesize(args: CommandLine, source: SourceArgument = None) -> None:
    """Write a synthetic or a perturbed release of a table.

    A synthetic release has the marginals, means and covariances of the table.
    The columns are those of the source; a file of the contest of 2020 (nine columns, no header) is written
    as one.
    """
    from duckrisk.contests.membership.synthesis.methods import Synthesis
    from duckrisk.contests.membership.synthesis.methods import synthesize as run

    target, resources = output_target(args), read_resources(args)
    options, request = Synthesis(**args.values_of(SynthesisOptions)), args.options(Request, source=source)
    run_write_command(args, lambda progress: run(request, target, options, resources, progress), [request])
