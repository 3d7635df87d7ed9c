"""Imports a script of the project, which is not part of the package."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

ROOT = Path(__file__).parent.parent


def load_script(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"script_{Path(path).stem}", ROOT / path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    with patch.object(sys, "path", [str((ROOT / path).parent), *sys.path]):
        spec.loader.exec_module(module)
    return module
