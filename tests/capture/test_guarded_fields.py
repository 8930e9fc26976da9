"""Guards look at fields that Python computes on reading: names of functions and classes, and the members of deques."""

from collections import deque

from dyad import _core


def _tree_of(value):
    tree = _core.GuardTree()
    return tree, tree.argument(0)


def test_the_name_of_a_function():
    def function():
        pass

    tree, node = _tree_of(function)
    tree.check_equal(tree.attribute(node, "__name__"), "function")
    assert tree.matches((function,))
    function.__name__ = "other"
    assert not tree.matches((function,))


def test_the_name_of_a_class():
    class Named:
        pass

    tree, node = _tree_of(Named)
    tree.check_equal(tree.attribute(node, "__name__"), "Named")
    assert tree.matches((Named,))
    Named.__name__ = "Other"
    assert not tree.matches((Named,))


def test_the_members_of_a_deque():
    queue = deque([1, 2], maxlen=3)
    tree, node = _tree_of(queue)
    tree.check_length(node, 2)
    tree.check_equal(tree.attribute(node, "maxlen"), 3)
    tree.check_equal(tree.element(node, 1), 2)
    assert tree.matches((queue,))
    assert not tree.matches((deque([1, 2]),))
    assert not tree.matches((deque([1, 3], maxlen=3),))
    queue.append(3)
    assert not tree.matches((queue,))
