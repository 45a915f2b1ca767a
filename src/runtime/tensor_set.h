// SPDX-License-Identifier: Apache-2.0
// The tensors of a TensorsRequest on an engine.
#pragma once

#include "runtime/engine.h"
#include "runtime/shared_memory.h"
#include "runtime/worker_protocol.h"

#include "base/hash.h"

#include <memory>
#include <vector>

namespace parhelion::runtime {

class TensorSet {
 public:
  [[nodiscard]] static Result<TensorSet> make(Engine& engine, const TensorsRequest& request,
                                              SharedMemory& shared);
  [[nodiscard]] int copies() const { return static_cast<int>(copies_.size()); }
  [[nodiscard]] std::span<const TensorView> views(int copy) const {
    return copies_[static_cast<std::size_t>(copy)].views;
  }
  // The rest is about the first copy.
  /// Gives the written tensors their first content again.
  [[nodiscard]] Result<void> restore();
  /// Fills `damage` and `changed_inputs`.
  [[nodiscard]] Result<void> inspect(RunAnswer& answer) const;
  [[nodiscard]] Result<void> copy_out(const RunRequest::Output& output, SharedMemory& shared) const;

 private:
  struct Copy {
    std::vector<std::unique_ptr<EngineMemory>> memory;
    std::vector<TensorView> views;
  };
  struct Content {
    bool written = false;
    std::int64_t bytes = 0;
    std::vector<std::byte> first;  // of a written tensor
    Hash hash;                     // of the others
  };
  [[nodiscard]] Result<void> add(Engine& engine, Edge edge, const TensorSpec& spec,
                                 SharedMemory& shared);
  std::vector<Copy> copies_;
  std::vector<Content> contents_;
};

}  // namespace parhelion::runtime
