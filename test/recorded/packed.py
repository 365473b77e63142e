#!/usr/bin/env python3
"""Many small files that tests read, as one archive a folder: test/DIR/packed.tar.xz, unpacked to BUILD/packed/DIR.

  packed.py BUILD              unpacks what has changed, and prints BUILD/packed
  packed.py BUILD --pack DIR   writes test/DIR/packed.tar.xz of the files in BUILD/packed/DIR, the same bytes for the same files
"""
import argparse
import fcntl
import hashlib
import io
import pathlib
import shutil
import tarfile

TEST = pathlib.Path(__file__).resolve().parents[1]
NAME, DIGEST = "packed.tar.xz", ".digest"


def unpack(archive, folder):
    """Unpacks beside the folder and takes its place, so that no half of an archive is ever there."""
    data = archive.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    if (folder / DIGEST).is_file() and (folder / DIGEST).read_text() == digest:
        return
    fresh = folder.with_name(f".{folder.name}.fresh")
    shutil.rmtree(fresh, ignore_errors=True)  # of a process that was ended
    fresh.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        tar.extractall(fresh)
    (fresh / DIGEST).write_text(digest)
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)


def unpack_all(build, test=TEST):
    """Returns the folder of what is unpacked. One process at a time looks and unpacks: others may read what is there."""
    packed = pathlib.Path(build) / "packed"
    packed.mkdir(parents=True, exist_ok=True)
    with open(packed / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for archive in sorted(test.rglob(NAME)):
            unpack(archive, packed / archive.parent.relative_to(test))
    return packed


def nobody(member):
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    member.mode = 0o755 if member.isdir() else 0o644
    return member


def pack(folder, archive):
    files = sorted(f for f in folder.rglob("*") if f.is_file() and f.name != DIGEST)
    with tarfile.open(archive, "w:xz", preset=9, format=tarfile.USTAR_FORMAT) as tar:
        for f in files:
            tar.add(f, f.relative_to(folder), filter=nobody)
    print(f"{archive}: {len(files)} files")


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("build")
    ap.add_argument("--pack", metavar="DIR")
    args = ap.parse_args()
    if args.pack:
        pack(pathlib.Path(args.build) / "packed" / args.pack, TEST / args.pack / NAME)
    else:
        print(unpack_all(args.build))


if __name__ == "__main__":
    main()
