# The program inside bundles for wasi and native, without a model: onnxlet/bundle/payload.py puts one in. The native
# build also makes libonnxlet.a for programs of others.
file(GLOB RUNNER_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/edge/runner/*.cc)
# What the program itself takes of core/base: a trimmed engine may not have it.
foreach(name IN ITEMS dtype float_types json number_text shape status text unicode)
  set(file ${CMAKE_SOURCE_DIR}/core/base/${name}.cc)
  if(NOT file IN_LIST ENGINE_SOURCES)
    list(APPEND RUNNER_SOURCES ${file})
  endif()
endforeach()

# SHA-256 and AES-GCM come from zig's standard library.
set(crypto ${CMAKE_BINARY_DIR}/crypto.o)
add_custom_command(OUTPUT ${crypto}
  COMMAND $ENV{ONNXLET_ZIG} build-obj ${CMAKE_SOURCE_DIR}/edge/runner/crypto.zig -target ${CMAKE_CXX_COMPILER_TARGET}
    -O ReleaseSmall -fstrip -femit-bin=${crypto}
  DEPENDS edge/runner/crypto.zig
  COMMENT "Compiling SHA-256 and AES-GCM" VERBATIM)

add_executable(onnxlet_runner ${RUNNER_SOURCES} ${crypto} $<TARGET_OBJECTS:engine>)
target_compile_options(onnxlet_runner PRIVATE -Os)
precompile_headers(onnxlet_runner)
target_include_directories(onnxlet_runner PRIVATE ${CMAKE_SOURCE_DIR}/edge/runner)
set_target_properties(onnxlet_runner PROPERTIES LINKER_LANGUAGE CXX)

if(ONNXLET_WASM)
  set(ONNXLET_SIMD simd CACHE STRING "Instructions of the wasi runner: scalar, simd or relaxed")
  add_kernels(${ONNXLET_SIMD})
  if(ONNXLET_TRIM)
    set(tables tables)
  else()
    set(tables tables_preprocessing)
  endif()
  target_sources(onnxlet_runner PRIVATE ${FLAVOUR_SOURCES} $<TARGET_OBJECTS:${tables}>
    $<$<TARGET_EXISTS:codecs>:$<TARGET_OBJECTS:codecs>> $<TARGET_OBJECTS:kernels_${ONNXLET_SIMD}>)
  target_compile_definitions(onnxlet_runner PRIVATE ONNXLET_FLAVOUR="${ONNXLET_SIMD}")
  string(REPLACE +atomics "" features "${features_${ONNXLET_SIMD}}")
  target_compile_options(onnxlet_runner PRIVATE ${features})
  target_link_options(onnxlet_runner PRIVATE ${features} -O3 -mexec-model=command -Wl,--gc-sections
    -Wl,-z,stack-size=${stack_bytes} -Wl,--max-memory=4294901760 -Wl,--export=onnxlet_payload)
  set_target_properties(onnxlet_runner PROPERTIES OUTPUT_NAME runner.debug SUFFIX .wasm)
  add_custom_command(TARGET onnxlet_runner POST_BUILD
    COMMAND ${Python_EXECUTABLE} ${CMAKE_SOURCE_DIR}/onnxlet/build/strip.py --wasi $<TARGET_FILE:onnxlet_runner>
      ${CMAKE_BINARY_DIR}/runner.wasm ${ONNXLET_WASM_OPT}
    BYPRODUCTS ${CMAKE_BINARY_DIR}/runner.wasm VERBATIM)
else()
  precompile_headers(engine)
  target_sources(onnxlet_runner PRIVATE ${kernel_objects})
  target_link_libraries(onnxlet_runner PRIVATE Threads::Threads)
  target_link_options(onnxlet_runner PRIVATE -static -s -Wl,--gc-sections)
  set_target_properties(onnxlet_runner PROPERTIES OUTPUT_NAME runner)

  add_library(onnxlet_static STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:engine> ${kernel_objects})
  set_target_properties(onnxlet_static PROPERTIES OUTPUT_NAME onnxlet)
endif()
