#!/usr/bin/env python3
"""Prints a file as it is and as it was, as JSON: `{"modified": …, "original": …}`.

The path is the last argument, relative to the directory here. A file over 1 MiB, and one outside of any repository, are
errors.
"""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from git_ref import GitError, compared_with, git  # noqa: E402

MAX_BYTES = 1 << 20


def repository_of(path):
    """The closest directory above that holds a repository."""
    directory = os.path.dirname(path)
    while not os.path.exists(os.path.join(directory, ".git")):
        above = os.path.dirname(directory)
        if above == directory:
            raise ValueError("no_repository")
        directory = above
    return directory


def text(content):
    """With one kind of line end and none at the end, so that only real differences show."""
    return "\n".join(content.decode(errors="replace").splitlines())


def diff(name):
    path = os.path.realpath(name)
    try:
        with open(path, "rb") as file:
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        content = b""
    if len(content) > MAX_BYTES:
        raise ValueError("file_too_large")
    repository = repository_of(path)
    try:
        original = git(repository, "show", f"{compared_with(repository)}:{os.path.relpath(path, repository)}")
    except GitError:
        original = b""
    return {"modified": text(content), "original": text(original)}


if __name__ == "__main__":
    try:
        print(json.dumps(diff(sys.argv[-1])))
    except (ValueError, OSError) as error:
        sys.exit(f"git_diff: {error}")
