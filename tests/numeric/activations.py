"""The activations of the language, in the order of their list."""
import re
from pathlib import Path

LIST = Path(__file__).resolve().parents[2] / "include/residua/activations.hpp"
ACTIVATIONS = re.findall(r"^ +EACH\((\w+)\)", LIST.read_text(), re.M)
