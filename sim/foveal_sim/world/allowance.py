"""How many bytes the connections of a server may hold together."""

from __future__ import annotations

__all__ = ["Allowance"]


class Allowance:
    """used: bytes held now, by all that share this allowance; they count what they take and give back."""

    def __init__(self, limit_bytes: int) -> None:
        self.limit = limit_bytes
        self.used = 0

    @property
    def spent(self) -> bool:
        """Is more held than allowed?"""
        return self.used > self.limit
