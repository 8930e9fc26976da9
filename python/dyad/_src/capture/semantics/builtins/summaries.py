"""Values for the SummaryRecord: they are noted when the graph runs."""

from dyad._src.capture.semantics.builtins.registry import builtin
from dyad._src.capture.semantics.control.effects import call_when_run
from dyad._src.tensor.summary_values import note


@builtin(note)
def _note(interpreter, args, kwargs):
    call_when_run(interpreter, "summary", note, args, kwargs)
