#pragma once
// Published placements of norms, skips and branches, as functions inside a block: docs/placements.md.
#include <residua/placements/gated.hpp>
#include <residua/placements/history.hpp>
#include <residua/placements/plain.hpp>
#include <residua/placements/scaled.hpp>
#include <residua/placements/streams.hpp>
