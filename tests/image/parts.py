"""The parts of the V0 image that are ours: the launcher at micromamba's place, and the git helpers.

    python3 tests/image/parts.py
"""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

PARTS = pathlib.Path(__file__).resolve().parents[2] / "packaging/v0"


class Directory(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.directory = pathlib.Path(place.name).resolve()
        # Neither the user's settings of git nor repositories above the directory matter.
        self.environment = dict(
            os.environ,
            HOME=place.name,
            GIT_CONFIG_NOSYSTEM="1",
            GIT_CEILING_DIRECTORIES=str(self.directory.parent),
            **{f"GIT_{who}_{what}": "someone@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        )

    def call(self, *command, cwd=None, **environment):
        return subprocess.run(
            [str(word) for word in command],
            cwd=cwd or self.directory,
            env=dict(self.environment, **environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )

    def git(self, *arguments, cwd=None):
        ended = self.call("git", "-c", "init.defaultBranch=main", *arguments, cwd=cwd)
        self.assertEqual(ended.returncode, 0, ended.stderr)


class Launcher(Directory):
    """`echo` in the place of the server, and one environment with a program that prints its variables."""

    def setUp(self):
        super().setUp()
        programs = self.directory / "envs/openhands/bin"
        programs.mkdir(parents=True)
        (programs / "shown").write_text('#!/bin/sh\necho "$CONDA_PREFIX|$(pwd)|$ONE|$*"\nexit 3\n')
        (programs / "shown").chmod(0o755)

    def launch(self, *arguments):
        return self.call(
            PARTS / "micromamba", *arguments, MAMBA_ROOT_PREFIX=str(self.directory), OPENHANDS_ACTION_SERVER="/bin/echo"
        )

    def test_the_module_of_the_python_server_is_our_server(self):
        rest = ["31000", "--working-dir", "/work space", "--plugins", "agent_skills", "jupyter"]
        for prefix in (
            ["poetry", "run", "python", "-u", "-m"],
            ["poetry", "run", "/usr/bin/python3.12", "-B", "-X", "dev", "-m"],
            ["python3", "-m"],
        ):
            ended = self.launch("run", "-n", "openhands", *prefix, "openhands.runtime.action_execution_server", *rest)
            self.assertEqual(ended.stdout, " ".join(["action-server", *rest]) + "\n", ended.stderr)
            self.assertEqual(ended.returncode, 0)

    def test_other_commands_run_in_the_environment_and_keep_their_exit_code(self):
        ended = self.launch("run", "-n", "openhands", "--cwd", "/", "-e", "ONE=1", "shown", "a b", "-n")
        self.assertEqual(ended.stdout, f"{self.directory}/envs/openhands|/|1|a b -n\n")
        self.assertEqual(ended.returncode, 3)

    def test_other_modules_are_not_our_server(self):
        ended = self.launch("run", "-n", "openhands", "python3", "-c", "print('mine')", "-m", "openhands.runtime.action_execution_server")
        self.assertEqual(ended.stdout, "mine\n")
        ended = self.launch("run", "-n", "openhands", "python3", "-m", "json.tool", "--help")
        self.assertIn("json", ended.stdout)

    def test_a_missing_environment_and_a_missing_command_are_errors(self):
        ended = self.launch("run", "-n", "other", "true")
        self.assertEqual((ended.returncode, ended.stdout), (1, ""))
        self.assertIn("'other' does not exist", ended.stderr)
        self.assertEqual(self.launch("run", "-n", "openhands").returncode, 2)
        self.assertEqual(self.launch("run", "-n", "openhands", "no-such-program").returncode, 127)
        self.assertEqual(self.launch("install", "-n", "openhands", "numpy").returncode, 1)

    def test_the_hook_of_shells_activates_and_deactivates(self):
        script = (
            f'eval "$({PARTS}/micromamba shell hook --shell bash)"; before=$PATH; micromamba activate openhands; micromamba activate openhands; '
            'echo "${PATH%%:*} $CONDA_DEFAULT_ENV"; micromamba deactivate; [ "$PATH" = "$before" ] && echo same'
        )
        ended = self.call("bash", "-c", script, MAMBA_ROOT_PREFIX=str(self.directory))
        self.assertEqual(ended.stdout, f"{self.directory}/envs/openhands/bin openhands\nsame\n", ended.stderr)

    def test_it_says_what_it_is(self):
        self.assertIn("openhands-agent-server", self.launch("--version").stdout)
        self.assertEqual(self.launch("config", "set", "changeps1", "False").returncode, 0)


class Git(Directory):
    """A repository with a remote, both with one commit of `kept`, `changed`, `gone`, `before`."""

    def setUp(self):
        super().setUp()
        origin = self.directory / "remotes/origin"
        origin.mkdir(parents=True)
        self.git("init", "-q", cwd=origin)
        for name in ("kept", "changed", "gone", "before"):
            (origin / name).write_text(f"{name}\n" * 9)
        self.git("add", ".", cwd=origin)
        self.git("commit", "-qm", "one", cwd=origin)
        self.workspace = self.directory / "workspace"
        self.git("clone", "-q", origin, self.workspace)

    def changes(self, cwd=None):
        ended = self.call("python3", PARTS / "git_changes.py", cwd=cwd or self.workspace)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return json.loads(ended.stdout)

    def diff(self, path, cwd=None):
        return self.call("python3", PARTS / "git_diff.py", path, cwd=cwd or self.workspace)

    def test_changes_are_those_since_the_remote(self):
        (self.workspace / "changed").write_text("other\n")
        (self.workspace / "gone").unlink()
        self.git("mv", "before", "after this", cwd=self.workspace)
        self.git("commit", "-qam", "two", cwd=self.workspace)
        (self.workspace / "néw").write_text("new\n")
        (self.workspace / "ignored").write_text("new\n")
        (self.workspace / ".gitignore").write_text("ignored\n")
        expected = [("A", ".gitignore"), ("A", "after this"), ("D", "before"), ("M", "changed"), ("D", "gone"), ("A", "néw")]
        found = [(change["status"], change["path"]) for change in self.changes()]
        self.assertEqual(found, expected)
        # On a branch that the remote does not have, they are those since the fork.
        self.git("checkout", "-qb", "work", cwd=self.workspace)
        self.assertEqual([(change["status"], change["path"]) for change in self.changes()], expected)

    def test_repositories_below_tell_about_themselves(self):
        (self.workspace / "new").write_text("new\n")
        (self.directory / "workspacefile").write_text("of no repository\n")
        found = self.changes(self.directory)
        self.assertEqual(found, [{"status": "A", "path": "workspace/new"}])
        self.git("init", "-q")
        found = [change["path"] for change in self.changes(self.directory)]
        self.assertEqual(found, ["remotes/origin/", "workspace/new", "workspacefile"])

    def test_a_directory_without_a_repository_has_no_changes(self):
        empty = self.directory / "empty"
        empty.mkdir()
        self.assertEqual(self.changes(empty), [])

    def test_a_broken_repository_is_an_error_in_the_answer(self):
        (self.workspace / ".git/index").write_text("no index")
        self.assertEqual(list(self.changes()), ["error"])

    def test_a_diff_has_the_file_as_it_is_and_as_it_was(self):
        (self.workspace / "changed").write_text("  other\r\nend\n")
        said = json.loads(self.diff("changed").stdout)
        self.assertEqual(said, {"modified": "  other\nend", "original": "\n".join(["changed"] * 9)})
        self.assertEqual(json.loads(self.diff("workspace/kept", cwd=self.directory).stdout)["modified"], "\n".join(["kept"] * 9))
        (self.workspace / "gone").unlink()
        self.assertEqual(json.loads(self.diff("gone").stdout), {"modified": "", "original": "\n".join(["gone"] * 9)})
        (self.workspace / "new").write_text("new\n")
        self.assertEqual(json.loads(self.diff("new").stdout), {"modified": "new", "original": ""})

    def test_large_files_and_files_of_no_repository_are_refused(self):
        (self.workspace / "large").write_bytes(b"x" * ((1 << 20) + 1))
        ended = self.diff("large")
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (1, "", "git_diff: file_too_large\n"))
        (self.directory / "alone").write_text("")
        ended = self.diff("alone", cwd=self.directory)
        self.assertEqual((ended.returncode, ended.stderr), (1, "git_diff: no_repository\n"))


if __name__ == "__main__":
    unittest.main()
