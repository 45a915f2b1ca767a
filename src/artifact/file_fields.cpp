// SPDX-License-Identifier: Apache-2.0
#include "artifact/file_fields.h"

#include <functional>

namespace parhelion::artifact {

namespace {

/// Reads members by name; `ok` tells at the end whether all of them were there and of their kind.
class Reader {
 public:
  explicit Reader(const Json& object) : object_(object), ok_(object.is_object()) {}

  std::int64_t integer(std::string_view key) {
    const Json* v = member(key, &Json::is_integer);
    return v != nullptr ? v->as_integer() : 0;
  }
  int small(std::string_view key) { return static_cast<int>(integer(key)); }
  std::string text(std::string_view key) {
    const Json* v = member(key, &Json::is_string);
    return v != nullptr ? v->as_string() : std::string();
  }
  double number(std::string_view key) {
    const Json* v = member(key, &Json::is_number);
    return v != nullptr ? v->as_number() : 0;
  }
  bool flag(std::string_view key) {
    const Json* v = member(key, &Json::is_bool);
    return v != nullptr && v->as_bool();
  }
  std::optional<std::int64_t> optional_integer(std::string_view key) {
    const Json* v = object_.find(key);
    if (v == nullptr) return std::nullopt;
    return integer(key);
  }
  SizeProgram program(std::string_view key) {
    return parsed<SizeProgram>(SizeProgram::parse(text(key)));
  }
  DType dtype(std::string_view key) { return kept(parse_dtype(text(key)), DType::F32); }
  template <class Enum>
  Enum word(std::string_view key, std::span<const std::string_view> words) {
    const std::string word = text(key);
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] == word) return static_cast<Enum>(i);
    }
    ok_ = false;
    return Enum{};
  }
  template <class T>
  std::vector<T> list(std::string_view key, const std::function<T(Reader&)>& read) {
    std::vector<T> out;
    const Json* v = member(key, &Json::is_array);
    if (v == nullptr) return out;
    for (const Json& item : v->as_array()) {
      Reader reader(item);
      out.push_back(read(reader));
      ok_ = ok_ && reader.ok_;
    }
    return out;
  }
  std::vector<std::string> texts(std::string_view key) {
    const Json* v = object_.find(key);
    return kept(v != nullptr ? texts_from(*v) : std::nullopt, {});
  }
  [[nodiscard]] bool ok() const { return ok_; }

 private:
  const Json* member(std::string_view key, bool (Json::*is)() const) {
    const Json* v = object_.find(key);
    if (v != nullptr && (v->*is)()) return v;
    ok_ = false;
    return nullptr;
  }
  template <class T>
  T kept(std::optional<T> value, T fallback) {
    ok_ = ok_ && value.has_value();
    return value.value_or(std::move(fallback));
  }
  template <class T>
  T parsed(Result<T> value) {
    ok_ = ok_ && value.has_value();
    return value ? std::move(*value) : T{};
  }

  const Json& object_;
  bool ok_;
};

constexpr std::string_view symbol_words[] = {"size", "stride", "scalar"};
constexpr std::string_view parameter_words[] = {"pointer", "integer", "scalar", "workspace",
                                                "scratch"};

std::string_view word_of(CallSymbol::Kind kind) {
  return symbol_words[static_cast<std::size_t>(kind)];
}
std::string_view word_of(LaunchParameter::Kind kind) {
  return parameter_words[static_cast<std::size_t>(kind)];
}

template <class T, class Make>
Json list_of(const std::vector<T>& items, const Make& make) {
  Json list = Json::array();
  for (const T& item : items) list.push(make(item));
  return list;
}

Json symbol_json(const CallSymbol& s) {
  Json o = Json::object();
  o.set("kind", word_of(s.kind)).set("tensor", s.tensor).set("dimension", s.dimension);
  return o;
}

Json parameter_json(const LaunchParameter& p) {
  Json o = Json::object();
  o.set("kind", word_of(p.kind)).set("name", p.name).set("dtype", name(p.dtype));
  o.set("tensor", p.tensor).set("written", p.written).set("bytes", p.bytes);
  o.set("value", p.value.text());
  return o;
}

Json phase_json(const LaunchPhase& p) {
  Json o = Json::object();
  o.set("entry", p.entry).set("programs", p.programs.text()).set("chunk", p.chunk);
  o.set("threads", p.threads).set("shared", p.dynamic_shared_bytes);
  return o;
}

}  // namespace

Json to_json(const LaunchFacts& launch) {
  Json o = Json::object();
  o.set("symbols", list_of(launch.symbols, symbol_json));
  o.set("parameters", list_of(launch.parameters, parameter_json));
  o.set("phases", list_of(launch.phases, phase_json));
  o.set("workspace", launch.workspace_bytes.text()).set("scratch", launch.scratch_bytes.text());
  return o;
}

std::optional<LaunchFacts> launch_from(const Json& json) {
  Reader in(json);
  LaunchFacts launch;
  launch.symbols = in.list<CallSymbol>("symbols", [](Reader& r) {
    return CallSymbol{r.word<CallSymbol::Kind>("kind", symbol_words), r.small("tensor"),
                      r.small("dimension")};
  });
  launch.parameters = in.list<LaunchParameter>("parameters", [](Reader& r) {
    LaunchParameter p;
    p.kind = r.word<LaunchParameter::Kind>("kind", parameter_words);
    p.name = r.text("name");
    p.dtype = r.dtype("dtype");
    p.tensor = r.small("tensor");
    p.written = r.flag("written");
    p.bytes = r.small("bytes");
    p.value = r.program("value");
    return p;
  });
  launch.phases = in.list<LaunchPhase>("phases", [](Reader& r) {
    LaunchPhase p;
    p.entry = r.text("entry");
    p.programs = r.program("programs");
    p.chunk = r.small("chunk");
    p.threads = r.small("threads");
    p.dynamic_shared_bytes = r.integer("shared");
    return p;
  });
  launch.workspace_bytes = in.program("workspace");
  launch.scratch_bytes = in.program("scratch");
  return in.ok() ? std::optional(std::move(launch)) : std::nullopt;
}

Json to_json(const CodeFacts& facts) {
  Json o = Json::object();
  const auto add = [&](std::string_view key, const std::optional<std::int64_t>& value) {
    if (value) o.set(key, *value);
  };
  add("registers", facts.registers);
  add("stack_bytes", facts.stack_bytes);
  add("spill_store_bytes", facts.spill_store_bytes);
  add("spill_load_bytes", facts.spill_load_bytes);
  add("shared_bytes", facts.shared_bytes);
  add("code_bytes", facts.code_bytes);
  o.set("warnings", to_json(facts.warnings));
  return o;
}

std::optional<CodeFacts> facts_from(const Json& json) {
  Reader in(json);
  CodeFacts facts;
  facts.registers = in.optional_integer("registers");
  facts.stack_bytes = in.optional_integer("stack_bytes");
  facts.spill_store_bytes = in.optional_integer("spill_store_bytes");
  facts.spill_load_bytes = in.optional_integer("spill_load_bytes");
  facts.shared_bytes = in.optional_integer("shared_bytes");
  facts.code_bytes = in.optional_integer("code_bytes");
  facts.warnings = in.texts("warnings");
  return in.ok() ? std::optional(std::move(facts)) : std::nullopt;
}

Json to_json(const LineTable& lines) {
  return list_of(lines.entries, [](const LineTable::Entry& e) {
    Json o = Json::object();
    o.set("line", e.line).set("file", e.file);
    o.set("user_line", e.user_line).set("user_column", e.user_column);
    return o;
  });
}

std::optional<LineTable> lines_from(const Json& json) {
  Json wrapped = Json::object();
  wrapped.set("entries", json);
  Reader in(wrapped);
  LineTable lines;
  lines.entries = in.list<LineTable::Entry>("entries", [](Reader& r) {
    return LineTable::Entry{r.small("line"), r.text("file"), r.small("user_line"),
                            r.small("user_column")};
  });
  return in.ok() ? std::optional(std::move(lines)) : std::nullopt;
}

Json to_json(const std::vector<BuildStep>& steps) {
  return list_of(steps, [](const BuildStep& s) {
    Json o = Json::object();
    o.set("command", s.command).set("output", s.output).set("wall_s", s.wall_s);
    return o;
  });
}

std::optional<std::vector<BuildStep>> steps_from(const Json& json) {
  Json wrapped = Json::object();
  wrapped.set("steps", json);
  Reader in(wrapped);
  auto steps = in.list<BuildStep>("steps", [](Reader& r) {
    return BuildStep{r.text("command"), r.text("output"), r.number("wall_s")};
  });
  return in.ok() ? std::optional(std::move(steps)) : std::nullopt;
}

Json to_json(const std::vector<std::string>& texts) {
  return list_of(texts, [](const std::string& text) { return Json(text); });
}

std::optional<std::vector<std::string>> texts_from(const Json& json) {
  if (!json.is_array()) return std::nullopt;
  std::vector<std::string> texts;
  for (const Json& item : json.as_array()) {
    if (!item.is_string()) return std::nullopt;
    texts.push_back(item.as_string());
  }
  return texts;
}

}  // namespace parhelion::artifact
