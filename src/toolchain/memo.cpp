// SPDX-License-Identifier: Apache-2.0
#include "toolchain/memo.h"

namespace parhelion::toolchain {

namespace {

constexpr int schema = 1;

/// The answers in the file; an empty object for anything else.
Json read_answers(const fs::path& file) {
  const Result<std::string> text = read_file(file);
  if (!text) return Json::object();
  const Result<Json> json = Json::parse(*text);
  if (!json || json->integer_or("schema", 0) != schema) return Json::object();
  const Json* answers = json->find("tools");
  if (answers == nullptr || !answers->is_object()) return Json::object();
  Json kept = Json::object();
  for (const auto& [tool, part] : answers->as_object()) {
    if (part.is_object()) kept.set(tool, part);
  }
  return kept;
}

Json part_of(const Json& answers, std::string_view tool) {
  const Json* part = answers.find(tool);
  return part != nullptr ? *part : Json::object();
}

}  // namespace

ToolMemo::ToolMemo(fs::path file)
    : file_(std::move(file)), answers_(file_.empty() ? Json::object() : read_answers(file_)) {}

std::optional<std::string> ToolMemo::find(const Hash& tool, std::string_view question) const {
  const std::lock_guard lock(mutex_);
  const Json* part = answers_.find(tool.hex());
  const Json* answer = part != nullptr ? part->find(question) : nullptr;
  if (answer == nullptr || !answer->is_string()) return std::nullopt;
  return answer->as_string();
}

void ToolMemo::keep(const Hash& tool, std::string_view question, std::string_view answer) {
  const std::lock_guard lock(mutex_);
  Json part = part_of(answers_, tool.hex());
  part.set(question, answer);
  answers_.set(tool.hex(), std::move(part));
  changed_ = true;
}

void ToolMemo::save() {
  const std::lock_guard lock(mutex_);
  if (!changed_ || file_.empty()) return;
  Json merged = read_answers(file_);
  for (const auto& [tool, mine] : answers_.as_object()) {
    Json part = part_of(merged, tool);
    for (const auto& [question, answer] : mine.as_object()) part.set(question, answer);
    merged.set(tool, std::move(part));
  }
  Json whole = Json::object();
  whole.set("schema", schema).set("tools", std::move(merged));
  if (make_directories(file_.parent_path()) && write_file(file_, whole.dump(1))) changed_ = false;
}

}  // namespace parhelion::toolchain
