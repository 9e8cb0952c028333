// Prints the table of docs/models.md from the blocks: check_table.py compares the two.
#include "table.hpp"

#include <residua/models.hpp>

namespace {
using namespace residua::models;

void row(std::string_view model, std::string_view source, auto block) {
  begin_row(model, block);
  std::cout << source << " |\n";
}
void row_by_memory(std::string_view model, std::string_view source, auto block) {
  std::cout << "| " << model << " | | `" << jacobian(block, by_memory) << "` | | " << source << " |\n";
}
}  // namespace

int main() {
  std::cout << "| model | one layer | its Jacobian | identity route | source |\n|---|---|---|---|---|\n";
  row("Transformer, encoder", "Vaswani et al. 2017, 1706.03762", transformer<>::encoder_layer);
  row("Transformer, decoder", "the same", transformer<>::decoder_layer);
  row_by_memory("by the memory", "the same", transformer<>::decoder_layer);
  row("BERT", "Devlin et al. 2018, 1810.04805", bert<>::layer);
  row("GPT-2", "Radford et al. 2019", gpt2<>::layer);
  row("GPT-J", "Wang, Komatsuzaki 2021", gptj<>::layer);
  row("GPT-NeoX, Pythia", "Black et al. 2022, 2204.06745; Biderman et al. 2023, 2304.01373", gpt_neox<>::layer);
  row("LLaMA 2, 3", "Touvron et al. 2023, 2307.09288; Grattafiori et al. 2024, 2407.21783", llama<>::layer);
  row("Mistral", "Jiang et al. 2023, 2310.06825", mistral<>::layer);
  row("Gemma 2", "Gemma Team 2024, 2408.00118", gemma2<>::layer);
  row("Qwen3", "Yang et al. 2025, 2505.09388", qwen3<>::layer);
  row("OLMo 2", "OLMo Team 2024, 2501.00656", olmo2<>::layer);
  row("ViT", "Dosovitskiy et al. 2020, 2010.11929", vit<>::layer);
}
