// SPDX-License-Identifier: Apache-2.0
#include "artifact/cache.h"
#include "base/files.h"
#include "command_line/output.h"
#include "command_line/verbs.h"

#include <fmt/format.h>

namespace parhelion::command_line_detail {

namespace {

int show_size(const artifact::ArtifactCache& cache, bool json) {
  const artifact::CacheSize size = cache.size();
  if (json) {
    Json out = Json::object();
    out.set("folder", cache.directory().string());
    out.set("entries", size.entries);
    out.set("bytes", size.bytes);
    out.set("quarantined", size.quarantined);
    print_json(out);
  } else {
    print_out(fmt::format("{}: {} artifacts, {} bytes, {} set aside as damaged\n",
                          cache.directory().string(), size.entries, size.bytes, size.quarantined));
  }
  return 0;
}

int show_list(const artifact::ArtifactCache& cache, bool json) {
  Json list = Json::array();
  for (const artifact::CacheEntry& e : cache.list()) {
    if (json) {
      Json row = Json::object();
      row.set("key", e.key.hex());
      row.set("bytes", e.file_bytes);
      list.push(std::move(row));
    } else {
      print_out(fmt::format("{} {:>9} bytes\n", e.key.hex(), e.file_bytes));
    }
  }
  if (json) print_json(list);
  return 0;
}

}  // namespace

int verb_cache(const Options& o) {
  artifact::ArtifactCache cache(o.cache.empty() ? cache_directory() / "artifacts"
                                                : fs::path(o.cache));
  if (o.action == "size") return show_size(cache, o.json);
  if (o.action == "list") return show_list(cache, o.json);
  if (o.action == "clear") {
    const auto removed = cache.clear();
    if (!removed) return report(removed.error(), o.json);
    print_out(o.json ? fmt::format("{{\"removed\": {}}}\n", *removed)
                     : fmt::format("{} artifacts removed\n", *removed));
    return 0;
  }
  const artifact::CacheCheck check = cache.verify();
  print_out(o.json ? fmt::format("{{\"checked\": {}, \"damaged\": {}}}\n", check.checked,
                                 check.damaged.size())
                   : fmt::format("{} artifacts checked, {} damaged and set aside\n", check.checked,
                                 check.damaged.size()));
  return 0;
}

}  // namespace parhelion::command_line_detail
