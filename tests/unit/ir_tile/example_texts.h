// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace parhelion::test {

inline constexpr std::string_view softmax_text = R"(parhelion 1 file "softmax.cpp"
kernel softmax(@x: f16[m, n]) {
  @out = empty f16[m, n]
  grid rows in m {  #10:30
    %0 = load @x[rows, :n] : f16[rows, :n]  #11:40
    %v = cast %0 : f32[rows, :n]  #11:24
    %1 = amax %v dim 1 keep : f32[rows, 1]  #12:36
    %2 = sub %v, %1 : f32[rows, :n]  #12:55
    %e = exp %2 : f32[rows, :n]  #12:23
    %3 = sum %e dim 1 keep : f32[rows, 1]  #13:48
    %4 = div %e, %3 : f32[rows, :n]  #13:67
    %5 = cast %4 : f16[rows, :n]  #13:36
    store @out[rows, :n], %5  #13:24
  }
  return @out
}
)";

inline constexpr std::string_view matmul_text = R"(parhelion 1
kernel matmul(@a: bf16[m, k], @b: bf16[k2, n]) {
  check k2 == k
  @out = empty bf16[m, n]
  grid tm in m, tn in n {  #22:34
    %0 = const 0 : i64  #23:32
    %acc = full %0 : f32[tm, tn]  #23:32
    %acc_2 = for tk in k carry (%acc_3 = %acc) {  #24:30
      %1 = load @a[tm, tk] : bf16[tm, tk]  #24:57
      %2 = load @b[tk, tn] : bf16[tk, tn]  #24:68
      %acc_1 = dot %1, %2, %acc_3 : f32[tm, tn]  #24:48
      yield %acc_1
    }
    %3 = cast %acc_2 : bf16[tm, tn]  #25:29
    store @out[tm, tn], %3  #25:17
  }
  return @out
}
)";

}  // namespace parhelion::test
