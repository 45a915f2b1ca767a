// SPDX-License-Identifier: Apache-2.0
// Kernels as typed objects: ph::kernel("name", lambda) deduces the parameters; calling one traces,
// compiles and runs it through a Session.
#pragma once

#include <parhelion/config.h>
#include <parhelion/lang.h>
#include <parhelion/tensor.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace parhelion {

class Session;
class AnyKernel;

struct KernelOptions {
  std::vector<std::string> args;  // ABI names of the parameters; read from the source if empty
  Numerics numerics = Numerics::Bounded;
};

/// One argument of a call, type-erased: what tracing, the command line and the workers share.
struct Argument {
  enum class Kind : std::uint8_t { Tensor, Scalar, Constant, Callable };
  Kind kind = Kind::Tensor;
  TensorView tensor;
  bool is_float = false;
  double number = 0;
  std::int64_t integer = 0;
  std::string constant;            // text of a C++ constant: part of the trace key
  const void* callable = nullptr;  // address of a per-type tag: part of the trace key
  std::vector<Argument> bound;     // of a callable

  static Argument of(TensorView view) {
    Argument a;
    a.tensor = view;
    return a;
  }
};

/// Gives the body its parameters while a trace runs, in order.
class ParameterSource {
 public:
  virtual ~ParameterSource() = default;
  virtual Tensor tensor() = 0;
  virtual Scalar scalar() = 0;
  virtual std::string constant() = 0;
  /// The tag of the next callable, and a source of its bound arguments.
  virtual std::pair<const void*, ParameterSource*> callable() = 0;
  /// Hands back the tensors that the body returned.
  virtual void returned(std::vector<Tensor> tensors, bool list) = 0;
};

// ---- callables as arguments --------------------------------------------------------------------
template <class Signature>
class Function;

/// A device callable of the body. An empty one returns its first argument.
template <class R, class... A>
class Function<R(A...)> {
 public:
  Function() = default;
  explicit Function(std::function<R(A...)> f) : f_(std::move(f)) {}
  R operator()(const A&... a) const {
    if (f_) return f_(a...);
    return std::get<0>(std::tuple<const A&...>(a...));
  }

 private:
  std::function<R(A...)> f_;
};
using Epilogue = Function<Value(Value, Tile, Tile)>;

namespace detail {

template <class Signature>
struct CallableTag;
template <class R, class... A>
struct CallableTag<R(A...)> {
  std::function<R(A...)> (*make)(ParameterSource& bound);
};

template <class T>
struct TraceParameter;  // how a bound argument appears in the trace
template <>
struct TraceParameter<TensorView> {
  using type = Tensor;
  static Tensor take(ParameterSource& source) { return source.tensor(); }
};
template <Arithmetic T>
struct TraceParameter<T> {
  using type = Scalar;
  static Scalar take(ParameterSource& source) { return source.scalar(); }
};

template <Arithmetic T>
Argument scalar_argument(T value) {
  Argument a;
  a.kind = Argument::Kind::Scalar;
  a.is_float = std::is_floating_point_v<T>;
  a.number = static_cast<double>(value);
  a.integer = static_cast<std::int64_t>(value);
  return a;
}

template <class F, class Signature, class... B>
struct CallableFor;
template <class F, class R, class... A, class... B>
struct CallableFor<F, R(A...), B...> {
  static std::function<R(A...)> make(ParameterSource& bound) {
    // Braced initialisation fixes the order: left to right.
    auto taken = std::tuple<typename TraceParameter<B>::type...>{TraceParameter<B>::take(bound)...};
    return [taken](const A&... a) -> R {
      return std::apply([&](const auto&... t) -> R { return F{}(a..., t...); }, taken);
    };
  }
  static constexpr CallableTag<R(A...)> tag{&make};
};

}  // namespace detail

/// A captureless lambda with tensors and numbers bound behind its own parameters.
template <class F, class... B>
struct Bound {
  std::tuple<B...> values;
};
template <class F, class... B>
auto bind(F, B... values) {
  static_assert(std::is_empty_v<F> && std::is_default_constructible_v<F>,
                "a callable must not capture: pass tensors and numbers with ph::bind");
  const auto as_stored = []<class T>(const T& v) {
    if constexpr (Arithmetic<T>) {
      return v;
    } else {
      return TensorView(v);
    }
  };
  return Bound<F, decltype(as_stored(values))...>{{as_stored(values)...}};
}

/// What a caller may pass for a Function parameter.
template <class Signature>
class FunctionArgument {
 public:
  FunctionArgument() { argument_.kind = Argument::Kind::Callable; }
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, FunctionArgument>) FunctionArgument(F)
      : FunctionArgument() {
    static_assert(std::is_empty_v<F> && std::is_default_constructible_v<F>,
                  "a callable must not capture: pass tensors and numbers with ph::bind");
    argument_.callable = &detail::CallableFor<F, Signature>::tag;
  }
  template <class F, class... B>
  FunctionArgument(Bound<F, B...> bound) : FunctionArgument() {
    argument_.callable = &detail::CallableFor<F, Signature, B...>::tag;
    std::apply([this](const auto&... v) { (argument_.bound.push_back(to_bound(v)), ...); },
               bound.values);
  }
  [[nodiscard]] const Argument& argument() const { return argument_; }

 private:
  template <class T>
  static Argument to_bound(const T& v) {
    if constexpr (Arithmetic<T>) {
      return detail::scalar_argument(v);
    } else {
      return Argument::of(v);
    }
  }
  Argument argument_;
};

// ---- parameters --------------------------------------------------------------------------------
namespace detail {

/// Text of a plain C++ constant and back; both directions are exact.
std::string constant_text(bool v);
std::string constant_text(std::int64_t v);
std::string constant_text(double v);
std::string constant_text(DType v);
void read_constant(const std::string& text, bool& v);
void read_constant(const std::string& text, std::int64_t& v);
void read_constant(const std::string& text, double& v);
void read_constant(const std::string& text, DType& v);

template <class P>
struct ParameterTraits {  // a plain C++ value: constant of the trace
  using Call = P;
  static Argument argument(const P& v) {
    Argument a;
    a.kind = Argument::Kind::Constant;
    if constexpr (std::same_as<P, bool> || std::same_as<P, DType>) {
      a.constant = constant_text(v);
    } else if constexpr (std::is_integral_v<P> || std::is_enum_v<P>) {
      a.constant = constant_text(static_cast<std::int64_t>(v));
    } else if constexpr (std::is_floating_point_v<P>) {
      a.constant = constant_text(static_cast<double>(v));
    } else {
      a.constant = v;
    }
    return a;
  }
  static P take(ParameterSource& source) {
    const std::string text = source.constant();
    if constexpr (std::same_as<P, bool> || std::same_as<P, DType>) {
      P v{};
      read_constant(text, v);
      return v;
    } else if constexpr (std::is_integral_v<P> || std::is_enum_v<P>) {
      std::int64_t v = 0;
      read_constant(text, v);
      return static_cast<P>(v);
    } else if constexpr (std::is_floating_point_v<P>) {
      double v = 0;
      read_constant(text, v);
      return static_cast<P>(v);
    } else {
      return P(text);
    }
  }
  static constexpr Argument::Kind kind = Argument::Kind::Constant;
};
template <>
struct ParameterTraits<Tensor> {
  using Call = TensorView;
  static Argument argument(const TensorView& v) { return Argument::of(v); }
  static Tensor take(ParameterSource& source) { return source.tensor(); }
  static constexpr Argument::Kind kind = Argument::Kind::Tensor;
};
/// A run-time number: only whether it is an integer enters the key.
class Number {
 public:
  template <Arithmetic T>
  Number(T v) : argument_(scalar_argument(v)) {}
  [[nodiscard]] const Argument& argument() const { return argument_; }

 private:
  Argument argument_;
};
template <>
struct ParameterTraits<Scalar> {
  using Call = Number;
  static Argument argument(const Number& v) { return v.argument(); }
  static Scalar take(ParameterSource& source) { return source.scalar(); }
  static constexpr Argument::Kind kind = Argument::Kind::Scalar;
};
template <class Signature>
struct ParameterTraits<Function<Signature>> {
  using Call = FunctionArgument<Signature>;
  static Argument argument(const Call& v) { return v.argument(); }
  static Function<Signature> take(ParameterSource& source) {
    const auto [tag, bound] = source.callable();
    if (tag == nullptr) return {};
    return Function<Signature>(static_cast<const CallableTag<Signature>*>(tag)->make(*bound));
  }
  static constexpr Argument::Kind kind = Argument::Kind::Callable;
};

// Results: Tensor -> Buffer, element by element.
template <class R>
struct ResultTraits;
template <>
struct ResultTraits<Tensor> {
  using Runtime = Buffer;
  static constexpr bool list = false;
  static std::vector<Tensor> tensors(const Tensor& t) { return {t}; }
  static Buffer make(std::vector<Buffer>& b) { return std::move(b[0]); }
};
template <std::size_t I>
using BufferAt = Buffer;
template <class... T>
struct ResultTraits<std::tuple<T...>> {
  using Runtime = std::tuple<std::conditional_t<true, Buffer, T>...>;
  static constexpr bool list = true;
  static std::vector<Tensor> tensors(const std::tuple<T...>& t) {
    return std::apply([](const auto&... v) { return std::vector<Tensor>{v...}; }, t);
  }
  static Runtime make(std::vector<Buffer>& b) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) { return Runtime{std::move(b[I])...}; }
    (std::index_sequence_for<T...>{});
  }
};
template <>
struct ResultTraits<std::pair<Tensor, Tensor>> {
  using Runtime = std::pair<Buffer, Buffer>;
  static constexpr bool list = true;
  static std::vector<Tensor> tensors(const std::pair<Tensor, Tensor>& p) {
    return {p.first, p.second};
  }
  static Runtime make(std::vector<Buffer>& b) { return {std::move(b[0]), std::move(b[1])}; }
};
template <>
struct ResultTraits<std::vector<Tensor>> {
  using Runtime = std::vector<Buffer>;
  static constexpr bool list = true;
  static std::vector<Tensor> tensors(const std::vector<Tensor>& v) { return v; }
  static Runtime make(std::vector<Buffer>& b) { return std::move(b); }
};

}  // namespace detail

/// A kernel whose parameter types are forgotten: what tune, emit, explain and the C ABI take.
class AnyKernel {
 public:
  struct State {
    std::string name;
    KernelOptions options;
    Loc where;                                   // of ph::kernel
    std::vector<Argument::Kind> kinds;           // of the parameters
    std::function<void(ParameterSource&)> body;  // takes parameters, runs, hands back
  };
  explicit AnyKernel(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  [[nodiscard]] std::string_view name() const { return state_->name; }
  [[nodiscard]] const State& state() const { return *state_; }
  /// The kernel as tile IR text (a .ph file), traced for these arguments.
  [[nodiscard]] std::string text(std::span<const Argument> arguments) const;

 private:
  std::shared_ptr<const State> state_;
};

/// Outputs of a call; with `into` the caller's tensors are written instead of fresh ones.
std::vector<Buffer> call(Session& session, const AnyKernel& kernel,
                         std::span<const Argument> arguments,
                         std::span<const TensorView> into = {});
Session& default_session();

template <class Signature>
class Kernel;
template <class R, class... P>
class Kernel<R(P...)> : public AnyKernel {
 public:
  using AnyKernel::AnyKernel;
  using Result = typename detail::ResultTraits<R>::Runtime;

  /// Trailing Function parameters may be left out.
  template <class... A>
  requires(sizeof...(A) <= sizeof...(P)) Result operator()(const A&... a) const {
    return run(default_session(), {}, a...);
  }
  /// The same on a given session.
  [[nodiscard]] auto on(Session& session) const {
    return [this, &session]<class... A>(const A&... a) { return run(session, {}, a...); };
  }
  /// Writes the caller's tensors.
  template <class... T>
  [[nodiscard]] auto into(const T&... out) const {
    return [this, out = std::vector<TensorView>{TensorView(out)...}]<class... A>(const A&... a) {
      (void)call(default_session(), *this, list(a...), out);
    };
  }
  /// The type-erased arguments of a call.
  template <class... A>
  [[nodiscard]] static std::vector<Argument> list(const A&... a) {
    return list_from(std::index_sequence_for<P...>{}, std::tuple<const A&...>(a...));
  }

 private:
  template <class... A>
  Result run(Session& session, std::span<const TensorView> out, const A&... a) const {
    std::vector<Buffer> results = call(session, *this, list(a...), out);
    return detail::ResultTraits<R>::make(results);
  }
  template <std::size_t... I, class Tuple>
  static std::vector<Argument> list_from(std::index_sequence<I...>, const Tuple& given) {
    return {argument_at<I, P>(given)...};
  }
  template <std::size_t I, class T, class Tuple>
  static Argument argument_at(const Tuple& given) {
    using Traits = detail::ParameterTraits<T>;
    if constexpr (I < std::tuple_size_v<Tuple>) {
      return Traits::argument(typename Traits::Call(std::get<I>(given)));
    } else {
      static_assert(Traits::kind == Argument::Kind::Callable,
                    "only trailing ph::Function parameters may be left out");
      return Traits::argument(typename Traits::Call());
    }
  }
};

namespace detail {
template <class F>
struct LambdaSignature;
template <class C, class R, class... P>
struct LambdaSignature<R (C::*)(P...) const> {
  using type = R(std::remove_cvref_t<P>...);
};

template <class F, class R, class... P>
Kernel<R(P...)> make_kernel(std::string_view name, F body, KernelOptions options, Loc where,
                            R (*)(P...)) {
  auto state = std::make_shared<AnyKernel::State>();
  state->name = name;
  state->options = std::move(options);
  state->where = where;
  state->kinds = {ParameterTraits<P>::kind...};
  state->body = [body](ParameterSource& source) {
    std::tuple<P...> parameters{ParameterTraits<P>::take(source)...};
    const R result = std::apply(body, parameters);
    source.returned(ResultTraits<R>::tensors(result), ResultTraits<R>::list);
  };
  return Kernel<R(P...)>(std::move(state));
}
}  // namespace detail

/// `const ph::Kernel softmax = ph::kernel("softmax", [](ph::Tensor x) { ... return out; });`
template <class F>
auto kernel(std::string_view name, F body, KernelOptions options = {}, Loc where = Loc::current()) {
  using Signature = typename detail::LambdaSignature<decltype(&F::operator())>::type;
  return detail::make_kernel(name, std::move(body), std::move(options), where,
                             static_cast<Signature*>(nullptr));
}

}  // namespace parhelion
