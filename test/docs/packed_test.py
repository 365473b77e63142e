"""Archives of small inputs: several processes that unpack at once, one that was ended, an archive that has changed."""
import multiprocessing
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "recorded"))
import packed  # noqa: E402


def make(test, text, files=300):
    folder = test / "source"
    folder.mkdir(parents=True, exist_ok=True)
    for i in range(files):
        (folder / f"{i}.txt").write_text(text)
    (test / "some").mkdir(exist_ok=True)
    packed.pack(folder, test / "some" / packed.NAME)


def read(build, test, start, delay, told):
    """Says what was missing or old while another process unpacks."""
    time.sleep(max(0.0, start + delay - time.monotonic()))
    folder, bad = packed.unpack_all(build, test) / "some", 0
    until = time.monotonic() + 0.3
    while time.monotonic() < until:
        bad += not (folder / "299.txt").is_file()
    told.put(bad)


def main():
    root = pathlib.Path(sys.argv[1])
    build, test = root / "build", root / "test"
    make(test, "one")
    told, start = multiprocessing.Queue(), time.monotonic() + 0.2
    readers = [multiprocessing.Process(target=read, args=(build, test, start, 0.01 * i, told)) for i in range(6)]
    for r in readers:
        r.start()
    bad = [told.get() for _ in readers]
    for r in readers:
        r.join()
    assert bad == [0] * 6, f"files were missing {bad} times"
    (build / "packed/.some.fresh").mkdir()
    make(test, "two")
    folder = packed.unpack_all(build, test)
    assert (folder / "some/7.txt").read_text() == "two"
    assert sorted(f.name for f in folder.iterdir()) == [".lock", "some"], "folders are left over"
    print("good")


main()
