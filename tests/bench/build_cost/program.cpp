#include <mlp/mlp.hpp>

int main() { return 0; }
