"""The interpreter goes on while the library works, and sessions do not get in each other's way."""
import os
import pathlib
import sys
import threading
import time

import numpy as np
import pytest

import libpir


def test_four_runs_at_once_without_the_interpreter(loop):
    """Four loops without an end are ended by a flag that this thread sets: it runs while they do. With the interpreter's lock
    held it could not before their time limit."""
    cancel = libpir.Cancel()
    inside, reached, errors = [], threading.Barrier(5), []

    def run():
        first = []

        def progress(stage, what, done, of):
            if not first:
                first.append(stage)
                reached.wait(60)

        with loop.session(cancel=cancel, progress=progress, max_seconds=60) as session:
            try:
                session.run([np.zeros(1, np.int64)])
            except libpir.CancelledError as error:
                errors.append(str(error))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    reached.wait(60)
    time.sleep(0.1)
    assert all(t.is_alive() for t in threads) and not errors
    cancel.set()
    for thread in threads:
        thread.join()
    assert len(errors) == 4 and not any("time limit" in e for e in errors), errors


def test_a_model_is_run_by_many_threads(digits):
    rows = [np.random.default_rng(i).random((i + 1, 1, 8, 8), np.float32) for i in range(8)]
    expected = [digits.run([r])[0] for r in rows]
    different = []

    def run(i):
        for _ in range(50):
            if not np.array_equal(digits.run([rows[i]])[0], expected[i]):
                different.append(i)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not different


def test_a_session_is_used_by_one_thread(loop):
    cancel, started = libpir.Cancel(), threading.Event()
    session = loop.session(cancel=cancel, progress=lambda *_: started.set())

    def run():
        with pytest.raises(libpir.CancelledError):
            session.run([np.zeros(1, np.int64)])

    thread = threading.Thread(target=run)
    thread.start()
    started.wait(60)
    for use in (lambda: session.run([np.ones(1, np.int64)]), session.close, session.trim, lambda: session.output(0)):
        with pytest.raises(RuntimeError, match="another thread"):
            use()
    cancel.set()
    thread.join()
    cancel.clear()
    assert session.run([np.ones(1, np.int64)])[0].tolist() == [1]


def test_time_limit(loop):
    with loop.session(max_seconds=0.05) as session:
        with pytest.raises(libpir.CancelledError, match="time limit"):
            session.run([np.zeros(1, np.int64)])
        assert session.run([np.ones(1, np.int64)])[0].tolist() == [1]


def test_threads_of_a_session_do_not_change_bits(digits):
    rows = np.random.default_rng(3).random((33, 1, 8, 8), np.float32)
    assert np.array_equal(digits.session(threads=4).run([rows])[0], digits.run([rows])[0])


def test_sessions_in_turn_share_an_arena(digits):
    rows = np.random.default_rng(3).random((9, 1, 8, 8), np.float32)
    arena = libpir.Arena()
    sessions = [digits.session(arena=arena) for _ in range(3)]
    for n in (2, 9, 4, 9, 1):
        for session in sessions:
            assert np.array_equal(session.run([rows[:n]])[0], digits.run([rows[:n]])[0])
    most = arena.bytes
    assert most > 0 and all(s.stats["arena_bytes"] == most for s in sessions)
    met = []

    def progress(stage, what, done, of):
        with pytest.raises(libpir.InvalidError, match="another session runs in the arena"):
            sessions[0].run([rows])
        met.append(arena.trim())

    with digits.session(arena=arena, progress=progress) as session:
        session.run([rows])
    assert met and not any(met)
    assert arena.trim() == most and arena.bytes == 0
    del arena
    assert np.array_equal(sessions[1].run([rows])[0], digits.run([rows])[0])


@pytest.mark.skipif(sys.platform != "linux", reason="threads are bound on Linux alone")
def test_threads_of_a_session_run_where_they_are_put(digits):
    tasks = pathlib.Path("/proc/self/task")
    before, last = set(tasks.iterdir()), max(os.sched_getaffinity(0))
    with digits.session(threads=3, cpus=[last]) as session:
        new = [int(t.name) for t in set(tasks.iterdir()) - before]
        assert len(new) == 2 and all(os.sched_getaffinity(t) == {last} for t in new)
        session.run([np.zeros((1, 1, 8, 8), np.float32)])
    with pytest.raises(libpir.InvalidError, match="does not exist"):
        digits.session(cpus=[last, -1])
