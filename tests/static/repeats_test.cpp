// The same operation at the same value is one node, and computed once: compiling is passing.
// Would catch: a repeat that the Jacobian does not know again, a branch that runs twice, and an operation that is taken for another.
#include <residua/dsl.hpp>

namespace {
using namespace residua::dsl;

constexpr axis<"T"> T;
constexpr axis<"S"> S;
constexpr axis<"d", 8> d;
constexpr axis<"h", 16> h;

constexpr auto N = layer_norm<"N">(d);
constexpr auto W = linear<"W">(d, d);
constexpr auto F = branch<"F">(linear<"up">(d, h) | gelu_tanh | linear<"down">(h, d));
constexpr auto A = attention<"A">(d, heads<2>);
constexpr auto X = attention<"X">(d, heads<2>, cross(d));
constexpr auto g = learned_vector<"g">(d);

template <class Body>
constexpr auto over_stream(Body body) {
  return block<"b">(stream(T, d), body);
}
template <class Body>
constexpr std::size_t nodes_of(Body body) {
  return over_stream(body).view().nodes.size();
}

static_assert(is<"2 J_F">(jacobian(over_stream([](auto x) { return F(x) + F(x); }))));
static_assert(is<"0">(jacobian(over_stream([](auto x) { return F(x) - F(x); }))));
static_assert(is<"0">(jacobian(over_stream([](auto x) { return N(x) - N(x); }))));
static_assert(is<"2 diag(x)">(jacobian(over_stream([](auto x) { return hadamard(x, x); }))));
static_assert(is<"2 J_A">(jacobian(over_stream([](auto x) { return A(x) + A(x); }))));
static_assert(is<"J_F J_N">(jacobian(over_stream([](auto x) { return 2 * F(N(x)) - F(N(x)); }))));
static_assert(is<"absent">(identity_route(over_stream([](auto x) { return N(x) - N(x) + F(x); }))));
static_assert(is<"absent">(identity_route(over_stream([](auto x) { return g * x - g * x + F(x); }))));

// One node each, in whichever order the two sides of a sum stand; and nothing of it in a branch that runs once.
static_assert(nodes_of([](auto x) { return N(x) + N(x); }) == 3);
static_assert(nodes_of([](auto x) { return (x + N(x)) - (N(x) + x); }) == 4);
static_assert(nodes_of([](auto x) { return hadamard(hadamard(x, W(x)), hadamard(W(x), x)); }) == 4);
static_assert(over_stream([](auto x) { return F(x) + F(x); }).view().calls.size() == 1);
static_assert(over_stream([](auto x) { return A(N(x)) + A(N(x)); }).view().calls.size() == 1);
constexpr auto twice = branch<"twice">([](auto z) { return W(z) + W(z); });
static_assert(is<"J_twice">(jacobian(over_stream([](auto x) { return twice(x); }))));

// Not one: other operands, the other side of a difference, another number, other options, another scope, another memory.
static_assert(nodes_of([](auto x) { return (x - N(x)) + (N(x) - x); }) == 5);
static_assert(nodes_of([](auto x) { return 2 * x + 3 * x; }) == 4);
static_assert(nodes_of([](auto x) { return constant<"a">(2) * x + 2 * x; }) == 4);
static_assert(nodes_of([](auto x) { return relu(x) + tanh(x) + silu(x); }) == 6);
static_assert(nodes_of([](auto x) { return branch<"P">(relu)(x) + branch<"Q">(relu)(x); }) == 4);
static_assert(over_stream([](auto x) { return F(x) + F(N(x)); }).view().calls.size() == 2);
static_assert(block<"b">(stream(T, d), stream(S, d), [](auto x, auto memory) {
                return X(x, memory) + X(x, memory) + X(N(x), memory) + X(x, N(memory));
              }).view().calls.size() == 3);
// Equal layers of a stack have parameters of their own.
static_assert(is<"(I + 2 J_h.1.N) (I + 2 J_h.0.N)">(jacobian(stack<"h", 2>(over_stream([](auto x) { return x + N(x) + N(x); })))));
}  // namespace

int main() {}
