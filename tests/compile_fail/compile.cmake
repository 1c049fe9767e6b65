# Compiles one wrong program: cmake -Dcompiler=<file> -Dincludes=<folders> -Dsource=<.cpp> -P compile.cmake
# SPDX-License-Identifier: BSL-1.0
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/expected_output.cmake)

list(TRANSFORM includes PREPEND "-I")
set(compile ${compiler} -std=c++20 -fsyntax-only ${includes} ${source})

execute_process(COMMAND ${compile} -DCONTROL
  OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the control must compile:\n${output}")
endif()

execute_process(COMMAND ${compile}
  OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
if(result EQUAL 0)
  message(FATAL_ERROR "this must not compile: ${source}")
endif()
# clang shows our sentences in pieces (see core/error.hpp); expectations are about whole ones.
string(REGEX REPLACE "\"}, [a-z:]*fixed_string<[0-9]+>{\"" "" output "${output}")
require_expected_output(${source} expect "${output}")
