// SPDX-License-Identifier: Apache-2.0
#include "command_line/output.h"

#include <unistd.h>
#include <cstdio>

namespace parhelion::command_line_detail {

void print_out(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }
void print_error(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

int report(const Diagnostics& diagnostics, bool json) {
  if (json) {
    print_error(render_json(diagnostics) + "\n");
  } else {
    print_error(render_text(diagnostics, ::isatty(2) != 0));
  }
  return 1;
}

void print_json(const Json& value) { print_out(value.dump(2) + "\n"); }

}  // namespace parhelion::command_line_detail
