// SPDX-License-Identifier: Apache-2.0
// Files and kernels; where diagnostics point.
#include "base/text.h"
#include "ir/tile/parser.h"
#include "ir/tile/verify_rules.h"

#include <fmt/format.h>

namespace parhelion::ir {

void Parser::header() {
  in_.expect("parhelion");
  const Place where = in_.place();
  const std::int64_t version = in_.integer();
  if (version != 1) in_.fail(5001, fmt::format("text version {}, this reads 1", version), where);
  while (in_.accept("file")) files_.push_back(in_.string());
  // Locations of a text that does not say of which file belong to one without a name.
  if (files_.empty() && in_.has('#')) files_.emplace_back();
}

/// Every line keeps where it came from: the user's source if it says so, else this text.
Location Parser::location(Place where) {
  if (!in_.accept("#")) {
    return {f_.file_index(where.file), static_cast<std::uint32_t>(where.line),
            static_cast<std::uint32_t>(where.column)};
  }
  const Place at = in_.place();
  std::vector<std::int64_t> numbers = {in_.integer()};
  while (numbers.size() < 3 && in_.accept(":")) numbers.push_back(in_.integer());
  const std::int64_t file = numbers.size() == 3 ? numbers[0] : 0;
  const std::int64_t line = numbers.size() == 3 ? numbers[1] : numbers[0];
  constexpr std::int64_t limit = 1 << 30;
  if (numbers.size() < 2 || file < 0 || file >= static_cast<std::int64_t>(f_.files.size()) ||
      line < 1 || line > limit || numbers.back() < 0 || numbers.back() > limit) {
    in_.fail(5001, "a location is #line:column, or #file:line:column", at);
  }
  return {static_cast<std::uint32_t>(file), static_cast<std::uint32_t>(line),
          static_cast<std::uint32_t>(numbers.back())};
}

/// Points at the line of the text; the user's own line becomes a note.
void Parser::blame(Diagnostics& diagnostics, OpId op) const {
  const auto it = places_.find(op);
  if (it == places_.end()) return;
  const Place from = f_.place(f_.op(op).where);
  for (Diagnostic& d : diagnostics) {
    d.where = it->second;
    if (from.line != 0 && from.file != file_) {
      d.notes.push_back({fmt::format("from {}:{}", from.file, from.line), from});
    }
  }
}

void Parser::top_level() {
  const Place where = in_.place();
  if (in_.accept("barrier")) {
    Op op;
    op.code = OpCode::Barrier;
    location_of(f_.append(f_.body, std::move(op), {}), where);
  } else if (in_.accept("grid")) {
    loop(f_.body, OpCode::Grid, {}, where);
  } else if (!host_statement()) {
    in_.expected("grid, barrier, a host statement, return or '}'");
  }
}

void Parser::returns() {
  const bool list = in_.accept("(");
  do {
    f_.returns.push_back(tensor());
  } while (in_.accept(","));
  if (list) in_.expect(")");
  f_.returns_list = list || f_.returns.size() > 1;
}

void Parser::check_finished() {
  std::vector<Violation> found = find_violations(f_);
  if (found.empty()) return;
  Diagnostics all;
  for (Violation& v : found) {
    Diagnostics one = {std::move(v.diagnostic)};
    if (v.op.valid()) blame(one, v.op);
    all.push_back(std::move(one[0]));
  }
  throw ParseFailure{std::move(all)};
}

Function Parser::kernel() {
  f_ = Function();
  f_.files = files_;
  tensors_ = {};
  scalars_ = {};
  symbols_ = {};
  axes_ = {};
  blocks_ = {};
  values_ = {};
  places_.clear();
  sites_written_.reset();
  depth_ = 0;
  in_.expect("kernel");
  f_.name = in_.identifier("the kernel's name");
  parameters();
  in_.expect("{");
  while (!in_.at("}") && !in_.at("return")) top_level();
  if (in_.accept("return")) returns();
  in_.expect("}");
  check_finished();
  return std::move(f_);
}

std::vector<Function> Parser::file() {
  header();
  std::vector<Function> kernels;
  while (!in_.at_end()) kernels.push_back(kernel());
  return kernels;
}

Result<std::vector<Function>> parse(std::string_view text, std::string_view file) {
  try {
    return Parser(text, file).file();
  } catch (const ParseFailure& failure) {
    return std::unexpected(failure.diagnostics);
  }
}

}  // namespace parhelion::ir
