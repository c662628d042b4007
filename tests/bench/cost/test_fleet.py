"""Fleet files: what is shipped loads, what is wrong is named."""

from decimal import Decimal

import pytest
from foveal.errors import FovealError
from foveal_bench.cost.fleet import load_fleet, reference_text

TEXT = reference_text("hybrid.yaml")


@pytest.fixture
def own(tmp_path):
    def write(text):
        path = tmp_path / "own.yaml"
        path.write_text(text)
        return path

    return write


def test_the_shipped_fleets_hold_the_claim_and_say_that_they_are_serial():
    gpu, hybrid = load_fleet("gpu.yaml"), load_fleet("hybrid.yaml")
    assert (gpu.performance.latency_ms, hybrid.performance.latency_ms) == (Decimal("42.6"), Decimal("14.1"))
    assert gpu.performance.rate is hybrid.performance.rate is None
    assert hybrid.cards == {"L40S": 1, "U55C": 1}


def test_a_rate_is_never_taken_from_the_latency_unasked(own):
    with pytest.raises(FovealError, match="frames_per_second"):
        load_fleet(own(TEXT.replace("  frames_per_second: serial\n", "", 1)))


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ('utilisation: {value: "0.60"', 'utilisation: {value: "60"', "utilisation"),
        ('spread: ["0.4", "0.9"]', 'spread: ["0.4", "1.9"]', "utilisation"),
        ("added_cards: {U55C: 1}", "added_cards: {U55C: 0}", "U55C"),
        ("added_cards: {U55C: 1}", "added_cards: U55C", "added_cards"),
        ('latency_p95_ms: "14.1"', 'latency_p95_ms: "0"', "latency_p95_ms"),
        ('latency_p95_ms: "14.1"', "latency_p95_ms: fast", "latency_p95_ms"),
        ("frames_per_second: serial", 'frames_per_second: "0"', "frames_per_second"),
        ("spare_nodes: 0", "spare_nodes: -1", "spare_nodes"),
        ("spare_nodes: 0", "spare_nodes: 0\nspare_nodes: 1", "there twice"),
        ("spare_nodes: 0", "spare_nodes: yes", "spare_nodes"),
        ("spare_nodes: 0", "spare_node: 1", "spare_node is not known"),
        ("name: FPGA + regions", "name: ''", "name"),
        ("basis: quoted", "basis: heard", "basis"),
        ('engineering_per_year: "0"', "engineering_per_year: free", "engineering_per_year"),
    ],
)
def test_nonsense_is_refused_with_file_and_entry(own, old, new, named):
    assert old in TEXT
    with pytest.raises(FovealError, match=r"own\.yaml") as refused:
        load_fleet(own(TEXT.replace(old, new)))
    assert named in str(refused.value)


@pytest.mark.parametrize("text", ["", "[]", "name: x", "a: [", "\x00"])
def test_a_file_that_is_no_fleet_is_refused(own, text):
    with pytest.raises(FovealError, match=r"own\.yaml"):
        load_fleet(own(text))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FovealError, match=r"none\.yaml"):
        load_fleet(tmp_path / "none.yaml")
