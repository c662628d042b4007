"""Hostile xclbin files: every input is refused with an XclbinError or read as an image that holds together.

``python tests/host/fuzz_xclbin.py --inputs 100000 --seed 1``; test_xclbin_fuzz.py runs some thousands.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from dataclasses import replace

from foveal.card import load_board
from foveal.errors import XclbinError
from foveal.xclbin import Container, Image, Kind, make_xclbin, pack, read_image, unpack
from foveal.xclbin.image import content_uuid

EDGES = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)
HEADER_END = 456 + 40 * 8


def fuzz(inputs: int, seed: int) -> Counter[str]:
    """How many were refused, and how many read. Raises whatever read_image raised that is no XclbinError."""
    generator = random.Random(seed)
    bases = [make_xclbin(load_board(name)) for name in ("u280", "u55c")]
    count: Counter[str] = Counter()
    for _ in range(inputs):
        data = mutant(generator, generator.choice(bases))
        try:
            image = read_image(data)
        except XclbinError:
            count["refused"] += 1
            continue
        holds_together(image)
        count["read"] += 1
    return count


def mutant(generator: random.Random, base: bytes) -> bytes:
    """`base`, changed in one to four ways; half of the changed sections get a UUID that fits them."""
    if generator.random() < 0.5:
        data = bytearray(base)
        for _ in range(generator.randint(1, 4)):
            _change(generator, data, HEADER_END if generator.random() < 0.5 else len(data))
        return bytes(data)
    container = unpack(base)
    sections = dict(container.sections)
    kinds = [kind for kind in sections if kind != Kind.EMBEDDED_METADATA] * 4 + [Kind.EMBEDDED_METADATA]
    for kind in generator.sample(kinds, generator.randint(1, 2)):
        data = bytearray(sections[kind])
        _change(generator, data, len(data))
        sections[kind] = bytes(data)
    if generator.random() < 0.05:
        del sections[generator.choice(list(sections))]
    return _sealed(replace(container, sections=sections))


def _sealed(container: Container) -> bytes:
    return pack(replace(container, uuid=content_uuid(container)))


def _change(generator: random.Random, data: bytearray, end: int) -> None:
    end = min(end, len(data))
    at = generator.randrange(max(1, end))
    match generator.randrange(6):
        case 0 if data:
            data[min(at, len(data) - 1)] ^= 1 << generator.randrange(8)
        case 1:
            size = generator.choice((1, 2, 4, 8))
            at -= at % size
            data[at : at + size] = (generator.choice(EDGES) & (1 << 8 * size) - 1).to_bytes(size, "little")
        case 2:
            del data[at:]
        case 3:
            del data[at : at + generator.randint(1, 64)]
        case 4:
            data[at:at] = generator.randbytes(generator.randint(1, 64))
        case _:
            source = generator.randrange(max(1, len(data)))
            data[at : at + 40] = data[source : source + 40]


def holds_together(image: Image) -> None:
    """What a host relies on without looking: indices in range, addresses with a memory, one place an argument."""
    assert image.instances
    for connections, memories in ((image.connections, image.memories), (image.group_connections, image.groups)):
        for connection in connections:
            assert 0 <= connection.ip < len(image.ips)
            assert memories[connection.memory].used
            assert connection.memory >= 0
    for instance in image.instances:
        taken: set[int] = set()
        for argument in instance.kernel.arguments:
            place = set(range(argument.offset, argument.offset + argument.size))
            assert not place & taken
            taken |= place
            if argument.port != "s_axi_control" and argument.pointer:
                assert image.reach(instance.name, argument.name)
    assert read_image(pack(image.container)) == image


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(", ".join(f"{number} {what}" for what, number in sorted(fuzz(options.inputs, options.seed).items())))


if __name__ == "__main__":
    main()
