// SPDX-License-Identifier: Apache-2.0
// The meaning of every op: a naive executor of the tile IR that carries a running error bound
// beside each number. Backends are judged by it.
#pragma once

#include "ir/tile/function.h"

#include <parhelion/tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace parhelion::interp {

/// A run-time number argument; the member that the kernel asks for counts.
struct Scalar {
  double number = 0;
  std::int64_t integer = 0;
};

struct Inputs {
  std::vector<TensorView> tensors;  // the tensor parameters, in order
  std::vector<Scalar> scalars;      // by ScalarId
};

/// How the judged backend adds up; the bound of K terms is c * u * sum|terms| (frontend.md 6).
struct Accumulation {
  enum class Kind : std::uint8_t {
    Chain,  // f32 adds in `lanes` chains, then a tree: c = 2 + 2 sqrt(K / lanes + log2 lanes)
    Mma,    // tensor cores, 16 terms a step, truncating: c = 8 + K / 16
    Exact,  // correctly rounded once
  };
  Kind kind = Kind::Chain;
  int lanes = 1;
};

/// Errors of functions in ulp of f32; `tiny` is added to each (flushed denormals).
struct FunctionErrors {
  double exponential = 2, logarithm = 2, root = 0, reciprocal_root = 2, reciprocal = 1;
  double tanh = 2, erf = 2, sigmoid = 4, division = 0;
  double tiny = 0;
};

struct Options {
  std::map<ir::BlockId, std::int64_t> blocks = {};  // the rest: fixed ones, or `default_block`
  std::int64_t default_block = 8;              // 0: the whole range of the loop
  std::uint64_t seed = 1;                      // order of the programs, and the sample
  int runs = 2;                                // each in another order
  std::optional<int> sample = {};  // programs of a root beside first, last and tails; none: all
  bool pads = false;          // hold invalid lanes too, as a backend would
  Accumulation sum = {}, dot = {};
  FunctionErrors functions = {};
};

struct OutputTensor {
  static constexpr std::uint8_t written = 1, ambiguous = 2;
  ir::TensorId tensor;
  std::string name;
  DType dtype = DType::F32;
  std::vector<std::int64_t> sizes;
  // One entry an element, row-major.
  std::vector<double> values;           // of integer dtypes too, where they fit
  std::vector<std::int64_t> integers;   // of integer dtypes and bool
  std::vector<double> bounds;
  std::vector<std::uint8_t> flags;
};

struct Finding {
  enum class Kind : std::uint8_t {
    Race,            // a program touches what another one of the same root writes
    Uninitialized,   // a load of memory that nothing has written
    OutOfBounds,     // `in_bounds` was promised and is not so
    DuplicateStore,  // one store writes different values to one element
    OrderDependent,  // two orders of the programs give different bits
    EndlessLoop,     // a while loop passes a million trips
  };
  Kind kind = Kind::Race;
  std::string message;
  Place where;
  std::int64_t count = 0;
};

struct Outcome {
  /// The returned tensors, then written parameters that are not returned.
  std::vector<OutputTensor> outputs;
  std::vector<Finding> findings;
  bool sampled = false;  // some programs were left out: their elements are not written
  std::int64_t programs = 0;
};

/// Diagnostics only for arguments that do not fit (PH4001, PH60xx).
[[nodiscard]] Result<Outcome> run(const ir::Function& function, const Inputs& inputs,
                                  const Options& options = {});

/// Called with each value as it is computed, `pads` being set: lanes and which are valid, by
/// linear index. For tests of analyses that speak about invalid lanes.
struct LaneReport {
  ir::ValueId value;
  std::vector<std::int64_t> lanes, valid;  // per dimension: computed, and valid among them
  const std::vector<double>* numbers = nullptr;         // floats
  const std::vector<std::int64_t>* integers = nullptr;  // the others
};
using Observer = std::function<void(const LaneReport&)>;
[[nodiscard]] Result<Outcome> run_observed(const ir::Function& function, const Inputs& inputs,
                                           const Options& options, const Observer& observer);

struct Comparison {
  std::int64_t compared = 0, mismatches = 0, ambiguous = 0, unwritten = 0;
  double worst_ratio = 0;  // of |got - expected| to the bound; infinite where the bound is 0
  std::optional<std::int64_t> first_mismatch;  // row-major
  double expected = 0, got = 0, bound = 0;     // there
  /// No mismatch, and at most 0.1 % (or two) elements that could not be judged.
  [[nodiscard]] bool ok() const;
  [[nodiscard]] std::string text() const;
};
/// |got - expected| <= bound; NaN where NaN; the same infinity.
[[nodiscard]] Comparison compare(const OutputTensor& expected, const TensorView& got);

}  // namespace parhelion::interp
