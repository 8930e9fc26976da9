"""Fused operators that one kind of accelerator has.

Programs import and construct them wherever they run, and call them where that accelerator is. So each can be
constructed with what it takes there; a call says what computes the same here.
"""

from dyad._src.primitive.primitive import Primitive

# Name -> what to call instead.
_INSTEAD = {
    "ApplyRotaryPosEmb": "ops.rotary_position_embedding",
    "DSDMatmul": "ops.matmul",
    "DecoderKVCache": "assignments to slices",
    "DynamicQuantExt": "ops.round after a division by the scale",
    "FlashAttentionScoreGrad": "grad of ops.flash_attention_score",
    "FusedAddTopKDiv": "ops.topk",
    "FusedCastAdamWeightDecay": "nn.AdamWeightDecay",
    "FusedInferAttentionScore": "ops.flash_attention_score",
    "GroupTopk": "ops.topk",
    "GroupedMatmul": "ops.matmul for each group",
    "GroupedMatmulV2": "ops.matmul for each group",
    "GroupedMatmulV4": "ops.matmul for each group",
    "IncreFlashAttention": "ops.flash_attention_score",
    "KVCacheScatterUpdate": "assignments to slices",
    "MatmulDDS": "ops.matmul",
    "MoeComputeExpertTokens": "ops.bincount",
    "MoeDistributeCombine": "ops.moe_token_unpermute",
    "MoeDistributeDispatch": "ops.moe_token_permute",
    "MoeInitRoutingV2": "ops.moe_token_permute",
    "PagedAttention": "ops.flash_attention_score",
    "PagedAttentionMask": "ops.flash_attention_score",
    "PromptFlashAttention": "ops.flash_attention_score",
    "PromptKVCache": "assignments to slices",
    "QuantBatchMatmul": "ops.matmul",
    "QuantMatmul": "ops.matmul",
    "QuantV2": "ops.round after a division by the scale",
    "ReshapeAndCache": "assignments to slices",
    "TopKRouter": "ops.topk",
    "WeightQuantBatchMatmul": "ops.matmul",
}
# What to call instead -> gradients of such operators, those of rounded numbers and of preconditioning by matrices.
_FAMILIES = {
    "grad of ops.matmul": "DSDGrad MatmulDDSGrad",
    "grad of ops.CudnnGRU": "GruGradData GruGradWeight",
    "grad of ops.LSTM": "LSTMGradData LSTMGradWeight",
    "grad of ops.flash_attention_score": """
        NsaSelectAttentionGrad SparseFlashAttentionGrad SpeedFusionAttentionGrad
    """,
    "ops.round after a division by the scale": """
        ActsULQ FakeLearnedScaleQuantPerChannel FakeLearnedScaleQuantPerLayer FakeQuantParam FakeQuantPerChannel
        FakeQuantPerLayer FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsPerChannel IFMR WtsARQ
    """,
    "ops.where with the gradient, between the bounds": """
        ActULQClampMaxGrad ActULQClampMinGrad ActsULQInputGrad FakeLearnedScaleQuantPerChannelGrad
        FakeLearnedScaleQuantPerChannelGradD FakeLearnedScaleQuantPerChannelGradDReduce
        FakeLearnedScaleQuantPerLayerGrad FakeLearnedScaleQuantPerLayerGradD
        FakeLearnedScaleQuantPerLayerGradDReduce FakeQuantPerChannelGrad FakeQuantPerLayerGrad
        FakeQuantWithMinMaxVarsGradient FakeQuantWithMinMaxVarsPerChannelGradient
    """,
    "ops.amin and ops.amax": "MinMaxUpdatePerChannel MinMaxUpdatePerLayer",
    "ops.mul with the scale": "BatchNormFold2 BatchNormFold2D CorrectionMul",
    "grad of ops.mul": """
        BatchNormFold2Grad BatchNormFold2GradD BatchNormFold2GradReduce CorrectionMulGrad CorrectionMulGradReduce
    """,
    "ops.BatchNorm": "BatchNormFold BatchNormFoldD",
    "grad of ops.BatchNorm": "BatchNormFoldGrad BatchNormFoldGradD",
    "ops.matmul": """
        CusBatchMatMul CusMatMulCube CusMatMulCubeDenseLeft CusMatMulCubeDenseRight CusMatMulCubeFraczLeftCast
        CusMatMulCubeFraczRightMul UpdateThorGradient
    """,
    "ops.cholesky and ops.inverse": "CholeskyTrsm CusCholeskyTrsm",
    "ops.abs and ops.amax": "CusFusedAbsMax1",
    "ops.unfold": "CusImg2Col LoadIm2Col NewIm2Col",
    "ops.block_diag": "CusMatrixCombine",
    "ops.transpose": "CusTranspose02314",
    "ops.det": "DetTriangle",
}
_INSTEAD |= {name: instead for instead, names in _FAMILIES.items() for name in names.split()}


class _OfAnotherDevice(Primitive):
    def __init__(self, *args, **kwargs):
        super().__init__(type(self).__name__)
        for name, value in kwargs.items():
            self.add_prim_attr(name, value)

    def __call__(self, *args, **kwargs):
        raise RuntimeError(
            f"{self.name}: only an accelerator of another kind has it; use {_INSTEAD[self.name]}"
        )


classes = {
    name: type(name, (_OfAnotherDevice,), {"__doc__": f"An operator of another device; here, use {instead}."})
    for name, instead in _INSTEAD.items()
}
