# Runs all PROGRAMS and fails unless they print the same.
# SPDX-License-Identifier: BSL-1.0
foreach(program IN LISTS PROGRAMS)
  execute_process(COMMAND ${program} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  if(NOT DEFINED expected)
    set(expected "${output}")
  elseif(NOT output STREQUAL expected)
    message(FATAL_ERROR "${program} gives other bits:\n${output}\ninstead of\n${expected}")
  endif()
endforeach()
