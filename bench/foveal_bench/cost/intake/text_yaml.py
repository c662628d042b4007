"""YAML in which every scalar stays the text that was written, and no name stands twice."""

from __future__ import annotations

from typing import Any

import yaml

__all__ = ["load_text_yaml"]


class _Loader(yaml.BaseLoader):
    """BaseLoader guesses no types: NO is a region and no truth value, 012 no octal number."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        names = [key.value for key, _ in node.value]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise yaml.constructor.ConstructorError(None, None, f"{twice!r} is there twice", node.start_mark)
        return super().construct_mapping(node, deep)


def load_text_yaml(text: str) -> Any:
    """Mappings, lists and texts. Raises yaml.YAMLError, also for a name that is there twice."""
    return yaml.load(text, Loader=_Loader)
