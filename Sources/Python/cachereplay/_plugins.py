"""Policies in C, as shared libraries."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from ._errors import BadDataError, MissingToolError, NoInputError


def include() -> str:
    """Returns the folder of cachereplay_plugin.h, the interface of policies in shared libraries.

    Raises:
        NoInputError: If the package was installed without it.
    """
    packaged = Path(__file__).parent / "include"
    # In the source tree, the header lies beside the package.
    for folder in [packaged, Path(__file__).parents[2] / "C" / "CPolicyPlugin"]:
        if (folder / "cachereplay_plugin.h").exists():
            return str(folder)
    raise NoInputError(f"{packaged}/cachereplay_plugin.h: no such file; install the wheel again", 66)


def build_plugin(source: str | os.PathLike[str], library: str | os.PathLike[str]) -> str:
    """Compiles a policy in C into a shared library, and returns its path, which `simulate` and `replay` take.

    Args:
        source: A file in C that includes cachereplay_plugin.h.
        library: The file to write, such as "mine.so".

    Raises:
        MissingToolError: Without a C compiler, which the environment variable CC names; by default cc.
        BadDataError: With what the compiler says.
    """
    compiler = os.environ.get("CC", "cc")
    if not shutil.which(compiler):
        raise MissingToolError(f"{compiler}: no such compiler. Install gcc or clang, or set CC.", 69)
    command = [compiler, "-O2", "-shared", "-fPIC", "-I", include(), "-o", os.fspath(library), os.fspath(source)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise BadDataError(f"{os.fspath(source)}: the compiler refuses it:\n{done.stderr.strip()}", 65)
    # The loader looks for a name without a folder elsewhere.
    return os.path.abspath(library)
