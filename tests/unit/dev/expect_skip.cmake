# SPDX-License-Identifier: Apache-2.0
# Runs PROGRAM over CASES: 77 where NAME is none (nothing ran), 0 where some cases did.
execute_process(COMMAND ${PROGRAM} --test-case=${CASES} OUTPUT_VARIABLE output RESULT_VARIABLE status)
set(expected_none 77)
set(expected_some 0)
if(NOT status EQUAL expected_${NAME})
  message(FATAL_ERROR "exit status ${status} instead of ${expected_${NAME}}:\n${output}")
endif()
foreach(reason "SKIPPED: the first reason" "SKIPPED: the second reason")
  if(NOT output MATCHES "${reason}")
    message(FATAL_ERROR "the output does not say '${reason}':\n${output}")
  endif()
endforeach()
