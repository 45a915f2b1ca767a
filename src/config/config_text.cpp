// SPDX-License-Identifier: Apache-2.0
// Reading `block[a0]=4 warps=4`, from a line of text or from JSON.
#include "base/diag.h"
#include "base/text.h"
#include "config/config.h"

#include <fmt/format.h>

#include <algorithm>

namespace parhelion::config {

namespace {

constexpr std::int64_t schema = 1;

struct Cursor {
  std::string_view text;
  std::size_t at = 0;
  int line = 1;
  std::size_t line_start = 0;

  void skip_space() {
    for (; at < text.size() && std::string_view(" \t\r\n").find(text[at]) != text.npos; ++at) {
      if (text[at] != '\n') continue;
      ++line;
      line_start = at + 1;
    }
  }
  std::string_view token() {
    const std::size_t end = std::min(text.find_first_of(" \t\r\n", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end;
    return word;
  }
  [[nodiscard]] Place place(std::size_t offset) const {
    return {"<config>", line, static_cast<int>(offset - line_start) + 1};
  }
};

std::vector<std::string> parameter_names() {
  std::vector<std::string> names;
  for (const ParameterRow& r : parameters) names.emplace_back(r.name);
  return names;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const auto match = close_match(word, candidates);
  return match ? fmt::format("did you mean \"{}\"?", *match) : std::string();
}

Result<const ParameterRow*> find_row(std::string_view name, const Place& where) {
  const auto* found = std::ranges::find(parameters, name, &ParameterRow::name);
  if (found != std::end(parameters)) return found;
  return fail(7002, fmt::format("there is no parameter \"{}\"", name), where,
              did_you_mean(name, parameter_names()));
}

std::string example(const ParameterRow& r) {
  switch (r.subject) {
    case Subject::Kernel: return std::string(r.name);
    case Subject::Role: return fmt::format("{}[producer]", r.name);
    case Subject::Operand: return fmt::format("{}[d0.a]", r.name);
    default: return fmt::format("{}[{}0]", r.name, letter(r.subject));
  }
}

bool is_identifier(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// Index of "a0" when `id` has the letter.
std::optional<int> parse_id(std::string_view id, char wanted) {
  if (id.size() < 2 || id.size() > 7 || id.front() != wanted) return std::nullopt;
  if (id[1] == '0' && id.size() > 2) return std::nullopt;
  if (id.find_first_not_of("0123456789", 1) != id.npos) return std::nullopt;
  return static_cast<int>(*parse_integer(id.substr(1)));
}

class KeyReader {
 public:
  KeyReader(std::span<const SubjectName> names, Place where)
      : names_(names), where_(std::move(where)) {}

  Result<Key> read(std::string_view text) const {
    const std::size_t bracket = text.find('[');
    const auto r = find_row(text.substr(0, bracket), where_);
    if (!r) return std::unexpected(r.error());
    if (bracket == text.npos) {
      if ((*r)->subject != Subject::Kernel) return wrong(**r, text);
      return Key{(*r)->parameter};
    }
    if (text.back() != ']') {
      return fail(7001, fmt::format("\"{}\" lacks its closing bracket", text), where_,
                  fmt::format("write {}", example(**r)));
    }
    return subject(**r, text, text.substr(bracket + 1, text.size() - bracket - 2));
  }

 private:
  std::unexpected<Diagnostics> wrong(const ParameterRow& r, std::string_view text) const {
    return fail(7003, fmt::format("\"{}\" does not name a subject of {}", text, r.name), where_,
                fmt::format("write {}", example(r)));
  }

  Result<Key> subject(const ParameterRow& r, std::string_view text, std::string_view inner) const {
    if (r.subject == Subject::Kernel) return wrong(r, text);
    if (r.subject == Subject::Role) {
      if (!is_identifier(inner)) return wrong(r, text);
      return Key{r.parameter, -1, std::string(inner)};
    }
    std::string suffix;
    if (r.subject == Subject::Operand) {
      const std::size_t dot = inner.rfind('.');
      if (dot == inner.npos || !is_identifier(inner.substr(dot + 1))) return wrong(r, text);
      suffix = inner.substr(dot + 1);
      inner = inner.substr(0, dot);
    }
    const auto index = parse_id(inner, letter(r.subject));
    if (index) return Key{r.parameter, *index, suffix};
    return named(r, text, inner, suffix);
  }

  // Several subjects may share a name ("x" a site and a value): the letter decides.
  Result<Key> named(const ParameterRow& r, std::string_view text, std::string_view name,
                    const std::string& suffix) const {
    std::vector<std::string> known;
    for (const SubjectName& candidate : names_) {
      const auto index = parse_id(candidate.id, letter(r.subject));
      if (!index) continue;
      if (candidate.name == name) return Key{r.parameter, *index, suffix};
      known.push_back(candidate.name);
    }
    auto failure = wrong(r, text);
    const std::string hint = did_you_mean(name, known);
    if (!hint.empty()) failure.error().front().help = hint;
    return failure;
  }

  std::span<const SubjectName> names_;
  Place where_;
};

std::optional<std::vector<std::int64_t>> parse_list(std::string_view text) {
  std::vector<std::int64_t> list;
  for (const std::string_view part : split(text, ',')) {
    const auto integer = parse_integer(part);
    if (!integer) return std::nullopt;
    list.push_back(*integer);
  }
  return list;
}

Value read_value(const ParameterRow& r, std::string_view text) {
  if (r.kind == ValueKind::List) {
    if (auto list = parse_list(text)) return std::move(*list);
  }
  if (r.kind == ValueKind::Integer || r.kind == ValueKind::IntegerOrWord) {
    if (const auto integer = parse_integer(text)) return *integer;
  }
  return std::string(text);
}

Result<void> put(Config& config, const Key& key, Value value, const Place& where) {
  const ParameterRow& r = row(key.parameter);
  if (const auto wanted = wrong_value(r, value)) {
    std::vector<std::string> words;
    for (const std::string_view word : split(r.words, ' ')) words.emplace_back(word);
    const std::string hint = did_you_mean(text(value), words);
    return fail(7004,
                fmt::format("{} = {}: the parameter takes {}", text(key), text(value), *wanted),
                where, hint.empty() ? fmt::format("{}: {}", example(r), r.doc) : hint);
  }
  if (config.has(key)) {
    return fail(7005, fmt::format("{} is set twice", text(key)), where, "keep one of the two");
  }
  config.set(key, std::move(value));
  return {};
}

}  // namespace

Result<Config> Config::parse(std::string_view text, std::span<const SubjectName> names) {
  Config config;
  Cursor cursor{.text = text};
  for (cursor.skip_space(); cursor.at < text.size(); cursor.skip_space()) {
    const std::size_t start = cursor.at;
    const std::string_view token = cursor.token();
    const Place where = cursor.place(start);
    const std::size_t equals = token.find('=');
    if (equals == token.npos || equals == 0 || equals + 1 == token.size()) {
      return fail(7001, fmt::format("\"{}\" is not parameter=value", token), where,
                  "write for example block[a0]=4 warps=4, separated by blanks");
    }
    const auto key = KeyReader(names, where).read(token.substr(0, equals));
    if (!key) return std::unexpected(key.error());
    const auto done = put(config, *key, read_value(row(key->parameter), token.substr(equals + 1)),
                          cursor.place(start + equals + 1));
    if (!done) return std::unexpected(done.error());
  }
  return config;
}

Json to_json(const Config& config) {
  Json out = Json::object();
  out.set("schema", schema);
  for (const auto& [key, value] : config) {
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value)) {
      Json array = Json::array();
      for (const std::int64_t v : *list) array.push(v);
      out.set(text(key), std::move(array));
    } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
      out.set(text(key), *integer);
    } else {
      out.set(text(key), std::get<std::string>(value));
    }
  }
  return out;
}

Result<Config> config_from_json(const Json& json) {
  if (!json.is_object()) {
    return fail(7001, "a configuration in JSON is an object", {}, "write {\"block[a0]\": 4}");
  }
  if (json.integer_or("schema", schema) > schema) {
    return fail(7007,
                fmt::format("the configuration has schema {}, this version reads up to {}",
                            json.integer_or("schema", 0), schema),
                {}, "read it with the version that wrote it");
  }
  Config config;
  for (const auto& [name, member] : json.as_object()) {
    if (name == "schema") continue;
    const auto key = KeyReader({}, {}).read(name);
    if (!key) return std::unexpected(key.error());
    std::string as_text;
    if (member.is_array()) {
      std::vector<std::string> parts;
      for (const Json& item : member.as_array()) parts.push_back(item.dump());
      as_text = join(parts, ",");
    } else {
      as_text = member.is_string() ? member.as_string() : member.dump();
    }
    const auto done = put(config, *key, read_value(row(key->parameter), as_text), {});
    if (!done) return std::unexpected(done.error());
  }
  return config;
}

}  // namespace parhelion::config
