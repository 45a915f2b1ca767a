// SPDX-License-Identifier: Apache-2.0
#include "emulated_kernel.h"

#include "base/files.h"
#include "base/half.h"
#include "base/rng.h"
#include "base/subprocess.h"
#include "emit/cuda/emitter.h"
#include "emulation/recipe.h"
#include "emulation/run.h"
#include "ir/tile/host.h"
#include "passes/cuda/lower.h"
#include "plan/cuda/make_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <stdexcept>

namespace cuda_test {

using namespace parhelion;

namespace {

std::int64_t elements_of(const std::vector<std::int64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

void put(unsigned char* at, DType dtype, double value) {
  if (dtype == DType::F32) {
    const auto x = static_cast<float>(value);
    std::memcpy(at, &x, 4);
  } else if (dtype == DType::F64) {
    std::memcpy(at, &value, 8);
  } else if (dtype == DType::F16 || dtype == DType::BF16) {
    const std::uint16_t bits = to_bits(value, dtype);
    std::memcpy(at, &bits, 2);
  } else {
    const auto x = static_cast<std::int64_t>(value);
    std::memcpy(at, &x, static_cast<std::size_t>(size_bytes(dtype)));
  }
}

double draw(Rng& rng, DType dtype, Fill fill) {
  if (dtype == DType::Bool) return rng.chance(.5) ? 1 : 0;
  if (fill == Fill::SmallIntegers) return static_cast<double>(rng.between(-2, 2));
  if (is_integer(dtype)) return static_cast<double>(rng.between(0, 5));
  if (fill == Fill::Special && rng.chance(.05)) {
    const double special[] = {-std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN(), -0.0, 1e-40};
    return special[rng.below(4)];
  }
  return rng.normal();
}

const fs::path& folder() {
  static const TemporaryDirectory directory("parhelion-cuda-test");
  return directory.path();
}

void execute(const Command& command) {
  const Result<Finished> finished = parhelion::run(command);
  if (!finished) throw std::runtime_error(render_text(finished.error()));
  if (!finished->ok()) throw std::runtime_error(finished->errors);
}

std::string object_of(const emulation::RecipeUnit& unit) {
  static std::map<std::string, std::string> made;
  static int count = 0;
  std::string& object = made[unit.text];
  if (!object.empty()) return object;
  const std::string path = (folder() / fmt::format("t{}.o", count++)).string();
  Command command;
  command.arguments = {"g++"};
  command.arguments.insert(command.arguments.end(), unit.flags.begin(), unit.flags.end());
  for (const char* last : {"-x", "c++", "-c", "-", "-o"}) command.arguments.emplace_back(last);
  command.arguments.push_back(path);
  command.input = unit.text;
  execute(command);
  return object = path;
}

DynamicLibrary build(std::string_view text, std::string_view entry) {
  static int count = 0;
  const auto recipe = emulation::recipe(text, entry);
  if (!recipe) throw std::runtime_error(render_text(recipe.error()));
  Command link;
  link.arguments = {"ld"};
  for (const auto& unit : recipe->units) link.arguments.push_back(object_of(unit));
  link.arguments.insert(link.arguments.end(), recipe->link_flags.begin(), recipe->link_flags.end());
  const std::string path = (folder() / fmt::format("t{}.so", count++)).string();
  link.arguments.insert(link.arguments.end(), {"-o", path});
  execute(link);
  auto opened = DynamicLibrary::open(path);
  if (!opened) throw std::runtime_error(render_text(opened.error()));
  return std::move(*opened);
}

std::vector<ir::CallTensor> call_tensors(std::span<const TensorView> tensors) {
  std::vector<ir::CallTensor> list;
  for (const TensorView& t : tensors) list.push_back(ir::call_tensor(t));
  return list;
}

std::vector<std::int64_t> integers(const ir::Function& function,
                                   const std::vector<interp::Scalar>& scalars) {
  std::vector<std::int64_t> list(function.scalars.size());
  for (std::size_t i = 0; i < scalars.size() && i < list.size(); ++i) list[i] = scalars[i].integer;
  return list;
}

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(render_text(result.error()));
  return std::move(*result);
}

/// Memory of every tensor of the function that is no view.
struct Memory {
  std::vector<std::vector<unsigned char>> bytes;
  std::vector<int> buffer;  // by TensorId; -1 for views
};

Memory make_memory(const ir::Function& function, const ir::HostState& state,
                   std::span<TensorData> tensors) {
  Memory memory;
  memory.buffer.assign(function.tensors.size(), -1);
  std::size_t next = 0;
  for (const ir::Parameter& p : function.parameters) {
    const auto* id = std::get_if<ir::TensorId>(&p);
    if (id == nullptr) continue;
    memory.buffer[id->index()] = static_cast<int>(memory.bytes.size());
    memory.bytes.push_back(tensors[next++].bytes);
  }
  for (std::size_t i = 0; i < function.tensors.size(); ++i) {
    const ir::Tensor& t = function.tensors[i];
    if (t.kind != ir::Tensor::Kind::Empty && t.kind != ir::Tensor::Kind::Filled) continue;
    const auto size = static_cast<std::size_t>(size_bytes(t.dtype));
    std::vector<unsigned char> bytes(
        static_cast<std::size_t>(state.tensors[i].elements()) * size + 16, 0xff);
    for (std::size_t at = 0; t.kind == ir::Tensor::Kind::Filled && at + size <= bytes.size();
         at += size) {
      put(bytes.data() + at, t.dtype, t.fill);
    }
    memory.buffer[i] = static_cast<int>(memory.bytes.size());
    memory.bytes.push_back(std::move(bytes));
  }
  return memory;
}

std::vector<unsigned char> gather(const ir::TensorLayout& layout, const unsigned char* base,
                                  DType dtype) {
  const auto size = static_cast<std::size_t>(size_bytes(dtype));
  std::vector<unsigned char> out(static_cast<std::size_t>(layout.elements()) * size);
  std::vector<std::int64_t> index(layout.sizes.size());
  for (std::size_t n = 0; n < out.size() / std::max<std::size_t>(size, 1); ++n) {
    std::int64_t offset = layout.offset;
    for (std::size_t d = 0; d < index.size(); ++d) offset += index[d] * layout.strides[d];
    std::memcpy(out.data() + n * size, base + static_cast<std::size_t>(offset) * size, size);
    for (std::size_t d = index.size(); d-- > 0;) {
      if (++index[d] < layout.sizes[d]) break;
      index[d] = 0;
    }
  }
  return out;
}

}  // namespace

TensorView TensorData::view() {
  unsigned char* at = bytes.data() + offset * size_bytes(dtype);
  return strides.empty() ? TensorView(at, dtype, std::span<const std::int64_t>(sizes))
                         : TensorView(at, dtype, std::span<const std::int64_t>(sizes),
                                      std::span<const std::int64_t>(strides));
}

TensorData random_tensor(DType dtype, std::vector<std::int64_t> sizes, std::uint64_t seed,
                         Fill fill, std::vector<std::int64_t> strides, std::int64_t offset) {
  TensorData t{dtype, std::move(sizes), std::move(strides), offset, {}};
  std::int64_t elements = elements_of(t.sizes);
  if (!t.strides.empty() && elements > 0) {
    elements = 1;
    for (std::size_t d = 0; d < t.sizes.size(); ++d) elements += (t.sizes[d] - 1) * t.strides[d];
  }
  const auto size = static_cast<std::size_t>(size_bytes(dtype));
  t.bytes.resize(static_cast<std::size_t>(elements + offset) * size + 16);
  Rng rng(seed, 77);
  for (std::size_t at = 0; at + size <= t.bytes.size(); at += size)
    put(t.bytes.data() + at, dtype, draw(rng, dtype, fill));
  return t;
}

ir::Specialization specialize(const ir::Function& function, std::span<const TensorView> tensors,
                              const std::vector<std::int64_t>& symbols) {
  ir::Specialization spec;
  spec.symbol_values = symbols;
  spec.symbol_static.assign(symbols.size(), false);
  for (const ir::Axis& axis : function.axes) {
    if (axis.kind != ir::AxisKind::Extent) continue;
    const SizeProgram program =
        function.sizes.program(axis.extent, [](ir::BlockId) { return std::int64_t{1}; });
    for (const SizeProgram::Step& step : program.steps()) {
      if (step.code == SizeProgram::Code::Symbol)
        spec.symbol_static[static_cast<std::size_t>(step.value)] = true;
    }
  }
  const auto state =
      must(ir::evaluate_host(function, call_tensors(tensors), integers(function, {})));
  std::vector<const void*> data(function.tensors.size());
  std::size_t next = 0;
  for (const ir::Parameter& p : function.parameters) {
    if (const auto* id = std::get_if<ir::TensorId>(&p)) data[id->index()] = tensors[next++].data;
  }
  for (std::size_t i = 0; i < function.tensors.size(); ++i) {
    const ir::Tensor& t = function.tensors[i];
    const ir::TensorLayout& layout = state.tensors[i];
    const std::int64_t size = size_bytes(t.dtype);
    ir::TensorFacts facts;
    facts.pitches_aligned_16 = true;
    for (std::size_t d = 0; d < layout.strides.size(); ++d) {
      facts.zero_stride.push_back(layout.strides[d] == 0);
      if (layout.strides[d] == 1) facts.unit_stride_dim = static_cast<int>(d);
    }
    for (std::size_t d = 0; d < layout.strides.size(); ++d) {
      const bool unit = static_cast<int>(d) == facts.unit_stride_dim;
      if (!unit && layout.strides[d] * size % 16 != 0) facts.pitches_aligned_16 = false;
    }
    const auto base = reinterpret_cast<std::uintptr_t>(
        t.kind == ir::Tensor::Kind::View ? data[t.base.index()] : data[i]);
    const auto address = base + static_cast<std::uintptr_t>(layout.offset * size);
    facts.base_alignment = address % 16 == 0 ? 16 : static_cast<int>(size);
    spec.tensors.push_back(std::move(facts));
  }
  return spec;
}

ir::Function parse_kernel(std::string_view text) {
  auto functions = must(ir::parse(text, "test.ph"));
  const Diagnostics wrong = ir::verify(functions.front());
  if (!wrong.empty()) throw std::runtime_error(render_text(wrong));
  return std::move(functions.front());
}

Compiled compile_cuda(const ir::Function& function, std::string_view config,
                      std::span<const TensorView> tensors) {
  const auto symbols =
      must(ir::bind_symbols(function, call_tensors(tensors), integers(function, {})));
  const ir::Specialization spec = specialize(function, tensors, symbols);
  const auto parsed = must(Config::parse(config));
  const auto plan = plan::cuda::make_plan(function, parsed, spec, {});
  if (!plan)
    throw std::runtime_error("refused: " + plan.error().message + "; " + plan.error().help);
  Compiled compiled;
  compiled.plan = plan::cuda::text(*plan, function);
  compiled.module = passes::cuda::lower(function, *plan, spec);
  const Diagnostics wrong = ir::kernel::verify(compiled.module);
  if (!wrong.empty()) {
    throw std::runtime_error(render_text(wrong) + "\n" + ir::kernel::print(compiled.module));
  }
  compiled.text = emit::cuda::print(compiled.module).text;
  return compiled;
}

Run run_emulated(const ir::Function& function, std::string_view config,
                 std::span<TensorData> tensors, const std::vector<interp::Scalar>& scalars,
                 emulation::Schedule schedule) {
  std::vector<TensorView> views;
  for (TensorData& t : tensors) views.push_back(t.view());
  Run run{compile_cuda(function, config, views), {}, {}};
  const auto state =
      must(ir::evaluate_host(function, call_tensors(views), integers(function, scalars)));
  Memory memory = make_memory(function, state, tensors);
  std::vector<std::int64_t> element_offset(function.tensors.size());
  std::size_t next = 0;
  for (const ir::Parameter& p : function.parameters) {
    if (const auto* id = std::get_if<ir::TensorId>(&p))
      element_offset[id->index()] = tensors[next++].offset;
  }
  const LaunchFacts& facts = run.compiled.module.launch;
  emulation::Launch launch;
  std::vector<bool> writable(memory.bytes.size());
  for (const LaunchParameter& p : facts.parameters) {
    const std::int64_t value = p.value.evaluate(state.symbols);
    if (p.kind == LaunchParameter::Kind::Pointer) {
      const auto tensor = static_cast<std::size_t>(p.tensor);
      const int buffer = memory.buffer[tensor];
      if (p.written) writable[static_cast<std::size_t>(buffer)] = true;
      launch.arguments.push_back(emulation::Argument::pointer(
          buffer, (value + element_offset[tensor]) * size_bytes(p.dtype)));
    } else if (p.kind == LaunchParameter::Kind::Scalar) {
      const interp::Scalar& s = scalars.at(static_cast<std::size_t>(value));
      launch.arguments.push_back(p.dtype == DType::F64 ? emulation::Argument::number(s.number)
                                                       : emulation::Argument::integer(s.integer));
    } else {
      launch.arguments.push_back(emulation::Argument::integer(value));
    }
  }
  for (std::size_t i = 0; i < memory.bytes.size(); ++i) {
    launch.buffers.push_back({memory.bytes[i].data(), memory.bytes[i].size(), writable[i]});
  }
  launch.schedule = schedule;
  for (const LaunchPhase& phase : facts.phases) {
    launch.grid_x = static_cast<int>(phase.programs.evaluate(state.symbols));
    launch.threads = phase.threads;
    launch.dynamic_shared_bytes = static_cast<std::size_t>(phase.dynamic_shared_bytes);
    if (launch.grid_x == 0) continue;
    const DynamicLibrary library = build(run.compiled.text, phase.entry);
    const emulation::Report report = must(emulation::run(library, launch));
    run.report.findings.insert(run.report.findings.end(), report.findings.begin(),
                               report.findings.end());
  }
  for (const ir::TensorId id : function.returns) {
    const ir::Tensor& t = function.tensor(id);
    const ir::TensorId base = t.kind == ir::Tensor::Kind::View ? t.base : id;
    const auto buffer = static_cast<std::size_t>(memory.buffer[base.index()]);
    const unsigned char* at =
        memory.bytes[buffer].data() + element_offset[base.index()] * size_bytes(t.dtype);
    run.outputs.push_back(gather(state.tensors[id.index()], at, t.dtype));
  }
  return run;
}

std::string judge(const ir::Function& function, std::string_view config,
                  std::span<TensorData> tensors, const std::vector<interp::Scalar>& scalars) {
  std::vector<TensorData> copies(tensors.begin(), tensors.end());
  interp::Inputs inputs;
  for (TensorData& t : copies) inputs.tensors.push_back(t.view());
  inputs.scalars = scalars;
  interp::Options options;
  const auto choices = plan::cuda::read_choices(function, must(Config::parse(config)));
  for (std::size_t i = 0; i < choices.blocks.size(); ++i)
    options.blocks[ir::BlockId(i)] = choices.blocks[i];
  options.functions.exponential = 4;
  options.functions.tiny = 0x1p-126;
  const auto expected = must(interp::run(function, inputs, options));
  std::string wrong;
  try {
    const Run run = run_emulated(function, config, tensors, scalars);
    if (!run.report.clean()) wrong += emulation::text(run.report) + "\n";
    for (std::size_t i = 0; i < run.outputs.size(); ++i) {
      const interp::OutputTensor& want = expected.outputs[i];
      const TensorView got(const_cast<unsigned char*>(run.outputs[i].data()), want.dtype,
                           std::span<const std::int64_t>(want.sizes));
      const interp::Comparison c = interp::compare(want, got);
      if (!c.ok() || (c.compared == 0 && !want.values.empty()))
        wrong += fmt::format("output {}: {}\n", i, c.text());
    }
    if (!wrong.empty()) wrong += run.compiled.plan + run.compiled.text;
  } catch (const std::exception& e) {
    wrong += e.what();
  }
  return wrong;
}

}  // namespace cuda_test
