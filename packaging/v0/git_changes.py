#!/usr/bin/env python3
"""Prints the changed files of the repository here, and of the repositories one level below, as JSON.

`[{"status": "M" | "A" | "D" | "U", "path": …}]`, sorted by path; or `{"error": …}`.
"""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from git_ref import GitError, compared_with, git  # noqa: E402


def fields(text):
    return [field.decode(errors="replace") for field in text.split(b"\0")]


def changes_in(repository):
    """The changes of one repository: tracked files against the commit to compare with, then the untracked ones."""
    commit = compared_with(repository)
    if commit is None:
        return []
    found = []
    # With -z a name is as it is, whatever characters it has.
    parts = iter(fields(git(repository, "diff", "--name-status", "-z", commit)))
    for status in parts:
        if not status:
            continue
        path = next(parts)
        if status[0] == "R":
            found += [("D", path), ("A", next(parts))]
        elif status[0] == "C":
            found.append(("A", next(parts)))
        else:
            # A changed kind of file, such as a link in place of a file, is a changed file.
            found.append((status[0] if status[0] in "MADU" else "M", path))
    others = fields(git(repository, "ls-files", "--others", "--exclude-standard", "-z"))
    return found + [("A", path) for path in others if path]


def changes(workspace):
    below = sorted(
        entry.name for entry in os.scandir(workspace) if os.path.exists(os.path.join(entry.path, ".git"))
    )
    found = [
        (status, path)
        for status, path in changes_in(workspace)
        # A repository below tells about its files itself.
        if path.partition("/")[0] not in below
    ]
    for name in below:
        found += [(status, f"{name}/{path}") for status, path in changes_in(os.path.join(workspace, name))]
    return [{"status": status, "path": path} for status, path in sorted(found, key=lambda change: change[1])]


if __name__ == "__main__":
    try:
        print(json.dumps(changes(os.getcwd())))
    except (GitError, OSError) as error:
        print(json.dumps({"error": str(error)}))
