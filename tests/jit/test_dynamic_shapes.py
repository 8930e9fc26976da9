"""`dynamic=1`: sizes that change between calls become variable, and no others."""

import numpy as np

import dyad
from dyad import JitConfig, Parameter, Tensor, jit
from dyad._src.jit.dynamic_shapes.dynamic_sizes import ShapePolicy, tensors_in_call


def ones(*shape, dtype=np.float32):
    return Tensor(np.ones(shape, dtype))


def decisions(*calls, attempts=2):
    """Decision of the policy for each call, a tuple of shapes."""
    policy = ShapePolicy(attempts)
    answers = []
    for shapes in calls:
        tensors = tensors_in_call([ones(*shape) for shape in shapes], {})
        answers.append([shape.sizes for shape in policy.shapes_for(tensors).values()])
    return answers


def test_the_third_shape_is_generalised_where_it_changed():
    assert decisions(((2, 3),), ((4, 3),), ((5, 3),)) == [[], [], [("n0", 3)]]


def test_the_number_of_static_attempts():
    assert decisions(((2,),), ((3,),), ((4,),), attempts=1) == [[], [("n0",)], [("n0",)]]
    assert decisions(((2,),), attempts=0) == [[(2,)]]


def test_sizes_that_were_always_equal_share_a_name():
    calls = [((size, 7), (size,)) for size in (2, 3, 4)]
    assert decisions(*calls)[-1] == [("n0", 7), ("n0",)]
    assert decisions(*calls, ((5, 7), (6,)))[-1] == [("n0", 7), ("n1",)]


def test_a_call_seen_before_is_not_a_new_attempt():
    assert decisions(((2,),), ((2,),), ((3,),), ((2,),)) == [[], [], [], []]


def test_ranks_and_dtypes_are_looked_at_apart():
    assert decisions(((2,),), ((3,),), ((2, 2),), ((3, 2),), ((4,),)) == [[], [], [], [], [("n0",)]]


def test_sizes_zero_and_one_stay_known():
    assert decisions(((2, 5),), ((3, 6),), ((1, 7),))[-1] == [(1, "n0")]


def test_parameters_keep_their_shape():
    policy = ShapePolicy(0)
    weight = Parameter(np.ones((2, 2), np.float32))
    assert list(policy.shapes_for({(0,): ones(3), (1,): weight})) == [(0,)]


def test_a_parameter_in_the_place_of_a_tensor_is_looked_at_apart():
    weight = Parameter(np.ones(2, np.float32))
    for options in ({"capture_mode": "bytecode"}, {"dynamic": 1}):
        product = jit(lambda x, y: (x * y).sum(), **options)
        for first, second in ((ones(2), weight), (weight, weight), (ones(2), ones(2)), (weight, ones(2))):
            assert product(first, second).item() == 2.0


def test_tensors_are_found_in_containers():
    x, y, z = ones(1), ones(2), ones(3)
    found = tensors_in_call((x, [1, (y,)]), {"k": {"a": z, "b": 2}})
    assert found == {(0,): x, (1, 1, 0): y, ("k", "a"): z}


def test_graphs_of_a_function(compilations):
    compiled = jit(lambda x, y: x, dynamic=1)
    for rows in (2, 3, 4, 5, 6, 2):
        assert compiled(ones(rows, 3), ones(rows)).shape == (rows, 3)
    assert len(compilations) == 3 and len(compiled.entries) == 3
    # The two sizes were always equal. A call in which they are not needs a further graph, which replaces the last.
    assert compiled(ones(7, 3), ones(8)).shape == (7, 3)
    assert len(compilations) == 4 and len(compiled.entries) == 3
    compiled(ones(9, 3), ones(9))
    assert len(compilations) == 4


def test_a_config_says_how_many_attempts(compilations):
    compiled = jit(lambda x: x, dynamic=1, jit_config=JitConfig(static_attempts=1))
    for rows in (2, 3, 4):
        compiled(ones(rows))
    assert len(compilations) == 2


def test_without_it_every_shape_is_compiled(compilations):
    compiled = jit(lambda x: x)
    for rows in (2, 3, 4, 2):
        compiled(ones(rows))
    assert len(compilations) == 3
    assert dyad.get_context("mode") == dyad.PYNATIVE_MODE
