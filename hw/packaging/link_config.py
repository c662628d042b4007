"""Configuration files of v++: connectivity.cfg of the link, geometry.cfg of the HLS kernel."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["LinkConfig", "read_config"]


@dataclass(frozen=True)
class LinkConfig:
    """instances: instance -> kernel. memories: (instance, argument) -> bank range. regions: instance -> SLR.

    clocks: (instance, clock pin) -> Hz. kernel_clocks: HLS kernel -> Hz.
    """

    instances: dict[str, str] = field(default_factory=dict)
    memories: dict[tuple[str, str], str] = field(default_factory=dict)
    regions: dict[str, str] = field(default_factory=dict)
    clocks: dict[tuple[str, str], int] = field(default_factory=dict)
    kernel_clocks: dict[str, int] = field(default_factory=dict)


def read_config(text: str) -> LinkConfig:
    """Raises ValueError, with the line, for what is no option of these sections, twice there or malformed."""
    config = LinkConfig()
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        if line.startswith("["):
            section = line.strip("[]")
            continue
        key, _, value = line.partition("=")
        try:
            _take(config, section, key.strip(), value.strip())
        except ValueError as error:
            raise ValueError(f"line {number}, {line!r}: {error}") from None
    return config


def _take(config: LinkConfig, section: str, key: str, value: str) -> None:
    match section, key:
        case "connectivity", "nk":
            kernel, count, names = value.split(":")
            if int(count) != len(names.split(".")):
                raise ValueError(f"{count} instances and {names} are not as many names")
            for name in names.split("."):
                _once(config.instances, name, kernel)
        case "connectivity", "slr":
            instance, region = value.split(":")
            _once(config.regions, instance, region)
        case "connectivity", "sp":
            place, _, banks = value.partition(":")
            instance, argument = place.split(".")
            _once(config.memories, (instance, argument), banks)
        case "clock", "freqHz":
            hertz, place = value.split(":")
            instance, pin = place.split(".")
            _once(config.clocks, (instance, pin), int(hertz))
        case "hls", "clock":
            hertz, kernel = value.split(":")
            _once(config.kernel_clocks, kernel, int(hertz))
        case "advanced", "prop":
            pass
        case _:
            raise ValueError(f"no such option in [{section}]")


def _once(table: dict, key: object, value: object) -> None:
    if key in table:
        raise ValueError(f"{key} is already set to {table[key]}")
    table[key] = value
