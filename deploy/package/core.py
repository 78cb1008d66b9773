"""Tandem's engine by the name that its pages know, where Tandem is installed.

The wheel holds the engine as `tandem`. This file lies beside the pages, as `core/__init__.py`, on
the path of the processes that serve them alone: whoever imports `tandem` does not see it.
"""

import sys
from importlib.util import find_spec, module_from_spec, spec_from_file_location

engine = find_spec("tandem")
if engine is None or engine.origin is None or engine.loader is None:
    raise ImportError("the package tandem, whose pages these are, is not installed")
spec = spec_from_file_location(
    "core", engine.origin, submodule_search_locations=engine.submodule_search_locations
)
if spec is None or spec.loader is None:
    raise ImportError(f"{engine.origin} cannot be read")
sys.modules["core"] = module_from_spec(spec)
spec.loader.exec_module(sys.modules["core"])
