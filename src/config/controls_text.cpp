// SPDX-License-Identifier: Apache-2.0
// Controls as one line, as TOML and as JSON. A value that reads as an integer or a switch is
// written as one in TOML and JSON: settings compare by their text.
#include "base/diag.h"
#include "base/text.h"
#include "config/config.h"

#include <fmt/format.h>

#include <algorithm>

namespace parhelion::config {

namespace {

constexpr std::int64_t schema = 1;

bool is_name(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) {
    return c > ' ' && c != '=' && c != '"' && c != '[' && c != ']' && c != 0x7f;
  });
}

/// Top-level members of the TOML form that are no tools.
bool is_reserved(std::string_view word) {
  return word == "schema" || word == "name" || word == "numerics" || word == "target";
}

bool needs_quotes(std::string_view value) {
  return value.empty() || std::ranges::any_of(value, [](char c) {
           return (c >= 0 && c <= ' ') || c == '"' || c == '\\' || c == 0x7f;
         });
}

std::string quoted(std::string_view value) { return Json(value).dump(); }

Json member_of(const std::string& value) {
  if (value == "on") return true;
  if (value == "off") return false;
  const auto integer = parse_integer(value);
  if (integer && std::to_string(*integer) == value) return *integer;
  return value;
}

Result<std::string> value_of(std::string_view where, const Json& member) {
  if (member.is_bool()) return std::string(member.as_bool() ? "on" : "off");
  if (member.is_integer()) return std::to_string(member.as_integer());
  if (member.is_number()) return number_text(member.as_number());
  if (member.is_string()) return member.as_string();
  return fail(7006, fmt::format("{} is neither text, number nor switch", where), {},
              "write key = value, one setting a line");
}

class Reader {
 public:
  explicit Reader(Controls& controls) : controls_(controls) {}

  Result<void> member(const std::string& name, const Json& json) {
    if (name == "schema") return schema_version(json);
    if (name == "name") return word(name, json, controls_.name);
    if (name == "numerics") return numerics(json);
    if (!json.is_object()) {
      return fail(7006, fmt::format("\"{}\" is no member of controls", name), {},
                  "settings belong into the table of their tool, as [ptxas]");
    }
    if (name == "target") return target(json);
    if (name == "payload") return payload(json);
    return tool(name, json);
  }

 private:
  static Result<void> word(std::string_view name, const Json& json, std::string& out) {
    auto value = value_of(name, json);
    if (!value) return std::unexpected(value.error());
    out = std::move(*value);
    return {};
  }

  static Result<void> schema_version(const Json& json) {
    if (json.is_integer() && json.as_integer() <= schema) return {};
    return fail(7007,
                fmt::format("the controls have schema {}, this version reads up to {}", json.dump(),
                            schema),
                {}, "read them with the version that wrote them");
  }

  Result<void> numerics(const Json& json) {
    const auto parsed = json.is_string() ? parse_numerics(json.as_string()) : std::nullopt;
    if (!parsed) {
      return fail(7006, fmt::format("numerics = {} is not known", json.dump()), {},
                  "use exact, bounded or relaxed");
    }
    controls_.numerics = *parsed;
    return {};
  }

  static std::unexpected<Diagnostics> unknown(std::string_view table, const std::string& name,
                                              std::string_view known) {
    return fail(7006, fmt::format("[{}] has no member \"{}\"", table, name), {},
                fmt::format("it takes {}", known));
  }

  Result<void> target(const Json& json) {
    for (const auto& [name, member] : json.as_object()) {
      std::string* place = name == "arch"      ? &controls_.target.arch
                           : name == "tool"    ? &controls_.target.tool
                           : name == "version" ? &controls_.target.version
                                               : nullptr;
      if (place == nullptr) return unknown("target", name, "arch, tool, version");
      if (auto done = word(name, member, *place); !done) return done;
    }
    return {};
  }

  Result<void> payload(const Json& json) {
    ControlsPayload payload;
    for (const auto& [name, member] : json.as_object()) {
      std::string* place = name == "file"     ? &payload.file
                           : name == "sha256" ? &payload.sha256
                                              : nullptr;
      if (place == nullptr) return unknown("payload", name, "file, sha256");
      if (auto done = word(name, member, *place); !done) return done;
    }
    controls_.payload = std::move(payload);
    return {};
  }

  Result<void> tool(const std::string& name, const Json& json) {
    for (const auto& [key, member] : json.as_object()) {
      const std::string where = fmt::format("{}.{}", name, key);
      if (!is_name(name) || !is_name(key)) {
        return fail(7006, fmt::format("{} is no name of a setting", where), {},
                    "names hold no blanks, quotes, brackets or =");
      }
      const auto value = value_of(where, member);
      if (!value) return std::unexpected(value.error());
      controls_.set(name, key, *value);
    }
    return {};
  }

  Controls& controls_;
};

/// Splits at blanks outside of quotes; `token` keeps its quotes.
struct Tokens {
  std::string_view text;
  std::size_t at = 0;

  std::string_view next() {
    while (at < text.size() && std::string_view(" \t\r\n").find(text[at]) != text.npos) ++at;
    const std::size_t start = at;
    bool inside = false;
    for (; at < text.size(); ++at) {
      if (inside && text[at] == '\\') {
        ++at;
      } else if (text[at] == '"') {
        inside = !inside;
      } else if (!inside && std::string_view(" \t\r\n").find(text[at]) != text.npos) {
        break;
      }
    }
    at = std::min(at, text.size());
    return text.substr(start, at - start);
  }
};

std::unexpected<Diagnostics> bad_token(std::string_view token, std::size_t column) {
  return fail(7006, fmt::format("\"{}\" is neither a tool nor key=value", token),
              {"<controls>", 1, static_cast<int>(column)},
              "write for example g++ opt-level=3 rename-registers=on");
}

/// The text as it is, unless it is not UTF-8: TOML and JSON could not carry that.
std::optional<std::string> utf8(std::string text) {
  const auto carried = Json::parse(quoted(text));
  if (!carried || carried->as_string() != text) return std::nullopt;
  return text;
}

std::optional<std::string> unquoted(std::string_view value) {
  if (value.empty()) return std::nullopt;
  if (value.front() != '"') {
    return needs_quotes(value) ? std::nullopt : utf8(std::string(value));
  }
  const auto parsed = Json::parse(value);
  if (!parsed || !parsed->is_string()) return std::nullopt;
  return parsed->as_string();
}

void put(Controls& controls, const std::string& tool, std::string_view key, std::string value) {
  if (tool != "payload") {
    controls.set(tool, key, value);
    return;
  }
  if (!controls.payload) controls.payload.emplace();
  (key == "file" ? controls.payload->file : controls.payload->sha256) = std::move(value);
}

}  // namespace

Result<Controls> controls_from_json(const Json& json) {
  if (!json.is_object()) return fail(7006, "controls are a table", {}, "write [g++] opt-level = 3");
  Controls controls;
  Reader reader(controls);
  for (const auto& [name, member] : json.as_object()) {
    if (auto done = reader.member(name, member); !done) return std::unexpected(done.error());
  }
  return controls;
}

Result<Controls> Controls::parse_toml(std::string_view text, std::string_view file) {
  const auto json = parhelion::parse_toml(text, file);
  if (!json) return std::unexpected(json.error());
  return controls_from_json(*json);
}

Json to_json(const Controls& controls) {
  Json out = Json::object();
  out.set("schema", schema);
  if (!controls.name.empty()) out.set("name", controls.name);
  out.set("numerics", name(controls.numerics));
  if (controls.target != ControlsTarget()) {
    Json target = Json::object();
    if (!controls.target.arch.empty()) target.set("arch", controls.target.arch);
    if (!controls.target.tool.empty()) target.set("tool", controls.target.tool);
    if (!controls.target.version.empty()) target.set("version", controls.target.version);
    out.set("target", std::move(target));
  }
  std::size_t at = 0;
  const std::vector<Setting>& settings = controls.settings();
  while (at < settings.size()) {
    const std::string& tool = settings[at].tool;
    Json table = Json::object();
    for (; at < settings.size() && settings[at].tool == tool; ++at) {
      table.set(settings[at].key, member_of(settings[at].value));
    }
    out.set(tool, std::move(table));
  }
  if (controls.payload) {
    Json payload = Json::object();
    payload.set("file", controls.payload->file).set("sha256", controls.payload->sha256);
    out.set("payload", std::move(payload));
  }
  return out;
}

std::string Controls::toml() const {
  const auto bare = [](std::string_view word) {
    return !word.empty() && std::ranges::all_of(word, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '-' || c == '_';
    });
  };
  const auto spelled = [&](const std::string& word) { return bare(word) ? word : quoted(word); };
  std::string out;
  const Json json = to_json(*this);
  for (const auto& [name, member] : json.as_object()) {  // scalars come before all tables
    if (!member.is_object()) {
      out += fmt::format("{} = {}\n", spelled(name), member.dump());
      continue;
    }
    out += fmt::format("\n[{}]\n", spelled(name));
    for (const auto& [key, value] : member.as_object()) {
      out += fmt::format("{} = {}\n", spelled(key), value.dump());
    }
  }
  return out;
}

Result<Controls> Controls::parse(std::string_view text) {
  Controls controls;
  if (trim(text) == "none") return controls;
  std::string tool;
  Tokens tokens{.text = text};
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
    const std::size_t column = tokens.at - token.size() + 1;
    const std::size_t equals = token.find('=');
    if (equals == token.npos) {
      if (!is_name(token) || is_reserved(token)) return bad_token(token, column);
      tool = token;
      continue;
    }
    const std::string_view key = token.substr(0, equals);
    auto value = unquoted(token.substr(equals + 1));
    const bool known = tool != "payload" || key == "file" || key == "sha256";
    if (tool.empty() || !is_name(key) || !value || !known) return bad_token(token, column);
    put(controls, tool, key, std::move(*value));
  }
  return controls;
}

std::string Controls::text() const {
  std::string out, tool;
  const auto add = [&](std::string_view word) {
    if (!out.empty()) out += ' ';
    out += word;
  };
  const auto pair = [&](const std::string& key, const std::string& value) {
    add(key + '=' + (needs_quotes(value) ? quoted(value) : value));
  };
  for (const Setting& s : settings_) {
    if (s.tool != tool) add(s.tool);
    tool = s.tool;
    pair(s.key, s.value);
  }
  if (payload) {
    add("payload");
    pair("file", payload->file);
    pair("sha256", payload->sha256);
  }
  return out.empty() ? "none" : out;
}

}  // namespace parhelion::config
