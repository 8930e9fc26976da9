"""One form of one framework in one process: prepares a row of static_rows, times its first call or its later ones.

Started by static.py as `static_worker.py FORM`. Requests and answers are lines of JSON:
  {"prepare": row index}  -> {}
  {"first": row index}    -> {"seconds": that making the graph takes}
  {"measure": seconds}    -> {"seconds": fastest time of one call}
  {"save": path}          -> {} and the row's result as a NumPy file
  {"guards": layers}      -> {"seconds": that the guards of a Cell with so many Cells take, "count": how many they are}
  {"memory": model}       -> {"planned", "unplanned", "static", "dynamic": bytes}
  {"train": row of train_rows} -> {"first": seconds that making the graph takes, "later": of a step, "losses", "bytes":
                                   peak of resident memory}
"""

from __future__ import annotations

import itertools
import json
import math
import sys
import timeit

import numpy

from process import THREADS
from static_rows import ROWS
from train_rows import ROWS as TRAIN_ROWS
from worker import weights

TURNS = 100
INPUTS = {
    "small_mlp": (1, 16),
    "mlp": (64, 784),
    "bert_base": (1, 128),
    "resnet50": (1, 3, 224, 224),
}


def input_of(model: str) -> numpy.ndarray:
    random = numpy.random.default_rng(7)
    if model == "bert_base":
        return random.integers(0, 30522, INPUTS[model]).astype(numpy.int32)
    return random.uniform(-1, 1, INPUTS.get(model, (1, 16))).astype(numpy.float32)


def addends() -> tuple[numpy.ndarray, numpy.ndarray]:
    return numpy.arange(16, dtype=numpy.float32), numpy.ones(16, numpy.float32)


def layer_count(program: str) -> int | None:
    """The number in `layers_<number>`; None for another program."""
    name, _, number = program.partition("layers_")
    return int(number) if not name and number else None


def dynamic(function):
    """A function that stays one of the dynamic graph: what it calls is static where the form asks for that."""
    function.is_dynamic = True
    return function


class Dyad:
    def __init__(self, form: str) -> None:
        import dyad
        import models_dyad

        self.dyad = dyad
        self.models = models_dyad
        self.static = form == "dyad-jit"
        self.transform = dyad.jit if self.static else lambda function: function
        self.transform(lambda x: x * 2)(dyad.Tensor([1.0]))  # loads what compiling needs

    def add(self):
        return lambda a, b: a + b, [self.dyad.Tensor(array) for array in addends()]

    def loop(self):
        def run(x, i, turns):
            while i < turns:
                x = x * 1.01
                i = i + 1
            return x

        return run, [self.dyad.Tensor(addends()[1]), *map(self.dyad.Tensor, (0, TURNS))]

    def model(self, name: str):
        nn, count = self.dyad.nn, layer_count(name)
        net = getattr(self.models, name)() if count is None else nn.SequentialCell(dense_layers(nn, count))
        for parameter in net.trainable_params():
            parameter.set_data(self.dyad.Tensor(weights(tuple(parameter.shape))))
        net.set_train(False)
        return net, [self.dyad.Tensor(input_of(name))]

    def mlp_gradient(self):
        net, inputs = self.model("mlp")
        forward = self.transform(net)
        gradients = self.dyad.grad(lambda x: (forward(x) ** 2).mean(), None, net.trainable_params())
        return dynamic(lambda x: gradients(x)[0]), inputs

    def array(self, result) -> numpy.ndarray:
        return result.asnumpy()

    def guards(self, layers: int) -> dict:
        net, (x,) = self.model(f"layers_{layers}")
        net.compile(x)
        (entry,) = net.compile_cache
        arguments = (net, x)
        if entry.tree.failure(arguments) is not None:
            sys.exit("bench: the guards of an unchanged Cell do not hold")
        names = {"failure": entry.tree.failure, "arguments": arguments}
        return {"seconds": fastest("failure(arguments)", names, 0.5), "count": entry.tree.size}

    def memory(self, name: str) -> dict:
        runtime = self.dyad.runtime
        net, (x,) = self.model(name)

        def peak(call) -> int:
            call(x)
            runtime.reset_peak_memory_stats()
            before = runtime.memory_allocated()
            call(x)
            return runtime.max_memory_allocated() - before

        dynamic = peak(net)
        static = peak(net.compile_and_run)
        (entry,) = net.compile_cache
        report = entry.program.report
        return {
            "dynamic": dynamic,
            "static": static,
            "planned": report["planned_bytes"],
            "unplanned": report["unplanned_bytes"],
        }

    def train(self, index: int) -> dict:
        import train_worker

        step, inputs = train_worker.Dyad().step_and_inputs(TRAIN_ROWS[index])

        class Step(self.dyad.nn.Cell):
            def construct(self, x, labels):
                return step(x, labels)

        cell, answer = Step(), {}
        if self.static:
            answer["first"] = timeit.timeit(lambda: cell.compile(*inputs), number=1)
        run = cell.compile_and_run if self.static else step
        answer["losses"] = [float(run(*inputs)) for _ in range(train_worker.FIRST_STEPS)]
        answer["later"] = train_worker.fastest_step(lambda: run(*inputs), 1.0)
        answer["bytes"] = train_worker.peak_memory()
        return answer


def dense_layers(nn, count: int) -> list:
    return [nn.Dense(16, 16) for _ in range(count)]


class Torch:
    def __init__(self, form: str) -> None:
        import torch

        import models_torch

        torch.set_num_threads(THREADS)
        torch.set_grad_enabled(False)
        self.torch = torch
        self.models = models_torch
        self.transform = {
            "torch": lambda function: function,
            "torch-compile": torch.compile,
            "torch-capture": lambda function: torch.compile(function, backend="eager"),
        }[form]
        self.transform(lambda x: x * 2)(torch.ones(1))

    def add(self):
        return lambda a, b: a + b, [self.torch.from_numpy(array) for array in addends()]

    def loop(self):
        def run(x, i, turns):
            while i < turns:
                x = x * 1.01
                i = i + 1
            return x

        turns = [self.torch.tensor(number) for number in (0, TURNS)]
        return run, [self.torch.from_numpy(addends()[1]), *turns]

    def model(self, name: str):
        nn, count = self.torch.nn, layer_count(name)
        if count is None:
            net = getattr(self.models, name)()
        else:
            net = nn.Sequential(*[nn.Linear(16, 16) for _ in range(count)])
        for parameter in net.parameters():
            parameter.copy_(self.torch.from_numpy(weights(tuple(parameter.shape))))
        return net.eval(), [self.torch.from_numpy(input_of(name))]

    def mlp_gradient(self):
        net, inputs = self.model("mlp")
        forward, parameters = self.transform(net), list(net.parameters())

        def first_gradient(x):
            with self.torch.enable_grad():
                return self.torch.autograd.grad((forward(x) ** 2).mean(), parameters)[0]

        return dynamic(first_gradient), inputs

    def array(self, result) -> numpy.ndarray:
        return result.numpy()


class Jax:
    """Functions of JAX; "jax-trace" makes the graph of a call and does not compile it."""

    def __init__(self, form: str) -> None:
        import jax

        self.jax = jax
        self.transform = jax.jit if form == "jax-jit" else lambda function: jax.jit(function).lower
        self.transform(lambda x: x * 2)(numpy.ones(1, numpy.float32))

    def add(self):
        return lambda a, b: a + b, [self.jax.numpy.asarray(array) for array in addends()]

    def loop(self):
        lax = self.jax.lax

        def run(x, i, turns):
            def body(state):
                return state[0] * 1.01, state[1] + 1

            return lax.while_loop(lambda state: state[1] < turns, body, (x, i))[0]

        return run, [self.jax.numpy.asarray(addends()[1]), 0, TURNS]

    def model(self, name: str):
        asarray, relu = self.jax.numpy.asarray, self.jax.nn.relu
        count = layer_count(name)
        sizes = {"small_mlp": [16] * 4, "mlp": [784, 512, 512, 10]}.get(name) or [16] * (count + 1)
        layers = [
            (asarray(weights((outputs, inputs))), asarray(weights((outputs,))))
            for inputs, outputs in itertools.pairwise(sizes)
        ]

        def forward(layers, x):
            for place, (weight, bias) in enumerate(layers):
                x = x @ weight.T + bias
                if count is None and place + 1 < len(layers):
                    x = relu(x)
            return x

        return forward, [layers, asarray(input_of(name))]

    def array(self, result) -> numpy.ndarray:
        return numpy.asarray(result)


FRAMEWORKS = {"dyad": Dyad, "torch": Torch, "jax": Jax}


class Bench:
    """The row being measured. Its program runs in dynamic form first: kernels and memory are warm at the first call."""

    def __init__(self, framework, form: str, program: str) -> None:
        self.framework = framework
        self.form = form
        make = getattr(framework, program, None)
        self.function, self.inputs = make() if make else framework.model(program)
        self.function(*self.inputs)
        is_dynamic = getattr(self.function, "is_dynamic", False)
        self.names = {"call": self.function if is_dynamic else framework.transform(self.function)}
        self.names.update({f"input_{place}": value for place, value in enumerate(self.inputs)})
        self.code = f"call({', '.join(list(self.names)[1:])})"
        if form == "jax-jit":
            self.code += ".block_until_ready()"

    def first(self) -> float:
        """Seconds that making the graph takes: the whole of it where it can be had alone, else beyond a later call."""
        if hasattr(self.function, "compile") and self.form == "dyad-jit":
            return timeit.timeit(lambda: self.function.compile(*self.inputs), number=1)
        timer = timeit.Timer(self.code, globals=self.names)
        spent = timer.timeit(1)
        return spent if self.form == "jax-trace" else spent - min(timer.repeat(number=1, repeat=5))

    def measure(self, seconds: float) -> float:
        return fastest(self.code, self.names, seconds)

    def result(self) -> numpy.ndarray:
        return self.framework.array(eval(self.code, self.names))


def fastest(code: str, names: dict, seconds: float) -> float:
    """The fastest of several batches: everything that disturbs a run makes it slower, never faster."""
    timer = timeit.Timer(code, globals=names)
    timer.timeit(3)
    calls = max(1, int(0.02 / max(timer.timeit(1), 1e-7)))
    least, spent = math.inf, 0.0
    while spent < seconds:
        batch = timer.timeit(calls)
        spent += batch
        least = min(least, batch / calls)
    return least


def main() -> None:
    form = sys.argv[1]
    framework = FRAMEWORKS[form.partition("-")[0]](form)
    bench = None
    for line in sys.stdin:
        request = json.loads(line)
        answer = {}
        if "prepare" in request:
            bench = None  # frees the previous row's memory first
            bench = Bench(framework, form, ROWS[request["prepare"]].program)
        elif "first" in request:
            answer["seconds"] = Bench(framework, form, ROWS[request["first"]].program).first()
        elif "measure" in request:
            answer["seconds"] = bench.measure(request["measure"])
        elif "guards" in request:
            answer = framework.guards(request["guards"])
        elif "memory" in request:
            answer = framework.memory(request["memory"])
        elif "train" in request:
            answer = framework.train(request["train"])
        else:
            numpy.save(request["save"], bench.result())
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
