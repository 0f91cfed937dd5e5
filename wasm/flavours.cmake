# The WebAssembly flavours. Only kernels are compiled per SIMD level and only FLAVOUR_SOURCES per flavour: objects built with
# the atomics feature also link into a module without shared memory, as long as they use none of its instructions.

# ---- flags of a compiler: what a CPU feature is called, and how a module is linked ----
set(stack_bytes 1048576)
set(exports __stack_pointer)
set(thread_exports __tls_base __tls_size __tls_align __wasm_init_tls)

if(EMSCRIPTEN)
  # The baseline flavour only: older Emscriptens know no relaxed SIMD, and threads there mean its own pthreads.
  set(common_features -mbulk-memory -mmutable-globals)
  set(features_scalar)
  set(features_simd -msimd128)
  set(link_common --no-entry -sSTANDALONE_WASM=1 -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=4294901760 -sFILESYSTEM=0
    -sTOTAL_STACK=${stack_bytes} -sDISABLE_EXCEPTION_CATCHING=1
    # The host functions are imports of the module.
    -sERROR_ON_UNDEFINED_SYMBOLS=0 -sWARN_ON_UNDEFINED_SYMBOLS=0 -O2 --profiling-funcs)
  set(flavours onnxlet)
else()
  set(base_features generic+bulk_memory+mutable_globals)
  set(common_features -mcpu=${base_features}+atomics)
  # Without vectors there is nothing to vectorize: no word about it.
  set(features_scalar -mcpu=${base_features}+atomics -Wno-pass-failed)
  set(features_simd -mcpu=${base_features}+simd128+atomics)
  set(features_relaxed -mcpu=${base_features}+simd128+relaxed_simd+atomics)
  # -O3 is the level of libc and libc++, which zig builds for these features at the first link.
  set(link_common -O3 -mexec-model=reactor -Wl,--gc-sections -Wl,-z,stack-size=${stack_bytes}
    -Wl,--max-memory=4294901760)
  set(flavours onnxlet onnxlet-relaxed onnxlet-threads onnxlet-relaxed-threads onnxlet-scalar onnxlet-preprocessing
    onnxlet-webgpu)
endif()

# Binaryen's wasm-opt, as pinned in wasm/package.json, takes a sixth off. Without it the build works and is larger.
if(EXISTS ${CMAKE_SOURCE_DIR}/wasm/node_modules/.bin/wasm-opt)
  set(default_wasm_opt ${CMAKE_SOURCE_DIR}/wasm/node_modules/.bin/wasm-opt)
endif()
set(ONNXLET_WASM_OPT "${default_wasm_opt}" CACHE FILEPATH "wasm-opt; empty: leave the linker's output as it is")
if(EMSCRIPTEN)
  set(ONNXLET_WASM_OPT "")  # its own driver has run it
endif()

# ---- what every flavour shares ----
# At -Oz too LLVM inlines generously what is declared inline, as all members of class bodies are. wasm-opt, which sees the whole
# module, inlines afterwards what makes it smaller. What nodes come by in every run is spared, for models of less than a
# millisecond; trimmed engines are to be small.
if(NOT EMSCRIPTEN)
  set(smallest "-fno-vectorize -fno-slp-vectorize")
  foreach(option IN ITEMS inline-threshold=0 inlinehint-threshold=5 disable-lsr enable-pre=false enable-load-pre=false)
    string(APPEND smallest " -mllvm -${option}")
  endforeach()
  set(called_once ${ENGINE_SOURCES} ${TABLE_SOURCES} ${PREPROCESSING_SOURCES} ${GPU_SOURCES})
  if(NOT ONNXLET_TRIM)
    list(FILTER called_once INCLUDE REGEX "/core/(gpu|graph|ir|onnx|schema)/")
  endif()
  set_source_files_properties(${called_once} PROPERTIES COMPILE_FLAGS "${smallest}")
endif()
add_library(engine OBJECT ${ENGINE_SOURCES})
target_compile_options(engine PRIVATE -Oz ${common_features})
precompile_headers(engine)
add_library(tables OBJECT ${TABLE_SOURCES} ${schema_data})
target_compile_options(tables PRIVATE -Oz ${common_features})
if(NOT ONNXLET_TRIM)
  add_library(tables_preprocessing OBJECT EXCLUDE_FROM_ALL ${TABLE_SOURCES} ${preprocessing_schema_data}
    ${PREPROCESSING_SOURCES})
  target_compile_options(tables_preprocessing PRIVATE -Oz ${common_features})
  target_compile_definitions(tables_preprocessing PRIVATE ONNXLET_PREPROCESSING)
endif()
if(CODEC_SOURCES)
  add_library(codecs OBJECT EXCLUDE_FROM_ALL ${CODEC_SOURCES})
  target_compile_options(codecs PRIVATE -O2 ${common_features})
endif()
add_library(gpu OBJECT EXCLUDE_FROM_ALL ${GPU_SOURCES})
target_compile_options(gpu PRIVATE -Oz ${common_features})
add_library(stubs OBJECT ${CMAKE_SOURCE_DIR}/wasm/libc_stubs.cc)
target_compile_options(stubs PRIVATE -Os ${common_features})

# What engines gain from kernels unrolled at run time or partially is less than what the copies cost in bytes.
set(kernel_options -O3)
if(NOT EMSCRIPTEN)
  list(APPEND kernel_options "SHELL:-mllvm -unroll-runtime=false" "SHELL:-mllvm -unroll-allow-partial=false")
endif()
# Kernels that models spend little time in, or that are as fast so. Beware of templates that they share with fast kernels,
# as kernels/tile.h is shared: the linker keeps one copy, and it may be this one.
foreach(kernel IN ITEMS conv_depthwise cumulative deform_conv fft gather grid int_source linear_attention normalize pool recurrent
        reduce scatter select topk)
  set_source_files_properties(${CMAKE_SOURCE_DIR}/core/kernels/${kernel}.cc PROPERTIES
    COMPILE_OPTIONS -Os SKIP_PRECOMPILE_HEADERS ON)
endforeach()

function(add_kernels level)
  if(TARGET kernels_${level} OR NOT KERNEL_SOURCES)
    return()
  endif()
  add_library(kernels_${level} OBJECT ${KERNEL_SOURCES})
  target_compile_options(kernels_${level} PRIVATE ${kernel_options} ${features_${level}})
  precompile_headers(kernels_${level})
endfunction()

function(add_flavour name)
  # link_features chooses the libc, which needs no relaxed SIMD: zig builds one per set of features.
  if(name MATCHES "scalar")
    set(level scalar)
    set(link_features)
  elseif(name MATCHES "relaxed")
    set(level relaxed)
    set(link_features +simd128)
  else()
    set(level simd)
    set(link_features +simd128)
  endif()
  string(REGEX REPLACE "^onnxlet-?" "" label ${name})
  if(NOT label)
    set(label simd)
  endif()

  add_kernels(${level})
  set(kernel_objects)
  if(TARGET kernels_${level})
    set(kernel_objects $<TARGET_OBJECTS:kernels_${level}>)
  endif()
  set(table_objects $<TARGET_OBJECTS:tables>)
  if(name MATCHES "preprocessing")
    set(table_objects $<TARGET_OBJECTS:tables_preprocessing>)
  endif()
  if(TARGET codecs AND (ONNXLET_TRIM OR name MATCHES "preprocessing"))
    list(APPEND table_objects $<TARGET_OBJECTS:codecs>)
  endif()
  # The stubs come first: what they define is then not taken from an archive.
  if(name MATCHES "webgpu")
    list(APPEND table_objects $<TARGET_OBJECTS:gpu>)
  endif()
  add_executable(${name} $<TARGET_OBJECTS:stubs> ${FLAVOUR_SOURCES} $<TARGET_OBJECTS:engine> ${table_objects}
    ${kernel_objects})
  target_compile_definitions(${name} PRIVATE ONNXLET_FLAVOUR="${label}")
  set_target_properties(${name} PROPERTIES OUTPUT_NAME ${name}.debug SUFFIX .wasm LINKER_LANGUAGE CXX
    LINK_DEPENDS ${CMAKE_SOURCE_DIR}/onnxlet/build/strip.py)

  set(names ${exports})
  set(link_flags ${link_common})
  if(name MATCHES "threads")
    target_compile_options(${name} PRIVATE -Os ${features_${level}})
    list(APPEND names ${thread_exports})
    list(APPEND link_flags -Wl,--import-memory -Wl,--shared-memory)
    string(APPEND link_features +atomics)
  elseif(EMSCRIPTEN)
    target_compile_options(${name} PRIVATE -Os ${features_${level}})
  else()
    string(REPLACE +atomics "" without_atomics "${features_${level}}")
    target_compile_options(${name} PRIVATE -Os ${without_atomics})
  endif()
  if(NOT EMSCRIPTEN)
    list(APPEND link_flags -mcpu=${base_features}${link_features})
    foreach(symbol IN LISTS names)
      list(APPEND link_flags -Wl,--export=${symbol})
    endforeach()
  endif()
  target_link_options(${name} PRIVATE ${link_flags})

  add_custom_command(TARGET ${name} POST_BUILD
    COMMAND ${Python_EXECUTABLE} ${CMAKE_SOURCE_DIR}/onnxlet/build/strip.py $<TARGET_FILE:${name}>
      ${CMAKE_BINARY_DIR}/${name}.wasm ${ONNXLET_WASM_OPT}
    BYPRODUCTS ${CMAKE_BINARY_DIR}/${name}.wasm VERBATIM)
endfunction()

if(ONNXLET_TRIM)
  list(REMOVE_ITEM flavours onnxlet-preprocessing)  # each has what its models need of that
endif()
if(ONNXLET_RUNNER)  # a program in the place of the modules
  set(flavours)
endif()
foreach(flavour IN LISTS flavours)
  add_flavour(${flavour})
endforeach()
