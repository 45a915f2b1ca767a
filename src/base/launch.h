// SPDX-License-Identifier: Apache-2.0
// How a compiled kernel is launched, said without any IR: parameters and grid as postfix programs
// over the sizes and strides of a call. Kernel IR modules, artifacts and bundles all carry this.
#pragma once

#include "base/size_program.h"

#include <parhelion/dtype.h>

#include <cstdint>
#include <string>
#include <vector>

namespace parhelion {

/// What symbol i of a SizeProgram stands for. Tensors are numbered as the launch sees them:
/// arguments first, then the tensors that the host part makes.
struct CallSymbol {
  enum class Kind : std::uint8_t { Size, Stride, Scalar };
  Kind kind = Kind::Size;
  int tensor = 0;     // or the index of the scalar argument
  int dimension = 0;  // unused for scalars
  bool operator==(const CallSymbol&) const = default;
};

struct LaunchParameter {
  enum class Kind : std::uint8_t {
    Pointer,    // data of `tensor`, moved by `value` elements
    Integer,    // `value` as i64 (CPU) or i32/i64 by `bytes` (CUDA)
    Scalar,     // a run-time number argument: `value` is its index
    Workspace,  // memory shared by all programs of a call (packed panels), `workspace_bytes`
    Scratch,    // CPU: base of the workers' scratch; worker w starts at w * scratch_bytes
  };
  Kind kind = Kind::Pointer;
  std::string name;
  DType dtype = DType::F32;  // of the pointee, or of the scalar
  int tensor = -1;
  bool written = false;      // Pointer: the kernel stores through it
  int bytes = 8;
  SizeProgram value;
  bool operator==(const LaunchParameter&) const = default;
};

/// One entry per phase; phases run in order with a join between.
struct LaunchPhase {
  std::string entry;     // symbol of the artifact
  SizeProgram programs;  // CPU: number of programs; CUDA: grid.x
  int chunk = 0;         // CPU: programs a worker takes at once; 0: static ranges
  int threads = 1;       // CUDA: threads a block
  std::int64_t dynamic_shared_bytes = 0;
  bool operator==(const LaunchPhase&) const = default;
};

struct LaunchFacts {
  std::vector<CallSymbol> symbols;
  std::vector<LaunchParameter> parameters;
  std::vector<LaunchPhase> phases;
  SizeProgram workspace_bytes = SizeProgram::constant(0);
  SizeProgram scratch_bytes = SizeProgram::constant(0);  // of one worker
  bool operator==(const LaunchFacts&) const = default;
};

}  // namespace parhelion
