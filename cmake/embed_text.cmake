# SPDX-License-Identifier: Apache-2.0
# Run by ph_embed: writes OUTPUT with the contents of FILES (separated by |) as raw literals.
string(REPLACE "|" ";" files "${FILES}")
set(code "#include <string_view>\n\nnamespace ${NAMESPACE} {\n")
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME)
  string(MAKE_C_IDENTIFIER ${name} name)
  file(READ ${file} text)
  string(APPEND code "extern const std::string_view embedded_${name};\n")
  string(APPEND code "const std::string_view embedded_${name} = R\"text(${text})text\";\n")
endforeach()
string(APPEND code "}  // namespace ${NAMESPACE}\n")
file(WRITE ${OUTPUT} "${code}")
