// SPDX-License-Identifier: Apache-2.0
// Several texts -> one library, as the emulation asks for.
#include "toolchain/choice.h"
#include "toolchain/link.h"
#include "toolchain/messages.h"
#include "toolchain/toolchain.h"

#include "base/diag.h"

#include <fmt/format.h>

#include <future>

namespace parhelion::toolchain {

namespace {

Hash unit_hash(const RecipeUnit& unit, const Tool& compiler) {
  Hasher hasher;
  hasher.add(unit.text).add(compiler.digest.hex());
  for (const std::string& flag : unit.flags) hasher.add(flag);
  return hasher.finish();
}

Result<std::string> compile_unit(const RecipeRequest& request, const RecipeUnit& unit,
                                 const Tool& compiler, std::chrono::milliseconds limit,
                                 artifact::BuildStep& step) {
  const Result<BuildFolder> folder = BuildFolder::make();
  if (!folder) return std::unexpected(folder.error());
  const std::string object = folder->file(unit.name + ".o");
  Result<StepResult> compiled = run_step(
      *folder, compile_arguments(compiler, unit.flags, object), unit.text, limit);
  if (!compiled) return std::unexpected(std::move(compiled.error()));
  if (!compiled->ok) {
    return std::unexpected(Diagnostics{refused(tool_text(compiler), request.kernel,
                                               compiled->step.output, request.text,
                                               request.lines)});
  }
  step = std::move(compiled->step);
  return read_file(object);
}

artifact::Artifact empty_artifact(const RecipeRequest& request) {
  artifact::Artifact made;
  made.kind = artifact::Kind::EmulatedSharedObject;
  made.kernel = request.kernel;
  made.arch = "emulation";
  made.launch = request.launch;
  made.text = request.text;
  made.lines = request.lines;
  made.steps.resize(request.units.size());
  return made;
}

}  // namespace

Result<Json> Toolchain::recipe_origin(const RecipeRequest& request) const {
  const auto compiler = need(ToolKind::Gxx, tools_);
  if (!compiler) return std::unexpected(compiler.error());
  const auto linker = need(ToolKind::Linker, tools_);
  if (!linker) return std::unexpected(linker.error());
  Json o = origin_of(artifact::name(artifact::Kind::EmulatedSharedObject), request.text,
                     request.launch);
  o.set("compiler", to_json(**compiler)).set("linker", to_json(**linker));
  Json units = Json::object();
  for (const RecipeUnit& unit : request.units) {
    units.set(unit.name, unit_hash(unit, **compiler).hex());
  }
  return o.set("units", std::move(units)).set("link_flags", flags_json(request.link_flags));
}

Result<std::string> Toolchain::recipe_object(const RecipeUnit& unit, const Tool& compiler,
                                             const RecipeRequest& request,
                                             artifact::BuildStep& step) const {
  const Hash key = unit_hash(unit, compiler);
  if (unit.reused) {
    const std::lock_guard lock(mutex_);
    if (const auto kept = objects_.find(key); kept != objects_.end()) return kept->second;
  }
  auto object = compile_unit(request, unit, compiler, time_limit_, step);
  if (object && unit.reused) {
    const std::lock_guard lock(mutex_);
    objects_.emplace(key, *object);
  }
  return object;
}

Result<artifact::Artifact> Toolchain::compile_recipe(const RecipeRequest& request) const {
  const auto compiler = need(ToolKind::Gxx, tools_);
  if (!compiler) return std::unexpected(compiler.error());
  const auto linker = need(ToolKind::Linker, tools_);
  if (!linker) return std::unexpected(linker.error());
  artifact::Artifact made = empty_artifact(request);
  // The units do not depend on each other: at the same time, each in its own process.
  std::vector<std::future<Result<std::string>>> running;
  for (std::size_t i = 0; i < request.units.size(); ++i) {
    running.push_back(std::async(std::launch::async, [&, i] {
      return recipe_object(request.units[i], **compiler, request, made.steps[i]);
    }));
  }
  const Result<BuildFolder> folder = BuildFolder::make();
  if (!folder) return std::unexpected(folder.error());
  std::vector<std::string> objects;
  Diagnostics failed;
  for (std::size_t i = 0; i < running.size(); ++i) {
    Result<std::string> object = running[i].get();
    objects.push_back(folder->file(fmt::format("{}.o", request.units[i].name)));
    const Result<void> written =
        object ? write_file(objects.back(), *object) : std::unexpected(object.error());
    if (!written) failed = written.error();
  }
  if (!failed.empty()) return std::unexpected(std::move(failed));
  std::erase_if(made.steps, [](const artifact::BuildStep& s) { return s.command.empty(); });
  if (auto linked =
          link_library(*folder, **linker, objects, request.link_flags, time_limit_, made);
      !linked) {
    return std::unexpected(std::move(linked.error()));
  }
  return made;
}

}  // namespace parhelion::toolchain
