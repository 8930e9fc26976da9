"""Settings of Primitives in files of MindSpore 2.10: inputs after the others, or attributes.

A file has this only for its own Primitives. Contains names of the operator table.
"""

_AS_INPUTS = """
ACos Abs Acosh AdamWeightDecay Add AddN Addcdiv Addcmul Angle ArgMaxWithValue ArgMinWithValue Argmax Argmin Asin
Asinh Assign AssignAdd AssignSub Atan Atan2 Atanh AvgPool BCEWithLogitsLoss BatchMatMul BatchNorm Betainc BiasAdd
BinaryCrossEntropy BroadcastTo Cast Cdist CeLU Ceil Cholesky CholeskyInverse Complex Concat Conj Cos Cosh Cross
CumProd CumSum Cummax Cummin Dense Diag Diagonal Div Dropout Elu Equal Erf Erfc Erfinv Exp ExpandDims Expm1 Eye
FastGeLU Flatten Floor FloorDiv FloorMod GLU Gather GatherD GatherNd Gcd GeLU Greater GreaterEqual GridSampler2D
GridSampler3D GroupNorm HShrink HSigmoid HSwish Identity IsClose IsFinite IsInf LayerNorm LeftShift Lerp Less
LessEqual LinSpace Log Log1p LogMatrixDeterminant LogSoftmax LogicalAnd LogicalNot LogicalOr LogicalXor Logit
MaskedFill MaskedScatter MaskedSelect MatMul MatrixDeterminant MatrixExp Maximum Meshgrid Minimum Mul NLLLoss
NanToNum Neg NextAfter NonZero NotEqual OneHot Ones OnesLike PReLU Polar Pow Qr RandpermV2 ReLU ReLU6 Real RealDiv
Reciprocal ReduceAll ReduceAny ReduceMax ReduceMean ReduceMin ReduceProd ReduceStd ReduceSum Reshape ResizeBicubic
ResizeBilinearV2 ResizeNearestNeighbor ResizeNearestNeighborV2 ReverseV2 RightShift RmsNorm Round Rsqrt ScatterNd
Select SiLU Sigmoid Sign Sin Sinc Sinh Slice SmoothL1Loss SoftMarginLoss SoftShrink Softmax Split Sqrt Square
Squeeze StridedSlice Sub Tan Tanh Tile Trace Transpose TransposeExtView TransposeView Trunc UnsortedSegmentSum Xlogy
Zeros ZerosLike
"""

# Under the names of the constructor.
_AS_ATTRIBUTES = """
AccumulateNV2 Adam AdaptiveAvgPool2D AdaptiveAvgPool3D AddV2 AffineGrid ApplyAdaMax ApplyAdadelta ApplyAdagrad
ApplyAdagradDA ApplyAdagradV2 ApplyAdamWithAmsgrad ApplyAdamWithAmsgradV2 ApplyAddSign ApplyCenteredRMSProp
ApplyFtrl ApplyGradientDescent ApplyKerasMomentum ApplyMomentum ApplyPowerSign ApplyProximalAdagrad
ApplyProximalGradientDescent ApplyRMSProp ApproximateEqual AvgPool3D BartlettWindow BatchToSpace BesselI0 BesselI0e
BesselI1 BesselI1e BesselJ0 BesselJ1 BesselY0 BesselY1 BlackmanWindow BoundingBoxDecode BoundingBoxEncode Bucketize
CTCLossV2 CheckValid CholeskySolve ComplexAbs ConjugateTranspose Conv2D Conv3D CountNonZero CropAndResize
CumulativeLogsumexp DepthToSpace DiagPart Digamma DivNoNan EmbeddingLookup EqualCount EuclideanNorm Fill
FillDiagonal FillV2 Fills Fmax Fmin Ger HSVToRGB HammingWindow Heaviside Histogram Hypot IOU Igamma Igammac Imag
InTopK IndexFill IndexPut InplaceAdd InplaceSub InplaceUpdateV2 Inv Invert IsNan KLDivLoss L2Loss L2Normalize
LARSUpdate LRN Lcm Lgamma ListDiff LpNorm MatrixBandPart MatrixDiagPartV3 MatrixDiagV3 MatrixPower MatrixSetDiagV3
MatrixTriangularSolve MaxPool MaxPool3D Median MirrorPad Mish MulNoNan MultiMarginLoss MultilabelMarginLoss Mvlgamma
NMSWithMask Pad Padding Pdist PopulationCount RGBToHSV RandomCategorical ReLUV3 Renorm ReverseSequence Rint SGD SeLU
SigmoidCrossEntropyWithLogits SoftmaxCrossEntropyWithLogits Softplus Softsign Sort SpaceToBatch SpaceToBatchND
SpaceToDepth SparseSoftmaxCrossEntropyWithLogits SquareSumAll SquaredDifference Stack StandardLaplace StandardNormal
TensorScatterElements TopK TripletMarginLoss TruncateDiv TruncateMod UniformInt UniformReal Unique
UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd Xdivy Zeta
"""

FUNCTION_PRIMITIVES = frozenset(_AS_INPUTS.split())
ATTRIBUTE_PRIMITIVES = frozenset(_AS_ATTRIBUTES.split())
