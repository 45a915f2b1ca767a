// SPDX-License-Identifier: Apache-2.0
// Data goes to stdout, diagnostics to stderr.
#pragma once

#include "base/json.h"

#include <parhelion/diagnostic.h>

#include <string_view>

namespace parhelion::command_line_detail {

void print_out(std::string_view text);
void print_error(std::string_view text);
/// As text, or as JSON on stderr; returns the exit status of a user error.
int report(const Diagnostics& diagnostics, bool json);
void print_json(const Json& value);

}  // namespace parhelion::command_line_detail
