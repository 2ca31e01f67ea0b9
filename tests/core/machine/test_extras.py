"""A core install: modules are imported without the extras, and what needs one says so in a line."""

import subprocess
import sys

import pytest

from frtaudit.core.machine.extras import need
from frtaudit.errors import ProviderError

BLOCKED = ("PIL", "httpx", "httpcore", "onnxruntime", "boto3", "dlib")


def test_what_is_there_is_silent() -> None:
    """Nothing happens; the first that is missing is named."""
    need("collect", "json")
    with pytest.raises(
        ProviderError, match=r"no_such is not installed; accepted: pip install 'frtaudit\[collect\]'"
    ):
        need("collect", "json", "no_such")


def test_sources_and_their_parts_are_imported_without_the_extras() -> None:
    """In a Python that has none of them; a source that is asked to find says what it needs."""
    said = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert said.stderr == ""
    assert said.stdout.splitlines() == [
        "source: PIL is not installed; accepted: pip install 'frtaudit[collect]'",
        "['folder', 'image_search', 'made_up', 'news_search', 'urls']",
    ]


PROGRAM = f"""
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {BLOCKED}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Blocked())
import importlib.util
whole = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if name in {BLOCKED} else whole(name)
from frtaudit.config.plugins import load_plugins
load_plugins()
import frtaudit.collection.clients.fetch, frtaudit.collection.clients.embedding, frtaudit.collection.duplicates
from frtaudit.core.registry import lookup, names
try:
    list(lookup("source", "urls", "")(file="none.csv").finds())
except Exception as error:
    print(error)
print(names("source"))
"""
