"""Set the environment before anything heavy is imported, and give tests the data that lies outside the repository."""

import os
from pathlib import Path

import pytest

# Nothing calls home, nothing is fetched, and tokenizers do not warn about forked workers.
os.environ["GX_ANALYTICS_ENABLED"] = "false"
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Give the folder of shared data beside the repository; skip where it is absent."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip("no folder `shared` beside the repository: the data that this test reads is not in it")
    return folder
