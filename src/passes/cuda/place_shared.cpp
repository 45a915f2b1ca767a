// SPDX-License-Identifier: Apache-2.0
#include "passes/cuda/place_shared.h"

#include <algorithm>
#include <vector>

namespace parhelion::passes::cuda {
namespace {

namespace k = ir::kernel;

// Static arrays may not have more; the rest is one dynamic array.
constexpr std::int64_t static_limit = 48 << 10;

void collect(const k::Module& module, k::RegionId region, std::vector<k::OpId>& found) {
  for (const k::OpId id : module.region(region).ops) {
    if (module.op(id).code == k::OpCode::Shared) found.push_back(id);
    for (const k::RegionId inner : module.op(id).regions) collect(module, inner, found);
  }
}

}  // namespace

void place_shared(k::Module& module) {
  for (LaunchPhase& phase : module.launch.phases) {
    const k::Function* entry = module.find_function(phase.entry);
    std::vector<k::OpId> regions;
    collect(module, entry->body, regions);
    // Large alignments first: no holes.
    std::ranges::stable_sort(regions, std::greater<>(),
                             [&](k::OpId id) { return module.op(id).integer("align"); });
    std::int64_t bytes = 0;
    std::vector<std::int64_t> offsets;
    for (const k::OpId id : regions) {
      const k::Op& op = module.op(id);
      const std::int64_t align = op.integer("align");
      bytes = (bytes + align - 1) / align * align;
      offsets.push_back(bytes);
      bytes += op.integer("count") * size_bytes(module.type(op.results[0]).element);
    }
    if (bytes <= static_limit) continue;
    for (std::size_t i = 0; i < regions.size(); ++i) {
      module.op(regions[i]).attributes.push_back({"offset", offsets[i]});
    }
    phase.dynamic_shared_bytes = bytes;
  }
}

}  // namespace parhelion::passes::cuda
