"""Checks of claims by running what they describe: a queue, a join, a quantiser, a policy, draws of a distribution."""

from __future__ import annotations

import difflib
import struct

import numpy as np
import pandas as pd

from foveal_bench.cost.claims.backfill import mean_wait, synthetic_jobs
from foveal_bench.cost.claims.evidence import Evidence
from foveal_bench.cost.claims.verdict import Finding, Verdict

__all__ = [
    "aligned_join",
    "ci_levels",
    "decay_above_one",
    "packed_event",
    "queueing",
    "similar_names_io",
    "similar_names_memory",
    "tag_policy",
    "unbiased_quantiser",
]


def queueing(evidence: Evidence) -> Finding:
    """Queueing time against the plainest baseline, first come first served, at a load of 0.6."""
    jobs = synthetic_jobs(1500, 64, 0.6, evidence.seed)
    plain, filled = (mean_wait(jobs, 64, backfill=backfill) for backfill in (False, True))
    change = 100 * (filled / plain - 1)
    verdict = Verdict.ONLY_IF if change <= -62 else Verdict.CONTRADICTS
    return Finding(verdict, change, "the baseline is first come first served: backfill alone gives this", "simulated")


def aligned_join(evidence: Evidence) -> Finding:
    """Events joined backwards with samples of a 200 ms period: how far apart they are."""
    rng = np.random.default_rng(evidence.seed)
    samples = pd.DataFrame({"t": np.arange(0, 400_000, 200.0)})
    samples["sample"] = samples["t"]
    events = pd.DataFrame({"t": np.sort(rng.uniform(0, 400_000, 20_000))})
    joined = pd.merge_asof(events, samples, on="t")
    skew = float((joined["t"] - joined["sample"]).max())
    verdict = Verdict.ONLY_IF if skew <= 200 else Verdict.CONTRADICTS
    reason = "the exporter samples every 200 ms (its default is 30 s) and clocks agree; the mean skew is half of it"
    return Finding(verdict, skew, reason, "simulated")


def decay_above_one(evidence: Evidence) -> Finding:
    """A decay factor drawn from N(0.72, 0.15) must not exceed 1."""
    draws = np.random.default_rng(evidence.seed).normal(0.72, 0.15, 10_000)
    share = float(100 * np.mean(draws > 1))
    verdict = Verdict.CONTRADICTS if share > 0 else Verdict.HOLDS
    return Finding(verdict, share, "percent of the draws are a decay above 1; truncate the distribution", "simulated")


def unbiased_quantiser(evidence: Evidence) -> Finding:
    """The published quantiser, 8 bits, on one gradient: what its error averages to over 200 calls, in steps."""
    rng = np.random.default_rng(evidence.seed)
    gradient = rng.normal(0, 1e-3, 4096)
    step = (gradient.max() - gradient.min()) / 255
    errors = np.mean([_quantised(gradient) - gradient for _ in range(200)], axis=0) / step
    worst = float(np.abs(errors).max())
    verdict = Verdict.HOLDS if worst < 0.1 else Verdict.CONTRADICTS
    return Finding(verdict, worst, "steps of error remain in one element: rounding is not stochastic", "simulated")


def _quantised(g: np.ndarray, bits: int = 8) -> np.ndarray:
    """As published."""
    qmin, qmax = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    scale = (qmax - qmin) / (g.max() - g.min() + 1e-8)
    zero_point = qmin - g.min() * scale
    q = np.clip(np.round(g * scale + zero_point), qmin, qmax)
    return q / scale - zero_point / scale


def packed_event(evidence: Evidence) -> Finding:
    """Size of the published record, packed."""
    size = struct.calcsize("<I16sQIQ")
    verdict = Verdict.HOLDS if size == 40 else Verdict.CONTRADICTS
    return Finding(verdict, size, f"packed; {struct.calcsize('@I16sQIQ')} bytes with natural alignment")


def tag_policy(evidence: Evidence) -> Finding:
    """The published check on ten resources of which one is compliant."""
    required = {"CostCenter", "Env", "Team"}
    inventory = [required, *([set[str]()] * 9)]
    listed = [tags for tags in inventory if required <= tags]
    answers_compliant = len(listed) > 0  # as published
    share = 100 * len(listed) / len(inventory)
    verdict = Verdict.CONTRADICTS if answers_compliant and share < 100 else Verdict.HOLDS
    return Finding(verdict, share, "percent of the resources comply and it answers that all do", "simulated")


def ci_levels(evidence: Evidence) -> Finding:
    """Which of the three levels the published rules can produce."""
    sources, labels = ("merge_request_event", "schedule", "push"), ("security-critical", "")
    levels = set()
    for source in sources:
        for label in labels:
            if source == "merge_request_event" and "security-critical" in label:
                levels.add("critical")
            elif source == "schedule":
                levels.add("warning")
    verdict = Verdict.HOLDS if len(levels) == 3 else Verdict.CONTRADICTS
    return Finding(verdict, len(levels), f"only {' and '.join(sorted(levels))} can come out", "simulated")


def similar_names_io(evidence: Evidence) -> Finding:
    """How similar the names of the first pair are."""
    return _similar("disk_io_ops", "instance_disk_iops", 0.92)


def similar_names_memory(evidence: Evidence) -> Finding:
    """How similar the names of the second pair are."""
    return _similar("mem_allocated_gb", "memory_allocated", 0.41)


def _similar(a: str, b: str, claimed: float) -> Finding:
    ratio = difflib.SequenceMatcher(None, a, b).ratio()
    verdict = Verdict.HOLDS if abs(ratio - claimed) <= 0.05 else Verdict.CONTRADICTS
    return Finding(verdict, ratio, f"similarity of the names {a} and {b}")
