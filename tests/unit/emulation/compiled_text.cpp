// SPDX-License-Identifier: Apache-2.0
#include "compiled_text.h"

#include "base/files.h"
#include "base/subprocess.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

namespace emulation_test {

using namespace parhelion;

namespace {

const fs::path& folder() {
  static const TemporaryDirectory directory("parhelion-emulation");
  return directory.path();
}

std::string next_name(const char* extension) {
  static int count = 0;
  return (folder() / fmt::format("t{}{}", count++, extension)).string();
}

void execute(const Command& command) {
  const Result<Finished> finished = run(command);
  if (!finished) throw std::runtime_error(render_text(finished.error()));
  if (!finished->ok()) throw std::runtime_error(finished->errors);
}

/// Objects by text: the stub is compiled once.
std::string object_of(const em::RecipeUnit& unit) {
  static std::map<std::string, std::string> made;
  std::string& object = made[unit.text];
  if (!object.empty()) return object;
  const std::string path = next_name(".o");
  Command command;
  command.arguments = {"g++"};
  command.arguments.insert(command.arguments.end(), unit.flags.begin(), unit.flags.end());
  for (const char* last : {"-x", "c++", "-c", "-", "-o"}) command.arguments.emplace_back(last);
  command.arguments.push_back(path);
  command.input = unit.text;
  execute(command);
  object = path;
  return object;
}

}  // namespace

CompiledText::CompiledText(std::string_view text, std::string_view kernel) {
  const Result<em::Recipe> recipe = em::recipe(text, kernel);
  if (!recipe) throw std::runtime_error(render_text(recipe.error()));
  Command link;
  link.arguments = {"ld"};
  for (const em::RecipeUnit& unit : recipe->units) link.arguments.push_back(object_of(unit));
  link.arguments.insert(link.arguments.end(), recipe->link_flags.begin(), recipe->link_flags.end());
  const std::string path = next_name(".so");
  link.arguments.insert(link.arguments.end(), {"-o", path});
  execute(link);
  Result<DynamicLibrary> opened = DynamicLibrary::open(path);
  if (!opened) throw std::runtime_error(render_text(opened.error()));
  library_ = std::move(*opened);
}

em::Report CompiledText::run(const em::Launch& launch) const {
  Result<em::Report> report = em::run(library_, launch);
  if (!report) throw std::runtime_error(render_text(report.error()));
  return std::move(*report);
}

int line_of(std::string_view text, std::string_view what) {
  const std::size_t at = text.find(what);
  if (at == std::string_view::npos) return 0;
  const auto before = text.substr(0, at);
  return 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
}

}  // namespace emulation_test
