"""Effects beside graphs in bytecode mode: sizes stay open, numbers stay what Python needs, comparisons stay truths."""

import contextlib

import numpy as np

from dyad import Tensor, jit, nn


def test_sizes_stay_open_beside_an_effect():
    def appended(x, y, seen):
        seen.append(0)
        return x + y

    compiled, seen = jit(appended, capture_mode="bytecode"), []
    for size in range(2, 20):
        ones = Tensor(np.ones(size, np.float32))
        assert compiled(ones, ones, seen).shape == (size,)
    assert len(seen) == 18
    graphs = [piece.graphs for piece in compiled.__jit_compiler__.split.pieces() if piece.is_graph]
    assert graphs == [1]


def test_a_number_that_python_needs_is_known_to_a_whole_graph():
    class Kept(nn.Cell):
        def __init__(self):
            super().__init__()
            self.count, self.kept = 0, {}

        @jit(capture_mode="bytecode", fullgraph=True)
        def construct(self, x):
            self.count += 1
            self.kept[self.count] = x
            return x * 2

    cell = Kept()
    for _ in range(6):
        cell(Tensor([1.0]))
    assert list(cell.kept) == [1, 2, 3, 4, 5, 6]


def test_a_comparison_beside_a_break_decides(tmp_path):
    def told(x):
        kept = x.asnumpy()
        if x.sum() > 6:
            answer = "large"
        else:
            (tmp_path / "small").touch()
            answer = "small"
        return answer, float(kept[0])

    compiled = jit(told, capture_mode="bytecode")
    for value in (30.0, -3.0, 30.0, 2.0):
        assert compiled(Tensor([value])) == ("large" if value > 6 else "small", value)


def test_a_loop_on_data_with_a_break_in_it_ends(tmp_path):
    def grown(x):
        while x.sum() < 6:
            x = x + 1
            (tmp_path / "turn").touch()
        return x

    compiled = jit(grown, capture_mode="bytecode")
    for value in (3.0, 9.0, 5.5):
        np.testing.assert_array_equal(
            compiled(Tensor([value])).asnumpy(), np.float32([max(value, 6 + value % 1)])
        )


def test_a_try_that_does_nothing_inside_of_two_managers():
    class Told:
        def __enter__(self):
            return self

        def __exit__(self, *raised):
            return False

    def program(x):
        with contextlib.suppress(KeyError), Told():
            try:  # noqa: SIM105
                pass
            except ValueError:
                pass
        return x * 2

    compiled = jit(program, capture_mode="bytecode", fullgraph=True)
    np.testing.assert_array_equal(compiled(Tensor([1.0])).asnumpy(), np.float32([2.0]))


def test_blocks_that_do_nothing_between_others_in_a_loop():
    def program(rows):
        last, seen = 0, []
        try:
            for row in rows:
                last = row
                try:
                    seen.append("first")
                except KeyError as error:
                    last = error
                try:
                    pass
                except LookupError:
                    pass
                finally:
                    seen.append("last")
        except ValueError:
            pass
        return last, seen

    compiled = jit(program, capture_mode="bytecode")
    rows = [Tensor([1.0]), Tensor([2.0])]
    last, seen = compiled(rows)
    assert last is rows[1] and seen == ["first", "last"] * 2
