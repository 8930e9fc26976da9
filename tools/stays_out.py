"""Names that public programs use and that are not supported, by pattern, with reasons; shown in the coverage page.

A name that is there is never looked up here. A pattern stands for whole names.
"""

from __future__ import annotations

import re

_ASCEND = "Ascend only: it steers that processor, its compiler or its runtime"
_ASCEND_OPERATOR = "Ascend only: an operator without a meaning beyond that processor's kernels"
_ITS_SOURCE = "reads or patches the reference's own source: its parser, bodies of methods or gradient rules"
_ITS_FILES = "reads files that only the reference's runtime writes"
_PRIVATE = "private to the reference: a step inside one of its functions, which works here by another way"
_MISPRINT = "no name of the reference either: a misprint in the program that was read"
_OTHER_VERSION = "no public name of MindSpore 2.10: of another version, or of a module below"

STAYS_OUT: list[tuple[str, str]] = [
    (r"mindspore\.ops\.concatcat|context:modex|mindspore\.dataset\.ImageFolder", _MISPRINT),
    (r"mindspore\.(get_jit_config|communication\.barrier)", _OTHER_VERSION),
    (
        r"mindspore\.ops\.(arg_(max|min)_with_value_|custom_vjp|print|InplaceAddExt|Norm|ResizeV2|SequenceConcat|SparseCross)",
        _OTHER_VERSION,
    ),
    (
        r"context:(enable_ge|atomic_clean_policy|conv_allow_hf32|hccl_watchdog|jit_compile|matmul_allow_hf32"
        r"|op_precision_mode|precision_mode)",
        _ASCEND,
    ),
    (r"mindspore\.device_context\.ascend\..+|mindspore\.communication\._hccl_management\..+", _ASCEND),
    (r"mindspore\.utils\._tft_handler", _ASCEND),
    (
        r"mindspore\.(hifloat8|float8_e4m3fn|float8_e5m2)",
        "element types of Ascend's kernels alone",
    ),
    (
        r"mindspore\.ops\.(GenerateEodMaskV2|GeSwitch|KVCacheMgr|TransShape"
        r"|BasicLSTMCell)|mindspore\.ops\._op_impl\.aicpu\..+",
        _ASCEND_OPERATOR,
    ),
    (r"mindspore\.ops\.operations\._quant_ops\..+", _ASCEND_OPERATOR),
    (
        r"mindspore\.ops\.CustomOpBuilder",
        "compiles C++ against the reference's headers; `ops.Custom` takes functions here",
    ),
    (r"mindspore\._extends\.parse\..+|mindspore\.ops\._grad_experimental\..+", _ITS_SOURCE),
    (r"mindspore\._c_expression\..+|mindspore\.common\._monad\..+", _ITS_SOURCE),
    (r"mindspore\.rewrite\.common\..+", _ITS_SOURCE),
    (r"mindspore\.utils\.runtime_execution_order_check\..+", _ITS_FILES),
    (r"mindspore\.(FileSystem|common\.file_system\..+)", _ITS_FILES),
    (r"mindspore\.train\.summary\..+|mindspore\.train\.serialization\._.+", _PRIVATE),
    (r"mindspore\.train\.(_utils|amp)\._?.+|mindspore\.train\.callback\._cluster_monitor\..+", _PRIVATE),
    (r"mindspore\.(K_CONTEXT|PARAMETER_SPLIT_SIZE|TOTAL_SAVE|RowTensorInner)", _PRIVATE),
    (r"mindspore\.train\.(ModeEnum|PluginEnum)", _PRIVATE),
    (r"mindspore\.common\.(api\._.+|parameter\._.+|jit_begin_end\..+)", _PRIVATE),
    (r"mindspore\.numpy\.utils_const\..+|mindspore\.nn\.layer\.basic\._.+", _PRIVATE),
    (r"mindspore\.nn\.probability\.distribution\._utils\..+|mindspore\.ops\._utils\..+", _PRIVATE),
    (r"mindspore\.parallel\._transformer\..+", _PRIVATE),
    (r"(Parameter|Cell)\.(_.+|get_scope)", _PRIVATE),
    (
        r"mindspore\.ops\.(make_sig|sig_dtype|sig_rw|hyper_add|switch_layer|Merge)",
        _PRIVATE,
    ),
    (r"mindspore\.ops\.\w+_(sequence_)?(shape|value|element)_unknown", _PRIVATE),
    (
        r"mindspore\.ops\.(shape_mul|tracev2_grad_op)",
        _PRIVATE,
    ),
]

# Names that are still to come, and what they wait for.
NOT_YET: list[tuple[str, str]] = [
    (r"Tensor\.untyped_storage", "shows the memory of a Tensor as bytes; storages have no Python class yet"),
    (
        r"mindspore\.ops\.operations\.(_grad_ops\.SyncBatchNormGrad|_inner_ops\.SyncBatchNorm)",
        "the statistics of several processes as one operator; waits for messages between processes",
    ),
    (
        r"mindspore\.ops\.operations\._rl_inner_ops\.PriorityReplayBuffer.+",
        "a buffer of reinforcement learning that lives between calls; one test of MindSpore uses it",
    ),
]

# Documented names that no program among those read uses, and why they are not there.
DOCUMENTED: list[tuple[str, str]] = [
    (
        "`runtime.MemPool`, `PluggableAllocator`, `use_mem_pool`, `memory_replay`, `get_device_limit`",
        _ASCEND,
    ),
    (
        "`utils.ExitByRequest`, `TFTCommValue`, `nn.OptTFTWrapper`",
        "Ascend only: its cluster's controllers of faults",
    ),
    (
        "`nn.EmbeddingThor`, `nn.EmbeddingLookupThor`, `nn.GetNextSingleOp`, `ops.GetNext`",
        "Ascend and GPU only: reads a queue of the device, or keeps factors that `nn.thor` leaves out here",
    ),
    (
        "`nn.AdaSumByDeltaWeightWrapCell`, `nn.AdaSumByGradWrapCell`",
        "sums over 16 devices or more; `boost.AdaSum` says so with one process",
    ),
    (
        "`export_split_mindir`",
        "cuts a graph into parts for several devices, and one process computes whole graphs",
    ),
    (
        "`obfuscate_ckpt`, `load_obf_params_into_net`, `safeguard`",
        "hides weights by factors that the network undoes, which protects nothing; checkpoints can be encrypted",
    ),
    (
        "`dataset.vision.read_video`, `read_video_timestamps`, `VideoDecoder`, `DecodeVideo`, `dataset.OBSMindDataset`",
        "needs a decoder of video or a client of a vendor's store, which no dependency has",
    ),
    ("`experimental.MapParameter`", "a table of parameter servers, of which there are none"),
    (
        "`graph.register_custom_pass` and related functions",
        "adds passes and back ends that are compiled against the reference's headers",
    ),
]

# What the reference's public tests ask for beyond names, and why it is not given.
TESTS: list[tuple[str, str]] = [
    ("tests that need an Ascend processor, its compiler or several of them", _ASCEND),
    (
        "tests that read the reference's dumped graphs, compiler caches or log lines",
        "files and texts of its own passes; Dyad writes its own graphs (`save_graphs`, `dyad.ir`)",
    ),
    (
        "tests that mock, patch or introspect the reference's Python modules",
        "its source is another one; what a program sees of the result is the same",
    ),
    (
        "tests that assert an answer which differs from Python, NumPy or the dynamic graph",
        "a wrong answer of the reference: stale state, lost writes, cut gradients, other numbers. The dynamic graph, "
        "or Python where that is silent, is right here in every form",
    ),
    (
        "tests that expect an error for a program which works here",
        "the program means something in Python, and a user is better served by its result",
    ),
]


def reason_in(table: list[tuple[str, str]], name: str) -> str | None:
    """Reason of the first pattern that matches a name."""
    return next((reason for pattern, reason in table if re.fullmatch(pattern, name)), None)
