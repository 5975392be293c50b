"""Builds the Python package: CMake builds its module, pushdown._core.

PUSHDOWN_BUILD_DIR names a build directory that is used again, such as build/release."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).parent.resolve()


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        given = os.environ.get("PUSHDOWN_BUILD_DIR")
        build = pathlib.Path(given).resolve() if given else pathlib.Path(self.build_temp).resolve()
        options = ["-DPUSHDOWN_BUILD_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}"]
        if importlib.util.find_spec("pybind11"):  # a package of Python, where CMake does not look
            import pybind11
            options.append(f"-Dpybind11_DIR={pybind11.get_cmake_dir()}")
        if not (build / "CMakeCache.txt").exists():
            options += ["-DCMAKE_BUILD_TYPE=Release"]
            options += [f"-DPUSHDOWN_BUILD_{part}=OFF"
                        for part in ("CLI", "EXAMPLES", "TESTS", "BENCHMARKS")]
        jobs = str(os.cpu_count() or 1)
        place = pathlib.Path(self.get_ext_fullpath(ext.name)).resolve().parent.parent
        for command in (
                ["cmake", "-S", str(ROOT), "-B", str(build), *options],
                ["cmake", "--build", str(build), "--target", "pushdown_python", "-j", jobs],
                ["cmake", "--install", str(build), "--component", "python",
                 "--prefix", str(place)]):
            subprocess.run(command, check=True)


def version():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(Pushdown VERSION ([0-9.]+)", text).group(1)


setup(version=version(), ext_modules=[Extension("pushdown._core", sources=[])],
      cmdclass={"build_ext": CMakeBuild},
      options={"build": {"build_base": "build/wheel"}})
