# SPDX-License-Identifier: Apache-2.0
# Texts that travel inside the libraries, so that an installed program needs no data files.
#
# ph_embed(<variable> NAMESPACE <ns> FILES <file>...)
# makes a .cpp with one constant per file, `std::string_view <ns>::embedded_<name>` (dots become
# underscores), and sets <variable> to its path, to be listed among a library's sources.
set(PH_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed_text.cmake)

function(ph_embed variable)
  cmake_parse_arguments(ARG "" "NAMESPACE" "FILES" ${ARGN})
  set(inputs)
  foreach(file IN LISTS ARG_FILES)
    list(APPEND inputs ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  endforeach()
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded_${variable}.cpp)
  string(REPLACE ";" "|" joined "${inputs}")
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DNAMESPACE=${ARG_NAMESPACE} "-DFILES=${joined}"
            -P ${PH_EMBED_SCRIPT}
    DEPENDS ${inputs} ${PH_EMBED_SCRIPT}
    VERBATIM)
  set(${variable} ${output} PARENT_SCOPE)
endfunction()
