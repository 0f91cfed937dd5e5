# The ziglang package from PyPI as compiler of a toolchain file, which sets zig_target before: clang, linkers, libc and
# libc++ in one. The package is looked for in the interpreter of -DONNXLET_PYTHON=, else of a Python build
# (Python_EXECUTABLE), else in python3 of the PATH.

# try_compile includes this file again, without our cache variables: the path travels in the environment.
if(NOT DEFINED ENV{ONNXLET_ZIG})
  set(python python3)
  foreach(candidate IN ITEMS "${ONNXLET_PYTHON}" "${Python_EXECUTABLE}")
    if(candidate)
      set(python ${candidate})
      break()
    endif()
  endforeach()
  execute_process(
    COMMAND ${python} -c "import pathlib, ziglang; print(pathlib.Path(ziglang.__file__).parent / 'zig')"
    OUTPUT_VARIABLE zig OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${python} has no ziglang package: pip install -r requirements/build.txt, or name another interpreter with -DONNXLET_PYTHON=")
  endif()
  set(ENV{ONNXLET_ZIG} ${zig})
endif()

set(CMAKE_C_COMPILER $ENV{ONNXLET_ZIG} cc)
set(CMAKE_CXX_COMPILER $ENV{ONNXLET_ZIG} c++)
set(CMAKE_C_COMPILER_TARGET ${zig_target})
set(CMAKE_CXX_COMPILER_TARGET ${zig_target})
set(CMAKE_AR $ENV{ONNXLET_ZIG} CACHE FILEPATH "")
set(CMAKE_RANLIB $ENV{ONNXLET_ZIG} CACHE FILEPATH "")
foreach(language C CXX)
  set(CMAKE_${language}_ARCHIVE_CREATE "<CMAKE_AR> ar qc <TARGET> <LINK_FLAGS> <OBJECTS>")
  set(CMAKE_${language}_ARCHIVE_FINISH "<CMAKE_RANLIB> ranlib <TARGET>")
endforeach()
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
