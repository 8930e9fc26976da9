"""Networks as ONNX files: `export(..., file_format="ONNX")`.

| Module | Holds |
|---|---|
| `messages` | the messages of the format, numbers of dtypes |
| `graph_writer` | a graph of the file that is being written: nodes, constants, attributes |
| `emission` | what every step needs: casts, shapes, dynamic sizes |
| `emitter` | branches, loops and calls of a captured graph, and the steps between them |
| `lowerings`, `lowerings_*` | operators as nodes of ONNX |
| `export` | the whole file |

The graph is captured as for MindIR (`_src/interchange/mindir/captured_net`). A file only computes: a network that
writes to its Parameters, or calls an operator without an ONNX form, is rejected with its line.
"""
