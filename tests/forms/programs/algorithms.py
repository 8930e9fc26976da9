"""Whole algorithms over the items of Tensors: what they compare is known only when the graph runs."""

import dataclasses

from program import program

from dyad import Tensor, int32, ops

ITEMS = Tensor([1.0, -2.0, 3.0])


@program(ITEMS, strict=False)
def sort_by_exchange(x):
    items = list(x)
    for last in range(len(items) - 1, 0, -1):
        for place in range(last):
            if items[place] > items[place + 1]:
                items[place], items[place + 1] = items[place + 1], items[place]
    return items


@program(ITEMS, strict=False)
def sort_by_a_tree(x):
    @dataclasses.dataclass
    class Node:
        item: object
        smaller: object = None
        larger: object = None

    def insert(node, item):
        if node is None:
            return Node(item)
        if item < node.item:
            node.smaller = insert(node.smaller, item)
        else:
            node.larger = insert(node.larger, item)
        return node

    def walk(node):
        return [] if node is None else [*walk(node.smaller), node.item, *walk(node.larger)]

    root = None
    for item in x:
        root = insert(root, item)
    return walk(root)


@program(Tensor([5, 3, 9, 1]), strict=False)
def reverse_a_linked_list(x):
    class Node:
        def __init__(self, item, next_one):
            self.item, self.next_one = item, next_one

    head = None
    for item in x:
        head = Node(item, head)
    before = None
    while head:
        head.next_one, before, head = before, head, head.next_one
    total, place = 0, 0
    while before is not None:
        total, before, place = total + before.item * place, before.next_one, place + 1
    return total, place


@program(Tensor([5, 3, 9]), strict=False)
def run_a_stack_machine(x):
    stack = []
    for word in ("0", "1", "add", "2", "mul", "dup", "sub"):
        if word.isdigit():
            stack.append(x[int(word)])
        elif word == "dup":
            stack.append(stack[-1])
        else:
            b, a = stack.pop(), stack.pop()
            stack.append({"add": a + b, "mul": a * b, "sub": a - b}[word])
    return stack


@program(Tensor([[0.0, 1.0, 4.0], [1.0, 0.0, 2.0], [4.0, 2.0, 0.0]]), strict=False)
def shortest_paths(distances):
    distances = distances.copy()
    for middle in range(3):
        for start in range(3):
            for end in range(3):
                way = distances[start, middle] + distances[middle, end]
                if way < distances[start, end]:
                    distances[start, end] = way
    return distances


@program(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([5.0, 6.0]), strict=False)
def solve_by_elimination(a, b):
    a, b = a.copy(), b.copy()
    size = a.shape[0]
    for column in range(size):
        pivot = column
        for row in range(column + 1, size):
            if a[row, column].abs() > a[pivot, column].abs():
                pivot = row
        if pivot != column:
            for part in (a, b):
                kept = part[column].copy()
                part[column] = part[pivot]
                part[pivot] = kept
        for row in range(column + 1, size):
            factor = a[row, column] / a[column, column]
            a[row] -= factor * a[column]
            b[row] -= factor * b[column]
    x = ops.zeros(size)
    for row in range(size - 1, -1, -1):
        x[row] = (b[row] - (a[row] * x).sum()) / a[row, row]
    return x, pivot


@program(Tensor([2.0, -7.0, 1.0, 8.0]), strict=False)
def largest_sum_of_neighbours(x):
    best = current = x[0]
    start, span = 0, (0, 0)
    for place in range(1, len(x)):
        if current < 0:
            current, start = x[place], place
        else:
            current = current + x[place]
        if current > best:
            best, span = current, (start, place)
    return best, span


@program(Tensor([1.0, 2.0, 3.0]), Tensor([2.0, 2.0, 3.0]), strict=False)
def distance_of_two_sequences(a, b):
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) + 1):
        for j in range(len(b) + 1):
            if i == 0 or j == 0:
                table[i][j] = i + j
            elif a[i - 1] == b[j - 1]:
                table[i][j] = table[i - 1][j - 1]
            else:
                table[i][j] = 1 + min(table[i - 1][j], table[i][j - 1])
    return table[-1][-1]


@program(Tensor(2.0), strict=False)
def states_of_a_machine(level):
    state, passed = "start", []
    for _ in range(6):
        match state:
            case "start":
                state = "up" if level > 0 else "down"
            case "up" | "down" as way:
                level = level + (1 if way == "up" else -1)
                if abs(level) > 4:
                    state = "end"
            case "end":
                break
        passed.append(state)
    return passed, level


@program(Tensor(7.0), strict=False)
def steps_until_one(x):
    number, steps = x.abs().astype(int32), 0
    while number != 1:
        number = number // 2 if number % 2 == 0 else 3 * number + 1
        steps += 1
    return steps, number


@program(ITEMS, strict=False)
def iterate_until_it_stays(x):
    square = x.abs() + 1
    root = square
    for turn in range(20):
        nearer = 0.5 * (root + square / root)
        if (nearer - root).abs().max() < 1e-4:
            return nearer, turn
        root = nearer
    return root, -1


@program(Tensor([[4.0, 1.0], [2.0, 3.0]]), strict=False)
def largest_eigenvalue(matrix):
    direction, value, turns = ops.ones((2,)), 0.0, 0
    while turns < 50:
        image = matrix @ direction
        length = image.norm()
        direction = image / length
        if ops.abs(length - value) < 1e-5:
            break
        value = length
        turns += 1
    return value, direction, turns
