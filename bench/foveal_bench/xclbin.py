"""`foveal xclbin`: make, show and check what hosts read of a card's image."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from foveal.card import board_names, load_board
from foveal.errors import FovealError, XclbinError
from foveal.xclbin import Image, check_board, make_xclbin, read_file, read_image
from rich.markup import escape
from rich.table import Table

from foveal_bench.streams import ReportingConsole, echo

__all__ = ["xclbin"]

FILE = click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
BOARD = click.Choice(board_names())


@click.group()
def xclbin() -> None:
    """The image of a card as hosts see it: kernels, registers, memories, clocks.

    \b
    foveal xclbin make u280              foveal_u280.xclbin for the co-simulated card: everything but a bitstream
    foveal xclbin show FILE              what a file says, whoever linked it
    foveal xclbin check FILE             does it hold together, and does this driver fit it?
    """


@xclbin.command("make")
@click.argument("board", type=BOARD)
@click.option(
    "-o", "--out", type=click.Path(dir_okay=False, path_type=Path), help="Default: foveal_BOARD.xclbin, right here."
)
@JSON
def make_command(board: str, out: Path | None, as_json: bool) -> None:
    """Write the image of BOARD without a bitstream, from the register map and the board's file.

    PYNQ and XRT read from it what they would read from a linked one. The co-simulated card takes it, a real card
    refuses it. The same sources give the same bytes.

    \b
    foveal xclbin make u280
    foveal xclbin make u55c -o images/twin.xclbin
    """
    path = out or Path(f"foveal_{board}.xclbin")
    data = make_xclbin(load_board(board))
    try:
        path.write_bytes(data)
    except OSError as error:
        raise FovealError(f"{path} cannot be written: {error.strerror}") from error
    uuid = str(read_image(data).uuid)
    if as_json:
        echo(json.dumps({"file": str(path), "board": board, "uuid": uuid, "bytes": len(data)}, indent=1))
    else:
        echo(f"{path}: {len(data)} bytes, UUID {uuid}, no bitstream")


@xclbin.command("show")
@FILE
@JSON
def show_command(file: Path, as_json: bool) -> None:
    """Print what FILE says: kernels with their arguments, offsets and banks; memories, clocks, build metadata.

    \b
    foveal xclbin show foveal_u280.xclbin
    foveal xclbin show foveal_u280.xclbin --json | jq .instances[0].arguments
    """
    content = _described(_read(file))
    if as_json:
        echo(json.dumps(content, indent=1))
        return
    console = ReportingConsole()
    for key in ("uuid", "platform", "bitstream", "clocks", "build"):
        console.print(f"{key}: {json.dumps(content[key])}", highlight=False, markup=False)
    for instance in content["instances"]:
        title = f"{instance['name']} ({instance['kernel']}, {instance['protocol']}) at {instance['base']}"
        table = Table(
            "argument", "index", "offset", "bytes", "type", "port", "memories", title=title, title_justify="left"
        )
        for a in instance["arguments"]:
            row = (a["name"], a["index"], a["offset"], a["bytes"], a["type"], a["port"], _range(a["memories"]))
            table.add_row(*(escape(str(cell)) for cell in row))
        console.print(table)
    table = Table("memory", "type", "base", "MiB", title="memories in use", title_justify="left")
    for m in content["memories"]:
        if m["used"]:
            table.add_row(escape(m["tag"]), m["type"], m["base"], str(m["bytes"] >> 20))
    console.print(table)


@xclbin.command("check")
@FILE
@click.option("--board", type=BOARD, help="The card that it shall run on; default: the one whose platform it names.")
@JSON
def check_command(file: Path, board: str | None, as_json: bool) -> None:
    """Refuse FILE unless it is whole, agrees with itself, and is what this driver expects on the board.

    Ends with 3 and one line that says what is wrong.

    \b
    foveal xclbin check foveal_u280.xclbin
    foveal xclbin check linked.xclbin --board u55c
    """
    image = _read(file)
    facts = [load_board(name) for name in ([board] if board else board_names())]
    fitting = facts[0] if board else next((b for b in facts if b.platform == image.platform), None)
    if fitting is None:
        names = ", ".join(b.platform for b in facts)
        raise XclbinError(f"{file}: it is for the platform {image.platform}; described are {names}")
    try:
        check_board(image, fitting)
    except XclbinError as error:
        raise XclbinError(f"{file}: {error}") from error
    state = "a bitstream" if image.bitstream else "no bitstream: for the co-simulated card alone"
    if as_json:
        result = {"file": str(file), "board": fitting.key, "uuid": str(image.uuid), "bitstream": image.bitstream}
        echo(json.dumps(result, indent=1))
    else:
        echo(f"{file}: fits {fitting.name} and this driver; {state}")


def _read(file: Path) -> Image:
    try:
        return read_image(read_file(file))
    except OSError as error:
        raise XclbinError(f"{file} cannot be read: {error.strerror}; `foveal xclbin make u280` writes one") from error
    except XclbinError as error:
        raise XclbinError(f"{file}: {error}") from error


def _range(tags: list[str]) -> str:
    """HBM[4:7] for the tags of neighbours, as connectivity.cfg names them."""
    if len(tags) < 2:
        return " ".join(tags)
    name, _, first = tags[0].rstrip("]").partition("[")
    if first.isdigit() and tags == [f"{name}[{n}]" for n in range(int(first), int(first) + len(tags))]:
        return f"{name}[{first}:{int(first) + len(tags) - 1}]"
    return " ".join(tags)


def _described(image: Image) -> dict[str, Any]:
    return {
        "uuid": str(image.uuid),
        "platform": image.platform,
        "mode": image.container.mode,
        "bitstream": image.bitstream,
        "clocks": {clock.name: clock.mhz for clock in image.clocks},
        "build": image.build,
        "instances": [
            {
                "name": instance.name,
                "kernel": instance.kernel.name,
                "protocol": instance.kernel.protocol,
                "base": None if instance.base is None else f"0x{instance.base:X}",
                "arguments": [
                    {
                        "name": argument.name,
                        "index": argument.index,
                        "offset": f"0x{argument.offset:03X}",
                        "bytes": argument.size,
                        "type": argument.type,
                        "port": argument.port,
                        "memories": [memory.tag for memory in image.reach(instance.name, argument.name)],
                    }
                    for argument in instance.kernel.arguments
                ],
            }
            for instance in image.instances
        ],
        "memories": [
            {"tag": m.tag, "type": m.type, "used": m.used, "base": f"0x{m.base:X}", "bytes": m.size}
            for m in image.memories
        ],
    }
