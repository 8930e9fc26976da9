"""Dominance in graphs whose nodes are numbers."""


def reachable(following, start):
    """The nodes that edges lead to from a node, itself included; `following(node)` returns the edges."""
    found, waiting = {start}, [start]
    while waiting:
        for other in following(waiting.pop()):
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found


class Dominators:
    """Immediate dominators: for each node the last other node on all paths from the roots to it, or None.

    Nodes without a path from the roots are left out. With the edges reversed, and the ends of a program as roots,
    they are its post-dominators. The algorithm is that of Cooper, Harvey and Kennedy.
    """

    def __init__(self):
        self.above = {}  # node -> its immediate dominator
        self._number = {}  # node -> its index in an order in which dominators come first

    def add(self, roots, starts, following, preceding):
        """Adds what edges lead to from new `roots`, and from `starts`, new nodes that edges of known ones lead to.

        `following` and `preceding` return the edges of a node; no edge leads from a new node to a known one.
        """
        order = postorder(following, (*roots, *starts))[::-1]
        for node in order:
            self._number[node] = len(self._number)
        self.above |= dict.fromkeys(roots)
        inner = [node for node in order if node not in self.above]
        changed = True
        while changed:
            changed = False
            for node in inner:
                above = self._nearest([other for other in preceding(node) if other in self.above])
                if node not in self.above or self.above[node] != above:
                    self.above[node] = above
                    changed = True

    def _nearest(self, nodes):
        """The nearest common ancestor of all nodes; None if there is none below the roots."""
        found = nodes[0]
        for node in nodes[1:]:
            while node != found:
                if node is None or found is None:
                    return None
                if self._number[node] > self._number[found]:
                    node = self.above[node]
                else:
                    found = self.above[found]
        return found


class Dominance:
    """Dominance between nodes, from immediate dominators."""

    def __init__(self, above):
        below: dict = {}
        for node, other in above.items():
            below.setdefault(other, []).append(node)
        # A node is numbered after all it dominates, which have consecutive numbers.
        self._span = {}
        count = 0
        waiting = [(node, False) for node in below.get(None, ())]
        begins: dict = {}
        while waiting:
            node, is_done = waiting.pop()
            if is_done:
                self._span[node] = begins[node], count
                count += 1
            else:
                begins[node] = count
                waiting.append((node, True))
                waiting.extend((other, False) for other in below.get(node, ()))

    def dominates(self, node, other):
        """Returns whether all paths to `other` pass `node`; False if there is no path."""
        if node not in self._span or other not in self._span:
            return False
        first, last = self._span[node]
        return first <= self._span[other][1] <= last


def postorder(following, roots):
    """The nodes that edges lead to from the roots, each after those that were found from it."""
    order, seen = [], set()
    for root in roots:
        if root in seen:
            continue
        seen.add(root)
        stack = [(root, iter(following(root)))]
        while stack:
            node, others = stack[-1]
            for other in others:
                if other not in seen:
                    seen.add(other)
                    stack.append((other, iter(following(other))))
                    break
            else:
                order.append(node)
                stack.pop()
    return order
