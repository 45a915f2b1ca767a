// SPDX-License-Identifier: Apache-2.0
#include "command_line/problem.h"

#include "base/diag.h"
#include "base/files.h"
#include "base/npy.h"
#include "base/text.h"
#include "runtime/elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace parhelion::command_line_detail {

namespace {

Result<Shape> read_shape(const Options& o, const ProgramKernel& kernel) {
  Shape shape = kernel.default_shape;
  for (const std::string& part : o.shape) {
    const std::size_t equals = part.find('=');
    const std::string key = part.substr(0, equals);
    const auto value =
        equals == std::string::npos ? std::nullopt : parse_integer(part.substr(equals + 1));
    if (!shape.contains(key)) {
      std::vector<std::string> names;
      for (const auto& [n, v] : shape) names.push_back(n);
      const auto close = close_match(key, names);
      return fail(9502, fmt::format("'{}' has no extent '{}'", kernel.name, key), {},
                  close ? fmt::format("did you mean {}?", *close)
                        : fmt::format("its extents are {}", join(names, ", ")));
    }
    if (!value || *value < 0) {
      return fail(9502, fmt::format("extent {} is not a number of at least 0", part), {},
                  "write M=2048");
    }
    shape[key] = *value;
  }
  return shape;
}

/// "x=bf16[2048,4096]" or "x=@x.npy"
struct GivenArgument {
  ArgumentSpec spec;
  std::string file;
};

Result<GivenArgument> read_argument(const std::string& text) {
  const auto wrong = [&](std::string why) {
    return fail(9503, fmt::format("argument '{}': {}", text, why), {},
                "write x=bf16[2048,4096] or x=@x.npy");
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return wrong("no '='");
  GivenArgument given;
  given.spec.name = text.substr(0, equals);
  const std::string value = text.substr(equals + 1);
  if (starts_with(value, "@")) {
    given.file = value.substr(1);
    return given;
  }
  const std::size_t open = value.find('[');
  if (open == std::string::npos || value.back() != ']') return wrong("no sizes in brackets");
  const auto dtype = parse_dtype(value.substr(0, open));
  if (!dtype) return wrong("unknown dtype");
  given.spec.dtype = *dtype;
  const std::string sizes = value.substr(open + 1, value.size() - open - 2);
  for (const std::string_view part : split(sizes, ',')) {
    if (trim(part).empty()) continue;
    const auto n = parse_integer(trim(part));
    if (!n || *n < 0) return wrong("a size is not a number of at least 0");
    given.spec.sizes.push_back(*n);
  }
  return given;
}

Result<void> add_tensor(Problem& p, const GivenArgument& given, std::uint64_t seed) {
  if (!given.file.empty()) {
    auto loaded = read_npy(given.file);
    if (!loaded) return std::unexpected(loaded.error());
    p.tensors.push_back(std::move(*loaded));
    ArgumentSpec spec = given.spec;
    const TensorView& v = p.tensors.back().view();
    spec.dtype = v.dtype;
    spec.sizes.assign(v.sizes.begin(), v.sizes.begin() + v.rank);
    p.specs.push_back(std::move(spec));
    return {};
  }
  Buffer b = Buffer::empty(given.spec.sizes, given.spec.dtype);
  runtime::fill(b.view(), runtime::Distribution::Normal, seed, p.tensors.size());
  p.tensors.push_back(std::move(b));
  p.specs.push_back(given.spec);
  return {};
}

Result<void> library_arguments(Problem& p, const Options& o) {
  auto shape = read_shape(o, *p.kernel);
  if (!shape) return std::unexpected(shape.error());
  p.shape = std::move(*shape);
  p.dtype = p.kernel->default_dtype;
  if (!o.dtype.empty()) {
    const auto dtype = parse_dtype(o.dtype);
    if (!dtype || !is_float(*dtype)) {
      return fail(9502, fmt::format("dtype '{}' is not one of f32, f16, bf16", o.dtype), {},
                  "write --dtype bf16");
    }
    p.dtype = *dtype;
  }
  for (const ArgumentSpec& spec : p.kernel->arguments(p.shape, p.dtype)) {
    if (auto ok = add_tensor(p, {spec, {}}, o.seed); !ok) return ok;
  }
  return {};
}

Result<void> given_arguments(Problem& p, const Options& o, std::size_t wanted,
                             const std::vector<std::string>& names) {
  if (o.arguments.size() != wanted) {
    return fail(9503,
                fmt::format("'{}' takes {} tensors, {} were given", p.source.name, wanted,
                            o.arguments.size()),
                {}, "one --arg NAME=DTYPE[SIZES] for each");
  }
  std::vector<GivenArgument> given;
  for (const std::string& text : o.arguments) {
    auto one = read_argument(text);
    if (!one) return std::unexpected(one.error());
    if (!names.empty() && std::ranges::find(names, one->spec.name) == names.end()) {
      return fail(9503, fmt::format("'{}' has no argument '{}'", p.source.name, one->spec.name), {},
                  fmt::format("its arguments are {}", join(names, ", ")));
    }
    given.push_back(std::move(*one));
  }
  if (!names.empty()) {
    std::ranges::stable_sort(given, {}, [&](const GivenArgument& g) {
      return std::ranges::find(names, g.spec.name) - names.begin();
    });
  }
  for (const GivenArgument& g : given) {
    if (auto ok = add_tensor(p, g, o.seed); !ok) return ok;
  }
  return {};
}

Result<Problem> from_file(const Options& o) {
  auto text = read_file(o.kernel);
  if (!text) return std::unexpected(text.error());
  auto functions = ir::parse(*text, o.kernel);
  if (!functions) return std::unexpected(functions.error());
  if (functions->empty()) {
    return fail(9501, fmt::format("'{}' holds no kernel", o.kernel), {}, "write one");
  }
  auto function = std::make_shared<const ir::Function>(std::move(functions->front()));
  Problem p;
  p.source = session::source_of(function);
  std::vector<std::string> names;
  for (const ir::Parameter& parameter : function->parameters) {
    if (const auto* t = std::get_if<ir::TensorId>(&parameter)) {
      names.push_back(function->tensor(*t).name);
    }
  }
  if (auto ok = given_arguments(p, o, names.size(), names); !ok) {
    return std::unexpected(ok.error());
  }
  for (const Buffer& b : p.tensors) p.arguments.push_back(Argument::of(b.view()));
  return p;
}

}  // namespace

Result<Problem> make_problem(const Options& o, std::span<const ProgramKernel> kernels) {
  if (o.kernel.ends_with(".ph")) return from_file(o);
  Problem p;
  std::vector<std::string> names;
  for (const ProgramKernel& k : kernels) {
    names.push_back(k.name);
    if (k.name == o.kernel) p.kernel = &k;
  }
  if (p.kernel == nullptr) {
    const auto close = close_match(o.kernel, names);
    return fail(9501, fmt::format("there is no kernel '{}'", o.kernel), {},
                close ? fmt::format("did you mean {}?", *close)
                      : "`list` prints the kernels; a .ph file is given by its path");
  }
  p.source = session::source_of(p.kernel->kernel);
  const auto& kinds = p.kernel->kernel.state().kinds;
  const auto tensors = static_cast<std::size_t>(std::ranges::count(kinds, Argument::Kind::Tensor));
  const Result<void> ok = p.kernel->arguments && o.arguments.empty()
                              ? library_arguments(p, o)
                              : given_arguments(p, o, tensors, {});
  if (!ok) return std::unexpected(ok.error());
  std::vector<TensorView> views;
  for (const Buffer& b : p.tensors) views.push_back(b.view());
  if (p.kernel->call) {
    p.arguments = p.kernel->call(views);
    return p;
  }
  std::size_t next = 0;
  for (const Argument::Kind kind : kinds) {
    Argument a;
    a.kind = kind;
    if (kind == Argument::Kind::Tensor) a.tensor = views[next++];
    p.arguments.push_back(std::move(a));
  }
  return p;
}

std::string shape_text(const Problem& p) {
  std::vector<std::string> parts;
  if (p.kernel != nullptr && !p.shape.empty()) {
    for (const auto& [key, value] : p.shape) parts.push_back(fmt::format("{}={}", key, value));
    return join(parts, ",") + " " + std::string(name(p.dtype));
  }
  for (const ArgumentSpec& s : p.specs) {
    std::vector<std::string> sizes;
    for (const std::int64_t n : s.sizes) sizes.push_back(fmt::format("{}", n));
    parts.push_back(fmt::format("{}={}[{}]", s.name, name(s.dtype), join(sizes, ",")));
  }
  return join(parts, " ");
}

Result<Config> parse_config(const Options& o) { return Config::parse(o.config); }

Result<Controls> parse_controls(const Options& o) {
  if (o.controls.ends_with(".toml")) {
    auto text = read_file(o.controls);
    if (!text) return std::unexpected(text.error());
    return Controls::parse_toml(*text, o.controls);
  }
  return Controls::parse(o.controls.empty() ? "none" : o.controls);
}

Result<SessionOptions> session_options(const Options& o) {
  SessionOptions options;
  options.target = o.target;
  options.threads = o.threads;
  options.cache = o.cache;
  auto config = parse_config(o);
  if (!config) return std::unexpected(config.error());
  auto controls = parse_controls(o);
  if (!controls) return std::unexpected(controls.error());
  options.config = std::move(*config);
  options.controls = std::move(*controls);
  return options;
}

}  // namespace parhelion::command_line_detail
