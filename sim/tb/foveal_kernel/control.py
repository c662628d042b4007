"""The host's side of s_axi_control, as an agent of the clocked loop."""

from __future__ import annotations

from collections import deque
from typing import Any

from foveal_tb.clocked import Clocked, bit, number
from foveal_tb.idle import Idle

__all__ = ["Control"]


class Control:
    """Performs register accesses one after the other. An access is [address, value or None to read, response]."""

    def __init__(self, dut: Any, loop: Clocked) -> None:
        self.loop = loop
        self.pins = {
            name: getattr(dut, f"s_axi_control_{name}")
            for name in (
                *("awaddr", "awvalid", "awready", "wdata", "wstrb", "wvalid", "wready", "bresp", "bvalid", "bready"),
                *("araddr", "arvalid", "arready", "rdata", "rresp", "rvalid", "rready"),
            )
        }
        self.idle = {
            "aw": Idle([self.pins["awaddr"]]),
            "w": Idle([self.pins["wdata"], self.pins["wstrb"]]),
            "ar": Idle([self.pins["araddr"]]),
        }
        self.write_cycle = 0  # in which the last write's data was taken
        self.reset()

    def reset(self) -> None:
        self.queue: deque[list[Any]] = deque()
        self.sent = {"aw": False, "w": False, "ar": False}
        self.offer = dict(self.sent)
        for name in ("awvalid", "wvalid", "bready", "arvalid", "rready"):
            self.pins[name].value = 0
        for channel in self.idle.values():
            channel.rest()

    def submit(self, address: int, value: int | None) -> list[Any]:
        """Queue an access; its third item becomes (response, read value) once it is answered."""
        access = [address, value, None]
        self.queue.append(access)
        return access

    def drive(self) -> None:
        access = self.queue[0] if self.queue else None
        write = access is not None and access[1] is not None
        offered = self.offer
        self.offer = {
            "aw": write and not self.sent["aw"],
            "w": write and not self.sent["w"],
            "ar": access is not None and not write and not self.sent["ar"],
        }
        for channel, on in self.offer.items():
            self.pins[f"{channel}valid"].value = int(on)
            if offered[channel] and not on:
                self.idle[channel].rest()
        if self.offer["aw"]:
            self.pins["awaddr"].value = access[0]
        if self.offer["w"]:
            self.pins["wdata"].value = access[1] & 0xFFFFFFFF
            self.pins["wstrb"].value = 15
        if self.offer["ar"]:
            self.pins["araddr"].value = access[0]
        self.pins["bready"].value = 1
        self.pins["rready"].value = 1

    def sample(self) -> None:
        for channel, on in self.offer.items():
            if on and bit(self.pins[f"{channel}ready"]):
                self.sent[channel] = True
                if channel == "w":
                    self.write_cycle = self.loop.cycle
        answer = None
        if bit(self.pins["bvalid"]):
            answer = (number(self.pins["bresp"]), 0)
        elif bit(self.pins["rvalid"]):
            answer = (number(self.pins["rresp"]), number(self.pins["rdata"]))
        if answer is not None:
            self.queue.popleft()[2] = answer
            self.sent = dict.fromkeys(self.sent, False)
