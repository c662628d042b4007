"""Offsets that the driver uses, read from the text of host/foveal/card/registers.py."""

from __future__ import annotations

import ast

__all__ = ["read_constants", "read_table"]

FIRST_MASK = "CTRL_AP_START_MASK"
"""Constants from here on are masks and shifts."""


def read_constants(text: str) -> dict[str, int]:
    """Register -> byte offset, from the constants that the driver's code names."""
    found: dict[str, int] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name == FIRST_MASK:
                break
            if name != "ROI_COUNT" and isinstance(node.value, ast.Constant) and isinstance(node.value.value, int):
                found[name] = node.value.value
    return found


def read_table(text: str) -> dict[str, int]:
    """Register -> byte offset, from the rows of REGISTERS."""
    calls = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    rows = (call.args for call in calls if isinstance(call.func, ast.Name) and call.func.id == "Register")
    return {ast.literal_eval(row[0]): ast.literal_eval(row[1]) for row in rows}
