// SPDX-License-Identifier: Apache-2.0
#include "base/dynamic_library.h"
#include "base/files.h"
#include "base/text.h"
#include "command_line/output.h"
#include "command_line/verbs.h"
#include "toolchain/toolchain.h"

#include <parhelion/target.h>
#include <parhelion/version.h>

#include <fmt/format.h>

namespace parhelion::command_line_detail {

int verb_doctor(const Options& o) {
  const CpuTarget cpu = host_cpu();
  const toolchain::Toolchain toolchain;
  const toolchain::Tools& tools = toolchain.tools();
  const bool driver = DynamicLibrary::open("libcuda.so.1").has_value();
  Json out = Json::object();
  out.set("version", version);
  out.set("cpu", cpu.brand);
  out.set("level", name(cpu.level));
  out.set("cores", cpu.physical_cores);
  out.set("cache", cache_directory().string());
  out.set("cuda_driver", driver);
  Json found = Json::array(), missing = Json::array();
  for (const toolchain::Tool& t : tools.found) {
    Json row = Json::object();
    row.set("tool", toolchain::name(t.kind));
    row.set("version", t.version);
    row.set("path", t.path);
    found.push(std::move(row));
  }
  std::string text = fmt::format("parhelion {}\ncpu: {}, {}, {} cores, simd {} bytes\ncache: {}\n",
                                 version, cpu.brand, name(cpu.level), cpu.physical_cores,
                                 cpu.simd_bytes, cache_directory().string());
  for (const toolchain::Tool& t : tools.found) {
    text += fmt::format("found   {:<8} {:<12} {}\n", toolchain::name(t.kind), t.version, t.path);
  }
  for (const toolchain::MissingTool& m : tools.missing) {
    for (const toolchain::ToolRow& row : toolchain::tool_rows()) {
      if (row.kind != m.kind) continue;
      text += fmt::format("missing {:<8} {}\n        brings {}; {}\n", row.name, m.reason,
                          row.brings, row.install);
      Json entry = Json::object();
      entry.set("tool", row.name);
      entry.set("reason", m.reason);
      entry.set("brings", row.brings);
      entry.set("install", row.install);
      missing.push(std::move(entry));
    }
  }
  text += driver ? "found   CUDA driver\n"
                 : "missing CUDA driver: kernels for NVIDIA GPUs can be printed and compiled, not "
                   "run\n";
  out.set("found", std::move(found));
  out.set("missing", std::move(missing));
  if (o.json) {
    print_json(out);
  } else {
    print_out(text);
  }
  return 0;
}

}  // namespace parhelion::command_line_detail
