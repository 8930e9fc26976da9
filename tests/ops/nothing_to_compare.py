"""Operators that a test over the table has nothing to compare for, with the reason.

Every other operator must be compared at least once by each test that it is given to, and one that is listed here must
not be: the list is exact. A variant of a test is named by its id.
"""


def _names(text):
    return frozenset(text.split())


# They check the entry itself, or the errors of rejected calls.
OF_THE_ENTRY = frozenset(
    (
        "test_entry_is_complete",
        "test_functions_show_their_signature",
        "test_reject_raises_what_it_promises",
        "test_rejects_as_graphs",
    )
)

# From numbers alone.
_CREATED = _names(
    "arange bartlett_window blackman_window empty eye fftfreq full hamming_window hann_window kaiser_window linspace "
    "rfftfreq tensor_of_ints triangle_indices"
)
_CREATED_BY_A_BODY = frozenset(("ones", "zeros"))
# From numbers, or tensors of one element.
_FROM_ELEMENTS = frozenset(("filled", "logspace", "spaced"))
# Integers and bools in, or out.
_OF_INTEGERS = _names(
    "argsort argsort_along bucketize count_nonzero equal_count intopk lcm list_difference nonzero_tuple searchsorted "
    "sequence_mask unique_sorted"
)
# test_complex_gradients compares these.
_COMPLEX_RULES = _names("complex eigen fourier matrix_logarithm polar view_as_complex view_as_real")
_COMPLEX = _COMPLEX_RULES | _names(
    "conjugate_transpose eig eigvals fft fftn ifft ifftn ihfft ihfftn rfft rfftn"
)
# test_gradients_in_float32 compares these.
_FLOAT32 = frozenset(("crop_and_resize", "ldexp", "logspace", "resize_area"))
_NOT_IN_FLOAT64 = _CREATED_BY_A_BODY | _OF_INTEGERS | _COMPLEX | _FLOAT32

# The shape of a result depends on data, or on sizes that must be known.
_NEED_SIZES = _names(
    "aligned_ctc_loss bincount cov crop_and_resize deformable_conv2d deformable_offsets distinct fft fftn fftshift "
    "fill_diagonal "
    "fractional_max_pool group_rows hfft hfftn histogram_fixed_width ifft ifftn ifftshift ihfft ihfftn irfft "
    "irfftn length_range list_difference masked_select matrix_band_part matrix_diag_part "
    "matrix_set_diag matrix_solve_ls multilabel_margin_loss multilabel_margin_loss_with_labels nms_with_mask "
    "nonzero nonzero_tuple orgqr ormqr ps_roi_pooling resize_area reverse_sequence rfftn roi_align "
    "scaled_dot_product_attention slice_scatter split_by_places split_by_sections split_evenly split_in "
    "sum_to_size swiglu tensor_split_at tridiagonal_solve unique unique_consecutive unique_sorted unstack "
    "unstack_in"
)
# No argument has a size that can grow by itself: numbers only, or other arguments fix the sizes.
_FIXED_SIZES = _names(
    "affine_grid check_valid cholesky cholesky_inverse combinations embed_diagonal embed_slice fill_diagonal "
    "laplace nms_with_mask normal orgqr rand random_cauchy random_choice_with_mask random_integers random_normal "
    "random_order random_standard_normal random_truncated_normal random_uniform randperm reshape_as "
    "standard_laplace uniform uniform_int uniform_real"
)
# A step of an optimiser writes its arguments; the neighbours would be written instead.
_STEPS = _names(
    "adadelta_step adafactor_step adagrad_step adam_step adam_weight_decay_step adamax_counted_step adamax_step "
    "adamw_step asgd_step ftrl_step lamb_step momentum_step nadam_step proximal_adagrad_step radam_step rmsprop_step "
    "rprop_step sgd_step"
)
# Refuse an empty tensor, or their other arguments do not fit one.
_NOT_EMPTY = _names(
    "aligned_ctc_loss cholesky cholesky_inverse cholesky_solve ctc_loss ctc_losses diag_part eigh embed_diagonal "
    "embed_slice embedding "
    "embedding_lookup fractional_max_pool gather_nd inplace_add inplace_sub inplace_update logdet lstsq one_hot "
    "rate_of_step reshape_as self_adjoint_eig slice strided_view take take_along_dim"
)

NOTHING_TO_COMPARE = {
    # No result of a narrow float dtype, or none that depends on the arguments' dtype.
    "test_a_composition_keeps_its_range": _CREATED_BY_A_BODY
    | _OF_INTEGERS
    | _FLOAT32
    | _names(
        "approximate_equal astype bartlett_window blackman_window check_valid compare_and_bitpack "
        "conjugate_transpose data_format_dim_map data_format_vec_permute eig eigvals fft fftfreq fftn float_power "
        "float_status hamming_window hann_window histogram_fixed_width ifft ifftn ihfft ihfftn isclose "
        "kaiser_window population_count rfft rfftfreq rfftn to"
    ),
    # The points are no arguments of the Cholesky decomposition.
    "test_gradients_are_finite": _NOT_IN_FLOAT64 | {"cholesky", "cholesky_inverse"},
    # Lists of tensors have no argument of their own to look at; the others are complex.
    "test_a_gradient_rule_works_without_data": _names("concat fourier square_sum_of_all stack view_as_real"),
    # No float64 among the arguments; the steps of ctc_log_alpha are too steep for differences.
    "test_an_operator_without_rule_does_not_vary": _CREATED
    | _names(
        "bits_set bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor "
        "ctc_label_rows ctc_log_alpha data_format_dim_map data_format_vec_permute gcd length_range population_count "
        "view_bits"
    ),
    "test_complex_gradient_agrees_with_differences": frozenset(
        ("cast", "count_nonzero")
    ),  # give no complex numbers
    "test_derivative_agrees_with_differences": _NOT_IN_FLOAT64 | {"1-ctc_loss"},
    "test_empty_tensors_have_empty_gradients": _NOT_IN_FLOAT64 | _NOT_EMPTY | _FROM_ELEMENTS,
    "test_forward_mode_agrees_with_reverse_mode": _NOT_IN_FLOAT64,
    "test_forward_mode_inside_a_graph": _NOT_IN_FLOAT64,
    "test_gradient_graph_is_read_back_and_run": _NOT_IN_FLOAT64 | {"uniform"},
    "test_layouts_make_no_difference": _NOT_IN_FLOAT64,
    # The next number after one is another one in another dtype.
    "test_narrow_dtypes_agree_with_float64": _NOT_IN_FLOAT64 | {"nextafter-float16", "nextafter-bfloat16"},
    "test_operator_among_elementwise_neighbors": _STEPS
    | {"empty", "empty_like", "new_empty", "pack_filters", "view_bits"},
    # No tensor to take slices of, or a shape that depends on data.
    "test_operator_on_many_slices": _CREATED
    | _CREATED_BY_A_BODY
    | _names(
        "bincount distinct group_rows histogram_fixed_width length_range list_difference nonzero nonzero_tuple unique "
        "unique_consecutive unique_sorted"
    ),
    "test_operator_with_a_symbolic_dim": _CREATED | _CREATED_BY_A_BODY | _FROM_ELEMENTS | _FIXED_SIZES,
    "test_rule_agrees_with_differences": _COMPLEX_RULES,
    "test_second_gradient_graph_is_read_back_and_run": _COMPLEX_RULES,
    "test_symbols_agree_with_sizes": _NEED_SIZES,
}
