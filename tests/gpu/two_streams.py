"""Two threads train on two streams at once, and hand memory to each other: all as one thread does it.

python3 tests/gpu/two_streams.py [STEPS]
"""

import sys
import threading

import numpy as np

import dyad
from dyad import Tensor, nn, runtime


def network(seed):
    rng = np.random.default_rng(seed)

    def weights(*shape):
        return Tensor((rng.normal(size=shape) * 0.1).astype(np.float32))

    return nn.SequentialCell(
        nn.Dense(32, 64, weights(64, 32), weights(64)), nn.Tanh(), nn.Dense(64, 8, weights(8, 64), weights(8))
    )


def train(made, seed, steps, seen):
    """The weights after some steps; what is shared is read by the other stream as well."""
    rng = np.random.default_rng(seed)
    optimizer = nn.SGD(made.trainable_params(), learning_rate=0.05)
    forward = dyad.value_and_grad(lambda x, y: ((made(x) - y) ** 2).mean(), None, optimizer.parameters)
    for _ in range(steps):
        x, y = (Tensor(rng.normal(size=(16, n)).astype(np.float32)) for n in (32, 8))
        loss, gradients = forward(x, y)
        optimizer(gradients)
        seen.append(loss)
    return [parameter.asnumpy() for parameter in made.trainable_params()]


def on_two_streams(steps):
    results, errors = {}, []
    networks = [network(seed) for seed in range(2)]
    runtime.synchronize()

    def run(seed):
        try:
            with runtime.StreamCtx(runtime.Stream()):
                results[seed] = train(networks[seed], seed, steps, [])
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results


def handed_over(turns):
    """A stream makes values that another reads, while the first one asks for memory of the same size."""
    first, second = runtime.Stream(), runtime.Stream()
    sums = []
    for turn in range(turns):
        with runtime.StreamCtx(first):
            values = Tensor(np.full(20_000, turn, np.float32)) + 1
        second.wait_stream(first)
        with runtime.StreamCtx(second):
            for _ in range(5):
                values = values * 1.0
            sums.append(values.sum())
        with runtime.StreamCtx(first):
            del values
            Tensor(np.full(20_000, -7, np.float32)) * 2
    runtime.synchronize()
    with runtime.StreamCtx(second):
        return all(float(total.asnumpy()) == 20_000 * (turn + 1) for turn, total in enumerate(sums))


def main():
    dyad.set_device("GPU", 0)
    steps = int(sys.argv[1]) if sys.argv[1:] else 300
    together = on_two_streams(steps)
    alone = {seed: train(network(seed), seed, steps, []) for seed in range(2)}
    same = all(
        np.allclose(a, b, 1e-4, 1e-5)
        for seed in range(2)
        for a, b in zip(together[seed], alone[seed], strict=True)
    )
    print(f"streams: {steps} steps of two threads on two streams {'as alone' if same else 'DIFFER'}")
    handed = handed_over(steps)
    print(f"streams: memory handed from one to another {'right' if handed else 'WRONG'}")
    print("streams: passed" if same and handed else "streams: FAILED")
    sys.exit(not (same and handed))


if __name__ == "__main__":
    main()
