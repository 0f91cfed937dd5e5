# The engine for the machine that builds it: a shared library with the C ABI, the unit tests, and what fuzzes it.
if(ONNXLET_FUZZ)
  set(ONNXLET_SANITIZE ON)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(ONNXLET_RACES)
  add_compile_options(-g -O1 -fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
  set(size_flags -g)
  set(speed_flags -g)
elseif(ONNXLET_SANITIZE)
  add_compile_options(-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  set(size_flags -g)
  set(speed_flags -g)
elseif(CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(size_flags -O0 -g)
  set(speed_flags -O0 -g)
else()
  set(size_flags -Os)
  set(speed_flags -O3)
endif()

# The kernels that models spend their time in are compiled twice; see base/level.h.
set(LEVEL_SOURCES ${KERNEL_SOURCES})
list(FILTER LEVEL_SOURCES INCLUDE REGEX
  "/(attention|conv|conv_depthwise|conv_depthwise_nhwc|conv_nhwc|conv_winograd|gemm|nbits_gemm|normalize|panel_gemm|softmax|unary_f32)[.]cc$")
set(levels ${CMAKE_SOURCE_DIR}/core/kernels/levels.cc)
list(REMOVE_ITEM KERNEL_SOURCES ${LEVEL_SOURCES} ${levels})
# What kernels/levels.cc asks the machine for. zig has its own names.
string(REGEX MATCH "zig" zig "${CMAKE_CXX_COMPILER}")
set(zig $<BOOL:${zig}>)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(fast_features -mavx2 -mfma -mf16c)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^arm" AND NOT CMAKE_SYSTEM_PROCESSOR MATCHES "64")
  set(fast_features $<IF:${zig},-mcpu=generic+v7a+neon+vfp4,-mfpu=neon-vfpv4>)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "riscv64")
  set(fast_features $<IF:${zig},-mcpu=baseline_rv64+v,-march=rv64gcv>)
endif()

add_library(engine OBJECT ${ENGINE_SOURCES} ${TABLE_SOURCES} ${PREPROCESSING_SOURCES} ${preprocessing_schema_data})
target_compile_options(engine PRIVATE ${size_flags})
target_compile_definitions(engine PRIVATE ONNXLET_PREPROCESSING)
add_library(kernels OBJECT ${KERNEL_SOURCES} ${levels} ${CODEC_SOURCES} ${FLAVOUR_SOURCES})
target_compile_options(kernels PRIVATE ${speed_flags})
target_compile_definitions(kernels PRIVATE ONNXLET_FLAVOUR="native")
set(level_objects)
if(LEVEL_SOURCES)  # engines trimmed to models without products have none
  foreach(level IN ITEMS portable fast)
    add_library(kernels_${level} OBJECT ${LEVEL_SOURCES})
    target_compile_options(kernels_${level} PRIVATE ${speed_flags} ${${level}_features})
    target_compile_definitions(kernels_${level} PRIVATE ONNXLET_LEVEL=${level})
    list(APPEND level_objects $<TARGET_OBJECTS:kernels_${level}>)
  endforeach()
  target_compile_definitions(kernels_fast PRIVATE ONNXLET_FAST)
  if(CMAKE_NM AND CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT ONNXLET_SANITIZE AND NOT ONNXLET_RACES)
    add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/gen/levels_apart
      COMMAND ${Python_EXECUTABLE} ${CMAKE_SOURCE_DIR}/onnxlet/build/level_symbols.py ${CMAKE_NM} fast
        $<TARGET_OBJECTS:kernels_fast>
      COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/gen/levels_apart
      DEPENDS kernels_fast $<TARGET_OBJECTS:kernels_fast> onnxlet/build/level_symbols.py
      COMMAND_EXPAND_LISTS COMMENT "Looking for functions that the levels of kernels share" VERBATIM)
    add_custom_target(levels_apart ALL DEPENDS ${CMAKE_BINARY_DIR}/gen/levels_apart)
  endif()
endif()
# In this order: of an inline function that several objects have, the linker keeps the first.
set(kernel_objects $<TARGET_OBJECTS:kernels> ${level_objects})
set(engine_objects $<TARGET_OBJECTS:engine> ${kernel_objects})

find_package(Threads REQUIRED)

add_library(onnxlet_native SHARED ${engine_objects})
set_target_properties(onnxlet_native PROPERTIES OUTPUT_NAME onnxlet LINKER_LANGUAGE CXX)
target_link_libraries(onnxlet_native PRIVATE Threads::Threads)
target_link_options(onnxlet_native PRIVATE -Wl,--gc-sections -Wl,--no-undefined)

file(GLOB TEST_SOURCES CONFIGURE_DEPENDS core/tests/*.cc)
add_executable(core_tests ${TEST_SOURCES} ${engine_objects})
target_compile_options(core_tests PRIVATE -O1)
target_link_libraries(core_tests PRIVATE Threads::Threads)
target_link_options(core_tests PRIVATE -Wl,--gc-sections)
enable_testing()
add_test(NAME core_tests COMMAND core_tests)

# The tests of threads alone, which take seconds to compile where all of the engine takes minutes.
if(ONNXLET_RACES)
  add_executable(thread_tests core/tests/main.cc core/tests/parallel_test.cc core/base/parallel.cc core/base/level.cc
    core/base/status.cc core/base/text.cc core/base/number_text.cc core/base/dtype.cc core/base/shape.cc)
  target_link_libraries(thread_tests PRIVATE Threads::Threads)
endif()

if(ONNXLET_SANITIZE)
  file(GLOB FUZZ_SOURCES CONFIGURE_DEPENDS core/fuzz/*.cc)
  list(FILTER FUZZ_SOURCES EXCLUDE REGEX "/(main|libfuzzer)[.]cc$")
  add_library(fuzz_targets OBJECT ${FUZZ_SOURCES})
  add_executable(fuzz core/fuzz/main.cc $<TARGET_OBJECTS:fuzz_targets> ${engine_objects})
  target_link_libraries(fuzz PRIVATE Threads::Threads)
endif()
if(ONNXLET_FUZZ)
  add_executable(libfuzzer core/fuzz/libfuzzer.cc $<TARGET_OBJECTS:fuzz_targets> ${engine_objects})
  target_link_libraries(libfuzzer PRIVATE Threads::Threads)
  target_link_options(libfuzzer PRIVATE -fsanitize=fuzzer)
endif()
