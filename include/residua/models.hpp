#pragma once
// Published models, written in the language: docs/models.md.
#include <residua/models/bert.hpp>
#include <residua/models/gemma2.hpp>
#include <residua/models/gpt2.hpp>
#include <residua/models/gpt_neox.hpp>
#include <residua/models/gptj.hpp>
#include <residua/models/llama.hpp>
#include <residua/models/mistral.hpp>
#include <residua/models/olmo2.hpp>
#include <residua/models/qwen3.hpp>
#include <residua/models/transformer.hpp>
#include <residua/models/vit.hpp>
