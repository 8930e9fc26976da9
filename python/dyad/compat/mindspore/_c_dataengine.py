"""`mindspore._c_dataengine`: the module below the data pipeline, which packages import beside it.

Transforms of this package name entries of a native table of their own; the operations of the reference's data engine
are not here, and asking for one raises AttributeError.
"""

__all__: list[str] = []
