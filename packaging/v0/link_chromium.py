#!/usr/bin/env python3
"""Lets Playwright's Python package find Debian's Chromium, in place of the builds that it would download.

    link_chromium.py DIRECTORY [CHROMIUM]

Writes into DIRECTORY, the later PLAYWRIGHT_BROWSERS_PATH, what a download would have left for the installed version.
"""

import json
import os
import pathlib
import sys

import playwright

# Folder and programs of each kind, as Playwright looks for them on Linux: its older versions, its newer ones.
PROGRAMS = {
    "chromium": ("chromium-{}", ["chrome-linux/chrome", "chrome-linux64/chrome"]),
    "chromium-headless-shell": (
        "chromium_headless_shell-{}",
        ["chrome-linux/headless_shell", "chrome-headless-shell-linux64/chrome-headless-shell"],
    ),
}


def main(directory, chromium="/usr/bin/chromium"):
    described = pathlib.Path(playwright.__file__).parent / "driver/package/browsers.json"
    revisions = {browser["name"]: browser["revision"] for browser in json.loads(described.read_text())["browsers"]}
    for name, (folder, programs) in PROGRAMS.items():
        place = pathlib.Path(directory) / folder.format(revisions[name])
        for program in programs:
            link = place / program
            link.parent.mkdir(parents=True, exist_ok=True)
            link.unlink(missing_ok=True)
            os.symlink(chromium, link)
            print(link)
        (place / "INSTALLATION_COMPLETE").touch()
        (place / "DEPENDENCIES_VALIDATED").touch()


if __name__ == "__main__":
    main(*sys.argv[1:])
