// SPDX-License-Identifier: Apache-2.0
// The judge is judged: every synchronising call dropped, and many altered, must be caught.
#include "subjects.h"

#include <doctest/doctest.h>

#include <fmt/format.h>

#include <algorithm>

using namespace emulation_test;

namespace {

constexpr const char* synchronising[] = {
    "__syncthreads(",       "__syncwarp(", "named_sync(",    "cp_async_commit(",
    "cp_async_wait<",       "cp_async<",   "mbarrier_init(", "mbarrier_expect(",
    "mbarrier_init_fence(", "bulk_load(",  "mbarrier_wait(", "mbarrier_arrive(",
    "fence_async_shared(",
};

struct Mutant {
  std::string text;
  std::string what;
};

int line_at(std::string_view text, std::size_t at) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

/// The call that begins at `at`, up to its closing parenthesis.
std::size_t call_end(std::string_view text, std::size_t at) {
  std::size_t end = text.find('(', at);
  for (int depth = 0; end < text.size(); ++end) {
    if (text[end] == '(') ++depth;
    if (text[end] == ')' && --depth == 0) return end + 1;
  }
  return end;
}

/// Each call in turn replaced by nothing.
std::vector<Mutant> dropped_calls(const std::string& text) {
  std::vector<Mutant> mutants;
  for (const std::string_view name : synchronising) {
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
      std::string mutated = text;
      mutated.replace(at, call_end(text, at) - at, "(void)0");
      mutants.push_back({mutated, fmt::format("{} dropped at line {}", name, line_at(text, at))});
    }
  }
  return mutants;
}

/// By the default schedule with two seeds, or by any other.
bool caught(const Subject& subject, const Mutant& mutant) {
  const CompiledText compiled(mutant.text, subject.kernel);
  for (const std::uint64_t seed : {1u, 2u}) {
    if (subject.run(compiled, em::Schedule::ProducerLate, seed).caught()) return true;
  }
  for (const em::Schedule schedule : em::all_schedules()) {
    if (subject.run(compiled, schedule, 3).caught()) return true;
  }
  return false;
}

struct Alteration {
  const char* kernel;
  const char* from;
  const char* to;
};

// One edit each, at the first place where `from` stands.
constexpr Alteration alterations[] = {
    {"softmax_rows", "__shfl_xor_sync(0xffffffffu, m, step)",
     "__shfl_xor_sync(0x7fffffffu, m, step)"},
    {"softmax_rows", "step > 0; step /= 2) m", "step > 1; step /= 2) m"},
    {"softmax_rows", "step > 0; step /= 2) s", "step > 1; step /= 2) s"},
    {"softmax_rows", "parity ^= 1;", ""},
    {"softmax_rows", "parts[parity][warp] =", "parts[parity ^ 1][warp] ="},
    {"softmax_rows", "if (lane_id() == 0) parts", "if (lane_id() < 2) parts"},
    {"softmax_rows", "i < warps; ++i) m", "i <= warps; ++i) m"},
    {"softmax_rows", "at < cols / 4 ? load_once", "at < cols / 4 + 4 ? load_once"},
    {"softmax_rows", "row < rows; row", "row <= rows; row"},
    {"softmax_rows", "if (at < cols / 4) store_once", "store_once"},
    {"softmax_rows", "uint2{0xfc00fc00u, 0xfc00fc00u}", "uint2{0, 0}"},
    {"softmax_rows", "__syncthreads();", "if (warp < warps - 1) __syncthreads();"},
    {"softmax_rows", "__syncthreads();", "__syncwarp();"},
    {"matmul_ring", "cp_async_wait<stages - 2>()", "cp_async_wait<stages - 1>()"},
    {"matmul_ring", "load(step + stages - 1);", "load(step + stages);"},
    {"matmul_ring", "step % stages * slot_bytes", "step % (stages - 1) * slot_bytes"},
    {"matmul_ring", "      cp_async_commit();\n    };",
     "      if (step < steps) cp_async_commit();\n    };"},
    {"matmul_ring", "(chunk ^ (row / 2 & 3)) * 16", "(chunk ^ (row / 2 & 7)) * 16"},
    {"matmul_ring", "a_in ? a + am * k + ak : a, a_in ? 16 : 0", "a + am * k + ak, 16"},
    {"matmul_ring", "am < m && ak < k", "am <= m && ak < k"},
    {"matmul_ring", "bk < k && bn < n", "bk < k"},
    {"matmul_ring", "b_in ? 16 : 0", "b_in ? 8 : 0"},
    {"matmul_ring", "load_matrix_x4_trans(", "load_matrix_x4("},
    {"matmul_ring", "chunk_address(slot, warp / 2 * 16 + r, kk * 2 + c)",
     "chunk_address(slot, warp / 2 * 16 + r, kk * 2 + c) + 8"},
    {"matmul_ring", "chunk_address(slot, warp / 2 * 16 + r, kk * 2 + c)",
     "slot + (warp / 2 * 16 + r) * 64 + (kk * 2 + c) * 16"},
    {"matmul_ring", "mma_m16n8k16_f16(acc[4]", "if (lane < 31) mma_m16n8k16_f16(acc[4]"},
    {"matmul_ring", "dm < m && dn < n", "dn < n"},
    {"matmul_ring", "half % 2 * 8 + lane / 4", "half % 2 * 8 + lane / 8"},
    {"rms_norm_ring", "mbarrier_init(shared_address(&empty[s]), warps)",
     "mbarrier_init(shared_address(&empty[s]), warps - 1)"},
    {"rms_norm_ring", "mbarrier_init(shared_address(&empty[s]), warps)",
     "mbarrier_init(shared_address(&empty[s]), warps + 1)"},
    {"rms_norm_ring", "mbarrier_wait(shared_address(&empty[slot]), phase ^ 1)",
     "mbarrier_wait(shared_address(&empty[slot]), phase)"},
    {"rms_norm_ring", "mbarrier_wait(shared_address(&full[slot]), phase);",
     "mbarrier_wait(shared_address(&full[slot]), phase ^ 1);"},
    {"rms_norm_ring", "mbarrier_wait(shared_address(&full[slot]), phase);",
     "mbarrier_wait(shared_address(&full[slot]), 0);"},
    {"rms_norm_ring", "mbarrier_expect(shared_address(&full[slot]), row_bytes)",
     "mbarrier_expect(shared_address(&full[slot]), row_bytes / 2)"},
    {"rms_norm_ring", "mbarrier_expect(shared_address(&full[slot]), row_bytes)",
     "mbarrier_expect(shared_address(&full[slot]), row_bytes + 16)"},
    {"rms_norm_ring", "mbarrier_expect(shared_address(&full[slot]), row_bytes)",
     "mbarrier_arrive(shared_address(&full[slot]))"},
    {"rms_norm_ring", "cols / 4), row_bytes, shared", "cols / 4), row_bytes - 8, shared"},
    {"rms_norm_ring", "if (elect_one()) mbarrier_arrive", "mbarrier_arrive"},
    {"rms_norm_ring", "if (elect_one()) mbarrier_arrive", "if (t == 0) mbarrier_arrive"},
    {"rms_norm_ring", "fence_async_shared();  // ", "if (elect_one()) fence_async_shared();  // "},
    {"rms_norm_ring", "named_sync(1, 32 * warps)", "named_sync(1, 32 * warps + 32)"},
    {"rms_norm_ring", "named_sync(1, 32 * warps)", "named_sync(1 + warp / 2, 16 * warps)"},
    {"rms_norm_ring", "named_sync(1, 32 * warps)", "__syncthreads()"},
    {"rms_norm_ring", "parity ^= 1;", ""},
    {"rms_norm_ring", "from[i * 32 * warps + t]", "from[i * 32 * warps + t + 1]"},
    {"rms_norm_ring", "slot * row_bytes, x +", "slot * row_bytes / 2, x +"},
};

}  // namespace

TEST_CASE("every synchronising call counts") {
  for (const Subject& subject : subjects()) {
    for (const Mutant& mutant : dropped_calls(text_of(subject))) {
      CAPTURE(std::string(subject.kernel));
      CAPTURE(mutant.what);
      CHECK(caught(subject, mutant));
    }
  }
}

TEST_CASE("altered texts are caught") {
  for (const Alteration& a : alterations) {
    CAPTURE(std::string(a.kernel));
    CAPTURE(std::string(a.to));
    for (const Subject& subject : subjects()) {
      if (std::string_view(subject.kernel) != a.kernel) continue;
      Mutant mutant{text_of(subject), a.to};
      const auto at = mutant.text.find(a.from);
      REQUIRE(at != std::string::npos);
      mutant.text.replace(at, std::string_view(a.from).size(), a.to);
      CHECK(caught(subject, mutant));
    }
  }
}
