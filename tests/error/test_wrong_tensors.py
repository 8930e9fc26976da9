"""Wrong uses of Tensor objects: creation, conversion, subscripts, assignment."""

from wrong_program import check, programs


@programs(
    # creation
    ("Tensor(object())", TypeError, "Tensor: input_data is of type object"),
    ("Tensor({'a': 1})", TypeError, "Tensor: input_data is "),
    ("Tensor('text')", TypeError, "Tensor: input_data is 'text'"),
    ("Tensor(None)", TypeError, "Tensor: "),
    ("Tensor()", TypeError, "Tensor: "),
    ("Tensor([[1, 2], [3]])", ValueError, "Tensor: "),
    ("Tensor([1, 'a'])", TypeError, "Tensor: "),
    ("Tensor([1, None])", TypeError, "Tensor: "),
    ("Tensor(contained_in_itself())", ValueError, "Tensor: "),
    ("Tensor(contained_in_itself(tuple))", ValueError, "Tensor: "),
    ("Tensor([1.0], dtype='strange')", TypeError, "Tensor: dtype is 'strange'"),
    ("Tensor([2**70])", OverflowError, "does not fit in 64 bits"),
    ("Tensor(np.array(['a', 'b']))", TypeError, "Tensor: "),
    ("Tensor(np.array([object()]))", TypeError, "Tensor: "),
    ("Tensor(np.array(['2020-01-01'], dtype='datetime64[D]'))", TypeError, "Tensor: "),
    ("Tensor(shape=(2, -3), dtype=dyad.float32, init='zeros').init_data()", ValueError, ""),
    ("dyad.from_numpy([1, 2])", TypeError, "from_numpy: "),
    ("dyad.from_numpy(np.array(['a']))", TypeError, ""),
    # conversion
    ("float(ones(2))", ValueError, ""),
    ("int(ones(2, 2))", ValueError, ""),
    ("bool(ones(2))", ValueError, ""),
    ("ones(2).item(5)", IndexError, ""),
    ("range(3)[ones(1)]", TypeError, ""),
    ("len(Tensor(1.0))", TypeError, ""),
    ("list(Tensor(1.0))", TypeError, ""),
    ("hash({}) if hash(ones(1)) else [][0]", TypeError, ""),
    ("memoryview(ones(2)).cast('strange')", ValueError, ""),
    ("ones(2).astype('strange')", TypeError, "strange"),
    ("ones(2).view(3)", ValueError, "view: "),
    ("ones(2, 3).T.view(7)", ValueError, "view: "),
    ("ones(2) + np.ones(2)", TypeError, ""),
    # subscripts
    ("ones(3)[3]", IndexError, "3 is out of range"),
    ("ones(3)[-4]", IndexError, "-4 is out of range"),
    ("ones(3)[0, 0]", IndexError, ""),
    ("ones(2, 3)[..., ...]", IndexError, ""),
    ("ones(3)['a']", TypeError, ""),
    ("ones(3)[1.5]", TypeError, ""),
    ("ones(3)[::0]", ValueError, "step"),
    ("ones(3)[Tensor([3])]", IndexError, ""),
    ("ones(3)[Tensor([True, False])]", IndexError, ""),
    ("ones(3)[Tensor([0.5])]", TypeError, ""),
    ("ones(3)[contained_in_itself()]", (ValueError), ""),
    ("ones(3)[2**70]", (IndexError), ""),
    ("Tensor(1.0)[0]", IndexError, ""),
    # assignment
    ("x = ones(3)\nx[0] = 'a'", TypeError, ""),
    ("x = ones(3)\nx[0:2] = ones(3)", ValueError, ""),
    ("x = ones(3)\nx[7] = 1", IndexError, ""),
    ("x = ones(3)\ndel x[0]", TypeError, ""),
    ("x = ones(3)\nx.shape = (1, 3)", AttributeError, ""),
    ("x = dyad.from_numpy(read_only(3))\nx[0] = 2", ValueError, "read-only"),
    ("x = dyad.from_numpy(read_only(3))\nx.add_(1)", ValueError, "read-only"),
    ("x = dyad.from_numpy(read_only(3))\nx += 1\nx.add_(ones(4))", ValueError, ""),
    ("x = ones(3)\nx.add_(ones(2, 3))", ValueError, "add_: the result has shape (2, 3)"),
    ("ones(3).nothing", AttributeError, "nothing"),
)
def test_program_fails_with_its_message(program, error, text):
    check(program, error, text)
