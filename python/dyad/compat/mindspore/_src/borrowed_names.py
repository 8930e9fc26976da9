"""Names that a module of MindSpore has because it imports them, and that programs import from there.

`from mindspore.nn.cell import Parameter` works since that file happens to import Parameter. Here such a name is looked
for in the packages above the module and then where the names that every module uses are; nothing is listed twice.
"""

from types import ModuleType

from dyad._src.base.lazy_import import load

# Where the names are that modules import most. Of the last ones only classes are meant: a function of their name may be
# another one elsewhere.
_HOMES = ("dyad", "dyad.nn.initializer", "dyad.communication", "dyad.compat.mindspore._src.deprecation")
_HOMES_OF_CLASSES = ("dyad.nn", "dyad.ops", "dyad.ops.primitive", "dyad.train")
_OF_OPERATORS = ("dyad.nn.cell", "dyad.ops", "dyad.ops.primitive")
# The modules that are files of the reference whose imports programs take, by the package above them.
_BORROWING = {
    "common": "api dump parameter tensor",
    "communication": "comm_func",
    "dataset.text": "transforms",
    "dataset.transforms": "transforms",
    "dataset.vision": "utils",
    "mint.optim": "adam lr_scheduler optimizer sgd",
    "nn": "cell wrap",
    "nn.optim": "adadelta adafactor adam adamax asgd lamb momentum optimizer rmsprop rprop sgd",
    "nn.probability.bijector": "bijector",
    "nn.probability.distribution": "distribution",
    "nn.wrap": "cell_wrapper loss_scale",
    "numpy": "dtypes",
    "parallel": "auto_parallel parameter_broadcast strategy",
    "train": "model serialization",
    "train.callback": """
        _callback _checkpoint _early_stop _flops_collector _history _lr_scheduler_callback
        _on_request_exit _reduce_lr_on_plateau _summary_collector
    """,
    "train.metrics": """
        hausdorff_distance mean_surface_distance precision recall root_mean_square_surface_distance
    """,
    "train.summary": "summary_record",
}


def borrows(path):
    """True if programs import names from a module that its file in MindSpore imports."""
    above, _, name = path.removeprefix("dyad.").rpartition(".")
    return name in _BORROWING.get(above, "").split()


def find(module_name, name):
    """Finds the meaning of `name` in a module without that name; None if there is none."""
    if name.startswith("_"):
        return None
    above = module_name.split(".")[:-1]
    packages = [".".join(above[:length]) for length in range(len(above), 1, -1)]
    if packages[:1] == ["dyad.mint.optim"]:
        # MindSpore has these files below another package, which lists more names.
        packages[1:] = ["dyad.experimental.optim", "dyad.experimental"]
    modules = []
    for home in (*packages, *_HOMES):
        found = _public(home, name)
        if isinstance(found, ModuleType):
            modules.append(found)  # what is called like its file may follow
        elif found is not None:
            return found
    if modules:
        return modules[0]
    # Operators are made of operators: a layer or a metric of the name of one is something else.
    for home in _OF_OPERATORS if above[1:2] == ["ops"] else _HOMES_OF_CLASSES:
        found = _public(home, name)
        if isinstance(found, type):
            return found
    return None


def _public(home, name):
    module = load(home)
    return getattr(module, name) if name in vars(module).get("__all__", ()) else None
