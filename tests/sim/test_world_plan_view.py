"""Pieces of a reference line that do not meet are warned about, each with its line and the size of the gap."""

from __future__ import annotations

import math
import re

import pytest
from foveal_sim.world.map_checks import check_map
from foveal_sim.world.map_xml import read_xml

TEXT = """<OpenDRIVE>
<header revMajor="1" revMinor="4"/>
<road name="" length="{end}" id="7" junction="-1"><planView>
<geometry s="0" x="{x}" y="{y}" hdg="{heading}" length="{length}">{shape}</geometry>
<geometry s="{length}" x="{next_x}" y="{next_y}" hdg="0" length="10"><line/></geometry>
</planView><lanes><laneSection s="0"><center><lane id="0" type="none" level="false"/></center>
<right><lane id="-1" type="driving" level="false"><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right>
</laneSection></lanes></road></OpenDRIVE>
"""

# Fresnel integrals C(1) and S(1): a spiral from curvature 0 to pi/L over L ends at L (C(1), S(1)).
FRESNEL_C, FRESNEL_S = 0.7798934003768228, 0.4382591473903548
SHAPES = {
    "line": ("<line/>", 20.0, (20.0, 0.0)),
    "quarter circle to the left": ('<arc curvature="0.05"/>', 10.0 * math.pi, (20.0, 20.0)),
    "half circle to the right": ('<arc curvature="-0.1"/>', 10.0 * math.pi, (0.0, -20.0)),
    "arc that is all but a line": ('<arc curvature="1e-12"/>', 20.0, (20.0, 0.0)),
    "spiral from a line": (
        f'<spiral curvStart="0" curvEnd="{math.pi / 20.0}"/>',
        20.0,
        (20.0 * FRESNEL_C, 20.0 * FRESNEL_S),
    ),
    "spiral of one curvature": ('<spiral curvStart="0.05" curvEnd="0.05"/>', 10.0 * math.pi, (20.0, 20.0)),
    "poly3, a slope of 1": ('<poly3 a="0" b="1" c="0" d="0"/>', 10.0 * math.sqrt(2.0), (10.0, 10.0)),
    # The parabola u^2 / 4 is as long up to u = 2 as sqrt(2) + asinh(1).
    "poly3, a parabola": ('<poly3 a="0" b="0" c="0.25" d="0"/>', math.sqrt(2.0) + math.asinh(1.0), (2.0, 1.0)),
    "paramPoly3 by its length": (
        '<paramPoly3 pRange="arcLength" aU="0" bU="0.6" cU="0" dU="0" aV="0" bV="0.8" cV="0" dV="0"/>',
        10.0,
        (6.0, 8.0),
    ),
    "paramPoly3 from 0 to 1": (
        '<paramPoly3 pRange="normalized" aU="0" bU="1" cU="2" dU="3" aV="0" bV="0" cV="4" dV="-1"/>',
        7.0,
        (6.0, 3.0),
    ),
    "paramPoly3 without a range": (
        '<paramPoly3 aU="0" bU="9" cU="0" dU="0" aV="0" bV="0" cV="2" dV="0"/>',
        9.5,
        (9.0, 2.0),
    ),
}


def warnings(shape: str, length: float, start: complex, heading: float, following: complex) -> list[str]:
    text = TEXT.format(
        shape=shape, length=length, end=length + 10.0, heading=heading,
        x=start.real, y=start.imag, next_x=following.real, next_y=following.imag,
    )  # fmt: skip
    return check_map(read_xml(text, "f.xodr"))


@pytest.mark.parametrize("heading_deg", [0.0, 90.0, 200.0])
@pytest.mark.parametrize("name", SHAPES)
def test_a_piece_is_followed_to_its_end(name: str, heading_deg: float) -> None:
    shape, length, (u, v) = SHAPES[name]
    turn = complex(math.cos(math.radians(heading_deg)), math.sin(math.radians(heading_deg)))
    start = complex(-40.0, 25.0)
    end = start + complex(u, v) * turn
    assert warnings(shape, length, start, math.radians(heading_deg), end) == []
    assert warnings(shape, length, start, math.radians(heading_deg), end + 0.09j) == []
    (said,) = warnings(shape, length, start, math.radians(heading_deg), end + complex(18.0, 24.0))
    assert re.fullmatch(r"f\.xodr, line 5: <geometry> of road 7 begins 30\.00 m from .* on line 4 ends", said)


def test_a_gap_beyond_the_slack_is_told() -> None:
    (said,) = warnings("<line/>", 20.0, 0j, 0.0, complex(20.0, -0.12))
    assert "begins 0.12 m from" in said


def test_figures_beyond_all_sense_are_told_and_not_an_error() -> None:
    for shape in ('<spiral curvStart="1e300" curvEnd="1e308"/>', '<poly3 a="0" b="0" c="0" d="1e308"/>'):
        assert "line 5: <geometry> of road 7 begins " in " ".join(warnings(shape, 20.0, 0j, 0.0, 0j))
