// SPDX-License-Identifier: Apache-2.0
// DLPack both ways. Sub-byte and multi-lane elements are refused, a read-only flag is kept.
#include <parhelion/tensor.h>

#include "base/diag.h"

#include <fmt/format.h>

#include <vector>

namespace parhelion {

namespace {

struct CodeRow {
  std::uint8_t code, bits;
  DType dtype;
};
constexpr CodeRow code_rows[] = {
    {0, 8, DType::I8},   {0, 16, DType::I16},    {0, 32, DType::I32},    {0, 64, DType::I64},
    {1, 8, DType::U8},   {1, 16, DType::U16},    {1, 32, DType::U32},    {1, 64, DType::U64},
    {2, 16, DType::F16}, {2, 32, DType::F32},    {2, 64, DType::F64},    {4, 16, DType::BF16},
    {6, 8, DType::Bool}, {10, 8, DType::F8E4M3}, {12, 8, DType::F8E5M2},
};

class DlpackStorage final : public Storage {
 public:
  explicit DlpackStorage(dlpack::ManagedTensor* tensor) : tensor_(tensor) {}
  void release() noexcept override {
    if (tensor_->deleter != nullptr) tensor_->deleter(tensor_);
    delete this;
  }

 private:
  dlpack::ManagedTensor* tensor_;
};

/// What a consumer of to_dlpack holds: the share, and the arrays its tensor points to.
struct Exported {
  Buffer share;
  std::array<std::int64_t, max_rank> sizes, strides;
  dlpack::ManagedTensor tensor;
};

}  // namespace

Result<TensorView> view_of(const dlpack::Tensor& tensor, bool read_only) {
  const auto refuse = [](std::string why) { return fail(6010, "DLPack: " + std::move(why)); };
  const CodeRow* row = nullptr;
  for (const CodeRow& r : code_rows) {
    if (r.code == tensor.dtype.code && r.bits == tensor.dtype.bits) row = &r;
  }
  if (row == nullptr || tensor.dtype.lanes != 1) {
    return refuse(fmt::format("dtype code {} with {} bits and {} lanes is not supported",
                              tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes));
  }
  if (tensor.device.type < 1 || tensor.device.type > 3) {
    return refuse(fmt::format("device type {} is not supported", tensor.device.type));
  }
  if (tensor.ndim < 0 || tensor.ndim > max_rank) {
    return refuse(fmt::format("rank {} is not supported, at most {} is", tensor.ndim, max_rank));
  }
  const auto rank = static_cast<std::size_t>(tensor.ndim);
  // CUDA host memory is read by the CPU like any other.
  const Device device =
      tensor.device.type == 2 ? Device{Device::Kind::Cuda, tensor.device.index} : Device{};
  void* data =
      tensor.data == nullptr ? nullptr : static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
  const std::span<const std::int64_t> sizes(tensor.shape, rank);
  TensorView view = tensor.strides == nullptr
                        ? TensorView(data, row->dtype, sizes, device)
                        : TensorView(data, row->dtype, sizes,
                                     std::span<const std::int64_t>(tensor.strides, rank), device);
  view.read_only = read_only;
  if (auto checked = check_tensor(view, "the DLPack tensor"); !checked) {
    return std::unexpected(checked.error());
  }
  return view;
}

Result<Buffer> Buffer::from_dlpack(dlpack::ManagedTensor* tensor) {
  const auto give_up = [tensor](Diagnostics why) -> Result<Buffer> {
    if (tensor->deleter != nullptr) tensor->deleter(tensor);
    return std::unexpected(std::move(why));
  };
  if (tensor->version.major != 1) {
    return give_up({diag(
        6010, fmt::format("DLPack: version {} is not supported, 1 is", tensor->version.major))});
  }
  const bool read_only = (tensor->flags & dlpack::flag_read_only) != 0;
  auto view = view_of(tensor->tensor, read_only);
  if (!view) return give_up(std::move(view.error()));
  auto* storage = new DlpackStorage(tensor);
  storage->data = view->data;
  storage->bytes = static_cast<std::size_t>(view->span_bytes());
  storage->device = view->device;
  Buffer buffer;
  buffer.storage_ = storage;
  buffer.view_ = *view;
  buffer.retain();
  return buffer;
}

dlpack::ManagedTensor* Buffer::to_dlpack() const {
  auto* exported = new Exported{*this, view_.sizes, view_.strides, {}};
  dlpack::ManagedTensor& managed = exported->tensor;
  managed.context = exported;
  managed.deleter = [](dlpack::ManagedTensor* self) {
    delete static_cast<Exported*>(self->context);
  };
  managed.flags = view_.read_only ? dlpack::flag_read_only : 0;
  managed.tensor.data = view_.data;
  const bool cuda = view_.device.kind == Device::Kind::Cuda;
  managed.tensor.device = {cuda ? 2 : 1, cuda ? view_.device.index : 0};
  managed.tensor.ndim = view_.rank;
  for (const CodeRow& row : code_rows) {
    if (row.dtype == view_.dtype) managed.tensor.dtype = {row.code, row.bits, 1};
  }
  managed.tensor.shape = exported->sizes.data();
  managed.tensor.strides = exported->strides.data();
  return &managed;
}

}  // namespace parhelion
