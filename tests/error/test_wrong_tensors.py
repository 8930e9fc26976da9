"""Wrong uses of Tensor objects: creation, conversion, subscripts, assignment."""

from wrong_program import check, programs


@programs(
    # creation
    ("Tensor(object())", TypeError, "Tensor: input_data is of type object"),
    ("Tensor({'a': 1})", TypeError, "Tensor: input_data is of type dict"),
    ("Tensor('text')", TypeError, "Tensor: input_data is 'text'"),
    ("Tensor(None)", TypeError, "Tensor: input_data is None"),
    ("Tensor()", TypeError, "Tensor: input_data is missing"),
    ("Tensor([[1, 2], [3]])", TypeError, "its lists are of unequal length or depth"),
    (
        "Tensor([1, 'a'])",
        TypeError,
        "For Tensor, the input_data is [1, 'a'] that contain unsupported element. 'a' is one",
    ),
    (
        "Tensor([1, None])",
        TypeError,
        "For Tensor, the input_data is [1, None] that contain unsupported element. None is one",
    ),
    ("Tensor(contained_in_itself())", ValueError, "Tensor: input_data is nested deeper than 64 levels"),
    ("Tensor(contained_in_itself(tuple))", ValueError, "Tensor: input_data is nested deeper than 64 levels"),
    ("Tensor([1.0], dtype='strange')", TypeError, "Tensor: dtype is 'strange'"),
    ("Tensor([2**70])", OverflowError, "does not fit in 64 bits"),
    ("ones(2) + 2**70", OverflowError, "does not fit in 64 bits"),
    (
        "[1, 2][Tensor([0, 1])]",
        ValueError,
        "index: Only integer tensors of a single element can be converted to an index; this is a tensor of shape (2,)",
    ),
    (
        "Tensor([[3], [[4]]])",
        TypeError,
        "the input_data is [[3], [[4]]] that contain unsupported element. its lists are of unequal length or depth",
    ),
    ("ones(2, 3, 4).transpose((0, 1))", ValueError, "size of perm should equal to rank of the input, 3"),
    ("ones(2, 3, 4).transpose((0, 1, 1))", ValueError, "perms should all be unique dim"),
    ("ones(2, 3, 4).transpose((0, 3, 4))", ValueError, "the perm value must be in [-3, 3)"),
    ("ones(2, 3, 4).clip(None, None)", ValueError, "at least one of 'min' or 'max' must not be None"),
    (
        "Tensor(np.array(['a', 'b']))",
        TypeError,
        "Tensor: a NumPy array of dtype <U1 cannot become a tensor (initializing tensor by numpy array failed",
    ),
    (
        "Tensor(np.array([object()]))",
        TypeError,
        "Tensor: a NumPy array of dtype object cannot become a tensor (initializing tensor by numpy array failed",
    ),
    (
        "Tensor(np.array(['2020-01-01'], dtype='datetime64[D]'))",
        TypeError,
        "Tensor: a NumPy array of dtype datetime64[D] cannot become a tensor (initializing tensor by numpy array fail",
    ),
    (
        "Tensor(shape=(2, -3), dtype=dyad.float32, init='zeros').init_data()",
        ValueError,
        "Tensor: the shape (2, -3) has a negative size; sizes must be 0 or more",
    ),
    ("dyad.from_numpy([1, 2])", TypeError, "from_numpy: got [1, 2]; it must be a NumPy array"),
    (
        "dyad.from_numpy(np.array(['a']))",
        TypeError,
        "from_numpy: a NumPy array of dtype <U1 cannot become a tensor (initializing tensor by numpy array failed",
    ),
    # conversion
    (
        "float(ones(2))",
        ValueError,
        "float: Only one element tensors can be converted to Python scalars; this one has shape (2,)",
    ),
    (
        "int(ones(2, 2))",
        ValueError,
        "int: Only one element tensors can be converted to Python scalars; this one has shape (2, 2)",
    ),
    (
        "bool(ones(2))",
        ValueError,
        "bool: The truth value of an array with more than one element is ambiguous. Use any() or all()",
    ),
    (
        "range(3)[ones(1)]",
        ValueError,
        "index: Only integer tensors of a single element can be converted to an index; this is a Float32 tensor",
    ),
    ("len(Tensor(1.0))", TypeError, "len: a tensor of 0 dimensions has no length"),
    ("list(Tensor(1.0))", TypeError, "iter: Cannot iterate over a scalar tensor"),
    ("ones(2).astype('strange')", TypeError, "astype: dtype is 'strange'; it must be a dtype"),
    (
        "ones(2).view(3)",
        ValueError,
        "view: a tensor of shape (2,) has 2 elements and cannot take the shape (3,)",
    ),
    (
        "ones(2, 3).T.view(7)",
        ValueError,
        "view: a tensor of shape (3, 2) has 6 elements and cannot take the shape (7,)",
    ),
    (
        "ones(2) + np.ones(2)",
        TypeError,
        "add: other is a NumPy array; make it a Tensor, or the tensor an array with asnumpy()",
    ),
    # subscripts
    ("ones(3)[3]", IndexError, "3 is out of range"),
    ("ones(3)[-4]", IndexError, "-4 is out of range"),
    ("ones(3)[0, 0]", IndexError, "index: 2 subscripts are too many for a tensor of 1 dimensions"),
    ("ones(2, 3)[..., ...]", IndexError, "index: a subscript has more than one ...; one is accepted"),
    ("ones(3)['a']", IndexError, "index: a subscript is 'a'; it must be an int, a slice, None"),
    ("ones(3)[1.5]", IndexError, "index: a subscript is 1.5; it must be an int, a slice, None"),
    ("ones(3)[::0]", ValueError, "slice step cannot be zero"),
    ("ones(3)[Tensor([3])]", IndexError, "index: 3 is out of range for dimension 0 of size 3"),
    (
        "ones(3)[Tensor([True, False])]",
        IndexError,
        "index: a mask of shape (2,) does not fit dimension 0 of size 3",
    ),
    (
        "ones(3)[Tensor([0.5])]",
        IndexError,
        "index: a subscript is a Float32 Tensor of shape (1,); it must be an int",
    ),
    ("ones(3)[contained_in_itself()]", ValueError, "Tensor: input_data is nested deeper than 64 levels"),
    ("ones(3)[2**70]", IndexError, "cannot fit 'int' into an index-sized integer"),
    ("Tensor(1.0)[0]", IndexError, "index: 1 subscripts are too many for a tensor of 0 dimensions"),
    # assignment
    ("x = ones(3)\nx[0] = 'a'", TypeError, "Tensor: input_data is 'a'"),
    (
        "x = ones(3)\nx[Tensor([0, 7])] = 1",
        IndexError,
        "index: 7 is out of range for dimension 0 of size 3",
    ),
    (
        "x = ones(3)\nx[Tensor([0, 1])] = ones(3)",
        ValueError,
        "index: a value of shape (3,) does not broadcast to",
    ),
    (
        "x = ones(3)\nx[0:2] = ones(3)",
        ValueError,
        "index: a value of shape (3,) does not broadcast to the shape (2,) that it is written into",
    ),
    ("x = ones(3)\nx[7] = 1", IndexError, "index: 7 is out of range for dimension 0 of size 3"),
    ("x = ones(3)\ndel x[0]", TypeError, "index: elements of a tensor cannot be deleted"),
    (
        "x = ones(3)\nx.shape = (1, 3)",
        AttributeError,
        "attribute 'shape' of 'Tensor' objects is not writable",
    ),
    (
        "x = dyad.from_numpy(read_only(3))\nx[0] = 2",
        ValueError,
        "index: the tensor shares the memory of a read-only array; write to a copy instead",
    ),
    (
        "x = dyad.from_numpy(read_only(3))\nx.add_(1)",
        ValueError,
        "add_: the tensor shares the memory of a read-only array; write to a copy instead",
    ),
    (
        "x = dyad.from_numpy(read_only(3))\nx += 1\nx.add_(ones(4))",
        ValueError,
        "add_: shapes (3,) and (4,) do not broadcast: dimension 3 meets 4, sizes must be equal or one of them 1",
    ),
    (
        "x = dyad.ops.broadcast_to(ones(1, 3), (2, 3))\nx.add_(1)",
        ValueError,
        "add_: several elements share one place in memory; write to a copy() instead",
    ),
    (
        "x = dyad.ops.broadcast_to(ones(1, 3), (2, 3))\nx[:] = dyad.Tensor([[1.0], [2.0]])",
        ValueError,
        "several elements share one place in memory; write to a copy() instead",
    ),
    ("x = ones(3)\nx.add_(ones(2, 3))", ValueError, "add_: the result has shape (2, 3)"),
    ("ones(3).nothing", AttributeError, "'Tensor' object has no attribute 'nothing'"),
)
def test_program_fails_with_its_message(program, error, text):
    check(program, error, text)
