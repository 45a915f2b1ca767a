// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/tile/function.h"
#include "ir/tile/host.h"
#include "ir/tile/specialization.h"
#include "plan/cuda/make_plan.h"

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

namespace plan_test {

using namespace parhelion;

inline constexpr std::string_view row_sum = R"(parhelion 1
kernel row_sum(@x: f32[m, n]) {
  @out = empty f32[m]
  grid i in m {
    %a = load @x[i, :n] : f32[i, :n]
    %s = sum %a dim 1 : f32[i]
    store @out[i], %s
  }
  return @out
}
)";

inline constexpr std::string_view carried_row = R"(parhelion 1
kernel carried_row(@x: f32[m, n]) {
  @out = empty f32[m, n]
  grid i in m {
    %a = load @x[i, :n] : f32[i, :n]
    %h = const 0.5 : f32
    %r = for j in m carry (%c = %a) {
      %d = mul %c, %h : f32[i, :n]
      yield %d
    }
    store @out[i, :n], %r
  }
  return @out
}
)";

inline constexpr std::string_view product = R"(parhelion 1
kernel product(@a: bf16[m, k], @b: bf16[k2, n]) {
  check k2 == k
  @out = empty f32[m, n]
  grid tm in m, tn in n {
    %0 = const 0 : i64
    %acc = full %0 : f32[tm, tn]
    %r = for tk in k carry (%c = %acc) {
      %1 = load @a[tm, tk] : bf16[tm, tk]
      %2 = load @b[tk, tn] : bf16[tk, tn]
      %d = dot %1, %2, %c : f32[tm, tn]
      yield %d
    }
    store @out[tm, tn], %r
  }
  return @out
}
)";

struct Subject {
  ir::Function function;
  ir::Specialization specialization;
};

/// Row-major arguments of these sizes, aligned; `is_static` for all symbols.
inline Subject subject(std::string_view text, std::vector<std::vector<std::int64_t>> sizes,
                       bool is_static) {
  auto functions = ir::parse(text, "k.ph");
  REQUIRE(functions.has_value());
  Subject s{std::move(functions->front()), {}};
  std::vector<std::vector<std::int64_t>> strides;
  for (const auto& list : sizes) {
    std::vector<std::int64_t> row(list.size(), 1);
    for (std::size_t d = list.size(); d-- > 1;) row[d - 1] = row[d] * list[d];
    strides.push_back(row);
  }
  std::vector<ir::CallTensor> tensors;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    tensors.push_back({s.function.tensors[i].dtype, sizes[i], strides[i]});
  }
  const auto symbols = ir::bind_symbols(s.function, tensors, {});
  REQUIRE(symbols.has_value());
  s.specialization.symbol_values = *symbols;
  s.specialization.symbol_static.assign(symbols->size(), is_static);
  for (const ir::Tensor& t : s.function.tensors) {
    s.specialization.tensors.push_back(
        {static_cast<int>(t.sizes.size()) - 1, std::vector<bool>(t.sizes.size()), true, 16});
  }
  return s;
}

inline std::expected<plan::cuda::Plan, plan::Refusal> make(
    const Subject& s, std::string_view config, const plan::cuda::Machine& machine = {}) {
  const auto parsed = Config::parse(config);
  REQUIRE(parsed.has_value());
  return plan::cuda::make_plan(s.function, *parsed, s.specialization, machine);
}

}  // namespace plan_test
