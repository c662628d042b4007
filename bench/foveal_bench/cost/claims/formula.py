"""Arithmetic written as text: numbers, + - * / **, brackets and a few functions. Nothing else is evaluated."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable

__all__ = ["evaluate"]

OPERATORS: dict[type, Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
}
FUNCTIONS: dict[str, Callable[..., float]] = {
    "ceil": math.ceil,
    "exp": math.exp,
    "max": max,
    "min": min,
    "round": round,
}


def evaluate(text: str) -> float:
    """The value of `text`. Raises ValueError when it is anything but arithmetic, or has no finite value."""
    try:
        value = float(_value(ast.parse(text, mode="eval").body))
    except (SyntaxError, ZeroDivisionError, OverflowError) as error:
        raise ValueError(f"{text!r} cannot be evaluated: {error}") from None
    if not math.isfinite(value):
        raise ValueError(f"{text!r} has no finite value")
    return value


def _value(node: ast.AST) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
        return float(node.value)  # whole numbers have no bound: 2 ** 10 ** 10 would never end
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return OPERATORS[type(node.op)](_value(node.left), _value(node.right))
    if isinstance(node, ast.UnaryOp) and type(node.op) in OPERATORS:
        return OPERATORS[type(node.op)](_value(node.operand))
    if isinstance(node, ast.Call) and not node.keywords and ast.unparse(node.func) in FUNCTIONS:
        return FUNCTIONS[ast.unparse(node.func)](*(_value(argument) for argument in node.args))
    raise ValueError(f"{ast.unparse(node)!r} is not arithmetic")
