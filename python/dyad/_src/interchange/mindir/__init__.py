"""Graphs in files: `export`, `load`, and the two formats, MindIR and text.

Reading MindIR, from the bytes up:

| Module | Holds |
|---|---|
| `messages`, `dtypes` | the messages of the format; numbers of element types and words |
| `values` | attributes and tensors as Python values |
| `structural`, `file_operators`, `operators` | what nodes call: Primitives by name, and what no program calls |
| `functions` | the functions of a file with all names resolved |
| `flow`, `python_source` | functions that call each other, as Python with `if` and `while` |
| `load` | all of it: from bytes to a FuncGraph |

Writing it, from the network down:

| Module | Holds |
|---|---|
| `captured_net` | a call of the network as the text of a graph, with the objects that its inputs stand for |
| `liveness` | what of the graph its results need |
| `writer`, `records` | functions, steps and constants as messages |
| `graph_values`, `emission`, `graph_emitter`, `numbers`, `window_writes` | nodes of the graph as steps of the file |
| `faces`, `primitive_kinds` | operators as Primitives, by the operator table |
| `lowerings`, `lowerings_*` | operators as several Primitives |
| `results`, `export` | the value that a call gives; all of it |

The text: `text_file`, `text_results`, `text_source`. The note `docs/design/0011-mindir.md` says why it is built so.
"""
