// SPDX-License-Identifier: Apache-2.0
// The tile language: what may stand in the body of a kernel. Everything here records; nothing is
// computed. Each function takes the caller's line as a defaulted last parameter, operators through
// their operand types. Mistakes throw Error with a PH1xxx-4xxx diagnostic at the user's line.
#pragma once

#include <parhelion/dtype.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace parhelion {

template <class T>
concept Arithmetic = std::is_arithmetic_v<T>;
template <class T>
concept IntegerNumber = std::integral<T> && !std::same_as<T, bool>;

/// The caller's position.
struct Loc {
  const char* file = "";
  std::uint32_t line = 0, column = 0;
  static constexpr Loc current(std::source_location s = std::source_location::current()) {
    return {s.file_name(), s.line(), s.column()};
  }
};

/// Handle into the trace that is running; `generation` tells traces apart (PH1002).
struct Handle {
  std::uint32_t id = 0xffffffffu, generation = 0;
};

class Condition;
class Value;
class Access;
class Tile;
template <std::size_t N>
class TileRange;

/// A host integer: extent of a dimension, or arithmetic on extents. Symbolic while tracing.
class Size {
 public:
  template <IntegerNumber T>
  Size(T value) : Size(static_cast<std::int64_t>(value), 0) {}
  template <std::floating_point T>
  Size(T) = delete;  // sizes are integers
  explicit Size(Handle handle) : handle_(handle) {}
  [[nodiscard]] Handle handle() const { return handle_; }
  friend Size operator+(Size a, Size b) { return arithmetic('+', a, b); }
  friend Size operator-(Size a, Size b) { return arithmetic('-', a, b); }
  friend Size operator*(Size a, Size b) { return arithmetic('*', a, b); }
  friend Size operator/(Size a, Size b) { return arithmetic('/', a, b); }  // floor
  friend Size operator%(Size a, Size b) { return arithmetic('%', a, b); }
  friend Condition operator==(Size a, struct SizeOperand b);
  friend Condition operator!=(Size a, struct SizeOperand b);
  friend Condition operator<(Size a, struct SizeOperand b);
  friend Condition operator<=(Size a, struct SizeOperand b);
  friend Condition operator>(Size a, struct SizeOperand b);
  friend Condition operator>=(Size a, struct SizeOperand b);
  static Size arithmetic(char what, Size a, Size b);

 private:
  Size(std::int64_t value, int);
  Handle handle_;
};
/// The right side of a relation, with the caller's line.
struct SizeOperand {
  SizeOperand(Size s, Loc l = Loc::current()) : size(s), where(l) {}
  template <IntegerNumber T>
  SizeOperand(T n, Loc l = Loc::current()) : size(n), where(l) {}
  Size size;
  Loc where;
};
Size cdiv(Size a, Size b);
Size min(Size a, Size b);
Size max(Size a, Size b);
/// An explicit constant: the value on the example arguments, which enters the key as a guard.
std::int64_t specialize(Size size, Loc where = Loc::current());

/// A relation of sizes. As a C++ `bool` it is decided on the example arguments and recorded as a
/// guard of the trace.
class Condition {
 public:
  Condition(std::uint8_t relation, Size left, Size right, Loc where)
      : relation_(relation), left_(left), right_(right), where_(where) {}
  explicit operator bool() const;
  [[nodiscard]] std::uint8_t relation() const { return relation_; }
  [[nodiscard]] Size left() const { return left_; }
  [[nodiscard]] Size right() const { return right_; }

 private:
  std::uint8_t relation_;
  Size left_, right_;
  Loc where_;
};
/// Asserted at every new shape (PH4001); `==` also makes the two extents one axis.
void check(Condition condition, std::string_view message = {}, Loc where = Loc::current());

/// A run-time number argument, usable on host and device.
class Scalar {
 public:
  explicit Scalar(Handle handle, bool is_float) : handle_(handle), is_float_(is_float) {}
  [[nodiscard]] Handle handle() const { return handle_; }
  [[nodiscard]] bool is_float() const { return is_float_; }

 private:
  Handle handle_;
  bool is_float_;
};

/// Anything an operator takes, with the caller's line. Parameter-only: it cannot be copied.
struct Operand {
  Operand(const Value& v, Loc l = Loc::current());
  Operand(Size s, Loc l = Loc::current()) : kind(Kind::Size), handle(s.handle()), where(l) {}
  Operand(Scalar s, Loc l = Loc::current())
      : kind(Kind::Scalar), is_float(s.is_float()), handle(s.handle()), where(l) {}
  template <Arithmetic T>
  Operand(T n, Loc l = Loc::current())
      : kind(std::same_as<T, bool> ? Kind::Bool
             : std::is_integral_v<T> ? Kind::Integer
                                     : Kind::Float),
        number(static_cast<double>(n)),
        integer(static_cast<std::int64_t>(n)),
        where(l) {}
  Operand(const Operand&) = delete;

  enum class Kind : std::uint8_t { Value, Size, Scalar, Bool, Integer, Float };
  Kind kind = Kind::Value;
  bool is_float = false;
  Handle handle;
  double number = 0;
  std::int64_t integer = 0;
  Loc where;
};
/// The left operand where it is no Value.
struct HostOperand {
  HostOperand(Size s, Loc l = Loc::current()) : operand(s, l) {}
  HostOperand(Scalar s, Loc l = Loc::current()) : operand(s, l) {}
  template <Arithmetic T>
  HostOperand(T n, Loc l = Loc::current()) : operand(n, l) {}
  HostOperand(const HostOperand&) = delete;
  Operand operand;
};

namespace detail {
Value binary(std::string_view op, const Operand& a, const Operand& b);
Value unary(std::string_view op, const Operand& a);
Value binary_at(std::string_view op, const Value& a, const Operand& b);
Value binary_at(std::string_view op, const Operand& a, const Value& b);
}  // namespace detail

/// A tile of numbers on the device. Copying makes a new variable; assignment to a named value is a
/// write that loops and branches carry.
class [[nodiscard]] Value {
 public:
  Value();                    // declared, not set (PH3001 when read)
  Value(const Value& other);  // a new variable with the same content
  template <Arithmetic T>
  Value(T number, Loc where = Loc::current()) : Value(Operand(number, where), 0) {}
  explicit Value(Handle handle) : handle_(handle) {}
  Value& operator=(const Value& other) &;
  Value& operator+=(Operand b) & { return *this = detail::binary_at("add", *this, b); }
  Value& operator-=(Operand b) & { return *this = detail::binary_at("sub", *this, b); }
  Value& operator*=(Operand b) & { return *this = detail::binary_at("mul", *this, b); }
  Value& operator/=(Operand b) & { return *this = detail::binary_at("div", *this, b); }
  Value& operator&=(Operand b) & { return *this = detail::binary_at("and", *this, b); }
  Value& operator|=(Operand b) & { return *this = detail::binary_at("or", *this, b); }
  [[nodiscard]] DType dtype() const;
  [[nodiscard]] int rank() const;
  [[nodiscard]] Handle handle() const { return handle_; }

  template <std::same_as<bool> T>
  explicit operator T() const {
    static_assert(!std::same_as<T, bool>,
                  "a C++ condition cannot depend on a device value: ph::when(c, ...) or "
                  "ph::where(c, a, b)");
    return false;
  }

#define PH_OPERATOR(symbol, op)                                  \
  friend Value operator symbol(const Value& a, Operand b) {      \
    return detail::binary_at(op, a, b);                          \
  }                                                              \
  friend Value operator symbol(HostOperand a, const Value& b) {  \
    return detail::binary_at(op, a.operand, b);                  \
  }
  PH_OPERATOR(+, "add")
  PH_OPERATOR(-, "sub")
  PH_OPERATOR(*, "mul")
  PH_OPERATOR(/, "div")
  PH_OPERATOR(%, "mod")
  PH_OPERATOR(<, "lt")
  PH_OPERATOR(<=, "le")
  PH_OPERATOR(>, "gt")
  PH_OPERATOR(>=, "ge")
  PH_OPERATOR(==, "eq")
  PH_OPERATOR(!=, "ne")
  PH_OPERATOR(&, "and")
  PH_OPERATOR(|, "or")
  PH_OPERATOR(^, "xor")
#undef PH_OPERATOR
  friend Value operator-(const Value& a) { return detail::unary("neg", Operand(a, Loc{})); }
  friend Value operator~(const Value& a) { return detail::unary("not", Operand(a, Loc{})); }

 protected:
  Value(const Operand& number, int);
  Handle handle_;
};
inline Operand::Operand(const Value& v, Loc l) : handle(v.handle()), where(l) {}

/// One subscript. Parameter-only.
struct All {};
inline constexpr All all;
struct NewAxis {};
inline constexpr NewAxis new_axis;
struct Slice {
  Size begin, end;
  int step = 1;
};
inline Slice slice(Size begin, Size end, int step = 1) { return {begin, end, step}; }
struct TilePlus;

/// What a tile loop yields: one tile of its axis.
class Tile {
 public:
  Tile() = default;
  explicit Tile(Handle axis) : axis_(axis) {}
  [[nodiscard]] Value index(Loc where = Loc::current()) const;  // i64[tile]
  [[nodiscard]] Value begin(Loc where = Loc::current()) const;  // i64
  [[nodiscard]] Value end(Loc where = Loc::current()) const;    // i64, clipped
  [[nodiscard]] Value id(Loc where = Loc::current()) const;     // counts from 0 in its loop
  [[nodiscard]] Value count(Loc where = Loc::current()) const;
  [[nodiscard]] Size block_size() const;
  [[nodiscard]] Handle handle() const { return axis_; }

 private:
  Handle axis_;
};
struct TilePlus {
  Tile tile;
  Size shift;
};
inline TilePlus operator+(Tile tile, Size shift) { return {tile, shift}; }
inline TilePlus operator-(Tile tile, Size shift) { return {tile, Size(0) - shift}; }

struct Index {
  enum class Kind : std::uint8_t { Tile, All, Slice, Point, Value, New };
  Index(Tile t, Loc l = Loc::current()) : kind(Kind::Tile), handle(t.handle()), where(l) {}
  Index(TilePlus t, Loc l = Loc::current())
      : kind(Kind::Tile), handle(t.tile.handle()), begin(t.shift), where(l) {}
  Index(All, Loc l = Loc::current()) : where(l) {}
  Index(NewAxis, Loc l = Loc::current()) : kind(Kind::New), where(l) {}
  Index(Slice s, Loc l = Loc::current())
      : kind(Kind::Slice), begin(s.begin), end(s.end), step(s.step), where(l) {}
  template <IntegerNumber T>
  Index(T i, Loc l = Loc::current()) : kind(Kind::Point), begin(i), where(l) {}
  Index(Size i, Loc l = Loc::current()) : kind(Kind::Point), begin(i), where(l) {}
  Index(const Value& v, Loc l = Loc::current())
      : kind(Kind::Value), handle(v.handle()), where(l) {}
  Index(const Index&) = delete;
  Index(Index&&) = delete;
  Kind kind = Kind::All;
  Handle handle;
  std::optional<Size> begin, end;
  int step = 1;
  Loc where;
};
/// `x[t]` where `t` is the array of tiles of a loop over several axes.
struct TilePack {
  template <std::size_t N>
  TilePack(const std::array<Tile, N>& t, Loc l = Loc::current())
      : tiles(t.begin(), t.end()), where(l) {}
  TilePack(const TilePack&) = delete;
  std::vector<Tile> tiles;
  Loc where;
};

/// `x[...]`: a load when it is read, a store when it is assigned as a temporary.
class [[nodiscard]] Access : public Value {
 public:
  Access(Handle value, std::uint32_t place, Loc where)
      : Value(value), place_(place), where_(where) {}
  Access(const Access& other) = default;
  Access& operator=(Operand v) &&;
  Access& operator=(const Access& other) && {
    return static_cast<Access&&>(*this) = Operand(other, where_);
  }
  Access& operator=(const Access& other) & {
    Value::operator=(other);
    return *this;
  }
  using Value::operator=;
  using Value::operator+=;
  using Value::operator-=;
  using Value::operator*=;
  Access& operator+=(Operand v) && {
    return static_cast<Access&&>(*this) =
               Operand(detail::binary_at("add", *this, v), v.where);
  }
  Access& operator-=(Operand v) && {
    return static_cast<Access&&>(*this) =
               Operand(detail::binary_at("sub", *this, v), v.where);
  }
  Access& operator*=(Operand v) && {
    return static_cast<Access&&>(*this) =
               Operand(detail::binary_at("mul", *this, v), v.where);
  }
  [[nodiscard]] std::uint32_t place() const { return place_; }
  [[nodiscard]] Loc where() const { return where_; }

 private:
  std::uint32_t place_;
  Loc where_;
};

/// A tensor of the host part: parameter, allocation or view.
class Tensor {
 public:
  explicit Tensor(Handle handle) : handle_(handle) {}
  [[nodiscard]] DType dtype() const;
  [[nodiscard]] int rank() const;
  [[nodiscard]] Size size(int dimension, Loc where = Loc::current()) const;
  [[nodiscard]] Size stride(int dimension, Loc where = Loc::current()) const;  // in elements
  [[nodiscard]] std::vector<Size> sizes() const;
  /// The rank must be N (PH2001).
  template <std::size_t N>
  [[nodiscard]] std::array<Size, N> sizes(Loc where = Loc::current()) const {
    require_rank(static_cast<int>(N), where);
    return [this]<std::size_t... I>(std::index_sequence<I...>) {
      return std::array<Size, N>{size(static_cast<int>(I))...};
    }(std::make_index_sequence<N>{});
  }
  [[nodiscard]] Access operator[](Index a) const { return access({&a, nullptr}, 1); }
  [[nodiscard]] Access operator[](Index a, Index b) const { return at(a, b); }
  [[nodiscard]] Access operator[](Index a, Index b, Index c) const { return at(a, b, c); }
  [[nodiscard]] Access operator[](Index a, Index b, Index c, Index d) const {
    return at(a, b, c, d);
  }
  [[nodiscard]] Access operator[](Index a, Index b, Index c, Index d, Index e) const {
    return at(a, b, c, d, e);
  }
  [[nodiscard]] Access operator[](Index a, Index b, Index c, Index d, Index e, Index f) const {
    return at(a, b, c, d, e, f);
  }
  [[nodiscard]] Access operator[](TilePack tiles) const;
  [[nodiscard]] Handle handle() const { return handle_; }

 private:
  template <class... I>
  [[nodiscard]] Access at(const I&... i) const {
    return access({&i...}, sizeof...(I));
  }
  [[nodiscard]] Access access(std::initializer_list<const Index*> indices, std::size_t n) const;
  void require_rank(int rank, Loc where) const;
  Handle handle_;
};

// ---- host part ---------------------------------------------------------------------------------
Tensor empty(std::initializer_list<Size> sizes, DType dtype, Loc where = Loc::current());
Tensor empty(const std::vector<Size>& sizes, DType dtype, Loc where = Loc::current());
Tensor empty_like(Tensor like, std::optional<DType> dtype = {}, Loc where = Loc::current());
Tensor filled(std::initializer_list<Size> sizes, double value, DType dtype,
              Loc where = Loc::current());
Tensor permute(Tensor x, std::initializer_list<int> order, Loc where = Loc::current());
Tensor transpose(Tensor x, int a, int b, Loc where = Loc::current());
Tensor narrow(Tensor x, int dimension, Size begin, Size length, Loc where = Loc::current());
Tensor expand(Tensor x, std::initializer_list<Size> sizes, Loc where = Loc::current());

// ---- loops -------------------------------------------------------------------------------------
/// A block size shared by several ranges: chosen by the configuration in [min, max], or fixed.
class Block {
 public:
  explicit Block(Handle handle) : handle_(handle) {}
  operator Size() const;
  [[nodiscard]] Handle handle() const { return handle_; }

 private:
  Handle handle_;
};
Block block_size(std::int64_t min = 1, std::int64_t max = 0, Loc where = Loc::current());
Block fixed_block(std::int64_t size, Loc where = Loc::current());

/// A bound of a range: a host integer or a rank-0 integer value.
struct RangeBound {
  template <IntegerNumber T>
  RangeBound(T n) : size(Size(n)) {}
  RangeBound(Size s) : size(s) {}
  RangeBound(const Value& v) : value(v) {}
  std::optional<Size> size;
  std::optional<Value> value;
};
struct Range {
  RangeBound begin, end;
  std::optional<Block> block;
  std::int64_t fixed = 0;
  [[nodiscard]] Range by(Block b) const {
    Range r = *this;
    r.block = b;
    return r;
  }
  [[nodiscard]] Range by(std::int64_t n) const {
    Range r = *this;
    r.fixed = n;
    return r;
  }
};
inline Range range(RangeBound end) { return {RangeBound(0), std::move(end), {}, 0}; }
inline Range range(RangeBound begin, RangeBound end) {
  return {std::move(begin), std::move(end), {}, 0};
}
/// What ph::tile takes per axis.
struct TileBound {
  template <IntegerNumber T>
  TileBound(T n, Loc l = Loc::current()) : range(parhelion::range(n)), where(l) {}
  TileBound(Size s, Loc l = Loc::current()) : range(parhelion::range(s)), where(l) {}
  TileBound(const Value& v, Loc l = Loc::current()) : range(parhelion::range(v)), where(l) {}
  TileBound(Range r, Loc l = Loc::current()) : range(std::move(r)), where(l) {}
  TileBound(const TileBound&) = delete;
  Range range;
  Loc where;
};

namespace detail {
struct LoopState {
  std::vector<Tile> tiles;
  std::uint32_t generation = 0, frame = 0;
  enum class Phase : std::uint8_t { Fresh, Open, Closed } phase = Phase::Fresh;
  int exceptions = 0;
  Loc where;
};
LoopState make_loop(std::initializer_list<const TileBound*> bounds);
void open_loop(LoopState& state);
void close_loop(LoopState& state);
void abandon_loop(LoopState& state) noexcept;  // poisons the trace when left by break or return
}  // namespace detail

/// The range of `for (auto t : ph::tile(n))`: opens the loop, runs its body once, closes it.
template <std::size_t N>
class [[nodiscard]] TileRange {
 public:
  explicit TileRange(detail::LoopState state) : state_(std::move(state)) {}
  TileRange(const TileRange&) = delete;
  ~TileRange() { detail::abandon_loop(state_); }
  struct End {};
  struct Iterator {
    TileRange* range;
    auto operator*() const {
      if constexpr (N == 1) {
        return range->state_.tiles[0];
      } else {
        std::array<Tile, N> tiles;
        for (std::size_t i = 0; i < N; ++i) tiles[i] = range->state_.tiles[i];
        return tiles;
      }
    }
    Iterator& operator++() {
      detail::close_loop(range->state_);
      return *this;
    }
    friend bool operator!=(const Iterator& i, End) {
      return i.range->is_open();
    }
  };
  Iterator begin() {
    detail::open_loop(state_);
    return {this};
  }
  End end() { return {}; }
  [[nodiscard]] bool is_open() const {
    return state_.phase == detail::LoopState::Phase::Open;
  }

 private:
  detail::LoopState state_;
};
inline TileRange<1> tile(TileBound a) { return TileRange<1>(detail::make_loop({&a})); }
inline TileRange<2> tile(TileBound a, TileBound b) {
  return TileRange<2>(detail::make_loop({&a, &b}));
}
inline TileRange<3> tile(TileBound a, TileBound b, TileBound c) {
  return TileRange<3>(detail::make_loop({&a, &b, &c}));
}
inline TileRange<4> tile(TileBound a, TileBound b, TileBound c, TileBound d) {
  return TileRange<4>(detail::make_loop({&a, &b, &c, &d}));
}
void barrier(Loc where = Loc::current());

// ---- memory, creation, shape -------------------------------------------------------------------
struct LoadOptions {
  const Value* mask = nullptr;
  double other = 0;
  bool in_bounds = false;
};
Value load(const Access& place, LoadOptions options = {}, Loc where = Loc::current());
void store(const Access& place, Operand value, const Value& mask, Loc where = Loc::current());

struct Dim {
  Dim(Tile t) : handle(t.handle()), is_tile(true) {}
  Dim(Size s) : size(s) {}
  template <IntegerNumber T>
  Dim(T n) : size(Size(n)) {}
  Handle handle;
  bool is_tile = false;
  std::optional<Size> size;
};
Value zeros(std::initializer_list<Dim> dims, DType dtype = f32, Loc where = Loc::current());
Value full(std::initializer_list<Dim> dims, Operand value, DType dtype);
Value arange(Size n, Loc where = Loc::current());
Value cast(Operand v, DType dtype, Loc where = Loc::current());
Value unsqueeze(Operand v, int dim, Loc where = Loc::current());
Value squeeze(Operand v, int dim, Loc where = Loc::current());
Value permute(Operand v, std::initializer_list<int> order, Loc where = Loc::current());
Value transpose(Operand v, Loc where = Loc::current());  // the last two dimensions

// ---- pointwise ---------------------------------------------------------------------------------
#define PH_UNARY(name) Value name(Operand v, Loc where = Loc::current());
PH_UNARY(abs)
PH_UNARY(exp)
PH_UNARY(exp2)
PH_UNARY(log)
PH_UNARY(log2)
PH_UNARY(sqrt)
PH_UNARY(rsqrt)
PH_UNARY(reciprocal)
PH_UNARY(tanh)
PH_UNARY(erf)
PH_UNARY(sigmoid)
PH_UNARY(floor)
PH_UNARY(ceil)
PH_UNARY(relu)
PH_UNARY(silu)
PH_UNARY(gelu)
#undef PH_UNARY
Value minimum(Operand a, Operand b);
Value maximum(Operand a, Operand b);
Value where(Operand condition, Operand a, Operand b);
Value fma(Operand a, Operand b, Operand c);

// ---- reductions --------------------------------------------------------------------------------
enum class Keep : std::uint8_t { Drop, Dim };
inline constexpr Keep keep_dim = Keep::Dim;
/// The dimension to reduce: its number (negative from the end) or the tile axis.
struct Over {
  Over(int d) : dim(d) {}
  Over(Tile t) : handle(t.handle()), is_tile(true) {}
  int dim = 0;
  Handle handle;
  bool is_tile = false;
};
Value sum(Operand v, Over over, Keep keep = Keep::Drop, Loc where = Loc::current());
Value prod(Operand v, Over over, Keep keep = Keep::Drop, Loc where = Loc::current());
Value mean(Operand v, Over over, Keep keep = Keep::Drop, Loc where = Loc::current());
Value amax(Operand v, Over over, Keep keep = Keep::Drop, Loc where = Loc::current());
Value amin(Operand v, Over over, Keep keep = Keep::Drop, Loc where = Loc::current());

// ---- matrix ------------------------------------------------------------------------------------
enum class Precision : std::uint8_t { Ieee, Tf32, Tf32x3 };
/// [m, k] x [k, n] -> f32[m, n] (i32 for 8-bit integers).
Value dot(Operand a, Operand b, Loc where = Loc::current());
/// acc + a x b, in the dtype of acc.
Value dot(Operand a, Operand b, Operand acc, Loc where = Loc::current());

// ---- control -----------------------------------------------------------------------------------
/// Runs `then` (and `otherwise`) once while tracing; on the device one of them runs.
void when(Operand condition, const std::function<void()>& then, Loc where = Loc::current());
void when(Operand condition, const std::function<void()>& then,
          const std::function<void()>& otherwise, Loc where = Loc::current());
void loop_while(const std::function<Value()>& condition, const std::function<void()>& body,
                Loc where = Loc::current());
/// Display name of a value in IR and generated text.
void name(const Value& value, std::string_view text);

}  // namespace parhelion
