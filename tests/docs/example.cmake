# The README holds the program, from its first #include on:
#   cmake -Dreadme=<file> -Dprogram=<file> -P example.cmake
# SPDX-License-Identifier: BSL-1.0
file(READ ${readme} text)
file(READ ${program} code)
string(FIND "${code}" "#include" first)
string(SUBSTRING "${code}" ${first} -1 code)
string(FIND "${text}" "```cpp\n${code}```" found)
if(found EQUAL -1)
  message(FATAL_ERROR "${readme} does not hold the program ${program}:\n${code}")
endif()
