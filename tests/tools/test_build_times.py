"""Reading Ninja's log."""

from build_times import read_times

LOG = """# ninja log v6
0\t1500\t1\tsrc/CMakeFiles/dyad_ops.dir/ops/op.cpp.o\taaaa
1500\t1600\t1\tpython/dyad/lib/libdyad.so\tbbbb
0\t2250\t2\tsrc/CMakeFiles/dyad_ops.dir/ops/op.cpp.o\tcccc
"""


def test_the_last_build_of_an_object_counts():
    assert read_times(LOG) == {"src/CMakeFiles/dyad_ops.dir/ops/op.cpp.o": 2.25}
