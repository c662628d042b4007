"""Frame records survive an interrupted run."""

import pytest
from foveal.errors import FovealError
from foveal_bench.store import JOINED, RecordStore, load


def test_records_come_back_in_order_and_joined(tmp_path):
    with RecordStore(tmp_path, rows_per_part=3) as store:
        for frame in range(8):
            store.append({"frame": frame, "latency_ns": frame * 10.0})
    assert (tmp_path / JOINED).exists()
    assert load(tmp_path)["frame"].tolist() == list(range(8))


def test_an_error_in_the_run_keeps_what_was_recorded(tmp_path):
    def interrupted():
        with RecordStore(tmp_path, rows_per_part=100) as store:
            store.append({"frame": 1})
            raise RuntimeError("boom")

    with pytest.raises(RuntimeError, match="boom"):
        interrupted()
    assert load(tmp_path)["frame"].tolist() == [1]


def test_parts_of_a_killed_run_are_read(tmp_path):
    store = RecordStore(tmp_path, rows_per_part=2)
    for frame in range(5):
        store.append({"frame": frame})
    assert load(tmp_path)["frame"].tolist() == [0, 1, 2, 3]


def test_a_damaged_file_is_named(tmp_path):
    (tmp_path / JOINED).write_bytes(b"PAR1 but not really")
    with pytest.raises(FovealError, match=r"frames\.parquet is damaged"):
        load(tmp_path)


def test_an_empty_folder_says_what_to_do(tmp_path):
    with pytest.raises(FovealError, match="foveal bench"):
        load(tmp_path)


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    blocker = tmp_path / "file"
    blocker.write_text("not a folder")
    with pytest.raises(FovealError, match="cannot write"):
        RecordStore(blocker / "out")


def test_what_a_killed_run_left_behind_is_cleared(tmp_path):
    left = tmp_path / "frames.part"
    left.mkdir()
    (left / "000003.unfinished").write_text("cut off")
    with RecordStore(tmp_path) as store:
        store.append({"tick": 0})
    assert not left.exists()
    assert len(load(tmp_path)) == 1
