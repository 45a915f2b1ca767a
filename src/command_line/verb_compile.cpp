// SPDX-License-Identifier: Apache-2.0
#include "artifact/file.h"
#include "base/files.h"
#include "command_line/candidate.h"
#include "command_line/output.h"
#include "command_line/verbs.h"

#include <fmt/format.h>

namespace parhelion::command_line_detail {

namespace {

/// Text, log and machine code of a candidate, for people and other tools.
Result<std::vector<std::string>> keep(const driver::Compiled& c, const fs::path& folder) {
  if (auto ok = make_directories(folder); !ok) return std::unexpected(ok.error());
  const artifact::Artifact& a = c.artifact;
  std::string log;
  for (const artifact::BuildStep& s : a.steps) log += "$ " + s.command + "\n" + s.output;
  const bool cpu = a.kind == artifact::Kind::CpuSharedObject;
  const std::vector<std::pair<std::string, std::string>> files = {
      {a.kernel + (cpu ? ".cpp" : ".cu"), a.text},
      {a.kernel + ".log", log},
      {a.kernel + (cpu ? ".so" : ".cubin"), std::string(artifact::as_text(a.bytes))}};
  std::vector<std::string> paths;
  for (const auto& [name, content] : files) {
    const fs::path path = folder / name;
    if (auto ok = write_file(path, content); !ok) return std::unexpected(ok.error());
    paths.push_back(path.string());
  }
  return paths;
}

void set_fact(Json& o, std::string_view key, const std::optional<std::int64_t>& value) {
  o.set(key, value ? Json(*value) : Json());
}

}  // namespace

int verb_compile(const Options& o, Kernels kernels) {
  const auto subject = make_subject(o, kernels);
  if (!subject) return report(subject.error(), o.json);
  const toolchain::Toolchain tools;
  std::unique_ptr<artifact::ArtifactCache> cache;
  if (o.cache != "none") {
    cache = std::make_unique<artifact::ArtifactCache>(
        o.cache.empty() ? cache_directory() / "artifacts" : fs::path(o.cache));
  }
  const auto compiled = driver::compile(subject->candidate(), tools, cache.get());
  if (!compiled) return report(compiled.error(), o.json);
  if (cache) {
    if (const Diagnostics notices = cache->notices(); !notices.empty()) {
      print_error(render_text(notices));
    }
  }
  std::vector<std::string> kept;
  if (!o.keep.empty()) {
    auto paths = keep(*compiled, o.keep);
    if (!paths) return report(paths.error(), o.json);
    kept = std::move(*paths);
  }
  const artifact::Artifact& a = compiled->artifact;
  if (o.json) {
    Json out = Json::object();
    out.set("kernel", a.kernel);
    out.set("arch", a.arch);
    out.set("config", compiled->emitted.config.text());
    out.set("controls", subject->controls.text());
    out.set("cached", compiled->cached);
    out.set("plan_ms", compiled->emitted.plan_ms);
    out.set("emit_ms", compiled->emitted.emit_ms);
    out.set("compile_ms", compiled->compile_ms);
    out.set("code_hash", a.code_hash.hex());
    set_fact(out, "code_bytes", a.facts.code_bytes);
    set_fact(out, "registers", a.facts.registers);
    set_fact(out, "stack_bytes", a.facts.stack_bytes);
    set_fact(out, "shared_bytes", a.facts.shared_bytes);
    Json files = Json::array();
    for (const std::string& path : kept) files.push(path);
    out.set("files", std::move(files));
    print_json(out);
    return 0;
  }
  print_out(fmt::format("{} for {}: {} in {:.1f} ms (plan {:.2f} ms, text {:.2f} ms)\n", a.kernel,
                        a.arch, compiled->cached ? "from the cache" : "compiled",
                        compiled->compile_ms, compiled->emitted.plan_ms,
                        compiled->emitted.emit_ms));
  print_out(fmt::format("code {} of {} bytes\n", a.code_hash.short_hex(),
                        a.facts.code_bytes.value_or(0)));
  if (a.facts.registers) print_out(fmt::format("registers {}\n", *a.facts.registers));
  for (const std::string& path : kept) print_out(path + "\n");
  return 0;
}

}  // namespace parhelion::command_line_detail
