"""``duckrisk membership synthesize``: a synthetic or perturbed release of a table."""

from __future__ import annotations

from duckrisk.base.options.output import Output
from duckrisk.base.options.source import Request
from duckrisk.cli.membership.forms import MAKES, target_of
from duckrisk.cli.options import SourceArgument
from duckrisk.cli.output import check_outputs, form_of, in_form, remark, watched
from duckrisk.cli.settings import language, resources_of
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

    out, target, resources = args.options(Output), target_of(args), resources_of(args)
    form = form_of(out.format, None, "The summary is")
    options, request = Synthesis(**args.of(SynthesisOptions)), args.options(Request, source=source)
    check_outputs(args, [request])
    release = watched(
        lambda progress: run(request, target, options, resources, progress), out.quiet, language(args)
    )
    if not out.quiet or out.format is not None:
        remark(in_form(release, form, language(args)))
