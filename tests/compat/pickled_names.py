"""Names in pickles of an earlier version for public classes, functions and objects, by the module that had them."""

PICKLED_NAMES = {
    "dyad._src.abstract_cell": "AbstractCell AbstractCellList",
    "dyad._src.argument_checks": """
        SettingError a_value held_number plain_number require_above require_at_least require_at_least_zero
        require_bool require_choice require_finite require_flag require_float require_fraction require_int
        require_number require_positive require_sequence require_shape require_sizes with_article
    """,
    "dyad._src.atomic_file": "write_atomically",
    "dyad._src.autodiff.gradient_function": "GradientFunction",
    "dyad._src.checked_axes": """
        check_and_canonicalize_axes check_axis_in_range check_axis_type check_axis_valid check_flatten_order
        check_reshape_shp check_swapaxes_axis check_transpose_axis expanded_shape infer_out_shape
        prepare_shape_for_squeeze tuple_slice
    """,
    "dyad._src.checked_types": """
        check_astype_dtype check_element_type_of_dict check_element_type_of_iterable
        check_file_name_by_regular check_hook_fn check_scalar_or_tensor_types_same
        check_size_and_element_type_of_tuple check_str_and_none_by_regular check_str_by_regular
        check_subclass check_tensor_dtype_valid check_type_name check_types_same_and_valid check_valid_input
        is_stub_tensor
    """,
    "dyad._src.checkpoint.print_file": "parse_print",
    "dyad._src.context": """
        DeviceCtx available_device_targets get_context get_current_device require_device_target set_context
        set_deterministic set_device set_recursion_limit
    """,
    "dyad._src.deprecation": "deprecated",
    "dyad._src.dtype_classes": "BFloat Bool Complex Float Int Number UInt",
    "dyad._src.events.event_file": "EventFile FileFull",
    "dyad._src.events.graph_definition": "graph_definition",
    "dyad._src.events.messages": "graph_event summary_event",
    "dyad._src.explain.explain": "explain ir",
    "dyad._src.fans": "fan fan_in_and_out gain",
    "dyad._src.func_graph": "FuncGraph",
    "dyad._src.generator": "Generator drawn",
    "dyad._src.graph_files": "export load",
    "dyad._src.host_only": "host_only",
    "dyad._src.initialization": "Initializer initializer no_init_parameters register_alias",
    "dyad._src.jit.bytecode_options": "update_pijit_default_config",
    "dyad._src.jit.bytecode_switch": "switch_on",
    "dyad._src.jit.code_extra": "get_code_extra",
    "dyad._src.jit.compile_cache": "clear_compile_cache graph_name",
    "dyad._src.jit.config": "JitConfig",
    "dyad._src.jit.constant_function": "constexpr",
    "dyad._src.jit.direct_capture": """
        function_id jit_mode_pi_compile jit_mode_pi_disable jit_mode_pi_enable
    """,
    "dyad._src.jit.enable_dynamic": "enable_dynamic",
    "dyad._src.jit.jit": "jit",
    "dyad._src.jit.markers": "jit_class jit_ignore lazy_inline no_inline",
    "dyad._src.jit.sections": "jit_begin jit_end",
    "dyad._src.jit.size_marks": "mark_dynamic mark_static",
    "dyad._src.jit.symbol": "Symbol",
    "dyad._src.jit.transform_compiler": "compiled_transform",
    "dyad._src.jit.unsupported": "Unsupported",
    "dyad._src.lazy_import": "load",
    "dyad._src.missing": "missing_attribute nearest suggested",
    "dyad._src.mutable": """
        is_dynamic_sequence_element_unknown is_sequence_shape_unknown is_sequence_value_unknown mutable
    """,
    "dyad._src.no_effect": "say_no_effect",
    "dyad._src.optimizer_cell": "OptimizerCell filled_like one_number_each",
    "dyad._src.parallel_settings": """
        ParallelMode get_auto_parallel_context get_ps_context reset_auto_parallel_context reset_ps_context
        set_auto_parallel_context set_ps_context
    """,
    "dyad._src.parameter": "Buffer Parameter ParameterTuple",
    "dyad._src.precision": "autocast_rule call_with_autocast cast_floats",
    "dyad._src.primitive": """
        Primitive find_operators_with make_primitives primitive_of primitive_with_settings
    """,
    "dyad._src.process_groups": "CommHandle GlobalComm handle ranks_of require_rank",
    "dyad._src.profile.kernel_run": "grouped",
    "dyad._src.profile.profile": "profile",
    "dyad._src.profile.recording": "Recording now",
    "dyad._src.profile.trace": "write_trace",
    "dyad._src.protobuf.wire": "MalformedMessage bytes_field varint",
    "dyad._src.quant_dtype": "QuantDtype",
    "dyad._src.random": """
        follow_seed get_rng_state get_seed initial_seed initializer_stream manual_seed seed seeded_stream
        set_rng_state set_seed
    """,
    "dyad._src.self_check": "run_check",
    "dyad._src.sharding": "Layout shard",
    "dyad._src.sparse_base": "SparseTensorBase",
    "dyad._src.stream": "Event Stream StreamCtx current_stream default_stream set_cur_stream",
    "dyad._src.summary": "summary",
    "dyad._src.summary_values": "note",
    "dyad._src.tensor": "_unpickle from_numpy frombuffer is_tensor tensor",
    "dyad._src.type_marks": """
        Dict FunctionType List NoneType Slice String TensorType Tuple TypeMark number_kind typeof
    """,
    "dyad._src.user_warning": "warn_user",
    "dyad._src.weights": "make_bias make_parameter make_weight",
    "dyad.common.dtype": """
        dtype_to_nptype dtype_to_pytype get_py_obj_dtype pytype_to_dtype type_size_in_bytes
    """,
    "dyad.common.initializer": """
        Constant Dirac HeNormal HeUniform Identity Normal One Orthogonal Sparse TruncatedNormal Uniform
        VarianceScaling XavierNormal XavierUniform Zero
    """,
    "dyad.common.sparse_tensor": "COOTensor CSRTensor RowTensor",
    "dyad.dataset.vision.colour": """
        AdjustBrightness AdjustContrast AdjustGamma AdjustSaturation AdjustSharpness RandomAdjustSharpness
        RandomColor RandomColorAdjust RandomSharpness
    """,
    "dyad.experimental.optim.adam": "Adam AdamW Adamax NAdam RAdam",
    "dyad.experimental.optim.adaptive": "Adadelta Adagrad RMSprop",
    "dyad.experimental.optim.sgd": "ASGD Rprop SGD",
    "dyad.ops.arrangement": "LowerBound UpperBound",
    "dyad.ops.candidate_sampling": "LogUniformCandidateSampler",
    "dyad.ops.channel_dropout": "Dropout2D Dropout3D",
    "dyad.ops.checks": "Assert",
    "dyad.ops.flash_attention": "FlashAttentionScore",
    "dyad.ops.float_status": """
        NPUAllocFloatStatus NPUClearFloatStatus NPUClearFloatStatusV2 NPUGetFloatStatus NPUGetFloatStatusV2
    """,
    "dyad.ops.ranges": "Range",
    "dyad.ops.shifting": "Shift",
    "dyad.ops.user_primitive": "PrimitiveWithInfer",
    "dyad.ops.windows": "DepthwiseConv2dNative MaxPoolWithArgmax",
}
