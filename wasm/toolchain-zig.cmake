# WebAssembly through zig.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(ONNXLET_WASM ON)
set(zig_target wasm32-wasi)
include(${CMAKE_CURRENT_LIST_DIR}/zig.cmake)
set(CMAKE_EXECUTABLE_SUFFIX_CXX .wasm)
