"""Protocol Buffers without a code generator: fields on the wire, and messages from tables of their fields."""
