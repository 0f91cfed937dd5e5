# An engine for some models: only the sources that they need, and trim.gen.h, by which core/base/trim.h cuts the rest.
set(trim_list ${CMAKE_BINARY_DIR}/gen/trim.cmake)
execute_process(
  COMMAND ${Python_EXECUTABLE} ${CMAKE_SOURCE_DIR}/onnxlet/build/trim.py ${ONNXLET_TRIM} ${CMAKE_SOURCE_DIR}
    ${CMAKE_BINARY_DIR}/gen/trim.gen.h ${trim_list}
  COMMAND_ERROR_IS_FATAL ANY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ONNXLET_TRIM} ${CMAKE_SOURCE_DIR}/onnxlet/build/trim.py)
include(${trim_list})
list(TRANSFORM ONNXLET_TRIM_SOURCES PREPEND ${CMAKE_SOURCE_DIR}/)
list(REMOVE_ITEM ONNXLET_TRIM_SOURCES ${FLAVOUR_SOURCES} ${TABLE_SOURCES} ${GPU_SOURCES})
set(PREPROCESSING_SOURCES)
foreach(group IN ITEMS KERNEL CODEC ENGINE)
  set(${group}_SOURCES ${ONNXLET_TRIM_SOURCES})
endforeach()
list(FILTER KERNEL_SOURCES INCLUDE REGEX "/core/kernels/")
list(FILTER CODEC_SOURCES INCLUDE REGEX "/core/codecs/")
list(FILTER ENGINE_SOURCES EXCLUDE REGEX "/core/(kernels|codecs)/")
add_compile_definitions(ONNXLET_TRIM)
# What served only rows that are left out.
add_compile_options(-Wno-unused-function -Wno-unneeded-internal-declaration)
set(schema_options --preprocessing --needs ${ONNXLET_TRIM})
