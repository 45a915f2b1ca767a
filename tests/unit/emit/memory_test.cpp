// SPDX-License-Identifier: Apache-2.0
// Accesses to the first lanes of a vector: every count, at the end of a page that no one may read.
#include "map_kernel.h"

#include <doctest/doctest.h>

#include <sys/mman.h>

#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace parhelion;
using ir::kernel::Builder;
using ir::kernel::OpCode;
using ir::kernel::Space;
using ir::kernel::Type;
using ir::kernel::ValueId;

/// Memory that ends where a forbidden page begins.
class Guarded {
 public:
  Guarded() {
    base_ = static_cast<char*>(
        mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(base_ != MAP_FAILED);
    REQUIRE(mprotect(base_ + page, page, PROT_NONE) == 0);
    std::memset(base_, 0x55, page);
  }
  ~Guarded() { munmap(base_, 2 * page); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  [[nodiscard]] char* end() const { return base_ + page; }

 private:
  static constexpr std::size_t page = 4096;
  char* base_ = nullptr;
};

struct Arguments {
  const void* x;
  void* out;
  std::int64_t count;
};

const std::vector<DType> dtypes = {DType::F32, DType::I32, DType::U32, DType::BF16,
                                   DType::F16, DType::I8,  DType::F64, DType::I64};

std::string entry_of(const char* what, DType dtype) {
  return std::string(what) + "_" + std::string(name(dtype));
}

/// For each dtype: out[0 .. lanes) = the first `count` of x, then 7; out[0 .. count) = x; and
/// out[0 .. lanes) = x past the cache.
std::string text_of(int lanes) {
  ir::kernel::Module module;
  module.name = "first";
  module.target = "cpu";
  Builder b(module);
  const auto parameter = [&](const char* name, LaunchParameter::Kind kind, Type type) {
    LaunchParameter made;
    made.name = name;
    made.kind = kind;
    made.written = true;
    return b.parameter(made, type);
  };
  const Type bytes{.element = DType::U8, .pointer = Space::Global};
  const ValueId from = parameter("x", LaunchParameter::Kind::Pointer, bytes);
  const ValueId to = parameter("out", LaunchParameter::Kind::Pointer, bytes);
  const ValueId count = parameter("count", LaunchParameter::Kind::Integer, Type{});
  for (const DType dtype : dtypes) {
    const int n = size_bytes(dtype) <= 4 ? lanes : lanes / 2;
    const Type pointer{.element = dtype, .pointer = Space::Global};
    const Type vector{.element = dtype, .lanes = static_cast<std::uint16_t>(n)};
    b.open_function(entry_of("load", dtype), true);
    const ValueId other = is_float(dtype) ? b.number(7, dtype) : b.integer(7, dtype);
    const ValueId source = b.bitcast(from, pointer);
    const auto loaded = b.op(OpCode::LoadFirst, {source, count, other}, {vector});
    b.store(b.bitcast(to, pointer), b.result(loaded));
    b.close();
    b.open_function(entry_of("store", dtype), true);
    const ValueId whole = b.load(b.bitcast(from, pointer), n);
    b.op(OpCode::StoreFirst, {b.bitcast(to, pointer), count, whole}, {});
    b.close();
    b.open_function(entry_of("past", dtype), true);
    b.op(OpCode::StoreNt, {b.bitcast(to, pointer), b.load(b.bitcast(from, pointer), n)}, {});
    b.op(OpCode::StoreFence, {}, {});
    b.op(OpCode::Prefetch, {from}, {});
    b.close();
  }
  const Diagnostics broken = ir::kernel::verify(module);
  if (!broken.empty()) FAIL(render_text(broken));
  return emit::cpu::print(module).text;
}

template <class T>
void check_counts(const test::CompiledText& text, int lanes, DType dtype, T other,
                  const std::string& target) {
  const std::string where = target + " " + std::string(name(dtype));
  const auto n = static_cast<std::size_t>(sizeof(T) <= 4 ? lanes : lanes / 2);
  std::vector<T> whole(n);
  for (std::size_t i = 0; i < n; ++i) whole[i] = static_cast<T>(i + 1);
  for (std::size_t count = 0; count <= n; ++count) {
    const Guarded guard;
    char* at = guard.end() - count * sizeof(T);
    std::memcpy(at, whole.data(), count * sizeof(T));
    std::vector<T> out(n);
    const Arguments load{at, out.data(), static_cast<std::int64_t>(count)};
    text.entry(entry_of("load", dtype).c_str())(&load, 0, 0, 0);
    for (std::size_t i = 0; i < n; ++i) {
      CHECK_MESSAGE(out[i] == (i < count ? whole[i] : other), where << " " << count);
    }
    std::memset(at - 8, 0x55, 8 + count * sizeof(T));
    const Arguments store{whole.data(), at, static_cast<std::int64_t>(count)};
    text.entry(entry_of("store", dtype).c_str())(&store, 0, 0, 0);
    CHECK_MESSAGE(std::memcmp(at, whole.data(), count * sizeof(T)) == 0, where << " " << count);
    CHECK(at[-1] == 0x55);
  }
  alignas(64) T aligned[16] = {};
  const Arguments past{whole.data(), aligned, 0};
  text.entry(entry_of("past", dtype).c_str())(&past, 0, 0, 0);
  CHECK_MESSAGE(std::memcmp(aligned, whole.data(), n * sizeof(T)) == 0, where);
}

}  // namespace

TEST_CASE("load_first and store_first: every count, nothing beyond is touched") {
  for (const int lanes : {4, 8, 16}) {
    const std::string source = text_of(lanes);
    for (const std::string& compiler : test::cpu_compilers()) {
      for (const std::string& march : test::targets_of(lanes)) {
        const test::CompiledText text(source, compiler, march);
        if (!text.runs()) continue;
        const std::string where = compiler + " " + march + " x" + std::to_string(lanes);
        check_counts<float>(text, lanes, DType::F32, 7, where);
        check_counts<double>(text, lanes, DType::F64, 7, where);
        check_counts<std::int32_t>(text, lanes, DType::I32, 7, where);
        check_counts<std::uint32_t>(text, lanes, DType::U32, 7, where);
        check_counts<std::int64_t>(text, lanes, DType::I64, 7, where);
        check_counts<signed char>(text, lanes, DType::I8, 7, where);
        check_counts<std::uint16_t>(text, lanes, DType::F16, 0x4700, where);
        check_counts<std::uint16_t>(text, lanes, DType::BF16, 0x40e0, where);
      }
    }
  }
}
