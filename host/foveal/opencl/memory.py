"""Device buffers that are checked before they are made and touched before they are timed."""

from __future__ import annotations

import numpy as np
import pyopencl as cl

from foveal.errors import DeviceError

__all__ = ["Memory"]


class Memory:
    """Named buffers of one context; a buffer grows when more is asked for, and is kept otherwise."""

    def __init__(self, context: cl.Context, queue: cl.CommandQueue) -> None:
        self._context = context
        self._queue = queue
        self._limit = int(queue.device.max_mem_alloc_size)
        self._held: dict[str, cl.Buffer] = {}

    def buffer(self, name: str, size: int) -> cl.Buffer:
        """At least `size` bytes (an empty request gets a few). Raises DeviceError above the device's limit.

        Drivers allocate lazily: a new buffer is filled and waited for, so a lack of memory shows here.
        """
        size = max(size, 64)
        held = self._held.get(name)
        if held is not None and held.size >= size:
            return held
        if size > self._limit:
            raise DeviceError(
                f"buffer {name!r} needs {size} bytes, {self._queue.device.name.strip()} allows {self._limit} in one; "
                "split the scene or use a smaller frame"
            )
        if held is not None:
            held.release()
            del self._held[name]
        made = cl.Buffer(self._context, cl.mem_flags.READ_WRITE, size)
        cl.enqueue_fill_buffer(self._queue, made, np.zeros(1, np.uint8), 0, size)
        self._queue.finish()
        self._held[name] = made
        return made

    def upload(self, name: str, array: np.ndarray) -> list[cl.Event]:
        """Copy `array` to the buffer `name`; no event for an empty one. The array must live until the queue is done."""
        buffer = self.buffer(name, array.nbytes)
        if not array.nbytes:
            return []
        return [cl.enqueue_copy(self._queue, buffer, array, is_blocking=False)]

    def release(self) -> None:
        """Give all buffers back."""
        for buffer in self._held.values():
            buffer.release()
        self._held.clear()
