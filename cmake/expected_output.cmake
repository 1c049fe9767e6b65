# Checks a program's (or compiler's) output against comments in its source file.
# SPDX-License-Identifier: BSL-1.0

# Every line "// <mark>: <regex>" of `source` must match somewhere in `output`. The regexes are
# CMake's, and may hold neither a semicolon nor an unbalanced square bracket.
function(require_expected_output source mark output)
  file(STRINGS "${source}" lines REGEX "^// ${mark}: ")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^// ${mark}: " "" regex "${line}")
    if(NOT output MATCHES "${regex}")
      message(FATAL_ERROR "${source}\nexpected: ${regex}\nfound:\n${output}")
    endif()
  endforeach()
endfunction()
