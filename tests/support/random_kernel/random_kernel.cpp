// SPDX-License-Identifier: Apache-2.0
#include "support/random_kernel/random_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace parhelion::test {

namespace {

using Axes = std::vector<std::string>;

struct Value {
  std::string name;
  DType dtype = DType::F32;
  Axes axes;
  double bound = 0;  // of |lanes|
};

std::string type_text(DType dtype, const Axes& axes) {
  if (axes.empty()) return std::string(name(dtype));
  return fmt::format("{}[{}]", name(dtype), fmt::join(axes, ", "));
}
std::string type_text(const Value& v) { return type_text(v.dtype, v.axes); }

std::optional<Axes> broadcast(const Axes& a, const Axes& b) {
  Axes longer = a.size() >= b.size() ? a : b;
  const Axes& shorter = a.size() >= b.size() ? b : a;
  for (std::size_t k = 1; k <= shorter.size(); ++k) {
    std::string& at = longer[longer.size() - k];
    const std::string& other = shorter[shorter.size() - k];
    if (at == "1") {
      at = other;
    } else if (other != "1" && other != at) {
      return std::nullopt;
    }
  }
  return longer;
}

constexpr double most = 200;  // what the values are kept below: f16 and e^x are safe

class Generator {
 public:
  Generator(std::uint64_t seed, const RandomKernelOptions& options)
      : options_(options), rng_(seed, 77) {
    kernel_.seed = seed;
  }

  RandomKernel run() {
    const std::array<std::int64_t, 12> sizes = {1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 31, 40};
    const auto size = [&] {
      return std::min(sizes[rng_.below(sizes.size())], options_.largest_size);
    };
    m_ = size();
    n_ = size();
    k_ = size();
    float_ = options_.floats[rng_.below(options_.floats.size())];
    parameters();
    root("");
    std::string second;
    if (options_.second_root && rng_.chance(0.25)) {
      line("barrier");
      root("2");
    }
    kernel_.text =
        fmt::format("parhelion 1\nkernel random_{}({}) {{\n{}{}  return {}\n}}\n", kernel_.seed,
                    fmt::join(parameters_, ", "), host_, body_, fmt::join(outputs_, ", "));
    return std::move(kernel_);
  }

 private:
  // ---- text -----------------------------------------------------------------------------------
  void line(const std::string& text) {
    note_reads(text);
    body_ += std::string(static_cast<std::size_t>(2 * depth_), ' ') + text + "\n";
  }
  void note_reads(const std::string& text) {
    const std::size_t equals = text.find('=');
    std::size_t at = text.find("%v", equals == std::string::npos ? 0 : equals);
    for (; at != std::string::npos; at = text.find("%v", at + 1)) {
      const std::size_t end = text.find_first_not_of("0123456789", at + 2);
      read_.insert(text.substr(at, end - at));
    }
  }
  std::string fresh() { return fmt::format("%v{}", next_++); }
  Value define(const std::string& op, DType dtype, Axes axes, double bound) {
    Value v{fresh(), dtype, std::move(axes), bound};
    line(fmt::format("{} = {} : {}", v.name, op, type_text(v)));
    pool_.push_back(v);
    return v;
  }
  template <class T>
  const T& pick(const std::vector<T>& items) {
    return items[rng_.below(items.size())];
  }

  // ---- arguments ------------------------------------------------------------------------------
  void parameter(std::string_view tensor, DType dtype, std::vector<std::int64_t> sizes,
                 std::string_view dims) {
    parameters_.push_back(fmt::format("@{}: {}[{}]", tensor, name(dtype), dims));
    Array array(dtype, std::move(sizes));
    const bool index = tensor == "l";
    array.fill([&] {
      if (index) return static_cast<double>(rng_.between(-1, m_));
      if (is_integer(dtype)) return static_cast<double>(rng_.between(-5, 5));
      return std::clamp(rng_.normal(), -3.0, 3.0);
    });
    kernel_.arrays.push_back(std::move(array));
  }
  void parameters() {
    parameter("a", float_, {m_, n_}, "m, n");
    parameter("b", options_.floats[0], {m_, n_}, "m, n");
    parameter("p", float_, {m_, k_}, "m, k");
    parameter("q", float_, {k_, n_}, "k, n");
    parameter("w", DType::F32, {n_}, "n");
    parameter("s", DType::I32, {m_, n_}, "m, n");
    parameter("l", DType::I32, {m_}, "m");
  }

  // ---- the loops ------------------------------------------------------------------------------
  void root(const std::string& suffix) {
    suffix_ = suffix;
    pool_.clear();
    const bool tiled = rng_.chance(0.5);
    row_ = "i" + suffix;
    column_ = tiled ? "j" + suffix : ":n";
    line(fmt::format("grid {} in m{} {{", row_, tiled ? fmt::format(", {} in n", column_) : ""));
    ++depth_;
    loads();
    statements(options_.statements);
    stores();
    --depth_;
    line("}");
  }

  void loads() {
    define(fmt::format("load @a[{}, {}]", row_, column_), float_, {row_, column_}, 3);
    if (rng_.chance(0.7)) {
      define(fmt::format("load @b[{}, {}]", row_, column_), options_.floats[0], {row_, column_}, 3);
    }
    if (rng_.chance(0.7)) {
      define(fmt::format("load @w[{}]", column_), DType::F32, {column_}, 3);
    }
    if (options_.integers) {
      define(fmt::format("load @s[{}, {}]", row_, column_), DType::I32, {row_, column_}, 5);
    }
    if (options_.integers && rng_.chance(0.3)) {
      const Value l = define(fmt::format("load @l[{}]", row_), DType::I32, {row_}, 40);
      define(fmt::format("load @a[{}, {}] {{other={}}}", l.name, column_, rng_.chance(0.5) ? 1 : 0),
             float_, {row_, column_}, 3);
    }
    if (rng_.chance(0.3)) {
      define(fmt::format("load @b[{} + 1, {}] {{other=0.5}}", row_, column_), options_.floats[0],
             {row_, column_}, 3);
    }
    if (!suffix_.empty()) {
      define(fmt::format("load @{}[{}, {}]", first_output_, row_, column_), first_dtype_,
             {row_, column_}, most);
    }
    define(fmt::format("const {}", pick(std::vector<std::string>{"0.5", "-1.25", "2", "0", "1"})),
           DType::F32, {}, 2);
  }

  /// One more value that everything unread goes into, so that little of the kernel is dead.
  void gather() {
    const std::vector<Value> pool = pool_;
    std::optional<Value> sum;
    for (const Value& v : pool) {
      const bool fits =
          v.dtype != DType::Bool && broadcast(v.axes, {row_, column_}) == Axes{row_, column_};
      if (read_.contains(v.name) || !fits) continue;
      const Value f =
          v.dtype == DType::F32 ? v : define("cast " + v.name, DType::F32, v.axes, v.bound);
      const Value part = f.bound <= 20 ? f : define("tanh " + f.name, DType::F32, f.axes, 1);
      sum = sum ? define(fmt::format("add {}, {}", sum->name, part.name), DType::F32,
                         *broadcast(sum->axes, part.axes), sum->bound + part.bound)
                : part;
      if (sum->bound > most / 2) sum = define("tanh " + sum->name, DType::F32, sum->axes, 1);
    }
    if (sum && sum->axes != Axes{row_, column_}) {
      const Value first = pool_.front();  // the first load has all axes
      const Value wide = first.dtype == DType::F32
                             ? first
                             : define("cast " + first.name, DType::F32, first.axes, first.bound);
      define(fmt::format("add {}, {}", sum->name, wide.name), DType::F32, {row_, column_},
             sum->bound + wide.bound);
    }
  }

  void stores() {
    gather();
    std::vector<Value> candidates;
    for (const Value& v : pool_) {
      if (is_float(v.dtype) && broadcast(v.axes, {row_, column_}) == Axes{row_, column_} &&
          v.axes.size() == 2) {
        candidates.push_back(v);
      }
    }
    const std::size_t count = 1 + rng_.below(2);
    for (std::size_t i = 0; i < count; ++i) {
      const Value v = i == 0 ? candidates.back() : pick(candidates);
      const std::string tensor = fmt::format("out{}", outputs_.size());
      host_ += fmt::format("  @{} = empty {}[m, n]\n", tensor, name(v.dtype));
      line(fmt::format("store @{}[{}, {}], {}", tensor, row_, column_, v.name));
      if (outputs_.empty()) {
        first_output_ = tensor;
        first_dtype_ = v.dtype;
      }
      outputs_.push_back("@" + tensor);
    }
  }

  // ---- statements -----------------------------------------------------------------------------
  void statements(int count) {
    for (int i = 0; i < count; ++i) statement();
  }

  void statement() {
    const std::uint64_t kind = rng_.below(20);
    if (kind < 4) return unary();
    if (kind < 10) return binary();
    if (kind < 12) return reduction();
    if (kind < 13 && options_.masks) return selection();
    if (kind < 14 && options_.casts) return conversion();
    if (kind < 15) return reshaped();
    if (kind < 17 && options_.loops && nesting_ < 2) return carried_loop();
    if (kind < 18 && options_.branches && nesting_ < 2) return branch();
    if (kind < 19 && options_.dots && nesting_ == 0) return product();
    if (options_.whiles && nesting_ == 0 && rng_.chance(0.5)) return while_loop();
    binary();
  }

  std::optional<Value> choose(bool want_float, double limit) {
    std::vector<Value> fitting;
    for (const Value& v : pool_) {
      if (is_float(v.dtype) == want_float && v.dtype != DType::Bool && v.bound <= limit) {
        fitting.push_back(v);
      }
    }
    if (fitting.empty()) return std::nullopt;
    // Later values are likelier: long chains, few dead ends.
    return fitting[std::max(rng_.below(fitting.size()), rng_.below(fitting.size()))];
  }

  void unary() {
    const auto v = choose(true, most);
    if (!v) return;
    const auto apply = [&](std::string_view op, double bound) {
      define(fmt::format("{} {}", op, v->name), v->dtype, v->axes, bound);
    };
    if (!options_.functions) return apply(rng_.chance(0.5) ? "neg" : "abs", v->bound);
    switch (rng_.below(9)) {
      case 0: return apply("neg", v->bound);
      case 1: return apply("abs", v->bound);
      case 2: return v->bound <= 4 ? apply("exp", std::exp(v->bound)) : apply("tanh", 1);
      case 3: return apply("tanh", 1);
      case 4: return apply("sigmoid", 1);
      case 5: return apply("erf", 1);
      case 6: return v->bound <= 4 ? apply("exp2", std::exp2(v->bound)) : apply("neg", v->bound);
      default: return root_of(*v);
    }
  }

  /// sqrt, rsqrt, reciprocal and log of |v| + 1.
  void root_of(const Value& v) {
    const Value a = define("abs " + v.name, v.dtype, v.axes, v.bound);
    const Value one = define("const 1", v.dtype, {}, 1);
    const Value b =
        define(fmt::format("add {}, {}", a.name, one.name), v.dtype, v.axes, v.bound + 1);
    const auto op = pick(std::vector<std::string>{"sqrt", "rsqrt", "reciprocal", "log", "log2"});
    define(fmt::format("{} {}", op, b.name), v.dtype, v.axes,
           op == "log2" ? std::log2(b.bound) + 0.1 : std::max(1.0, std::sqrt(b.bound)));
  }

  std::optional<Value> partner(const Value& v) {
    std::vector<Value> fitting;
    for (const Value& w : pool_) {
      if (w.dtype == v.dtype && broadcast(v.axes, w.axes)) fitting.push_back(w);
    }
    if (fitting.empty()) return std::nullopt;
    return pick(fitting);
  }

  void binary() {
    const auto v = choose(!options_.integers || rng_.chance(0.85), most);
    if (!v) return;
    const auto w = partner(*v);
    if (!w) return;
    const Axes axes = *broadcast(v->axes, w->axes);
    std::vector<std::pair<std::string, double>> ops = {{"max", std::max(v->bound, w->bound)},
                                                       {"min", std::max(v->bound, w->bound)}};
    if (v->bound + w->bound <= most) {
      ops.emplace_back("add", v->bound + w->bound);
      ops.emplace_back("sub", v->bound + w->bound);
    }
    if (v->bound * w->bound <= most) ops.emplace_back("mul", v->bound * w->bound);
    const auto& [op, bound] = pick(ops);
    define(fmt::format("{} {}, {}", op, v->name, w->name), v->dtype, axes, bound);
  }

  void reduction() {
    const auto v = choose(!options_.integers || rng_.chance(0.85), most);
    if (!v || v->axes.empty()) return;
    const std::size_t dim = rng_.below(v->axes.size());
    const bool keep = rng_.chance(0.7);
    Axes axes = v->axes;
    if (keep) {
      axes[dim] = "1";
    } else {
      axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(dim));
    }
    const double sum = v->bound * 40;
    std::vector<std::string> ops = {"amax", "amin"};
    if (is_float(v->dtype)) {
      ops.emplace_back("mean");
      if (sum <= most) ops.emplace_back("sum");
    }
    const std::string& op = pick(ops);
    define(fmt::format("{} {} dim {}{}", op, v->name, dim, keep ? " keep" : ""), v->dtype, axes,
           op == "sum" ? sum : v->bound);
  }

  void selection() {
    const auto v = choose(true, most);
    if (!v) return;
    const auto w = partner(*v);
    if (!w) return;
    const Axes axes = *broadcast(v->axes, w->axes);
    const auto compare = pick(std::vector<std::string>{"lt", "le", "gt", "ge", "eq", "ne"});
    Value c{fresh(), DType::Bool, axes, 1};
    line(fmt::format("{} = {} {}, {} : {}", c.name, compare, v->name, w->name, type_text(c)));
    define(fmt::format("where {}, {}, {}", c.name, v->name, w->name), v->dtype, axes,
           std::max(v->bound, w->bound));
  }

  void conversion() {
    const auto v = choose(!options_.integers || rng_.chance(0.7), most);
    if (!v) return;
    const DType to = pick(options_.floats);
    const Value there = define("cast " + v->name, to, v->axes, v->bound);
    if (is_float(v->dtype) && rng_.chance(0.5)) {
      define("cast " + there.name, v->dtype, v->axes, v->bound);
    }
  }

  void reshaped() {
    const auto v = choose(true, most);
    if (!v) return;
    if (v->axes.size() == 2 && v->axes[0] != v->axes[1]) {
      const Value t = define(fmt::format("permute {} 1, 0", v->name), v->dtype,
                             {v->axes[1], v->axes[0]}, v->bound);
      const Value u = define("neg " + t.name, t.dtype, t.axes, t.bound);
      define(fmt::format("permute {} 1, 0", u.name), v->dtype, v->axes, v->bound);
    } else if (v->axes.size() == 1) {
      const Value u =
          define(fmt::format("unsqueeze {} dim {}", v->name, v->axes[0] == row_ ? 1 : 0), v->dtype,
                 v->axes[0] == row_ ? Axes{row_, "1"} : Axes{"1", v->axes[0]}, v->bound);
      define("expand " + u.name, v->dtype, {row_, column_}, v->bound);
    } else if (v->axes.empty()) {
      define("full " + v->name, v->dtype, {row_, column_}, v->bound);
    }
  }

  /// Runs `inside` with a pool that is restored afterwards.
  template <class F>
  void scope(F inside) {
    const std::vector<Value> outer = pool_;
    ++nesting_;
    ++depth_;
    inside();
    --depth_;
    --nesting_;
    pool_ = outer;
  }

  /// The last value of this type, or the fallback.
  Value last_like(const Value& v) {
    for (std::size_t i = pool_.size(); i-- > 0;) {
      if (pool_[i].dtype == v.dtype && pool_[i].axes == v.axes && pool_[i].bound <= most) {
        return pool_[i];
      }
    }
    return v;
  }

  void carried_loop() {
    const auto start = choose(true, 10);
    if (!start) return;
    const std::string result = fresh(), argument = fresh(), axis = fmt::format("t{}", next_++);
    const bool fixed = rng_.chance(0.4);
    line(fmt::format("{} = for {} in {}{} carry ({} = {}) {{", result, axis, fixed ? "4" : "k",
                     fixed ? " by 2" : "", argument, start->name));
    scope([&] {
      // What is carried is bounded again at the end of the body.
      pool_.push_back({argument, start->dtype, start->axes, 10});
      if (!fixed && start->axes.size() == 2 && start->axes[0] == row_) contribution(axis);
      statements(3);
      const Value v = last_like({argument, start->dtype, start->axes, 10});
      const Value clamped = define("tanh " + v.name, v.dtype, v.axes, 1);
      line("yield " + clamped.name);
    });
    line("}");
    pool_.push_back({result, start->dtype, start->axes, 10});
  }

  void contribution(const std::string& axis) {
    const Value x = define(fmt::format("load @p[{}, {}]", row_, axis), float_, {row_, axis}, 3);
    define(fmt::format("mean {} dim 1 keep", x.name), float_, {row_, "1"}, 3);
    // Values over the loop's axis must not leave the body.
    std::erase_if(pool_, [&](const Value& v) { return v.name == x.name; });
  }

  void branch() {
    const auto v = choose(true, most);
    if (!v) return;
    Value c{fresh(), DType::Bool, {}, 1};
    const std::string id = fresh(), one = fresh(), result = fresh();
    line(fmt::format("{} = id {} : i64", id, row_));
    line(fmt::format("{} = const 1 : i64", one));
    line(fmt::format("{} = lt {}, {} : bool", c.name, id, one));
    line(fmt::format("{} = if {} {{", result, c.name));
    const auto side = [&] {
      statements(2);
      line("yield " + last_like(*v).name);
    };
    scope(side);
    line("} else {");
    scope(side);
    line("}");
    pool_.push_back({result, v->dtype, v->axes, most});
  }

  void while_loop() {
    const auto v = choose(true, 10);
    if (!v) return;
    const std::string zero = fresh(), result = fresh(), count = fresh(), value = fresh(),
                      argument = fresh(), limit = fresh(), go = fresh(), one = fresh(),
                      next = fresh();
    line(fmt::format("{} = const 0 : i64", zero));
    line(fmt::format("{}, {} = while carry ({} = {}, {} = {}) {{", count, result, value, zero,
                     argument, v->name));
    line(fmt::format("  {} = const {} : i64", limit, rng_.between(0, 3)));
    line(fmt::format("  {} = lt {}, {} : bool", go, value, limit));
    line(fmt::format("  condition {}", go));
    line("} do {");
    scope([&] {
      pool_.push_back({argument, v->dtype, v->axes, 10});
      line(fmt::format("{} = const 1 : i64", one));
      line(fmt::format("{} = add {}, {} : i64", next, value, one));
      statements(2);
      const Value last = last_like({argument, v->dtype, v->axes, 10});
      const Value clamped = define("tanh " + last.name, last.dtype, last.axes, 1);
      line(fmt::format("yield {}, {}", next, clamped.name));
    });
    line("}");
    pool_.push_back({result, v->dtype, v->axes, 10});
  }

  void product() {
    const std::string zero = fresh(), start = fresh(), result = fresh(), argument = fresh(),
                      a = fresh(), b = fresh(), sum = fresh(), axis = fmt::format("t{}", next_++);
    const std::string acc = type_text(DType::F32, {row_, column_});
    line(fmt::format("{} = const 0 : f32", zero));
    line(fmt::format("{} = full {} : {}", start, zero, acc));
    line(fmt::format("{} = for {} in k carry ({} = {}) {{", result, axis, argument, start));
    line(
        fmt::format("  {} = load @p[{}, {}] : {}", a, row_, axis, type_text(float_, {row_, axis})));
    line(fmt::format("  {} = load @q[{}, {}] : {}", b, axis, column_,
                     type_text(float_, {axis, column_})));
    line(fmt::format("  {} = dot {}, {}, {} : {}", sum, a, b, argument, acc));
    line(fmt::format("  yield {}", sum));
    line("}");
    pool_.push_back({result, DType::F32, {row_, column_}, 9.0 * static_cast<double>(k_)});
    if (pool_.back().bound > most) define("tanh " + result, DType::F32, {row_, column_}, 1);
  }

  const RandomKernelOptions& options_;
  Rng rng_;
  RandomKernel kernel_;
  std::int64_t m_ = 1, n_ = 1, k_ = 1;
  DType float_ = DType::F32, first_dtype_ = DType::F32;
  std::vector<std::string> parameters_, outputs_;
  std::string host_, body_, suffix_, row_, column_, first_output_;
  std::vector<Value> pool_;
  std::set<std::string> read_;
  int depth_ = 1, next_ = 0, nesting_ = 0;
};

}  // namespace

RandomKernel random_kernel(std::uint64_t seed, const RandomKernelOptions& options) {
  return Generator(seed, options).run();
}

}  // namespace parhelion::test
