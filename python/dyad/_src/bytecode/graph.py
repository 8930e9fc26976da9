"""Dominance in small graphs whose nodes are numbers."""


def reachable(following, start):
    """The nodes that edges lead to from a node, itself included; `following(node)` gives the edges."""
    found, waiting = {start}, [start]
    while waiting:
        for other in following(waiting.pop()):
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found


def dominators(edges, root):
    """For each node the set of nodes on every path from the root to it, itself included; None if there is no path."""
    order = _reverse_postorder(lambda node: edges[node], root)
    before = {node: [] for node in order}
    for node in order:
        for other in edges[node]:
            before[other].append(node)
    found = [None] * len(edges)
    found[root] = frozenset((root,))
    changed = True
    while changed:
        changed = False
        for node in order[1:]:
            known = [found[other] for other in before[node] if found[other] is not None]
            above = frozenset.intersection(*known) | {node}
            if above != found[node]:
                found[node] = above
                changed = True
    return found


def immediate_postdominator(following, start, nodes):
    """The first node that all paths from `start` to an end pass; None if they end in different nodes.

    Ends are nodes without edges. `nodes` are those that are reached.
    """
    order = _reverse_postorder(following, start)
    after = {
        node: None for node in order
    }  # nodes on every path to an end, itself included; None: not known yet
    ends = object()
    changed = True
    while changed:
        changed = False
        for node in reversed(order):
            known = [after[other] for other in following(node) if after.get(other) is not None]
            behind = frozenset.intersection(*known) if known else frozenset()
            if not known and following(node):
                continue
            if not following(node):
                behind = frozenset((ends,))
            new = behind | {node}
            if new != after[node]:
                after[node] = new
                changed = True
    passed = (after[start] or frozenset()) - {start, ends}
    # The first one is passed before all the others: they lie on its own paths.
    return next((node for node in passed if passed <= after[node] | {ends}), None)


def _reverse_postorder(following, root):
    order, seen = [], {root}
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
    return order[::-1]
