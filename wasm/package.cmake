# What a wheel contains besides the Python sources: the flavours, and the bindings that belong to them.
set(package_flavours onnxlet onnxlet-relaxed onnxlet-threads onnxlet-relaxed-threads onnxlet-scalar)
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
