"""Python's library inside a program: texts, times, containers, threads, processes of the mind, logging, files."""

import array
import collections
import contextlib
import copy
import csv
import datetime
import functools
import hashlib
import io
import itertools
import json
import logging
import math
import os
import pickle
import queue
import random
import re
import statistics
import string
import struct
import textwrap
import threading
import time
import uuid
import warnings
from concurrent import futures

import numpy as np
from hosting import LOG, hosted, hosted_scene, total
from program import Scene

from dyad import Tensor

X = Tensor([1.0, 2.0])
S = Tensor(4.0)


@hosted(S, vary=False)
def mathematics(x):
    k = x.item()
    return (
        math.sqrt(k),
        math.hypot(k, 3),
        math.gcd(int(k), 6),
        x * math.floor(k / 3),
        math.isclose(k, k + 1e-12),
    )


@hosted(S)
def domain_error(x):
    try:
        return x * math.sqrt(x.item())
    except ValueError as error:
        return str(error), x


@hosted(X)
def json_there_and_back(x):
    text = json.dumps({"values": x.tolist(), "sum": total(x), "none": None}, sort_keys=True)
    held = json.loads(text)
    return Tensor(held["values"]) * held["sum"] + x, text, held


@hosted(X)
def json_of_what_it_does_not_know(x):
    try:
        json.dumps({"x": x, "k": total(x)})
    except TypeError as error:
        LOG.append(type(error).__name__)
    return json.dumps([x, 1], default=lambda v: v.tolist()), x * 2


@hosted(X)
def regular_expressions(x):
    text = f"a={total(x)};b={int(total(x * 2))}"
    found = dict(re.findall(r"(\w)=([-\d.]+)", text))
    return x * float(found["b"]), re.sub(r"\d", lambda m: str(9 - int(m[0])), text), re.match("z", text)


@hosted(X)
def iterators_of_the_library(x):
    v = x.asnumpy().tolist()
    pairs = list(itertools.product(v, "ab"))
    sums = list(itertools.accumulate(v + [1.0]))
    groups = {key: list(group) for key, group in itertools.groupby(sorted(v), lambda k: k > 0)}
    one, two = itertools.tee(v)
    next(one)
    chained = list(itertools.chain(one, two))
    return x * sums[-1], pairs[0], groups, chained, list(itertools.pairwise(chained))


@hosted(X)
def time_passes(x):
    start = time.perf_counter()
    y = x * 2
    time.sleep(0.001)
    took = time.perf_counter() - start
    again = time.monotonic()
    return y, took >= 0.001, time.monotonic() >= again, isinstance(time.time(), float)


@hosted_scene(X)
def time_is_not_frozen():
    times = []

    def f(x):
        times.append(time.perf_counter())
        return x * len(times)

    return Scene(f, watch=lambda: (len(set(times)) == len(times), times == sorted(times)))


@hosted(X)
def dates(x):
    day = datetime.date(2024, 2, 27) + datetime.timedelta(days=int(abs(total(x))))
    return day.isoformat(), x * day.day, day > datetime.date(2024, 1, 1), day.strftime("%j")


@hosted_scene(X)
def random_numbers_of_the_library():
    random.seed(5)

    def f(x):
        a = random.randint(0, 1000)
        y = x * a
        return y, random.random(), a

    return Scene(f, lambda: random.seed(5))


@hosted_scene(X)
def random_numbers_of_numpy():
    np.random.seed(5)

    def f(x):
        noise = np.random.randint(0, 100, x.shape)
        y = x + Tensor(noise)
        return y * int(np.random.randint(10)), noise

    return Scene(f, lambda: np.random.seed(5))


@hosted(X)
def copies(x):
    items = [x, [total(x)]]
    shallow, deep = copy.copy(items), copy.deepcopy(items)
    items[1].append("late")
    return shallow[0] is x, shallow[1] is items[1], deep, deep[0] is x, x * len(shallow[1])


@hosted(X)
def pickled(x):
    held = pickle.loads(pickle.dumps({"k": total(x), "a": x.asnumpy(), "t": (1, "b")}))
    return x * held["k"], held


@hosted(X)
def packed_numbers(x):
    data = struct.pack("<2f", *x.tolist())
    numbers = array.array("d", x.tolist())
    numbers.append(total(x))
    return (
        struct.unpack("<f", data[4:])[0] * x,
        numbers,
        numbers.itemsize,
        hashlib.sha256(data).hexdigest()[:8],
    )


@hosted(X)
def texts_of_the_library(x):
    made = string.Template("$name has $k").substitute(name="x", k=total(x))
    return made, textwrap.shorten(made, 8), string.capwords("a b"), x * len(made), uuid.UUID(int=7).hex[-1]


@hosted(X)
def tables_of_text(x):
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(["a", "b"])
    writer.writerow(x.tolist())
    rows = list(csv.DictReader(io.StringIO(buffer.getvalue())))
    return x * float(rows[0]["b"]), rows, buffer.getvalue()


@hosted(X)
def paths_and_the_environment(x):
    os.environ["DYAD_HOST_PROGRAM"] = str(total(x))
    k = float(os.environ["DYAD_HOST_PROGRAM"])
    del os.environ["DYAD_HOST_PROGRAM"]
    return x * k, os.path.basename("/a/b.txt"), os.path.splitext("b.txt"), os.environ.get("DYAD_HOST_PROGRAM")


@hosted(X)
def statistics_of_values(x):
    v = x.tolist()
    return statistics.mean(v), statistics.median(v + [9.0]), x * statistics.fmean(v)


@hosted_scene(X)
def records_are_logged_in_order():
    logger = logging.getLogger("dyad.tests.host_library")
    logger.handlers.clear()
    logger.setLevel(logging.INFO)
    logger.propagate = False
    handler = logging.Handler()
    handler.emit = lambda record: LOG.append((record.levelname, record.getMessage()))
    logger.addHandler(handler)

    def f(x):
        logger.info("start %s", x.shape)
        y = x
        while y.sum() < 10 and y.sum() > -10:
            logger.warning("at %.1f", float(y.sum()))
            print("printed")
            LOG.append("own")
            y = y * 2 + (1 if y.sum() > 0 else -1)
        logger.debug("unseen")
        if y.sum() > 0:
            logger.error("positive: %s", y.tolist())
        return y

    return f


@hosted_scene(X)
def file_stays_open_between_calls():
    file = io.StringIO()

    def f(x):
        file.write(f"{x.shape};")
        y = x * file.tell()
        print(total(y), file=file, end="|")
        return y, len(file.getvalue())

    return Scene(f, watch=file.getvalue)


@hosted(X)
def threads_and_queues(x):
    results, put = queue.Queue(), threading.Lock()

    def work(k):
        with put:
            results.put((k, x * k))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = dict(results.get() for _ in range(3))
    return found[2] + total(found[1]), sorted(found)


@hosted(X)
def pool_of_threads(x):
    def f(k):
        return total(x) * k

    with futures.ThreadPoolExecutor(2) as pool:
        values = list(pool.map(f, range(4)))
        late = pool.submit(f, 10)
    return x * values[-1], values, late.result()


@hosted_scene(X)
def event_and_condition_objects():
    event = threading.Event()

    def f(x):
        before = event.is_set()
        event.set()
        y = x * (2 if event.wait(0.1) else 3)
        return y, before

    return Scene(f, event.clear, event.is_set)


@hosted(X)
def containers_of_the_library(x):
    Pair = collections.namedtuple("Pair", "left right")
    pair = Pair(total(x), x)
    user = collections.UserList([1.0])
    user.append(pair.left)
    chain = collections.ChainMap({"a": 1}, {"a": 2, "b": total(x)})
    return x * user[1] + chain["b"], pair, list(user), sorted(chain), type(pair).__name__


@hosted(X)
def warnings_only_act(x):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        y = x
        for i in range(3):
            warnings.warn(f"turn {i}", stacklevel=1)
            y = y * 2
        if y.sum() > 0:
            warnings.warn("positive", RuntimeWarning, stacklevel=1)
    return y, [str(w.message) for w in caught]


@hosted(X)
def values_needed_for_a_moment(x):
    y = x
    for i in range(3):
        LOG.append(f"{i}: {float(y.sum()):.1f} {y.asnumpy().max():.1f}")
        y = y * 2
    LOG.append(int(y.sum()))
    return y


class Meter:
    """Keeps a running mean, as training loops do."""

    def __init__(self):
        self.sum, self.count = 0.0, 0

    def update(self, value, n=1):
        self.sum += float(value) * n
        self.count += n

    @property
    def mean(self):
        return self.sum / max(self.count, 1)


@hosted_scene(X)
def meter_of_a_training_loop():
    meter = Meter()

    def f(x):
        y = x * 2
        meter.update(y.sum())
        for row in y:
            meter.update(row, n=2)
        return y + meter.mean

    return Scene(f, lambda: meter.__init__(), lambda: meter)


@hosted(X)
def exit_handlers_of_a_stack(x):
    done = []
    with contextlib.ExitStack() as stack:
        stack.callback(done.append, "last")
        stack.push(lambda *about: done.append(about[0] is None))
        y = x * total(x)
        done.append("body")
    return y, done


@hosted(X)
def total_ordering_and_hashing(x):
    @functools.total_ordering
    class Sized:
        def __init__(self, k):
            self.k = k

        def __eq__(self, other):
            return self.k == other.k

        def __lt__(self, other):
            LOG.append("lt")
            return self.k < other.k

    a, b = Sized(total(x)), Sized(4.0)
    return a >= b, max(a, b).k * x, Sized.__hash__ is None
