"""Wrong calls of operators: what was given and what would be accepted is said, and nothing crashes."""

from wrong_program import check, programs

HUGE = 2**62


@programs(
    # shapes
    (
        "ops.add(ones(2, 3), ones(4))",
        ValueError,
        "add: shapes (2, 3) and (4,) do not broadcast: dimension 3 meets 4",
    ),
    ("ones(2, 3) + ones(2, 2)", ValueError, "add: shapes (2, 3) and (2, 2) do not broadcast"),
    (
        "ops.matmul(ones(4, 3), ones(5, 3))",
        ValueError,
        "matmul: inner sizes differ: the operands have shapes (4, 3) and (5, 3)",
    ),
    (
        "ones(4, 3) @ ones(5, 3)",
        ValueError,
        "matmul: inner sizes differ: the operands have shapes (4, 3) and (5, 3)",
    ),
    ("ones(4, 3) @ 2", TypeError, "unsupported operand type(s) for @: 'Tensor' and 'int'"),
    (
        "ops.reshape(ones(2, 3), (4,))",
        ValueError,
        "reshape: a tensor of shape (2, 3) has 6 elements and cannot take the shape (4,)",
    ),
    (
        "ops.reshape(ones(2, 3), (-1, -1))",
        ValueError,
        "reshape: the shape (-1, -1) has more than one -1; only one can be inferred",
    ),
    (
        "ops.reshape(ones(2, 3), (-2, 3))",
        ValueError,
        "reshape: the shape (-2, 3) has a negative size; accepted are sizes of 0 or more and one -1",
    ),
    (
        "ops.reshape(ones(0), (-1, 0))",
        ValueError,
        "reshape: the -1 in (-1, 0) could be any size for a tensor of shape (0,)",
    ),
    (
        "ops.concat([ones(2, 3), ones(2, 4)], 0)",
        ValueError,
        "concat: tensor 1 has shape (2, 4) and tensor 0 has shape (2, 3); they may differ only in dimension 0",
    ),
    ("ops.concat([], 0)", ValueError, "concat: the list of tensors is empty; at least one is needed"),
    (
        "ops.stack([ones(2), ones(3)])",
        ValueError,
        "stack: tensor 1 has shape (3,) and tensor 0 has shape (2,); all shapes must be equal",
    ),
    (
        "ops.broadcast_to(ones(2, 3), (2, 4))",
        ValueError,
        "broadcast_to: a tensor of shape (2, 3) does not broadcast to (2, 4); sizes must be equal or 1 in the tensor",
    ),
    (
        "ops.bmm(ones(2, 3), ones(3, 2))",
        ValueError,
        "bmm: the operands have shapes (2, 3) and (3, 2); both must have at least 3 dimensions",
    ),
    (
        "ops.squeeze(ones(2, 3), 2)",
        ValueError,
        "squeeze: axis 2 is out of range for a tensor of 2 dimensions; accepted are -2 to 1",
    ),
    ("ops.split(ones(5), [2, 2])", ValueError, "split: "),
    # axes
    ("ops.sum(ones(2, 3), 2)", ValueError, "sum: axis 2 is out of range for a tensor of 2 dimensions"),
    ("ops.sum(ones(2, 3), (0, 0))", ValueError, "sum: axis 0 is given twice"),
    ("ops.sum(ones(2, 3), -3)", ValueError, "axis -3 is out of range"),
    (
        "ops.permute(ones(2, 3), (0,))",
        ValueError,
        "axis (0,) has 1 entries for a tensor of shape (2, 3); the size of perm should equal to rank of the input, 2",
    ),
    ("ops.permute(ones(2, 3), (0, 0))", ValueError, "permute: axis 0 is given twice in (0, 0)"),
    (
        "ops.expand_dims(ones(2), 5)",
        ValueError,
        "expand_dims: axis 5 is out of range for a tensor of 2 dimensions; accepted are -2 to 1",
    ),
    (f"ops.sum(ones(2, 3), -{HUGE} - 9)", ValueError, "is out of range for a tensor of 2 dimensions"),
    ("ops.sum(ones(2, 3), 2**70)", OverflowError, "does not fit in 64 bits"),
    # sizes
    ("ops.zeros((-1, 2))", ValueError, "zeros: the shape (-1, 2) has a negative size"),
    ("ops.zeros((2**40, 2**40))", MemoryError, "out of memory"),
    ("ops.ones((2**50,))", MemoryError, "out of memory"),
    (f"ops.zeros(({HUGE}, {HUGE}, {HUGE}))", MemoryError, "out of memory"),
    (f"ops.zeros((-{HUGE} - 1,))", ValueError, "has a negative size"),
    ("ops.zeros((2.5,))", TypeError, "zeros: shape is (2.5,); it must be an int or a tuple of ints"),
    ("ops.eye(2**31, 2**31)", MemoryError, "out of memory"),
    ("ops.broadcast_to(ones(1), (2**40, 2**40))", MemoryError, "does not fit in any memory"),
    ("ops.arange(0, 10, 0)", ValueError, "arange: step is 0; it must not be"),
    ("ops.full((2,), 'a')", TypeError, "full: value is 'a'; it must be a Tensor or a number"),
    # dtypes
    (
        "ops.add(Tensor(np.ones(2, np.uint16)), ones(2))",
        TypeError,
        "add: no common type of UInt16 and Float32",
    ),
    ("ops.bitwise_and(ones(2), ones(2))", TypeError, "bitwise_and: operands meet in Float32"),
    (
        "Tensor([1, 2]).add_(1.5)",
        TypeError,
        "add_: the result has dtype Float32 but is written into an Int64 tensor",
    ),
    ("ops.cast(ones(2), 'strange')", TypeError, "cast: dtype is 'strange'"),
    ("ops.zeros((2,), dtype=3)", TypeError, "zeros: dtype is 3; it must be a dtype or None"),
    # kinds of objects
    ("ops.add(ones(2), 'a')", TypeError, "add: other is 'a'; it must be a Tensor or a number"),
    ("ops.add(ones(2), None)", TypeError, "add: other is None"),
    ("ops.add(ones(2), {})", TypeError, "add: other is of type dict; it must be a Tensor or a number"),
    ("ops.add(ones(2), object())", TypeError, "add: other is of type object"),
    ("ops.neg(3)", TypeError, "neg: input is 3; it must be a Tensor"),
    ("ops.neg([1, 2])", TypeError, "neg: input is [1, 2]; it must be a Tensor"),
    ("ops.concat(3)", TypeError, "concat: tensors is 3; it must be a tuple or list of Tensors"),
    (
        "ops.concat([ones(2), 3])",
        TypeError,
        "concat: tensors[1] is 3; it must be a Tensor",
    ),
    ("ops.sum(ones(2), 'x')", TypeError, "sum: axis is 'x'; it must be an int or a tuple of ints or None"),
    (
        "ops.add(ones(2), contained_in_itself())",
        ValueError,
        "Tensor: input_data is nested deeper than 64 levels",
    ),
    (
        "ops.reshape(ones(2), contained_in_itself())",
        TypeError,
        "reshape: shape is [[...]]; it must be an int or a tuple of ints",
    ),
    ("ops.add(ones(2), 2**70)", OverflowError, "does not fit in 64 bits"),
    # arguments
    (
        "ops.add(ones(2))",
        TypeError,
        "add() missing 1 required positional argument: 'other'; it must be a Tensor or a number",
    ),
    ("ops.add()", TypeError, "add() missing 1 required positional argument: 'input'"),
    ("ops.add(ones(2), 1, 2)", TypeError, "add() takes 2 positional arguments but 3 were given"),
    ("ops.add(ones(2), 1, other=2)", TypeError, "add() got multiple values for argument 'other'"),
    (
        "ops.add(ones(2), strange=2)",
        TypeError,
        "add() got an unexpected keyword argument 'strange'; accepted are input, other",
    ),
    ("ops.Add(1)(ones(2), 1)", TypeError, "Add() takes 0 positional arguments but 1 was given"),
    ("ops.Add(x=1)", TypeError, "Add() got an unexpected keyword argument 'x'"),
    ("Tensor.add()", TypeError, "add: this method needs a Tensor as its first argument"),
    ("Tensor.add(3, 4)", TypeError, "add: input is 3"),
    ("ops.relux", AttributeError, "dyad.ops has no 'relux'"),
    # indices
    (
        "ops.gather(ones(3), Tensor([5]), 0)",
        IndexError,
        "gather: index 5 is out of range for dimension 0 of size 3",
    ),
    (
        "ops.index_select(ones(3), 0, Tensor([3]))",
        IndexError,
        "index_select: index 3 is out of range for dimension 0 of size 3",
    ),
    (
        "ops.gather_elements(ones(3), 0, Tensor([-4]))",
        IndexError,
        "gather_elements: index -4 is out of range for dimension 0 of size 3",
    ),
    (
        "ops.max(ones(0))",
        ValueError,
        "max: shape (0,) has no element along axis 0; there must be at least one",
    ),
    (
        "ops.argmax(ones(0))",
        ValueError,
        "argmax: shape (0,) has no element along axis 0; there must be at least one",
    ),
)
def test_program_fails_with_its_message(program, error, text):
    check(program, error, text)
