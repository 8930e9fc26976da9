"""The instructions of a code object as text: in a row, in basic blocks, and as the edges between blocks."""

import dis

_ENDS = ("RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE")


def instructions_text(code, lines=None):
    """A line for each instruction; with `lines`, of those lines of the file only."""
    return [_text(each) for each in dis.get_instructions(code) if lines is None or _line(each) in lines]


def blocks_text(code):
    """The basic blocks, each with its number and its instructions."""
    text = []
    for number, block in enumerate(_blocks(code)):
        text += [f"block {number}", *(f"  {_text(each)}" for each in block)]
    return text


def flow_text(code):
    """A line for each block: the numbers of the blocks that may follow it."""
    blocks = _blocks(code)
    number_at = {block[0].offset: number for number, block in enumerate(blocks)}
    text = []
    for number, block in enumerate(blocks):
        last = block[-1]
        follow = [number_at[last.argval]] if _jumps(last) else []
        if not _leaves(last) and number + 1 < len(blocks):
            follow.append(number + 1)
        text.append(f"block {number} -> {', '.join(map(str, sorted(set(follow)))) or 'end'}")
    return text


def _blocks(code):
    """The instructions, cut where a jump leads to and behind each jump."""
    instructions = list(dis.get_instructions(code))
    targets = {each.argval for each in instructions if _jumps(each)}
    blocks: list = [[]]
    for each in instructions:
        if each.offset in targets and blocks[-1]:
            blocks.append([])
        blocks[-1].append(each)
        if _jumps(each) or _leaves(each):
            blocks.append([])
    return [block for block in blocks if block]


def _jumps(instruction):
    return instruction.opcode in dis.hasjrel or instruction.opcode in dis.hasjabs


def _leaves(instruction):
    """Returns whether the next instruction does not follow it."""
    name = instruction.opname
    return name in _ENDS or (name.startswith("JUMP_") and "_IF_" not in name)


def _line(instruction):
    positions = instruction.positions
    return positions.lineno if positions is not None else None


def _text(instruction):
    line = _line(instruction)
    where = f"{line:>5}" if line is not None else " " * 5
    return f"{where} {instruction.offset:>4} {instruction.opname} {instruction.argrepr}".rstrip()
