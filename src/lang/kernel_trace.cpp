// SPDX-License-Identifier: Apache-2.0
#include "lang/kernel_trace.h"

#include "base/text.h"
#include "lang/names.h"
#include "lang/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>

namespace parhelion::lang {

namespace {

/// Walks the arguments while the body takes its parameters.
class Source final : public ParameterSource {
 public:
  Source(Trace& trace, std::span<const Argument> arguments, std::vector<std::string> names,
         std::vector<parhelion::Tensor>& results, bool& list)
      : trace_(trace),
        arguments_(arguments),
        names_(std::move(names)),
        results_(results),
        list_(list) {}

  parhelion::Tensor tensor() override {
    const Argument& a = next();
    const TensorView& v = a.tensor;
    ExampleTensor example;
    example.name = name_;
    example.dtype = v.dtype;
    for (int d = 0; d < v.rank; ++d) {
      example.sizes.push_back(v.sizes[static_cast<std::size_t>(d)]);
      example.strides.push_back(v.strides[static_cast<std::size_t>(d)]);
    }
    return trace_.add_tensor(example);
  }
  parhelion::Scalar scalar() override {
    const Argument& a = next();
    return trace_.add_scalar(name_, a.is_float);
  }
  std::string constant() override { return next().constant; }
  std::pair<const void*, ParameterSource*> callable() override {
    const Argument& a = next();
    std::vector<std::string> names;
    for (std::size_t i = 0; i < a.bound.size(); ++i) names.push_back(fmt::format("{}{}", name_, i));
    nested_.emplace_back(trace_, a.bound, std::move(names), results_, list_);
    return {a.callable, &nested_.back()};
  }
  void returned(std::vector<parhelion::Tensor> tensors, bool list) override {
    results_ = std::move(tensors);
    list_ = list;
  }

 private:
  const Argument& next() {
    name_ = position_ < names_.size() ? names_[position_] : fmt::format("arg{}", position_);
    return arguments_[position_++];
  }

  Trace& trace_;
  std::span<const Argument> arguments_;
  std::vector<std::string> names_;
  std::vector<parhelion::Tensor>& results_;
  bool& list_;
  std::size_t position_ = 0;
  std::string name_;
  std::list<Source> nested_;
};

void flatten_into(std::span<const Argument> arguments, FlatArguments& flat) {
  for (const Argument& a : arguments) {
    switch (a.kind) {
      case Argument::Kind::Tensor: flat.tensors.push_back(a.tensor); break;
      case Argument::Kind::Scalar: flat.scalars.push_back(&a); break;
      case Argument::Kind::Callable: flatten_into(a.bound, flat); break;
      case Argument::Kind::Constant: break;
    }
  }
}

void key_into(std::span<const Argument> arguments, std::string& key) {
  for (const Argument& a : arguments) {
    switch (a.kind) {
      case Argument::Kind::Tensor:
        key += fmt::format("t{}r{};", parhelion::name(a.tensor.dtype), a.tensor.rank);
        break;
      case Argument::Kind::Scalar: key += a.is_float ? "sf;" : "si;"; break;
      case Argument::Kind::Constant:
        key += fmt::format("c{}:{};", a.constant.size(), a.constant);
        break;
      case Argument::Kind::Callable:
        key += fmt::format("f{}(", a.callable);
        key_into(a.bound, key);
        key += ");";
        break;
    }
  }
}

/// Outputs that the body made get the names of the variables they were returned from: `out`.
void name_outputs(Trace& trace) {
  for (ir::Tensor& t : trace.function.tensors) {
    if (t.kind == ir::Tensor::Kind::Parameter || !t.where.known()) continue;
    const auto names =
        bound_names(trace.function.files[t.where.file], static_cast<int>(t.where.line));
    if (names.size() != 1) continue;
    const bool taken = std::ranges::any_of(
        trace.function.tensors, [&](const ir::Tensor& other) { return other.name == names[0]; });
    if (!taken) t.name = names[0];
  }
}

}  // namespace

FlatArguments flatten(std::span<const Argument> arguments) {
  FlatArguments flat;
  flatten_into(arguments, flat);
  return flat;
}

std::string trace_key(std::span<const Argument> arguments) {
  std::string key;
  key_into(arguments, key);
  return key;
}

Result<TracedKernel> trace(const AnyKernel& kernel, std::span<const Argument> arguments) {
  const AnyKernel::State& state = kernel.state();
  Trace trace(state.name, state.where.file, state.where.line);
  std::vector<std::string> names = state.options.args;
  if (names.empty()) {
    names = parameter_names(state.where.file, static_cast<int>(state.where.line));
  }
  std::vector<parhelion::Tensor> results;
  bool list = false;
  try {
    Source source(trace, arguments, std::move(names), results, list);
    state.body(source);
    if (trace.poison) throw Error(*trace.poison);
    if (!trace.roots_seen) {
      throw Error(diag(1204, fmt::format("kernel '{}' has no tile loop", state.name),
                       trace.place(state.where), "add one"));
    }
    name_outputs(trace);
    TracedKernel traced;
    for (const parhelion::Tensor& t : results) {
      trace.function.returns.emplace_back(t.handle().id);
    }
    trace.function.returns_list = list;
    traced.function = finish(trace);
    traced.warnings = trace.warnings;
    if (Diagnostics found = ir::verify(traced.function); !found.empty()) {
      return std::unexpected(std::move(found));
    }
    return traced;
  } catch (const Error& e) {
    // The first mistake found in a destructor explains what followed it.
    if (trace.poison) return std::unexpected(Diagnostics{*trace.poison});
    return std::unexpected(e.diagnostics());
  }
}

Result<TracedKernel> trace_checked(const AnyKernel& kernel, std::span<const Argument> arguments) {
  Result<TracedKernel> first = trace(kernel, arguments);
  if (!first) return first;
  const Result<TracedKernel> second = trace(kernel, arguments);
  if (!second || ir::hash(first->function) != ir::hash(second->function)) {
    const Loc where = kernel.state().where;
    return fail(1005, fmt::format("two traces of '{}' differ", kernel.name()),
                {where.file, static_cast<int>(where.line), static_cast<int>(where.column)},
                "the body must not depend on static counters, clocks or random numbers");
  }
  return first;
}

}  // namespace parhelion::lang

namespace parhelion {

std::string AnyKernel::text(std::span<const Argument> arguments) const {
  auto traced = lang::trace(*this, arguments);
  if (!traced) throw Error(traced.error());
  return ir::print(traced->function);
}

namespace detail {

std::string constant_text(bool v) { return v ? "true" : "false"; }
std::string constant_text(std::int64_t v) { return fmt::format("{}", v); }
std::string constant_text(double v) { return number_text(v); }
std::string constant_text(DType v) { return std::string(name(v)); }
void read_constant(const std::string& text, bool& v) { v = text == "true" || text == "1"; }
void read_constant(const std::string& text, std::int64_t& v) {
  v = parse_integer(text).value_or(0);
}
void read_constant(const std::string& text, double& v) { v = parse_number(text).value_or(0); }
void read_constant(const std::string& text, DType& v) { v = parse_dtype(text).value_or(f32); }

}  // namespace detail
}  // namespace parhelion
