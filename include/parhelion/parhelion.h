// SPDX-License-Identifier: Apache-2.0
// Everything that a program with kernels needs.
#pragma once

#include <parhelion/command_line.h>
#include <parhelion/config.h>
#include <parhelion/diagnostic.h>
#include <parhelion/dtype.h>
#include <parhelion/kernel.h>
#include <parhelion/lang.h>
#include <parhelion/session.h>
#include <parhelion/target.h>
#include <parhelion/tensor.h>
#include <parhelion/version.h>
