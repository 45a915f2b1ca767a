// SPDX-License-Identifier: Apache-2.0
#include "command_line/output.h"
#include "command_line/verbs.h"

#include <fmt/format.h>

namespace parhelion::command_line_detail {

int verb_list(const Options& options, Kernels kernels) {
  Json list = Json::array();
  for (const ProgramKernel& k : kernels) {
    std::string shape;
    Json extents = Json::object();
    for (const auto& [key, value] : k.default_shape) {
      shape += fmt::format("{}{}={}", shape.empty() ? "" : ",", key, value);
      extents.set(key, value);
    }
    if (options.json) {
      Json row = Json::object();
      row.set("name", k.name);
      row.set("summary", k.summary);
      row.set("shape", std::move(extents));
      row.set("dtype", name(k.default_dtype));
      list.push(std::move(row));
    } else {
      print_out(fmt::format("{:<20} {:<28} {:<5} {}\n", k.name, shape,
                            shape.empty() ? "" : name(k.default_dtype), k.summary));
    }
  }
  if (options.json) print_json(list);
  return 0;
}

}  // namespace parhelion::command_line_detail
