/* onnxlet C ABI: the only door into the engine, and the source the JS and Python bindings are generated from.
 *
 * Conventions
 *   - Handles are opaque pointers. `ol_*_free` accepts NULL.
 *   - Functions that can fail return NULL, or a negative number: minus an ol_code. ol_last_code() and
 *     ol_last_message() then describe the failure until the next call into the engine.
 *   - Strings are (pointer, length) going in, and NUL-terminated UTF-8 coming out, valid until the next call
 *     that returns a string, unless the function says otherwise.
 *   - Pointers into tensors stay valid while the value lives; in WebAssembly the host must make its memory view
 *     anew after any call, because memory may have grown.
 *   - Not re-entrant: one thread at a time calls into an engine. ol_worker_main is the exception.
 *
 * Grammar for the generator: one declaration per OL_API or OL_DEVICE_API line, arguments typed with the types below
 * only.
 */
// clang-format off: the generator reads one declaration per line
#ifndef ONNXLET_H_
#define ONNXLET_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(ONNXLET_RUNNER)
#define OL_API(name) /* inside a program, which exports nothing */
#elif defined(__wasm__)
#define OL_API(name) __attribute__((export_name(#name), visibility("default")))
#else
#define OL_API(name) __attribute__((visibility("default")))
#endif

/* What only builds with a device have. */
#define OL_DEVICE_API(name) OL_API(name)

#define OL_ABI_VERSION 1

typedef struct ol_model ol_model;     /* a parsed file, before it becomes a session */
typedef struct ol_session ol_session; /* a planned model, ready to run */
typedef struct ol_run ol_run;         /* one execution: inputs, progress, outputs */
typedef struct ol_value ol_value;     /* tensor, sequence, map or optional */

/* The numbers never change meaning. The name is what JS (`error.code`) and Python (`error.code`) show. */
typedef enum ol_code {
  OL_OK = 0,
  OL_INVALID_ARGUMENT = 1,
  OL_INVALID_PROTOBUF = 2,
  OL_INVALID_GRAPH = 3,
  OL_NOT_IMPLEMENTED = 4,
  OL_OUT_OF_MEMORY = 5,
  OL_RUN_FAILED = 6,
  OL_ABORTED = 7,
  OL_INTERNAL = 8
} ol_code;

/* What ol_run_step and ol_run_slice answer when it is not an error. */
typedef enum ol_progress {
  OL_DONE = 0,
  OL_PENDING = 1, /* the host must do something (see ol_run_pending) and call again */
  OL_YIELDED = 2  /* the time of ol_run_slice has passed: call again */
} ol_progress;

typedef enum ol_kind { OL_NONE = 0, OL_TENSOR = 1, OL_SEQUENCE = 2, OL_MAP = 3, OL_OPTIONAL = 4 } ol_kind;

/* ---- engine ---- */

/* OL_ABI_VERSION of the build; a host of another version must refuse it and name both. */
OL_API(ol_abi_version) int32_t ol_abi_version(void);
/* "0.1.0" */
OL_API(ol_version) const char* ol_version(void);
/* JSON: {"version","abi","flavour","simd","relaxed","threads","operators":[["domain","name",since],...]} */
OL_API(ol_build_info) const char* ol_build_info(void);
OL_API(ol_last_code) int32_t ol_last_code(void);
OL_API(ol_last_message) const char* ol_last_message(void);
/* "INVALID_GRAPH" for OL_INVALID_GRAPH ... */
OL_API(ol_code_name) const char* ol_code_name(int32_t code);
/* Bytes for the host to write into, 64-byte aligned. NULL when refused. */
OL_API(ol_alloc) void* ol_alloc(size_t bytes);
OL_API(ol_free) void ol_free(void* block);

/* ---- threads (flavours with shared memory) ---- */

/* Memory for worker `index` (1 ...): a stack of stack_bytes and its thread-local block. Returns the address to put in
 * __stack_pointer; ol_worker_tls(index) is the argument of __wasm_init_tls. NULL when refused. */
OL_API(ol_worker_stack) void* ol_worker_stack(int32_t index, size_t stack_bytes, size_t tls_bytes, size_t tls_align);
OL_API(ol_worker_tls) void* ol_worker_tls(int32_t index);
/* Called in the worker's own instance. Returns after ol_stop_workers. */
OL_API(ol_worker_main) void ol_worker_main(int32_t index);
/* To be called in the worker's instance when ol_worker_main trapped: the run it was part of fails with OL_INTERNAL. */
OL_API(ol_worker_failed) void ol_worker_failed(void);
/* How many workers have entered ol_worker_main. */
OL_API(ol_workers_ready) int32_t ol_workers_ready(void);
/* Use this many workers (at most ol_workers_ready) besides the calling thread. */
OL_API(ol_set_workers) void ol_set_workers(int32_t workers);
OL_API(ol_stop_workers) void ol_stop_workers(void);

/* ---- model ---- */

/* Parses `bytes` in place and owns them from here on, also when it fails: they must come from ol_alloc. */
OL_API(ol_model_open) ol_model* ol_model_open(void* bytes, size_t size);
OL_API(ol_model_free) void ol_model_free(ol_model* model);
/* JSON: {"ir_version","producer_name","producer_version","domain","model_version","doc_string","graph_name",
 *  "graph_doc_string","opset_imports":{domain:version},"metadata":{key:value},"inputs":[arg],"outputs":[arg],"initializers":[{"name",
 *  "dtype","shape","bytes","external"}],"operators":[{"domain","op_type","count","since","supported"}],
 *  "functions":[...],"sparse":whether any tensor is,"external":[{"file","bytes"}]}
 *  arg: {"name","type":"tensor(float)","dtype":1,"shape":[1,"N",null]} ; shape null when the rank is unknown.
 *  "external": per file, the bytes that must be provided: the end of its furthest used range. */
OL_API(ol_model_describe) const char* ol_model_describe(ol_model* model);
/* Gives the engine an external data file, named as in the model. Owns `bytes` (from ol_alloc) from here on. */
OL_API(ol_model_provide) int32_t ol_model_provide(ol_model* model, const char* file, size_t file_length, void* bytes, size_t size);

/* ---- session ---- */

/* Checks, optimises and plans the model; consumes it, also when it fails. options: JSON object or NULL:
 * {"graph_optimization_level": "disabled"|"basic"|"extended"|"all", "disabled_passes": [name...], "max_memory": bytes,
 *  "max_tensor_bytes": bytes, "max_steps": nodes that a run may run,
 *  "free_dimensions": {name: size}, "profile": bool, "trace": 0..4, "deterministic": bool, "seed": int,
 *  "memory_plan": bool, "accuracy_level": 0..4, "function_bodies": bool,
 *  "device": {"min_bytes": n, "max_buffer": bytes, "max_bytes": bytes, "on_processor": bool, "packed_dots": bool}}; device puts work on the
 *  host's WebGPU device, in builds that can; on_processor: that device is a program; packed_dots: its shaders multiply four
 *  packed 8-bit numbers at a time; function_bodies runs operators by the specification's function bodies also where there is
 *  a kernel. */
OL_API(ol_session_create) ol_session* ol_session_create(ol_model* model, const char* options, size_t options_length);
OL_API(ol_session_free) void ol_session_free(ol_session* session);
/* JSON like ol_model_describe's "inputs", "outputs", "overridable_initializers", "metadata" ... of the planned session,
 * plus "nodes": [{"name","op_type","domain","since"}], "passes": [{"name","changed"}], "knobs": [...], and, of everything
 * since the engine was loaded, "asked": {"types": bits by TensorProto.DataType, "operators": [[domain,op_type,since]]} */
OL_API(ol_session_describe) const char* ol_session_describe(ol_session* session);
/* JSON: {"in_use","peak","limit","model_bytes","weights_packed","arena"}, in bytes */
OL_API(ol_session_memory) const char* ol_session_memory(ol_session* session);
/* JSON array of the last profiled run: [{"node","op_type","domain","kernel","start_us","duration_us","inputs":["float[1,3]"],"outputs":[...]}];
 * the clock is ol_host_now of the import, see below. */
OL_API(ol_session_profile) const char* ol_session_profile(ol_session* session);

/* ---- run ---- */

OL_API(ol_run_new) ol_run* ol_run_new(ol_session* session);
OL_API(ol_run_free) void ol_run_free(ol_run* run);
/* Feeds a graph input by name. The value is shared, not consumed. Wrong name, dtype or shape is refused here. */
OL_API(ol_run_feed) int32_t ol_run_feed(ol_run* run, const char* name, size_t name_length, ol_value* value);
/* Asks for an output by name; with no call at all every graph output is computed. */
OL_API(ol_run_fetch) int32_t ol_run_fetch(ol_run* run, const char* name, size_t name_length);
/* Runs until done, pending or failed: an ol_progress, or minus an ol_code. */
OL_API(ol_run_step) int32_t ol_run_step(ol_run* run);
/* As ol_run_step; answers OL_YIELDED between two nodes once this time has passed, so that the host can do other work. */
OL_API(ol_run_slice) int32_t ol_run_slice(ol_run* run, int32_t microseconds);
/* Makes the run answer OL_ABORTED before its next node. */
OL_API(ol_run_abort) void ol_run_abort(ol_run* run);
/* While pending: JSON {"kind":"custom_op","domain","op_type","node","attributes":{...},"inputs":n,"outputs":n}. Attributes
 * are numbers, strings and lists of them; infinities are written as 1e999, NaN as null. ai.onnx's ImageDecoder comes here
 * without being registered. */
OL_API(ol_run_pending) const char* ol_run_pending(ol_run* run);
/* While pending with {"kind":"device"}: what the device has to do, 32-bit words of the format that core/gpu/commands.h
 * describes, and how many there are. They end with the next step. */
OL_API(ol_run_commands) const void* ol_run_commands(ol_run* run);
OL_API(ol_run_commands_size) size_t ol_run_commands_size(ol_run* run);
/* While pending on a custom operator: its i-th input (a new reference, NULL when absent), and where its results go. */
OL_API(ol_run_pending_input) ol_value* ol_run_pending_input(ol_run* run, int32_t index);
OL_API(ol_run_pending_output) int32_t ol_run_pending_output(ol_run* run, int32_t index, ol_value* value);
/* While pending: the host's work failed; the next step reports this message. */
OL_API(ol_run_pending_fail) void ol_run_pending_fail(ol_run* run, const char* message, size_t message_length);
OL_API(ol_run_output_count) int32_t ol_run_output_count(ol_run* run);
/* i-th fetched output, in the order of the fetches (or of the graph). A new reference. */
OL_API(ol_run_output) ol_value* ol_run_output(ol_run* run, int32_t index);

/* ---- values ---- */

/* dtype: TensorProto.DataType. Contents undefined; sub-byte types are packed as in TensorProto.raw_data. */
OL_API(ol_tensor_new) ol_value* ol_tensor_new(int32_t dtype, int32_t rank, const int64_t* dims);
OL_API(ol_value_free) void ol_value_free(ol_value* value);
OL_API(ol_value_kind) int32_t ol_value_kind(ol_value* value);
OL_API(ol_tensor_dtype) int32_t ol_tensor_dtype(ol_value* value);
OL_API(ol_tensor_rank) int32_t ol_tensor_rank(ol_value* value);
OL_API(ol_tensor_dims) const int64_t* ol_tensor_dims(ol_value* value);
/* The elements; NULL for strings and for tensors without elements. */
OL_API(ol_tensor_data) void* ol_tensor_data(ol_value* value);
OL_API(ol_tensor_bytes) size_t ol_tensor_bytes(ol_value* value);
/* String elements: UTF-8, may hold NUL; valid while the value lives. */
OL_API(ol_tensor_string) const char* ol_tensor_string(ol_value* value, size_t index);
OL_API(ol_tensor_string_length) size_t ol_tensor_string_length(ol_value* value, size_t index);
OL_API(ol_tensor_set_string) int32_t ol_tensor_set_string(ol_value* value, size_t index, const char* text, size_t length);
OL_API(ol_sequence_new) ol_value* ol_sequence_new(void);
OL_API(ol_sequence_push) int32_t ol_sequence_push(ol_value* sequence, ol_value* item);
OL_API(ol_sequence_size) int32_t ol_sequence_size(ol_value* sequence);
/* A new reference. */
OL_API(ol_sequence_item) ol_value* ol_sequence_item(ol_value* sequence, int32_t index);
/* keys: 1-D tensor of strings or integers; values: 1-D tensor of the same length. */
OL_API(ol_map_new) ol_value* ol_map_new(ol_value* keys, ol_value* values);
OL_API(ol_map_keys) ol_value* ol_map_keys(ol_value* map);
OL_API(ol_map_values) ol_value* ol_map_values(ol_value* map);
/* An optional without an element. A filled optional is simply its element. */
OL_API(ol_optional_empty) ol_value* ol_optional_empty(void);

/* ---- values on the device ---- */

/* A tensor in memory that the host has on the session's device. The commands name it by `id`, which is from 2^30 up and not
 * that of a living one; their "free" with it means that the engine has no more use for it. Zero elements need no memory. */
OL_DEVICE_API(ol_tensor_on_device) ol_value* ol_tensor_on_device(ol_session* session, int32_t dtype, int32_t rank, const int64_t* dims, int32_t id);
/* Before the first step: the run leaves its i-th output, if it is a tensor with bytes, on the device, in memory of its own. */
OL_DEVICE_API(ol_run_keep) int32_t ol_run_keep(ol_run* run, int32_t index);
/* What the session's commands call the memory of a tensor on its device; 0 where there is none. */
OL_DEVICE_API(ol_value_device) int32_t ol_value_device(ol_value* value);
/* The device is gone: runs from here on are on the CPU. Tensors that only the device has are of no use any more. */
OL_DEVICE_API(ol_session_leave_device) void ol_session_leave_device(ol_session* session);
/* JSON array, in the order in which the nodes have run: [{"node","op_type","domain","provider":"webgpu"|"wasm","reason"}]; the
 * reason why it was not the device, or null. Of each node it is the last time that counts. */
OL_DEVICE_API(ol_session_placement) const char* ol_session_placement(ol_session* session);

/* ---- custom operators ---- */

/* Sessions created afterwards hand nodes of this type to the host through OL_PENDING. */
OL_API(ol_register_custom_op) int32_t ol_register_custom_op(const char* domain, size_t domain_length, const char* op_type, size_t op_type_length);

/* ---- imports (WebAssembly module "onnxlet") ----
 * double ol_host_now(void)                                   microseconds of a monotonic clock, for profiles
 * void   ol_host_log(int32_t level, const char* s, size_t n) trace output; level 1 plan ... 4 dump
 * The module imports nothing else: no WASI. Memory is exported as "memory", or, in the thread flavours,
 * imported as "env"."memory". */

#ifdef __cplusplus
}
#endif
#endif /* ONNXLET_H_ */
