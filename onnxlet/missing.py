"""Public names of onnxruntime that onnxlet does not have, and why. Asking for one raises an AttributeError that says so."""

from __future__ import annotations

from typing import Final

_ACCIDENT = "it is no part of onnxruntime's documented interface"
_ADAPTER = "merge adapters into the model before it is loaded"
_ALLOCATOR = "the engine's memory is its own; there are no allocators to choose"
_COMPILED = "a model is planned when it is loaded; there is no compiled form to keep"
_DEVICES = "models run on the CPU; there are no other devices and no provider libraries"
_PACKAGE = "onnxlet loads ONNX files, not packages of variants"
_PROVIDERS = "name providers when making the InferenceSession"
_SPARSE = "sparse tensors outside models are not supported; use dense ones"
_WEIGHTS = (
    "weights come from the model; its data files may be given with add_external_initializers_from_files_in_memory"
)

MODULE: Final = {
    **dict.fromkeys(("AdapterFormat", "LoraAdapter"), _ADAPTER),
    **dict.fromkeys(
        ("OrtAllocatorType", "OrtArenaCfg", "OrtDeviceMemoryType", "OrtMemType", "OrtMemoryInfo"), _ALLOCATOR
    ),
    **dict.fromkeys(
        ("OrtMemoryInfoDeviceType", "create_and_register_allocator", "create_and_register_allocator_v2"), _ALLOCATOR
    ),
    **dict.fromkeys(("ModelCompiler", "OrtCompileApiFlags", "OrtExternalInitializerInfo"), _COMPILED),
    **dict.fromkeys(("OrtEpContextData", "OrtEpContextDataBuffer"), _COMPILED),
    **dict.fromkeys(("ModelPackage", "ModelPackageComponentContext", "ModelPackageContext"), _PACKAGE),
    **dict.fromkeys(("ModelPackageOptions", "ModelPackageWriteMode"), _PACKAGE),
    **dict.fromkeys(("OrtDeviceVendorId", "OrtEpAssignedNode", "OrtEpAssignedSubgraph", "OrtEpDevice"), _DEVICES),
    **dict.fromkeys(("OrtExecutionProviderDevicePolicy", "OrtHardwareDevice", "OrtHardwareDeviceType"), _DEVICES),
    **dict.fromkeys(("OrtSyncStream", "cuda_version", "get_ep_devices"), _DEVICES),
    **dict.fromkeys(("register_execution_provider_library", "unregister_execution_provider_library"), _DEVICES),
    **dict.fromkeys(("OrtSparseFormat", "SparseTensor"), _SPARSE),
    **dict.fromkeys(("contextlib", "import_capi_exception", "onnxruntime_validation", "package_name"), _ACCIDENT),
    **dict.fromkeys(("print_debug_info", "version"), _ACCIDENT),
    "set_default_logger_callback": 'add a handler to the logger "onnxlet" of Python\'s logging',
    "set_global_thread_pool_sizes": "each session has threads of its own: SessionOptions.intra_op_num_threads",
}

CLASSES: Final = {
    "InferenceSession": {
        **dict.fromkeys(("get_input_epdevices", "get_provider_graph_assignment_info"), _DEVICES),
        **dict.fromkeys(("get_input_memory_infos", "get_output_memory_infos"), _ALLOCATOR),
        **dict.fromkeys(("release_captured_graph", "set_ep_dynamic_options"), _DEVICES),
        **dict.fromkeys(("get_tuning_results", "set_tuning_results"), _DEVICES),
    },
    "SessionOptions": {
        **dict.fromkeys(("add_external_initializers", "add_initializer"), _WEIGHTS),
        "add_free_dimension_override_by_denotation": "name the dimension: add_free_dimension_override_by_name",
        **dict.fromkeys(("add_provider", "add_provider_for_devices", "has_providers"), _PROVIDERS),
        **dict.fromkeys(("set_provider_selection_policy", "set_provider_selection_policy_delegate"), _PROVIDERS),
        **dict.fromkeys(("clear_ep_context_data_read_func", "set_ep_context_data_read_func"), _COMPILED),
        "register_custom_ops_library": "native code does not run in the engine; see onnxlet.register_operator",
        "set_load_cancellation_flag": "loading cannot be stopped",
    },
    "RunOptions": {"add_active_adapter": _ADAPTER},
    "OrtValue": dict.fromkeys(("as_sparse_tensor", "ort_value_from_sparse_tensor"), _SPARSE),
}


def attribute_error(owner: str, name: str) -> AttributeError:
    """For an attribute that a class (or "onnxlet", the module) does not have."""
    reason = (MODULE if owner == "onnxlet" else CLASSES.get(owner, {})).get(name)
    return AttributeError(f"{owner} has no attribute {name!r}" + (f": {reason}" if reason else ""))
