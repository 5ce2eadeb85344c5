"""The store of a session's rows: a list of all of them until it is full, then thinner towards its beginning."""

from __future__ import annotations

import math
import threading

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simulator.recording.store import BLOCK, FEWEST, RowStore, StoreShape

Operation = tuple[str, float]
operations = st.lists(
    st.one_of(
        st.tuples(st.just("rows"), st.integers(1, 60)),
        st.tuples(st.just("clear"), st.just(0.0)),
        st.tuples(st.just("rewind"), st.floats(0.0, 0.5)),
    ),
    max_size=30,
)


def rows_from(begin: int, count: int) -> np.ndarray:
    """Rows at times of hundredths, with the number of the row and its negative."""
    number = np.arange(begin, begin + count, dtype=float)
    return np.column_stack((0.01 * number, number, -number))


@given(operations, st.one_of(st.just(-math.inf), st.floats(0.0, 30.0)))
def test_a_store_that_is_not_full_is_a_list(steps: list[Operation], since: float) -> None:
    store, kept = RowStore(StoreShape(3, 8, 300)), np.zeros((0, 3))
    for what, number in steps:
        if what == "clear":
            store.clear()
            kept = kept[:0]
        elif what == "rewind" and len(kept):
            time = kept[-1, 0] - number
            store.rewind(time)
            kept = kept[kept[:, 0] < time]
        elif what == "rows":
            rows = rows_from(round(100 * kept[-1, 0]) + 1 if len(kept) else 0, int(number))
            store.extend(rows)
            kept = np.concatenate((kept, rows))
    times, values = store.window((2, 0), since)
    expected = kept[kept[:, 0] >= since]
    np.testing.assert_array_equal(times, expected[:, 0])
    np.testing.assert_array_equal(values, expected[:, [2, 0]])
    np.testing.assert_array_equal(np.concatenate([kept[:0], *store.chunks()]), kept)
    assert len(store) == len(kept)
    if len(kept):
        assert store.span() == (kept[0, 0], kept[-1, 0])
        found = store.row_at(since)
        assert found is not None
        before = kept[kept[:, 0] <= since]
        np.testing.assert_array_equal(found, before[-1] if len(before) else kept[0])
    else:
        assert store.row_at(since) is None
        assert all(math.isnan(time) for time in store.span())


@given(st.lists(st.integers(1, 200), min_size=1, max_size=60))
def test_a_full_store_has_a_beginning_no_gap_and_a_whole_end(blocks: list[int]) -> None:
    """Whatever it was given, in pieces of whatever size: the first row and the last ones are there, times rise, and
    between two rows lie no more than `coarsest` steps."""
    shape = StoreShape(3, 8, 16)
    store, written = RowStore(shape), 0
    for count in blocks:
        store.extend(rows_from(written, count))
        written += count
    number = np.concatenate(list(store.chunks()))[:, 1]
    assert (number[0], number[-1]) == (0.0, written - 1.0)
    gaps = np.diff(number)
    assert (gaps > 0).all()
    assert gaps.max(initial=1.0) <= store.coarsest
    since = store.whole_since
    assert (np.diff(number[0.01 * number >= since]) == 1.0).all()
    if written > shape.rows * shape.blocks:
        newest = shape.rows * (shape.blocks // 4 - 2)
        assert (np.diff(number[-newest:]) == 1.0).all(), "the newest quarter, but for blocks that are begun"


def test_an_hour_of_a_fast_rack_keeps_its_beginning() -> None:
    """At 10 kHz for an hour into 32 MB, 20 columns: 36 million rows of 160 bytes, 5.8 GB."""
    store, columns = RowStore(StoreShape.within(20, 32 << 20)), 20
    block = np.zeros((40_000, columns))
    for part in range(900):
        block[:, 0] = 1e-4 * (part * len(block) + np.arange(len(block)))
        store.extend(block)
    first, last = store.span()
    assert (first, round(last)) == (0.0, 3600)
    # 24 older blocks of 6552 rows hold 34 million: every 256th row, or every 512th while that begins.
    assert store.coarsest <= 512
    row = store.row_at(1800.0)
    assert row is not None
    assert 0.0 <= 1800.0 - row[0] < 1e-4 * 512
    times, _ = store.window((1,), most=60_000)
    assert len(times) <= 60_000
    assert np.diff(times).max() < 4 * 1e-4 * 512 + 1e-6, "every fourth of 209 664"


def test_what_is_taken_of_many_rows_does_not_change_as_time_goes_on() -> None:
    store = RowStore(StoreShape(3, 8, 300))
    store.extend(rows_from(0, 500))
    early, _ = store.window((1,), 0.0, most=100)
    store.extend(rows_from(500, 20))
    later, _ = store.window((1,), 0.0, most=104)
    np.testing.assert_array_equal(later[: len(early)], early)


def test_a_window_is_a_copy_and_an_empty_one_has_its_shape() -> None:
    store = RowStore(StoreShape(2, 8, 16))
    times, values = store.window((1, 0, 1))
    assert (times.shape, values.shape) == ((0,), (0, 3))
    store.extend(np.array([[1.0, 2.0]]))
    _, values = store.window((1,))
    values[:] = 9.0
    assert store.window((1,))[1].tolist() == [[2.0]]


def test_without_room_the_oldest_rows_are_thinned() -> None:
    """A disk that has room for five blocks of sixteen."""
    store = RowStore(StoreShape(3, 8, 16), reserve=lambda slot: slot < 5)
    store.extend(rows_from(0, 1000))
    number = np.concatenate(list(store.chunks()))[:, 1]
    assert len(number) <= 5 * 8
    assert (number[0], number[-1]) == (0.0, 999.0)


def test_readers_see_rows_in_order_while_blocks_are_rearranged() -> None:
    """One thread writes and thins, the other reads the same numbers."""
    shape = StoreShape(3, 32, 16)
    memory = np.zeros(shape.size)
    writer, reader, done = RowStore(shape, memory), RowStore(shape, memory), threading.Event()

    def write() -> None:
        for part in range(3000):
            writer.extend(rows_from(7 * part, 7))
        done.set()

    thread = threading.Thread(target=write)
    thread.start()
    while not done.is_set():
        times, values = reader.window((1,))
        assert (np.diff(times) > 0).all()
        np.testing.assert_array_equal(np.round(100 * times), values[:, 0])
    thread.join()
    assert reader.span()[1] == 0.01 * (7 * 3000 - 1)


def test_a_writer_that_died_while_it_rearranged_leaves_a_store_that_can_be_read() -> None:
    shape = StoreShape(3, 8, 16)
    memory = np.zeros(shape.size)
    writer = RowStore(shape, memory)
    writer.extend(rows_from(0, 20))
    memory[0] += 1.0
    again = RowStore(shape, memory)
    again.mend()
    again.extend(rows_from(20, 20))
    assert np.concatenate(list(again.chunks()))[:, 1].tolist() == [*range(40)]


def test_shapes_fit_into_their_budget() -> None:
    for columns in (2, 53, 1000, 100_000):
        shape = StoreShape.within(columns, 1 << 30)
        assert shape.rows % 2 == 0
        assert shape.blocks >= FEWEST
        assert 8 * shape.block <= max(BLOCK, 8 * 2 * columns)
        assert 8 * shape.blocks * shape.block <= max(1 << 30, FEWEST * 8 * 2 * columns)
