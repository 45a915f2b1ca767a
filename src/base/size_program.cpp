// SPDX-License-Identifier: Apache-2.0
#include "base/size_program.h"

#include "base/diag.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace parhelion {

namespace {

constexpr std::array<std::string_view, 10> words = {"",         "", "+",   "-",  "*",
                                                    "floordiv", "%", "ceildiv", "min", "max"};

/// Wraps, as the other operations do: INT64_MIN / -1 would trap.
std::int64_t negated(std::int64_t a) {
  return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(a));
}

std::int64_t apply(SizeProgram::Code code, std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  switch (code) {
    case SizeProgram::Code::Add: return static_cast<std::int64_t>(x + y);
    case SizeProgram::Code::Sub: return static_cast<std::int64_t>(x - y);
    case SizeProgram::Code::Mul: return static_cast<std::int64_t>(x * y);
    case SizeProgram::Code::FloorDiv: return floor_div(a, b);
    case SizeProgram::Code::Mod: return floor_mod(a, b);
    case SizeProgram::Code::CeilDiv: return ceil_div(a, b);
    case SizeProgram::Code::Min: return std::min(a, b);
    case SizeProgram::Code::Max: return std::max(a, b);
    case SizeProgram::Code::Constant:
    case SizeProgram::Code::Symbol: break;
  }
  PH_ASSERT(false, "not an operation");
  return 0;
}

}  // namespace

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return negated(a);
  const std::int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
std::int64_t floor_mod(std::int64_t a, std::int64_t b) {
  if (b == 0 || b == -1) return 0;
  const std::int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return negated(a);
  const std::int64_t q = a / b;
  return a % b != 0 && (a < 0) == (b < 0) ? q + 1 : q;
}

SizeProgram SizeProgram::constant(std::int64_t value) {
  SizeProgram p;
  p.steps_ = {{Code::Constant, value}};
  return p;
}
SizeProgram SizeProgram::symbol(std::int64_t index) {
  SizeProgram p;
  p.steps_ = {{Code::Symbol, index}};
  return p;
}
SizeProgram SizeProgram::binary(Code code, const SizeProgram& left, const SizeProgram& right) {
  const bool constants = left.steps_.size() == 1 && right.steps_.size() == 1 &&
                         left.steps_[0].code == Code::Constant &&
                         right.steps_[0].code == Code::Constant;
  if (constants) return constant(apply(code, left.steps_[0].value, right.steps_[0].value));
  // An empty program is 0, but leaves nothing on the stack for an operation.
  if (left.steps_.empty()) return binary(code, constant(0), right);
  if (right.steps_.empty()) return binary(code, left, constant(0));
  SizeProgram p = left;
  p.steps_.insert(p.steps_.end(), right.steps_.begin(), right.steps_.end());
  p.steps_.push_back({code, 0});
  return p;
}

std::int64_t SizeProgram::evaluate(std::span<const std::int64_t> symbols) const {
  std::vector<std::int64_t> stack;
  stack.reserve(8);
  for (const Step& s : steps_) {
    if (s.code == Code::Constant) {
      stack.push_back(s.value);
    } else if (s.code == Code::Symbol) {
      const auto index = static_cast<std::size_t>(s.value);
      PH_ASSERT(index < symbols.size(), "a size program names a symbol that the call lacks");
      stack.push_back(symbols[index]);
    } else {
      const std::int64_t b = stack.back();
      stack.pop_back();
      stack.back() = apply(s.code, stack.back(), b);
    }
  }
  return stack.empty() ? 0 : stack.back();
}

std::string SizeProgram::text() const {
  std::string text;
  for (const Step& s : steps_) {
    if (!text.empty()) text += ' ';
    if (s.code == Code::Constant) {
      text += fmt::format("{}", s.value);
    } else if (s.code == Code::Symbol) {
      text += fmt::format("s{}", s.value);
    } else {
      text += words[static_cast<std::size_t>(s.code)];
    }
  }
  return text;
}

Result<SizeProgram> SizeProgram::parse(std::string_view text) {
  SizeProgram p;
  int depth = 0;
  if (trim(text).empty()) return p;
  for (const std::string_view word : split(trim(text), ' ')) {
    const auto op = std::ranges::find(words, word);
    if (!word.empty() && op != words.end()) {
      p.steps_.push_back({static_cast<Code>(op - words.begin()), 0});
      depth -= 1;
      if (depth < 1) return fail(8007, fmt::format("size program: nothing before '{}'", word));
      continue;
    }
    const bool symbol = !word.empty() && word[0] == 's';
    const auto value = parse_integer(symbol ? word.substr(1) : word);
    if (!value || (symbol && *value < 0)) {
      return fail(8007, fmt::format("size program: unknown word '{}'", word));
    }
    p.steps_.push_back({symbol ? Code::Symbol : Code::Constant, *value});
    ++depth;
  }
  if (depth != 1) return fail(8007, "size program: it leaves more than one value");
  return p;
}

}  // namespace parhelion
