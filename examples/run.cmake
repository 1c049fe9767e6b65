# Runs one example: cmake -Dprogram=<file> -Dsource=<its .cpp> -P run.cmake
# SPDX-License-Identifier: BSL-1.0
include(${CMAKE_CURRENT_LIST_DIR}/../cmake/expected_output.cmake)

execute_process(COMMAND ${program}
  OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
message("${output}")
if(NOT result EQUAL 0)
  message(FATAL_ERROR "ended with ${result}")
endif()
require_expected_output(${source} prints "${output}")
