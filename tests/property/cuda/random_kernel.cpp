// SPDX-License-Identifier: Apache-2.0
#include "random_kernel.h"

#include "base/rng.h"

#include <fmt/format.h>

namespace cuda_test {

using namespace parhelion;

namespace {

enum class Shape { Tile, Row, Column, Scalar };  // [i, :n], [i, 1], [:n], []

struct Value {
  std::string name;
  DType dtype;
  Shape shape;
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : rng_(seed, 21) {}

  RandomKernel run() {
    RandomKernel k;
    const DType in = dtype();
    const std::int64_t m = rng_.between(1, 20), n = rng_.between(1, 300), p = rng_.between(1, 90);
    k.arguments = {{in, {m, n}}, {DType::F32, {n}}, {DType::F32, {m, p}}};
    line("    %x = load @x[i, :n] : {}[i, :n]", name(in));
    pool_.push_back({"%x", in, Shape::Tile});
    line("    %w = load @w[:n] : f32[:n]");
    pool_.push_back({"%w", DType::F32, Shape::Column});
    line("    %half = const 0.5 : f32");
    pool_.push_back({"%half", DType::F32, Shape::Scalar});
    const auto steps = rng_.between(2, 9);
    for (std::int64_t s = 0; s < steps; ++s) step();
    if (rng_.chance(.4)) loop();
    for (int s = 0; s < 2; ++s) step();
    const Value tile = cast(pick(Shape::Tile), DType::F32);
    line("    store @out[i, :n], {}", tile.name);
    std::string outputs = "  @out = empty f32[m, n]\n", returns = "@out";
    if (const Value* row = find(Shape::Row)) {
      const Value r = cast(*row, DType::F16);
      const std::string squeezed = fresh();
      line("    {} = squeeze {} dim 1 : f16[i]", squeezed, r.name);
      line("    store @rows[i], {}", squeezed);
      outputs += "  @rows = empty f16[m]\n";
      returns = "(@out, @rows)";
    }
    k.text = fmt::format(
        "parhelion 1\nkernel random(@x: {}[m, n], @w: f32[n2], @y: f32[m2, p]) {{\n"
        "  check n2 == n\n  check m2 == m\n{}  grid i in m {{\n{}  }}\n  return {}\n}}\n",
        name(in), outputs, body_, returns);
    k.config = config();
    return k;
  }

 private:
  template <class... A>
  void line(fmt::format_string<A...> format, A&&... arguments) {
    body_ += indent_ + fmt::format(format, std::forward<A>(arguments)...) + "\n";
  }
  std::string fresh() { return fmt::format("%v{}", count_++); }
  DType dtype() {
    const DType all[] = {DType::F32, DType::F16, DType::BF16};
    return all[rng_.below(3)];
  }
  static std::string type(DType dtype, Shape shape) {
    const char* axes[] = {"[i, :n]", "[i, 1]", "[:n]", ""};
    return fmt::format("{}{}", name(dtype), axes[static_cast<int>(shape)]);
  }
  static Shape meet(Shape a, Shape b) {
    if (a == b) return a;
    if (a == Shape::Scalar) return b;
    if (b == Shape::Scalar) return a;
    return Shape::Tile;
  }
  const Value& any() { return pool_[rng_.below(pool_.size())]; }
  const Value* find(Shape shape) {
    for (std::size_t i = pool_.size(); i-- > 0;) {
      if (pool_[i].shape == shape) return &pool_[i];
    }
    return nullptr;
  }
  Value pick(Shape shape) { return *find(shape); }

  Value emit(const std::string& op, DType dtype, Shape shape) {
    const Value v{fresh(), dtype, shape};
    line("    {} = {} : {}", v.name, op, type(dtype, shape));
    return v;
  }
  Value cast(const Value& v, DType to) {
    return v.dtype == to ? v : emit(fmt::format("cast {}", v.name), to, v.shape);
  }

  void step() {
    switch (rng_.below(6)) {
      case 0: return unary();
      case 1:
      case 2: return binary();
      case 3: return reduce();
      case 4: return where();
      default: pool_.push_back(cast(any(), dtype())); return;
    }
  }

  void unary() {
    const char* ops[] = {"neg", "abs", "tanh", "sigmoid", "exp"};
    Value v = any();
    const auto op = rng_.below(5);
    if (op == 4) v = emit(fmt::format("tanh {}", v.name), v.dtype, v.shape);  // exp stays small
    pool_.push_back(emit(fmt::format("{} {}", ops[op], v.name), v.dtype, v.shape));
  }

  void binary() {
    const char* ops[] = {"add", "sub", "mul", "max", "min"};
    const Value a = any(), b = cast(any(), a.dtype);
    pool_.push_back(emit(fmt::format("{} {}, {}", ops[rng_.below(5)], a.name, b.name), a.dtype,
                         meet(a.shape, b.shape)));
  }

  void reduce() {
    const char* ops[] = {"sum", "amax", "amin", "mean"};
    const Value v = pick(Shape::Tile);
    pool_.push_back(
        emit(fmt::format("{} {} dim 1 keep", ops[rng_.below(4)], v.name), v.dtype, Shape::Row));
  }

  void where() {
    const Value a = any(), b = cast(any(), a.dtype);
    const Shape shape = meet(a.shape, b.shape);
    const Value c = emit(fmt::format("gt {}, {}", a.name, b.name), DType::Bool, shape);
    pool_.push_back(emit(fmt::format("where {}, {}, {}", c.name, a.name, b.name), a.dtype, shape));
  }

  // Sums pieces of another tensor's rows while a tile decays.
  void loop() {
    const Value tile = cast(pick(Shape::Tile), DType::F32);
    line("    %zero = const 0.0 : f32");
    line("    %r0 = full %zero : f32[i]");
    line("    %r, %t = for j in p carry (%rc = %r0, %tc = {}) {{", tile.name);
    line("      %y = load @y[i, j] : f32[i, j]");
    line("      %ys = sum %y dim 1 : f32[i]");
    line("      %rn = add %rc, %ys : f32[i]");
    line("      %tn = mul %tc, %half : f32[i, :n]");
    line("      yield %rn, %tn");
    line("    }}");
    pool_.push_back({"%t", DType::F32, Shape::Tile});
    pool_.push_back(emit("unsqueeze %r dim 1", DType::F32, Shape::Row));
  }

  std::string config() {
    const int blocks[] = {1, 2, 3, 4, 8, 16};
    const int warps[] = {1, 2, 4, 8};
    std::string text =
        fmt::format("block[a0]={} warps={}", blocks[rng_.below(6)], warps[rng_.below(4)]);
    const int chunks[] = {32, 64, 96, 256};
    if (rng_.chance(.4)) text += fmt::format(" reduce[a1]={}", chunks[rng_.below(4)]);
    if (rng_.chance(.5)) text += fmt::format(" block[a2]={}", 16 << rng_.below(3));
    return text;
  }

  Rng rng_;
  std::string body_, indent_;
  std::vector<Value> pool_;
  int count_ = 0;
};

}  // namespace

RandomKernel random_kernel(std::uint64_t seed) { return Generator(seed).run(); }

}  // namespace cuda_test
