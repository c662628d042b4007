"""A queue of parallel jobs, served first come first served or with EASY backfill."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Job", "mean_wait", "synthetic_jobs"]


@dataclass(frozen=True, slots=True)
class Job:
    """arrival and runtime in seconds; width: slots that it needs at once."""

    arrival: float
    runtime: float
    width: int


def synthetic_jobs(count: int, slots: int, load: float, seed: int) -> list[Job]:
    """Poisson arrivals of jobs 1..slots wide (narrow ones more often) that ask for `load` of all slots on average."""
    rng = np.random.default_rng(seed)
    runtimes = rng.lognormal(6.0, 1.0, count)
    widths = np.minimum(2 ** rng.geometric(0.45, count) // 2, slots)
    gap = float((runtimes * widths).mean() / (load * slots))
    arrivals = np.cumsum(rng.exponential(gap, count))
    return [Job(float(a), float(r), int(w)) for a, r, w in zip(arrivals, runtimes, widths, strict=True)]


def mean_wait(jobs: list[Job], slots: int, *, backfill: bool) -> float:
    """Mean seconds between a job's arrival and its start.

    EASY backfill: a later job may start at once when it fits and does not delay the first of the queue.
    """
    pending = sorted(jobs, key=lambda job: job.arrival)
    waiting: list[Job] = []
    running: list[tuple[float, int]] = []  # end, width
    free, now, waited, at = slots, 0.0, 0.0, 0
    while at < len(pending) or waiting:
        for job in _startable(waiting, running, free, now, backfill):
            waiting.remove(job)
            running.append((now + job.runtime, job.width))
            free -= job.width
            waited += now - job.arrival
        arrival = pending[at].arrival if at < len(pending) else float("inf")
        now = min([arrival, *(end for end, _ in running)])
        while at < len(pending) and pending[at].arrival <= now:
            waiting.append(pending[at])
            at += 1
        free += sum(width for end, width in running if end <= now)
        running = [(end, width) for end, width in running if end > now]
    return waited / len(jobs)


def _startable(
    waiting: list[Job], running: list[tuple[float, int]], free: int, now: float, backfill: bool
) -> list[Job]:
    """The jobs that start now, in the order of the queue."""
    chosen: list[Job] = []
    for job in waiting:
        if job.width > free:
            break
        chosen.append(job)
        free -= job.width
    behind = waiting[len(chosen) :]
    if not backfill or not behind:
        return chosen
    ends = sorted([*running, *((now + job.runtime, job.width) for job in chosen)])
    available, shadow, spare = free, float("inf"), 0
    for end, width in ends:
        available += width
        if available >= behind[0].width:
            shadow, spare = end, available - behind[0].width
            break
    for job in behind[1:]:
        in_time = now + job.runtime <= shadow
        if job.width <= free and (in_time or job.width <= spare):
            chosen.append(job)
            free -= job.width
            spare -= 0 if in_time else job.width
    return chosen
