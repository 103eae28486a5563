"""Builds the site from the documents where they stand: mkdocs calls :func:`on_files`.

A page of the site has the path of its file in the repository. So its links to other documents are those that
a code host follows, and no document has a second text.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Replace the files of the folder of documents by all documents of the repository."""
    theme = [file for file in files if file.src_dir != config.docs_dir]
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    paths = listed.stdout.splitlines()
    pages = [File(path, str(ROOT), config.site_dir, config.use_directory_urls) for path in paths]
    return Files([*theme, *pages])
