"""Build hook: compiles the search kernel into wheels and editable installs; without a compiler the install still succeeds."""

from __future__ import annotations

import importlib.util
import platform
import shutil
import sysconfig
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

KERNELS = Path("src", "csrag", "kernels")


def load_compiler(root: Path) -> ModuleType:
    """csrag.kernels.compile, by its file: csrag itself is not installed yet."""
    spec = importlib.util.spec_from_file_location("csrag_compile", root / KERNELS / "compile.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def platform_tag() -> str:
    """Tag of wheels that hold the library: of this platform and of any Python 3, for it is loaded with ctypes."""
    name = sysconfig.get_platform()
    if name.startswith("macosx") and name.endswith("universal2"):
        name = name.removesuffix("universal2") + platform.machine()  # one architecture is compiled, not both
    return "py3-none-" + name.replace("-", "_").replace(".", "_")


class KernelHook(BuildHookInterface):  # type: ignore[type-arg]
    """Puts the compiled library into what is built, and the platform into the wheel's name."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile; a wheel takes the library from a scratch folder, an editable install leaves it beside its source."""
        root = Path(self.root)
        compiler = load_compiler(root)
        self._scratch = Path(tempfile.mkdtemp(prefix="csrag-wheel-"))
        editable = version == "editable"
        target = root / KERNELS / compiler.LIBRARY if editable else self._scratch / compiler.LIBRARY
        try:
            compiler.compile_library(target, root / KERNELS / "statewide.c")
        except compiler.NotCompiledError as error:
            self.app.display_warning(
                f"The search kernel was not compiled: {error}. csrag works all the same; searches over many sites run on NumPy, "
                "slower. With a C compiler installed later: python -m csrag.kernels"
            )
            return
        build_data["pure_python"] = False
        build_data["tag"] = platform_tag()
        if not editable:
            build_data["force_include"][str(target)] = f"csrag/kernels/{compiler.LIBRARY}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Take the scratch folder away."""
        del version, build_data, artifact_path
        shutil.rmtree(self._scratch, ignore_errors=True)
