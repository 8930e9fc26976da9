"""Text generation with a cache of keys and values, as model collections write it, made static by one line.

Nothing below is decorated. The model is put together from a dict of settings; the loop that writes text calls it token
by token, keeps the cache in a list of dicts, writes into it in place, and ends when the model says so. With

    generate = jit(generate, capture_mode="bytecode")

the loop is read from its bytecode and becomes one graph: a `while` inside it, with all layers, the cache and the end of
the text. Shown are what both forms write, how fast, and what became of the function; the page of the graph is written
to a file.

    python examples/made_static_by_one_line.py [--steps 200] [--page made_static_by_one_line.html]
"""

import argparse
import statistics
import time

import dyad
from dyad import Tensor, jit, nn, ops

TEXT = """\
One program has two forms. Each operator runs when Python reaches it, or all of them are one graph. \
The answer is the same, and so is the program.\
"""
LETTERS = sorted(set(TEXT))
END = len(LETTERS)  # the token behind the last letter

CONFIG = {
    "vocabulary": len(LETTERS) + 1,
    "length": len(TEXT) + 1,
    "width": 64,
    "heads": 4,
    "layers": [{"activation": "gelu"}, {"activation": "silu", "widen": 2}],
}


# --- The model ------------------------------------------------------------------------------------------------


class Attention(nn.Cell):
    def __init__(self, width, heads, length, **_):
        super().__init__()
        self.heads, self.length = heads, length
        self.in_projection, self.out_projection = nn.Dense(width, 3 * width), nn.Dense(width, width)

    def construct(self, x, mask, cache=None, position=None):
        batch, length, width = x.shape
        parts = self.in_projection(x).reshape(batch, length, 3, self.heads, width // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        if cache is not None:
            cache["key"][:, :, position] = key[:, :, 0]
            cache["value"][:, :, position] = value[:, :, 0]
            key, value = cache["key"], cache["value"]
        scores = ops.matmul(query, key.swapaxes(-1, -2)) * query.shape[-1] ** -0.5
        weights = ops.softmax(ops.where(mask, scores, -1e9), -1)
        mixed = ops.matmul(weights, value).swapaxes(1, 2).reshape(batch, length, width)
        return self.out_projection(mixed)


class Layer(nn.Cell):
    def __init__(self, width, activation="relu", widen=4, **settings):
        super().__init__()
        self.attention = Attention(width, **settings)
        self.norms = nn.CellList([nn.LayerNorm((width,)) for _ in range(2)])
        self.up, self.down = nn.Dense(width, widen * width), nn.Dense(widen * width, width)
        self.activation = getattr(ops, activation)

    def construct(self, x, mask, **state):
        x = x + self.attention(self.norms[0](x), mask, **state)
        return x + self.down(self.activation(self.up(self.norms[1](x))))


class LanguageModel(nn.Cell):
    def __init__(self, config):
        super().__init__()
        self.config = config
        shared = {name: config[name] for name in ("width", "heads", "length")}
        self.tokens = nn.Embedding(config["vocabulary"], config["width"])
        self.places = nn.Embedding(config["length"], config["width"])
        self.layers = nn.CellList([Layer(**shared, **each) for each in config["layers"]])
        self.norm = nn.LayerNorm((config["width"],))
        self.head = nn.Dense(config["width"], config["vocabulary"])

    def construct(self, tokens, places, mask, cache=None, **state):
        x = self.tokens(tokens) + self.places(places)
        for number, layer in enumerate(self.layers):
            x = layer(x, mask, **({} if cache is None else {"cache": cache[number], **state}))
        return self.head(self.norm(x))

    def empty_cache(self):
        shape = (1, self.config["heads"], self.config["length"], self.config["width"] // self.config["heads"])
        return [{name: ops.zeros(shape) for name in ("key", "value")} for _ in self.layers]


# --- The loop that becomes a graph ----------------------------------------------------------------------------


def generate(model, prompt, *, end):
    """The prompt and what the model writes after it, up to `end`: (tokens, how many of them count)."""
    cache, length = model.empty_cache(), model.config["length"]
    places = ops.arange(length)
    tokens = ops.zeros(length, dyad.int32)
    tokens[: len(prompt)] = prompt
    position = 0
    while position < length - 1 and tokens[position] != end:
        here = places[position : position + 1]
        logits = model(tokens[here].reshape(1, 1), here, places <= here, cache=cache, position=position)
        position += 1
        if position >= len(prompt):
            tokens[position] = logits[0, 0].argmax()
    return tokens, position


# --- What is shown --------------------------------------------------------------------------------------------


def encode(text):
    return [LETTERS.index(letter) for letter in text]


def decode(tokens, count):
    """The text of the first `count` tokens and the one behind them, unless that is the end."""
    kept = tokens.asnumpy()[: count + 1]
    return "".join(LETTERS[token] for token in kept if token != END)


def taught(steps, config=CONFIG):
    """A model that knows the text by heart, after enough steps."""
    dyad.set_seed(1)
    model = LanguageModel(config).set_train()
    optimizer = nn.Adam(model.trainable_params(), learning_rate=3e-3)
    letters = encode(TEXT)
    given, wanted = Tensor([letters], dyad.int32), Tensor([*letters[1:], END], dyad.int32)
    places = ops.arange(len(letters))
    mask = ops.arange(len(letters)) <= places.reshape(-1, 1)

    def forward():
        return ops.cross_entropy(model(given, places, mask)[0], wanted)

    value_and_gradients = dyad.value_and_grad(forward, None, optimizer.parameters)

    def step():
        loss, gradients = value_and_gradients()
        optimizer(gradients)
        return loss

    step = jit(step, capture_mode="bytecode")
    for _ in range(steps):
        loss = step()
    return model.set_train(False), float(loss)


def timed_in_turns(calls, runs=20):
    """Name -> (what the call gives, seconds of the first one, the median of later ones), all called by turns."""
    seconds, given = {name: [] for name in calls}, {}
    for _ in range(runs + 1):
        for name, call in calls.items():
            start = time.perf_counter()
            given[name] = call()
            seconds[name].append(time.perf_counter() - start)
    return {name: (given[name], each[0], statistics.median(each[1:])) for name, each in seconds.items()}


def show_forms(forms, model, prompt):
    """Times of all forms; gives what each has written."""
    print(f"\n  {'':<16}{'first call':>12}{'later call':>12}{'a token':>12}")
    calls = {name: lambda form=form: form(model, prompt, end=END) for name, form in forms.items()}
    texts = {}
    for name, ((tokens, count), first, later) in timed_in_turns(calls).items():
        texts[name] = decode(tokens, count)
        print(f"  {name:<16}{first * 1e3:>9.1f} ms{later * 1e3:>9.2f} ms{later / count * 1e6:>9.1f} us")
    return texts


def show_explanation(explanation):
    """The head of what `print(explanation)` shows, and the loop in the graph."""
    stages, guards = len(explanation.stages), len(explanation.guards)
    print(f"\n  {explanation.name.partition(' ')[0]} was captured {explanation.how}")
    print(
        f"  {explanation.nodes_before} nodes, {explanation.nodes_after} after {stages} stages, {guards} guards"
    )
    for function in explanation.graph.functions.values():
        for node in function.nodes:
            if node.kind == "while":
                print(f"  line {node.line}: a loop inside the graph, {node.name} {', '.join(node.functions)}")


def main():
    parser = argparse.ArgumentParser(description="Generate text as a dynamic graph and as a static one.")
    parser.add_argument("--steps", type=int, default=200, help="of training")
    parser.add_argument("--page", default="made_static_by_one_line.html")
    options = parser.parse_args()

    model, loss = taught(options.steps)
    prompt = Tensor(encode(TEXT[:4]), dyad.int32)
    static = jit(generate, capture_mode="bytecode")  # the one line
    print(f"A model of {sum(each.size for each in model.get_parameters()):,} weights, loss {loss:.3f}")
    texts = show_forms({"as it stands": generate, "bytecode": static}, model, prompt)
    verdict = "same" if len(set(texts.values())) == 1 else "DIFFERENT"
    print(f"\n  {texts['bytecode']!r}\n  ({verdict} in both forms)")

    explanation = dyad.explain(static)(model, prompt, end=END)
    show_explanation(explanation)
    print(f"  the page of its graph: {explanation.graph.show(options.page)}\n")


if __name__ == "__main__":
    main()
