// SPDX-License-Identifier: Apache-2.0
#include "artifact/file.h"

#include "artifact/file_fields.h"
#include "artifact/payload.h"

#include "base/diag.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <type_traits>

namespace parhelion::artifact {

namespace {

/// The fixed part. Sizes are in bytes; the checksum covers everything behind itself.
struct Header {
  std::array<char, 8> magic{};
  Hash checksum;
  std::uint32_t schema = file_schema;
  std::uint32_t summary_size = 0;   // JSON
  std::uint64_t payload_size = 0;   // zstd
  std::uint64_t unpacked_size = 0;  // details JSON, text, image
  std::uint64_t details_size = 0, text_size = 0;
};
static_assert(sizeof(Header) == 64 && std::is_trivially_copyable_v<Header>);

constexpr std::array<char, 8> magic = {'P', 'H', 'A', 'R', 'T', '\r', '\n', '\x1a'};
constexpr std::size_t unchecked = sizeof(magic) + sizeof(Hash);

std::unexpected<Diagnostics> damaged(std::string_view what) {
  return fail(8201, fmt::format("a damaged artifact: {}", what), {}, "compile it again");
}

Result<Header> read_header(std::string_view bytes) {
  Header header;
  if (bytes.size() < sizeof header) return damaged("it is cut short");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != magic) return damaged("it does not begin as one");
  if (header.schema > file_schema) {
    return fail(8202, fmt::format("an artifact of schema {}; this version reads up to {}",
                                  header.schema, file_schema),
                {}, "use the version of Parhelion that wrote it, or compile again");
  }
  return header;
}

Json summary_json(const Artifact& artifact, const Json& origin) {
  Json o = Json::object();
  o.set("kind", name(artifact.kind)).set("kernel", artifact.kernel).set("arch", artifact.arch);
  o.set("code_hash", artifact.code_hash.hex());
  o.set("image_bytes", static_cast<std::int64_t>(artifact.bytes.size()));
  o.set("origin", origin);
  return o;
}

Json details_json(const Artifact& artifact) {
  Json o = Json::object();
  o.set("features", to_json(artifact.features)).set("launch", to_json(artifact.launch));
  o.set("lines", to_json(artifact.lines)).set("steps", to_json(artifact.steps));
  o.set("facts", to_json(artifact.facts));
  return o;
}

Result<Summary> parse_summary(std::string_view text) {
  const Result<Json> json = Json::parse(text);
  if (!json) return damaged("its summary is not JSON");
  const auto kind = parse_kind(json->string_or("kind", ""));
  const auto hash = Hash::parse(json->string_or("code_hash", ""));
  const Json* origin = json->find("origin");
  if (!kind || !hash || origin == nullptr) return damaged("its summary lacks fields");
  return Summary{*kind, json->string_or("kernel", ""), json->string_or("arch", ""), *hash,
                 json->integer_or("image_bytes", 0), *origin};
}

Result<void> read_details(std::string_view text, Artifact& artifact) {
  const Result<Json> json = Json::parse(text);
  if (!json) return damaged("its details are not JSON");
  const auto member = [&](std::string_view key) -> const Json& {
    static const Json none;
    const Json* found = json->find(key);
    return found != nullptr ? *found : none;
  };
  auto features = texts_from(member("features"));
  auto launch = launch_from(member("launch"));
  auto lines = lines_from(member("lines"));
  auto steps = steps_from(member("steps"));
  auto facts = facts_from(member("facts"));
  if (!features || !launch || !lines || !steps || !facts) return damaged("its details lack fields");
  artifact.features = std::move(*features);
  artifact.launch = std::move(*launch);
  artifact.lines = std::move(*lines);
  artifact.steps = std::move(*steps);
  artifact.facts = std::move(*facts);
  return {};
}

}  // namespace

std::string serialize(const Artifact& artifact, const Json& origin) {
  const std::string summary = summary_json(artifact, origin).dump();
  const std::string details = details_json(artifact).dump();
  std::string unpacked = details;
  unpacked.append(artifact.text).append(as_text(artifact.bytes));
  const std::string payload = compress(unpacked);

  Header header;
  header.magic = magic;
  header.summary_size = static_cast<std::uint32_t>(summary.size());
  header.payload_size = payload.size();
  header.unpacked_size = unpacked.size();
  header.details_size = details.size();
  header.text_size = artifact.text.size();
  std::string out(reinterpret_cast<const char*>(&header), sizeof header);
  out.append(summary).append(payload);
  header.checksum = hash_text(std::string_view(out).substr(unchecked));
  std::memcpy(out.data(), &header, sizeof header);
  return out;
}

Result<Artifact> deserialize(std::string_view bytes) {
  const Result<Header> header = read_header(bytes);
  if (!header) return std::unexpected(header.error());
  if (hash_text(bytes.substr(unchecked)) != header->checksum) {
    return damaged("its checksum does not fit");
  }
  // The checksum fits, so the sizes are those that were written; a mistake here is the writer's.
  const std::string_view body = bytes.substr(sizeof(Header));
  const std::uint64_t before_image = header->details_size + header->text_size;
  if (header->summary_size + header->payload_size != body.size() ||
      before_image > header->unpacked_size) {
    return damaged("its sizes do not add up");
  }
  const Result<Summary> summary = parse_summary(body.substr(0, header->summary_size));
  if (!summary) return std::unexpected(summary.error());
  const auto unpacked = decompress(body.substr(header->summary_size), header->unpacked_size);
  if (!unpacked) return damaged("its content cannot be unpacked");
  const std::string_view content = *unpacked;
  Artifact artifact;
  artifact.kind = summary->kind;
  artifact.kernel = summary->kernel;
  artifact.arch = summary->arch;
  artifact.code_hash = summary->code_hash;
  const auto read = read_details(content.substr(0, header->details_size), artifact);
  if (!read) return std::unexpected(read.error());
  artifact.text = content.substr(header->details_size, header->text_size);
  artifact.bytes = as_bytes(content.substr(before_image));
  return artifact;
}

Result<Summary> read_summary(const fs::path& path) {
  const Result<std::string> bytes = read_file(path);
  if (!bytes) return std::unexpected(bytes.error());
  const Result<Header> header = read_header(*bytes);
  if (!header) return std::unexpected(header.error());
  if (header->summary_size > bytes->size() - sizeof(Header)) return damaged("it is cut short");
  return parse_summary(std::string_view(*bytes).substr(sizeof(Header), header->summary_size));
}

Result<void> write_artifact(const fs::path& path, const Artifact& artifact) {
  return write_file(path, serialize(artifact));
}

Result<Artifact> read_artifact(const fs::path& path) {
  const Result<std::string> bytes = read_file(path);
  if (!bytes) return std::unexpected(bytes.error());
  return deserialize(*bytes);
}

}  // namespace parhelion::artifact
