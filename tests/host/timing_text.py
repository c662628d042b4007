"""Timing summaries in the form of Vivado's report_timing_summary, written by hand."""

from __future__ import annotations

__all__ = ["report"]

RULE = "-" * 96


def report(
    row: str = "0.021 0.000 0 1403771 0.010 0.000 0 1402107 0.000 0.000 0 511208",
    *,
    state: str = "Routed",
    device: str = "xcu280-fsvh2892",
    no_clock: int = 0,
    unconstrained: int = 0,
) -> str:
    """A report with this row of the design timing summary."""
    cells = row.split()
    widths = (11, 13, 23, 21, 13, 13, 23, 21, 13, 13, 24, 22)
    names = "WNS(ns) TNS(ns) TNS_Failing_Endpoints TNS_Total_Endpoints WHS(ns) THS(ns) THS_Failing_Endpoints"
    names += " THS_Total_Endpoints WPWS(ns) TPWS(ns) TPWS_Failing_Endpoints TPWS_Total_Endpoints"
    heads = [name.replace("_", " ") for name in names.split()]
    header = "".join(head.rjust(width) for head, width in zip(heads, widths, strict=True))
    dashes = "".join(("-" * len(head)).rjust(width) for head, width in zip(heads, widths, strict=True))
    figures = "".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=False))
    return f"""Copyright 1986-2022 Xilinx, Inc. All Rights Reserved.
{RULE}
| Tool Version : Vivado v.2023.1 (lin64) Build 3865809 Sun May  7 15:04:56 MDT 2023
| Date         : Tue Jan 16 11:02:13 2024
| Command      : report_timing_summary -max_paths 10 -file level0_wrapper_timing_summary_routed.rpt
| Design       : level0_wrapper
| Device       : {device}
| Speed File   : -2L  PRODUCTION 1.30 05-01-2022
| Design State : {state}
{RULE}

Timing Summary Report

{RULE}
| Timer Settings
| --------------
{RULE}

  Enable Multi Corner Analysis               :  Yes

check_timing report

Table of Contents
-----------------
1. checking no_clock ({no_clock})
2. checking constant_clock (0)
4. checking unconstrained_internal_endpoints ({unconstrained})

1. checking no_clock ({no_clock})
------------------------
 There are {no_clock} register/latch pins with no clock.

{RULE}
| Design Timing Summary
| ---------------------
{RULE}

{header}
{dashes}
{figures}


All user specified timing constraints are met.


{RULE}
| Clock Summary
| -------------
{RULE}
"""
