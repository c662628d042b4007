"""Percentiles by hand-worked vectors."""

import numpy as np
import pytest
from foveal_bench.statistics import CLAIMABLE_FROM, nearest_rank, ratio_of_medians, summarise
from scipy.stats import binom

EXERCISE = [-9, -5, -3, -1, -1, -1, 0, 0, 0, 2, 2, 2, 3, 4, 6, 6, 6, 7, 7, 7, 7, 8, 8, 8, 8, 9] + [10] * 6
EXERCISE += [11, 12, 12, 14, 16, 21, 25, 35]


def test_nearest_rank_takes_a_sample_and_never_interpolates():
    shifted = [value + 9 for value in EXERCISE]
    assert nearest_rank(shifted, 0.95) == 21 + 9


def test_twenty_samples_give_p50_and_max_but_no_tail():
    summary = summarise([10.0] * 19 + [100.0])
    assert (summary.p50, summary.p99, summary.max, summary.n) == (10.0, None, 100.0, 20)
    assert nearest_rank([10.0] * 19 + [100.0], 0.95) == 10.0


def test_percentiles_become_claimable_with_enough_samples():
    assert summarise(np.ones(63)).p90 is None
    assert summarise(np.ones(64)).p90 == 1.0
    assert summarise(np.ones(661)).p99 is None
    assert summarise(np.ones(662)).p99 == 1.0
    assert summarise(np.ones(6635)).p999 is None
    assert summarise(np.ones(6636)).p999 == 1.0


def test_the_median_is_claimable_from_the_same_rule_as_the_tails():
    for p, least in CLAIMABLE_FROM.items():
        assert binom.cdf(1, least, 1 - p) <= 0.01
        assert binom.cdf(1, least - 1, 1 - p) > 0.01


def test_outliers_are_counted_and_kept():
    samples = [10.0] * 97 + [11.0] + [95.0] * 2
    summary = summarise(samples)
    assert summary.outliers == 3
    assert summary.mean == pytest.approx(11.71)
    assert summary.max == 95.0
    assert nearest_rank(samples, 0.99) == 95.0


@pytest.mark.parametrize("bad", [[], [1.0, float("nan")], [1.0, -0.5], [float("inf")]])
def test_bad_durations_are_refused(bad):
    with pytest.raises(ValueError, match=r"no samples|NaN|negative"):
        summarise(bad)


def test_ratio_of_medians_brackets_a_known_factor():
    rng = np.random.default_rng(3)
    base = rng.uniform(9, 11, 400)
    ratio = ratio_of_medians(base * 0.5, base, seed=7)
    assert ratio.value == pytest.approx(0.5)
    assert ratio.low < 0.5 < ratio.high
    assert ratio == ratio_of_medians(base * 0.5, base, seed=7)
