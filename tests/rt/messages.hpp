// What an action throws, in words.
#pragma once

#include <exception>
#include <string>

namespace residua::test {

template <class Action>
std::string message_of(Action const& action) {
  try {
    action();
  } catch (std::exception const& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace residua::test
