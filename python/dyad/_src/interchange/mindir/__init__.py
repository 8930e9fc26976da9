"""Graphs in files: `export`, `load`, and the two formats, MindIR and text.

Reading MindIR, from the bytes up:

| Module | Holds |
|---|---|
| `messages`, `dtypes` | the messages of the format; numbers of dtypes and words |
| `values` | attributes and tensors as Python values |
| `structural`, `file_operators`, `operators` | what callees of nodes: Primitives by name, and operators of files only |
| `functions` | the functions of a file with all names resolved |
| `flow`, `python_source` | functions that call each other, as Python with `if` and `while` |
| `load` | from bytes to a FuncGraph |

Writing it, from the network down:

| Module | Holds |
|---|---|
| `captured_net` | a call of the network as the text of a graph, with the objects of its inputs |
| `liveness` | parts of the graph that its results need |
| `writer`, `records` | functions, steps and constants as messages |
| `emission`, `graph_emitter`, `numbers`, `window_writes` | nodes of the graph as steps of the file |
| `faces`, `primitive_kinds` | operators as Primitives, by the operator table |
| `lowerings`, `lowerings_*` | operators as several Primitives |
| `results`, `export` | the value of a call; the whole file |

The text: `text_file`, `text_results`, `text_source`. The design is explained in `docs/design/0011-mindir.md`.
"""
