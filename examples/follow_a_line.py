"""How a line of Python becomes machine code: follows one program through every stage and prints what each one makes.

python examples/follow_a_line.py            prints the page
python examples/follow_a_line.py --write    writes it to docs/how-a-line-becomes-machine-code.md
"""

import inspect
import itertools
import re
import sys
import tempfile
import textwrap
from pathlib import Path

import numpy as np

import dyad
from dyad import Parameter, Tensor, jit, nn, ops

PAGE = Path(__file__).resolve().parent.parent / "docs/how-a-line-becomes-machine-code.md"
# What the passes of this program are there for; one that is not named here is shown without a word.
REASONS = {
    "pack_weights": "A matrix that stays the same from call to call is put into the order in which the product reads "
    "it. The weight is a Parameter, so the packing can be done ahead of the calls.",
    "fuse_product_epilogues": "What follows a product element by element becomes part of it: `relu` runs on a block of "
    "the result while the block is still in the cache.",
    "hoist_weight_preprocessing": "What depends on Parameters alone leaves the graph and comes back as an input: it is "
    "computed once, and again when a Parameter was written.",
    "decompose_operators": "Operators that are a kernel of their own in the dynamic graph are written out where that "
    "lets them be computed together with their neighbours.",
    "fuse": "Operators over the same elements become one function, marked `fused`, of which one kernel is made. It is "
    "called like any other function, and running it operator by operator gives the same.",
    "eliminate_leftover": "The transposed weight, which has no user left, goes.",
}


class Layer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.shift = Parameter(ops.ones((256,)))
        self.dense = nn.Dense(256, 1000)

    def construct(self, x):
        z = x * 0.5 + self.shift
        length = ops.sqrt((z * z).mean(-1, keep_dims=True) + 1e-5)
        return ops.relu(self.dense(z / length))


def stages(function, inputs):
    """The text of the graph after every stage, by the name of the stage."""
    with tempfile.TemporaryDirectory() as folder:
        dyad.set_context(save_graphs=2, save_graphs_path=folder)
        try:
            jit(function)(*inputs)
        finally:
            dyad.set_context(save_graphs=0)
        files = sorted(Path(folder).rglob("*.ir"))
        return {re.sub(r"^.*?_\d\d_", "", file.stem): file.read_text() for file in files}


def with_lines(text):
    return re.sub(r' at ".*?":(\d+):\d+', r"  # line \1", text)


def without_lines(text):
    return re.sub(r' at ".*?":\d+:\d+', "", text)


def around(text, sign, start, end):
    """The lines around the first one that matches `sign`, from one that matches `start` to one that matches `end`."""
    lines = text.splitlines()
    found = next(place for place, line in enumerate(lines) if re.search(sign, line))
    first = max(place for place in range(found) if re.search(start, lines[place]))
    last = next(place for place in range(found, len(lines)) if re.search(end, lines[place]))
    return "\n".join(lines[first : last + 1])


def block(text, language="text"):
    return f"```{language}\n{text.rstrip().lstrip(chr(10))}\n```"


def captured(texts):
    source, first = inspect.getsourcelines(Layer.construct)
    numbered = "".join(f"{first + place:3}  {line}" for place, line in enumerate(source))
    return f"""
# How a line of Python becomes machine code

This page follows one program from its source to the instructions that run. Everything in it is printed by
`python examples/follow_a_line.py`, on the machine that it was last run on.

{block(numbered)}

## 1. The lines become a graph

At the first call of `jit(layer)(x)` the source is read, not run: `x` is a tensor of which only dtype and shape are
known, and each operator it meets is written down as a node with its line ([the static graph](static-graph.md) tells
how). Parameters are inputs of the graph, marked `state`.

{block(with_lines(texts["captured"]))}
"""


def passes(texts):
    parts = [
        """
## 2. Passes rewrite the graph

[`pipeline.cpp`](../src/compile/pipeline.cpp) lists them in their order; each is one file pair in
[`src/passes`](../src/passes/README.md). These changed something; of each the lines that are new:
"""
    ]
    for before, name in itertools.pairwise(texts):
        old, new = (without_lines(texts[stage]).splitlines() for stage in (before, name))
        added = [line for line in new if line not in old and not line.startswith("func")]
        if any(line.startswith("fused") for line in added):
            added = new[1:]
        if added:
            reason = textwrap.fill(f"**{name}.** {REASONS.get(name, '')}", 120)
            parts.append(f"{reason}\n\n{block(chr(10).join(added))}\n")
    last = list(texts.values())[-1]
    parts.append(
        f"What is left of the program:\n\n{block(without_lines(last).partition(chr(10) + 'fused')[0])}\n"
    )
    return "\n".join(parts)


def loops(kernel):
    inner_loop = around(kernel.llvm, "fdiv", r"^\w+:", r"^  br ")
    instructions = around(kernel.assembly, "divps", r"^\.LBB", r"^\tj")
    return f"""
## 3. A fused function becomes loops

The kernel of the fused function is called `{kernel.name}`. The rows of the tensor are
shared out to the threads, and each row is walked over twice: once to add up the squares, once to divide. What lies
between stays in the cache; `z` is computed anew, which is cheaper than to keep it. Of each walk a loop is left in which
every operator is a *scalar definition*, the same few lines of C++ from
[`src/kernels/scalar`](../src/kernels/scalar) that the dynamic graph's kernels are made of; so both forms round in the
same way ([`src/codegen/loops`](../src/codegen/loops/README.md)). The second loop runs once per row, on the sums:

{block(kernel.loops)}

## 4. Loops become LLVM's IR

The definitions are compiled to bitcode when the library is built. Here they are copied into the loop, each instruction
as the same one on vectors; no vectoriser has to find out what is known already
([`src/codegen/llvm`](../src/codegen/llvm/README.md)). The inner loop of the last walk:

{block(inner_loop, "llvm")}

Sixteen elements are computed at once. The end of a row is the same once more under a mask: what lies beyond it is
neither read nor written.

## 5. LLVM's IR becomes instructions

{block(instructions, "asm")}

The object file goes into a store on disk under a key made of the loop's text, the machine and the library's build. The
next process that needs this loop finds it there and does not load LLVM at all.
"""


def running(explanation, profile):
    made = str(explanation).partition("\n\n")[2].partition("\n\n")[0]
    return f"""
## 6. The steps are planned and run

Every tensor has its place in memory before the first step runs. Then a call is: check the guards, take a frame, run the
steps. Making the graph took:

{block(made)}

And this is where the time of a later call goes, from `dyad.profile(jit(layer))(x)`:

{block(str(profile).partition("By kernel")[0])}

The first column names the kernel and what it computes, the second the line of the program it is there for.
"""


def page():
    layer = Layer()
    x = Tensor(np.random.default_rng(1).uniform(0, 1, (512, 256)).astype(np.float32))
    explanation = dyad.explain(jit(layer))(x)  # first: it is to show what compiling takes
    texts = stages(layer, [x])
    profile = min(
        (dyad.profile(jit(layer), show=False)(x) for _ in range(20)), key=lambda profile: profile.seconds
    )
    parts = [captured(texts), passes(texts), loops(explanation.kernels[-1]), running(explanation, profile)]
    return "\n".join(part.strip("\n") + "\n" for part in parts)


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PAGE.write_text(page())
    else:
        print(page())
