# What a wheel contains besides the Python sources: the flavours, the bindings that belong to them, and the scripts that
# bundles carry, which js/edge.mjs has built into the source tree.
set(package_flavours onnxlet onnxlet-relaxed onnxlet-threads onnxlet-relaxed-threads onnxlet-scalar
  onnxlet-preprocessing)
if(ONNXLET_PREBUILT)
  set(package_folder ${ONNXLET_PREBUILT})
else()
  set(package_folder ${CMAKE_BINARY_DIR})
endif()
foreach(flavour IN LISTS package_flavours)
  install(FILES ${package_folder}/${flavour}.wasm DESTINATION onnxlet/_engine)
endforeach()
execute_process(
  COMMAND ${Python_EXECUTABLE} ${CMAKE_SOURCE_DIR}/onnxlet/build/bindings.py ${CMAKE_SOURCE_DIR}/core/abi/onnxlet.h
    --python ${CMAKE_BINARY_DIR}/abi_gen.py
  COMMAND_ERROR_IS_FATAL ANY)
install(FILES ${CMAKE_BINARY_DIR}/abi_gen.py DESTINATION onnxlet/hosts)
if(EXISTS ${CMAKE_SOURCE_DIR}/onnxlet/_edge)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/onnxlet/_edge DESTINATION onnxlet)
else()
  message(WARNING "onnxlet/_edge is not built: this wheel cannot make bundles for Node and web pages")
endif()

# What engines for some models are compiled from (onnxlet/bundle/engines.py).
install(FILES ${CMAKE_SOURCE_DIR}/CMakeLists.txt DESTINATION onnxlet/_sources)
foreach(folder IN ITEMS core edge onnxlet/build wasm)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/${folder}/ DESTINATION onnxlet/_sources/${folder}
    FILES_MATCHING REGEX "\\.(cc|h|inc|cmake|py|zig|c|md)$"
    PATTERN tests EXCLUDE PATTERN node_modules EXCLUDE PATTERN workflow EXCLUDE PATTERN __pycache__ EXCLUDE)
endforeach()
