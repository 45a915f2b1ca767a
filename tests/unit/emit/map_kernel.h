// SPDX-License-Identifier: Apache-2.0
// Modules that put an expression over whole arrays, `lanes` at a time: out[i] = f(x[i], y[i]).
#pragma once

#include "emit/cpu/emitter.h"
#include "ir/kernel/module.h"
#include "support/cpu_text.h"

#include <functional>
#include <string>
#include <vector>

namespace parhelion::test {

/// One entry each; programs are vectors of the lanes.
struct MapKernel {
  std::string name;
  DType from = DType::F32, to = DType::F32;
  std::function<ir::kernel::ValueId(ir::kernel::Builder&, ir::kernel::ValueId x,
                                    ir::kernel::ValueId y)>
      body;
};

struct MapArguments {
  const void *x, *y;
  void* out;
};

/// All kernels of one pair of element types in one text.
inline std::string map_text(const std::vector<MapKernel>& kernels, int lanes) {
  namespace kernel = ir::kernel;
  kernel::Module module;
  module.name = "map";
  module.target = "cpu";
  kernel::Builder b(module);
  const auto pointer = [&](const char* name, DType dtype, bool written) {
    LaunchParameter parameter;
    parameter.name = name;
    parameter.dtype = dtype;
    parameter.written = written;
    return b.parameter(parameter, {.element = dtype, .pointer = kernel::Space::Global});
  };
  const kernel::ValueId x = pointer("x", kernels[0].from, false);
  const kernel::ValueId y = pointer("y", kernels[0].from, false);
  const kernel::ValueId out = pointer("out", kernels[0].to, true);
  const kernel::ValueId first = b.entry_value(kernel::Type{}, "first");
  const kernel::ValueId last = b.entry_value(kernel::Type{}, "last");
  for (const MapKernel& made : kernels) {
    b.open_function(made.name, true);
    b.open_for(first, last, b.integer(1), {}, "i");
    const kernel::ValueId at = b.binary(kernel::OpCode::Mul, b.loop_index(), b.integer(lanes));
    const kernel::ValueId a = b.load(b.offset(x, at), lanes);
    const kernel::ValueId c = b.load(b.offset(y, at), lanes);
    b.store(b.offset(out, at), made.body(b, a, c));
    b.close();
    b.close();
  }
  const Diagnostics broken = kernel::verify(module);
  if (!broken.empty()) FAIL(render_text(broken));
  return emit::cpu::print(module).text;
}

/// Targets on which a number of lanes is compiled: what the width is for, and a lower one where
/// the pieces have a form without its instructions.
inline std::vector<std::string> targets_of(int lanes) {
  if (lanes == 16) return {"x86-64-v4"};
  if (lanes == 8) return {"x86-64-v3"};
  return {"x86-64-v3", "x86-64"};
}

/// Calls `check(text, where)` for each compiler and target.
template <class Check>
void for_each_text(const std::vector<MapKernel>& kernels, int lanes, Check check) {
  const std::string text = map_text(kernels, lanes);
  for (const std::string& compiler : cpu_compilers()) {
    for (const std::string& march : targets_of(lanes)) {
      const CompiledText compiled(text, compiler, march);
      if (!compiled.runs()) continue;
      check(compiled, compiler + " " + march + " x" + std::to_string(lanes));
    }
  }
}

}  // namespace parhelion::test
