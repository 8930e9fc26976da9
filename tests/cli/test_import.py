import subprocess
import sys


def test_import_does_not_pull_in_heavy_modules():
    code = "import sys, dyad; print([m for m in ('scipy', 'difflib', 'matplotlib') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"


def test_public_names_exist_and_are_listed_once():
    import dyad

    for module in (dyad, dyad.nn, dyad.ops, dyad.common, dyad.runtime, dyad.context):
        assert len(set(module.__all__)) == len(module.__all__), module.__name__
        missing = [name for name in module.__all__ if not hasattr(module, name)]
        assert not missing, module.__name__


def test_every_public_layer_is_documented():
    from dyad import nn

    undocumented = [name for name in nn.__all__ if not getattr(nn, name).__doc__]
    assert not undocumented
