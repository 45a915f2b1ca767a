// SPDX-License-Identifier: Apache-2.0
#include "runtime/tensor_set.h"

#include "base/diag.h"

#include <fmt/format.h>

#include <algorithm>

namespace parhelion::runtime {

namespace {

TensorView layout_of(const TensorSpec& spec, void* data, Device device) {
  return spec.strides.empty() ? TensorView(data, spec.dtype, spec.sizes, device)
                              : TensorView(data, spec.dtype, spec.sizes, spec.strides, device);
}

/// First bytes of the tensor, with poison in the gaps between its elements.
Result<std::vector<std::byte>> first_content(const TensorSpec& spec, SharedMemory& shared) {
  TensorView view = layout_of(spec, nullptr, {});
  std::vector<std::byte> bytes(static_cast<std::size_t>(view.span_bytes()), std::byte{0xff});
  if (!spec.shared_offset) {
    view.data = bytes.data();
    fill(view, spec.distribution, spec.seed, spec.stream);
    return bytes;
  }
  auto range = shared.range(*spec.shared_offset, view.span_bytes());
  if (!range) return std::unexpected(range.error());
  std::ranges::copy(*range, bytes.begin());
  return bytes;
}

Result<void> check_spec(const TensorSpec& spec, std::size_t index) {
  TensorView view = layout_of(spec, nullptr, {});
  view.data = &view;  // present and aligned: only sizes and strides are in question here
  return check_tensor(view, fmt::format("tensor {}", index));
}

}  // namespace

Result<void> TensorSet::add(Engine& engine, Edge edge, const TensorSpec& spec,
                            SharedMemory& shared) {
  if (auto checked = check_spec(spec, contents_.size()); !checked) return checked;
  auto bytes = first_content(spec, shared);
  if (!bytes) return std::unexpected(bytes.error());
  for (Copy& copy : copies_) {
    auto memory = engine.allocate(bytes->size(), edge, static_cast<std::size_t>(spec.alignment),
                                  static_cast<std::size_t>(spec.misalign));
    if (!memory) return std::unexpected(memory.error());
    if (auto written = (*memory)->write(*bytes); !written) return written;
    TensorView view = layout_of(spec, (*memory)->data(), engine.device());
    copy.views.push_back(view);
    copy.memory.push_back(std::move(*memory));
  }
  Content content{.written = spec.written,
                  .bytes = static_cast<std::int64_t>(bytes->size()),
                  .first = {},
                  .hash = hash_bytes(*bytes)};
  if (spec.written) content.first = std::move(*bytes);
  contents_.push_back(std::move(content));
  return {};
}

Result<TensorSet> TensorSet::make(Engine& engine, const TensorsRequest& request,
                                  SharedMemory& shared) {
  TensorSet set;
  set.copies_.resize(static_cast<std::size_t>(request.copies));
  for (const TensorSpec& spec : request.tensors) {
    if (auto added = set.add(engine, request.edge, spec, shared); !added) {
      return std::unexpected(added.error());
    }
  }
  return set;
}

Result<void> TensorSet::restore() {
  for (std::size_t i = 0; i < contents_.size(); ++i) {
    if (!contents_[i].written) continue;
    auto written = copies_[0].memory[i]->write(contents_[i].first);
    if (!written) return written;
  }
  return {};
}

Result<void> TensorSet::inspect(RunAnswer& answer) const {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < contents_.size(); ++i) {
    const EngineMemory& memory = *copies_[0].memory[i];
    auto damage = memory.damage();
    if (!damage) return std::unexpected(damage.error());
    if (*damage) answer.damage.push_back(fmt::format("tensor {}: {}", i, **damage));
    if (contents_[i].written) continue;
    bytes.resize(static_cast<std::size_t>(contents_[i].bytes));
    if (auto read = memory.read(bytes); !read) return read;
    if (hash_bytes(bytes) != contents_[i].hash) {
      answer.changed_inputs.push_back(static_cast<int>(i));
    }
  }
  return {};
}

Result<void> TensorSet::copy_out(const RunRequest::Output& output, SharedMemory& shared) const {
  const auto index = static_cast<std::size_t>(output.tensor);
  if (output.tensor < 0 || index >= contents_.size()) {
    return fail(8703, fmt::format("output {} is not a tensor of the set", output.tensor));
  }
  auto range = shared.range(output.shared_offset, contents_[index].bytes);
  if (!range) return std::unexpected(range.error());
  return copies_[0].memory[index]->read(*range);
}

}  // namespace parhelion::runtime
