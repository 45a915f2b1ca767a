// SPDX-License-Identifier: Apache-2.0
// Running an entry: outputs from the pool, pointers patched, the launch.
#include "base/diag.h"
#include "runtime/elements.h"
#include "session/state.h"

#include <fmt/format.h>

#include <algorithm>

namespace parhelion {

using session::Entry;

namespace {

struct Range {
  std::uintptr_t begin, end;
};
Range range_of(const TensorView& v) {
  const auto begin = reinterpret_cast<std::uintptr_t>(v.data);
  return {begin, begin + static_cast<std::uintptr_t>(v.span_bytes())};
}

/// A written tensor may share no memory with another one of the call.
Result<void> check_overlap(const LaunchFacts& launch, const ir::Function& f,
                           std::span<const TensorView> tensors) {
  for (const LaunchParameter& p : launch.parameters) {
    if (p.kind != LaunchParameter::Kind::Pointer || !p.written) continue;
    const auto w = static_cast<std::size_t>(p.tensor);
    const Range a = range_of(tensors[w]);
    for (const LaunchParameter& q : launch.parameters) {
      const auto o = static_cast<std::size_t>(q.tensor);
      if (q.kind != LaunchParameter::Kind::Pointer || o == w) continue;
      const Range b = range_of(tensors[o]);
      if (a.begin < b.end && b.begin < a.end) {
        return fail(
            6006,
            fmt::format("arguments '{}' and '{}' overlap", f.tensors[o].name, f.tensors[w].name),
            {}, "write to a tensor of its own, or copy the input first");
      }
    }
  }
  return {};
}

void fill_tensor(const TensorView& view, double value) {
  const int bytes = size_bytes(view.dtype);
  char* at = static_cast<char*>(view.data);
  for (std::int64_t i = 0; i < view.elements(); ++i, at += bytes) {
    runtime::store_element(at, view.dtype, value);
  }
}

/// The caller's tensor for a return: same dtype and sizes, row-major.
Result<void> check_into(const TensorView& given, const ir::Tensor& tensor,
                        const ir::TensorLayout& layout) {
  bool same = given.dtype == tensor.dtype &&
              static_cast<std::size_t>(given.rank) == layout.sizes.size() && given.contiguous();
  for (std::size_t d = 0; same && d < layout.sizes.size(); ++d) {
    same = given.sizes[d] == layout.sizes[d];
  }
  if (same && !given.read_only) return {};
  if (given.read_only) {
    return fail(6009, fmt::format("'{}' is read-only but stored", tensor.name), {},
                "pass a tensor that may be written");
  }
  return fail(6012,
              fmt::format("the output '{}' is {}, the kernel makes another layout", tensor.name,
                          layout_text(given)),
              {}, "pass a row-major tensor of the kernel's dtype and sizes");
}

}  // namespace

Result<Session::State::Bound> Session::State::bind(Entry& entry,
                                                   std::span<const Argument> arguments,
                                                   std::span<const TensorView> into) {
  const ir::Function& f = *entry.function;
  const lang::FlatArguments flat = lang::flatten(arguments);
  Bound b;
  b.views.resize(f.tensors.size());
  b.made.resize(f.tensors.size());
  b.data.resize(f.tensors.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < f.tensors.size(); ++i) {
    const ir::Tensor& t = f.tensors[i];
    if (t.kind == ir::Tensor::Kind::Parameter) {
      b.views[i] = flat.tensors[next++];
    } else if (t.kind != ir::Tensor::Kind::View) {
      const auto returned = std::ranges::find(f.returns, ir::TensorId(i));
      const auto position = static_cast<std::size_t>(returned - f.returns.begin());
      if (returned != f.returns.end() && position < into.size()) {
        if (auto ok = check_into(into[position], t, entry.host.tensors[i]); !ok) {
          return std::unexpected(ok.error());
        }
        b.views[i] = into[position];
      } else {
        b.made[i] = Buffer::empty(entry.host.tensors[i].sizes, t.dtype, &device.memory());
        b.views[i] = b.made[i].view();
      }
      if (t.kind == ir::Tensor::Kind::Filled) fill_tensor(b.views[i], t.fill);
    }
    b.data[i] = b.views[i].data;
  }
  if (auto ok = check_overlap(entry.compiled->artifact.launch, f, b.views); !ok) {
    return std::unexpected(ok.error());
  }
  return b;
}

Result<std::vector<Buffer>> Session::State::run(Entry& entry, std::span<const Argument> arguments,
                                                std::span<const TensorView> into) {
  auto bound = bind(entry, arguments, into);
  if (!bound) return std::unexpected(bound.error());
  entry.prepared.launch(bound->data);
  std::vector<Buffer> results;
  if (!into.empty()) return results;
  for (const ir::TensorId id : entry.function->returns) {
    if (!bound->made[id.index()].valid()) {
      return fail(6012,
                  fmt::format("'{}' is returned but not made by the kernel",
                              entry.function->tensor(id).name),
                  {}, "return tensors of ph::empty, and pass parameters by themselves");
    }
    results.push_back(bound->made[id.index()]);
  }
  return results;
}

Session::Session(SessionOptions options) : state_(std::make_unique<State>(std::move(options))) {}
Session::~Session() = default;

std::vector<Buffer> call(Session& session, const AnyKernel& kernel,
                         std::span<const Argument> arguments, std::span<const TensorView> into) {
  auto entry = session.state().entry(session::source_of(kernel), arguments);
  if (!entry) throw Error(entry.error());
  auto results = session.state().run(**entry, arguments, into);
  if (!results) throw Error(results.error());
  return std::move(*results);
}

Session& default_session() {
  static Session session;
  return session;
}

}  // namespace parhelion
