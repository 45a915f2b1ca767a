// SPDX-License-Identifier: Apache-2.0
#include "emit/common/names.h"

#include <algorithm>

namespace parhelion::emit {
namespace {

constexpr std::string_view keywords[] = {
    "alignas",  "alignof",   "and",       "asm",       "auto",      "bool",      "break",
    "case",     "catch",     "char",      "class",     "co_await",  "co_return", "co_yield",
    "compl",    "concept",   "const",     "consteval", "constexpr", "constinit", "continue",
    "decltype", "default",   "delete",    "do",        "double",    "else",      "enum",
    "explicit", "export",    "extern",    "false",     "float",     "for",       "friend",
    "goto",     "if",        "inline",    "int",       "linux",     "long",      "main",
    "mutable",  "namespace", "new",       "noexcept",  "not",       "nullptr",   "operator",
    "or",       "private",   "protected", "public",    "register",  "requires",  "return",
    "short",    "signed",    "sizeof",    "static",    "struct",    "switch",    "template",
    "this",     "throw",     "true",      "try",       "typedef",   "typeid",    "typename",
    "union",    "unix",      "unsigned",  "using",     "virtual",   "void",      "volatile",
    "wchar_t",  "while",     "xor",
};

}  // namespace

ScopedNames::ScopedNames() {
  for (const std::string_view word : keywords) reserved_.emplace(word);
}

void ScopedNames::reserve(std::string_view name) { reserved_.emplace(name); }

bool ScopedNames::taken(const std::string& name) const {
  return reserved_.contains(name) ||
         std::ranges::any_of(scopes_, [&](const auto& scope) { return scope.contains(name); });
}

std::string ScopedNames::take(std::string_view hint) {
  const std::string stem(hint.empty() ? "t" : hint);
  std::string name = stem;
  for (int i = 2; taken(name); ++i) name = stem + "_" + std::to_string(i);
  scopes_.back().insert(name);
  return name;
}

}  // namespace parhelion::emit
