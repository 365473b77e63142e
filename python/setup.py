"""Builds the wheel: `make python` builds the libraries and the package in the build folder, and the wheel holds that package.

The wheel serves every Python 3 on its platform, since cffi calls the libraries without compiled glue.
"""
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

ROOT = pathlib.Path(__file__).resolve().parent.parent


def version():
    text = (ROOT / "ir/abi/pir/base.h").read_text()
    return ".".join(re.search(rf"PIR_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


class Build(build_py):
    def run(self):
        subprocess.run(["make", "-s", "-C", ROOT, "python", f"PYTHON={sys.executable}"], check=True)
        package = pathlib.Path(self.build_lib) / "libpir"
        shutil.rmtree(package, ignore_errors=True)
        shutil.copytree(ROOT / "build/python/libpir", package, ignore=shutil.ignore_patterns("__pycache__"))


class Wheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class Platform(Distribution):
    """A package with libraries of one platform."""

    def has_ext_modules(self):
        return True


setup(version=version(), cmdclass={"build_py": Build, "bdist_wheel": Wheel}, distclass=Platform)
