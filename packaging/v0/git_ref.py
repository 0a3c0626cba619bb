"""The commit that changes in a workspace are compared with, and how git is called. Shared by git_changes and git_diff."""

import os
import subprocess

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
# A remote that does not answer must not hold up the list of changes.
REMOTE_LIMIT_SECONDS = 10


class GitError(Exception):
    """A git command that failed."""


def git(directory, *arguments, limit=None):
    """What a git command in this directory writes, as bytes."""
    environment = dict(os.environ, GIT_TERMINAL_PROMPT="0", GIT_OPTIONAL_LOCKS="0")
    try:
        ended = subprocess.run(
            ["git", "--no-pager", *arguments],
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=limit,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GitError(f"git {arguments[0]}: {error}") from error
    if ended.returncode != 0:
        raise GitError(f"git {arguments[0]} ended with {ended.returncode}: {ended.stderr.decode(errors='replace').strip()}")
    return ended.stdout


def line(directory, *arguments, limit=None):
    return git(directory, *arguments, limit=limit).decode(errors="replace").strip()


def default_branch(repository):
    """The branch that the remote's HEAD names: as it was when cloned, else as the remote says now."""
    try:
        return line(repository, "symbolic-ref", "--short", "refs/remotes/origin/HEAD").removeprefix("origin/")
    except GitError:
        pass
    for said in line(repository, "remote", "show", "origin", limit=REMOTE_LIMIT_SECONDS).splitlines():
        name, _, branch = said.strip().partition(": ")
        if name == "HEAD branch" and branch != "(unknown)":
            return branch
    raise GitError("the remote has no default branch")


def candidates(repository):
    """Where the work may have begun: the pushed branch, the fork from the default branch, the default branch."""
    try:
        yield "origin/" + line(repository, "rev-parse", "--abbrev-ref", "HEAD")
    except GitError:
        pass
    try:
        default = "origin/" + default_branch(repository)
        yield line(repository, "merge-base", "HEAD", default)
        yield default
    except GitError:
        pass
    yield EMPTY_TREE


def compared_with(repository):
    """The object to compare with; None outside of a repository."""
    for name in candidates(repository):
        try:
            return line(repository, "rev-parse", "--verify", "--quiet", name)
        except GitError:
            continue
    return None
