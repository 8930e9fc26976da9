"""An explanation as plain text for a terminal."""

import collections

from dyad._src.jit.cache.report import stages_text

# Guards and groups beyond this many are counted instead of listed.
_SHOWN_GUARDS = 40
_SHOWN_GROUPS = 20
_SHOWN_PART_GUARDS = 12
WIDE_INTS = "Ints of 64 bits: what needs more is an OverflowError, where Python's have no limit"


def explanation_text(explanation):
    lines = [explanation.name, f"  captured {explanation.how}", f"  this call {explanation.call}"]
    if explanation.runs_in_python:
        lines += ["", "It is no single graph:", *_indented(explanation.rejection)]
        lines += ["", *pieces_text(explanation.pieces)]
        if explanation.rewritten:
            lines += ["", *_rewritten(explanation)]
    elif explanation.rejection is not None:
        lines += ["", "It cannot be captured:", *_indented(explanation.rejection)]
    else:
        lines += ["", *_graph(explanation), "", *_guards(explanation.guards)]
    if explanation.derived:
        lines += [
            "",
            "Gradients: what a recorded call is",
            *(f"  {pair_text(pair)}" for pair in explanation.derived),
        ]
    if explanation.wide_ints:
        lines += ["", WIDE_INTS, *(f"  {text}" for text in explanation.wide_ints)]
    if explanation.slower:
        lines += ["", "Slower than it could be", *(f"  {text}" for text in explanation.slower)]
    if explanation.compilations:
        lines += ["", *_compilations(explanation.compilations)]
    return "\n".join(lines)


def bytes_text(count):
    """A number of bytes in the unit that suits it."""
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"


def memory_text(memory):
    """The memory plan in one sentence."""
    if memory.unplanned_bytes == 0:
        return "no memory for intermediate results is planned ahead"
    planned = f"{bytes_text(memory.planned_bytes)} for intermediate results"
    saved = 1 - memory.planned_bytes / memory.unplanned_bytes
    if saved <= 0:  # each has an offset that suits vector instructions, which costs more than reuse saves
        return f"{planned}, none of it used twice"
    return f"{planned} instead of {bytes_text(memory.unplanned_bytes)} ({saved:.0%} saved by reuse)"


def pair_text(pair):
    """One sentence on the recorded calls with one choice of inputs to differentiate."""
    wanted = f"by {sum(pair.wanted)} of {len(pair.wanted)} inputs"
    if pair.refusal:
        return f"{wanted}: each operator is recorded by itself, because {pair.refusal}"
    backward = f"{pair.backward_nodes} backward" if pair.backward_nodes else "no backward so far"
    kept = f"{pair.residuals} residuals ({bytes_text(pair.residual_bytes)} besides inputs)"
    return f"{wanted}: one step on the tape, {pair.forward_nodes} nodes forward, {backward}, {kept}"


def pieces_text(pieces):
    """A line for each piece of a split function."""
    if not pieces:
        return ["Which parts of it are graphs is known when it has been called."]
    lines = ["Pieces, in order"]
    for piece in pieces:
        if piece.is_graph:
            graphs = "1 graph" if piece.graphs == 1 else f"{piece.graphs} graphs"
            took = (
                ""
                if piece.seconds is None
                else f", {piece.seconds * 1e6:.1f} us in the last call that was timed"
            )
            made = f", compiled {len(piece.compilations)} times" if len(piece.compilations) > 1 else ""
            spent = f": {_time_of(piece.compilations)}" if piece.compilations else ""
            calls = "1 time" if piece.calls == 1 else f"{piece.calls} times"
            what = f"graph   {graphs}, called {calls}{took}{made}{spent}"
        else:
            what = f"python  {piece.because}"
        lines.append(f"  {_lines(piece):<14} {what}")
    return lines


def _rewritten(explanation):
    """A function that was split by its code object: the guards of its graphs, and its instructions."""
    for piece in explanation.pieces:
        if piece.guards:
            yield f"Guards of the graph of {_lines(piece)}: {len(piece.guards)}"
            yield from (f"  {guard}" for guard in piece.guards[:_SHOWN_PART_GUARDS])
            if len(piece.guards) > _SHOWN_PART_GUARDS:
                yield f"  ... and {len(piece.guards) - _SHOWN_PART_GUARDS} more in .guards of the piece"
    yield "What Python runs"
    yield from (f"  {line}" for line in explanation.rewritten)


def _lines(piece):
    if piece.first_line == piece.last_line:
        return f"line {piece.first_line}"
    return f"lines {piece.first_line}-{piece.last_line}"


def _graph(explanation):
    width = max(len(stage.name) for stage in explanation.stages)
    total = sum(stage.milliseconds for stage in explanation.stages)
    yield (
        f"Graph: {explanation.nodes_before} nodes captured, {explanation.nodes_after} after the passes, "
        + (f"{explanation.steps} steps, made in {total:.2f} ms")
    )
    for stage in explanation.stages:
        nodes = "" if stage.nodes is None else f"{stage.nodes:6d} nodes"
        yield f"  {stage.name:<{width}}  {stage.milliseconds:8.2f} ms {nodes}".rstrip()
    yield from _groups(explanation.groups, explanation.alone)
    yield f"Memory: {memory_text(explanation.memory)}"


def _groups(groups, alone):
    """The operators that are computed together, and those that are not."""
    if not groups:
        return
    count = sum(len(group.operators) for group in groups)
    noun = "kernel" if len(groups) == 1 else "kernels"
    yield f"Fusion: {count} of {count + len(alone)} operators are computed in {len(groups)} {noun}"
    for group in groups[:_SHOWN_GROUPS]:
        how = "" if group.has_code else " (one by one: no code can be made for them)"
        yield f"  {group.name}: {', '.join(group.operators)}{how}"
    if len(groups) > _SHOWN_GROUPS:
        yield f"  ... and {len(groups) - _SHOWN_GROUPS} more in .groups"
    if alone:
        counted = collections.Counter(alone).most_common()
        listed = ", ".join(name if times == 1 else f"{times} {name}" for name, times in counted)
        yield f"  by themselves, for nothing beside them can be computed with them: {listed}"


def _guards(guards):
    yield f"Guards: {len(guards)} things must stay as they are for the graph to be used again"
    for guard in guards[:_SHOWN_GUARDS]:
        yield f"  {guard}"
    if len(guards) > _SHOWN_GUARDS:
        yield f"  ... and {len(guards) - _SHOWN_GUARDS} more in .guards"


def _compilations(compilations):
    times = compilations[-1].number
    latest = f", the last {len(compilations)} of them" if times > len(compilations) else ""
    yield f"Compiled so far: {times} {'time' if times == 1 else 'times'}{latest}, {_time_of(compilations)}"
    for compilation in compilations:
        yield f"  {compilation.number}. in {compilation.seconds * 1e3:.1f} ms: {compilation.cause}"
        if compilation.cause.advice:
            yield f"     to avoid it: {compilation.cause.advice}"
        if compilation.retries:
            yield f"     captured again: {_retries(compilation.retries)}"


def _retries(retries):
    """The changes made by retries of a capture, each with the number of retries."""
    return ", ".join(
        f"{change} ({count} times)" if count > 1 else change for change, count in retries.items()
    )


def _time_of(compilations):
    """The time that compilations took, stage by stage."""
    stages: collections.Counter = collections.Counter()
    for compilation in compilations:
        stages.update(compilation.stages)
    return stages_text(stages, sum(compilation.captures for compilation in compilations))


def _indented(text):
    return [f"  {line}" for line in text.splitlines()]
