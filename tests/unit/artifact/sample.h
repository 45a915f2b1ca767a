// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "artifact/artifact.h"
#include "base/json.h"

#include <string>

namespace artifact_test {

/// With something in every field; `text` tells samples apart.
parhelion::artifact::Artifact sample(const std::string& text = "int x;\n");
/// A pre-image with this text and these flags.
parhelion::Json origin(const std::string& text, const std::string& flag = "-O2");

}  // namespace artifact_test
