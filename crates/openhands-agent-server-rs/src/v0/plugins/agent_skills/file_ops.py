"""A window on a file, and searches in files and folders. Every function prints what it finds."""

import os

#: How many lines the window shows, at most.
WINDOW = 100
#: A search that finds more files than these is too wide to be of use.
MAX_FILES = 100


class _Window:
    """The file that is open, and the line that the window is at."""

    def __init__(self):
        self.path = None
        self.line = 1

    def lines(self):
        with open(self.path, errors='replace') as file:
            text = file.read()
        lines = text.split('\n')
        if len(lines) > 1 and not lines[-1]:
            lines.pop()
        return lines

    def range(self, total, size, from_line):
        """The first and the last line to show: those from the line on, or those around it."""
        if from_line:
            first, last = self.line, min(total, self.line + size)
        else:
            half = max(1, size // 2)
            first, last = max(1, self.line - half), min(total, self.line + half)
        if first == 1:
            last = min(total, size)
        if last == total:
            first = max(1, total - size + 1)
        return first, last

    def show(self, size=WINDOW, from_line=False):
        lines = self.lines()
        total = len(lines)
        self.line = min(max(self.line, 1), total)
        first, last = self.range(total, size, from_line)
        above = f'({first - 1} more lines above)' if first > 1 else '(this is the beginning of the file)'
        below = f'({total - last} more lines below)' if last < total else '(this is the end of the file)'
        shown = [f'{number}|{lines[number - 1]}' for number in range(first, last + 1)]
        header = f'[File: {os.path.abspath(self.path)} ({total} lines total)]'
        return '\n'.join([header, above, *shown, below]), last < total


_window = _Window()


def _complain(text):
    print(f'ERROR: {text}')


def _is_open():
    if _window.path and os.path.isfile(_window.path):
        return True
    _complain('No file open. Use the open_file function first.')
    return False


def _is_line(number, total):
    return isinstance(number, int) and 1 <= number <= total


def open_file(path, line_number=1, context_lines=WINDOW):
    """Opens a file and shows the lines around one of them.

    Args:
        path: str: The file. An absolute path is best.
        line_number: int: The line to show in the middle, if that is possible.
        context_lines: int: How many lines to show, at most 100.
    """
    if not os.path.isfile(path):
        _complain(f'File {path} not found.')
        return
    _window.path = os.path.abspath(path)
    total = len(_window.lines())
    if not _is_line(line_number, total):
        _complain(f'Line number must be between 1 and {total}')
        return
    _window.line = line_number
    size = WINDOW if context_lines is None or context_lines < 1 else min(context_lines, WINDOW)
    text, more = _window.show(size)
    if more:
        text += f'\n[Use `scroll_down` to view the next {WINDOW} lines of the file!]'
    print(text)


def goto_line(line_number):
    """Shows the lines around a line of the open file.

    Args:
        line_number: int: The line.
    """
    if not _is_open():
        return
    total = len(_window.lines())
    if not _is_line(line_number, total):
        _complain(f'Line number must be between 1 and {total}.')
        return
    _window.line = line_number
    print(_window.show()[0])


def _scroll(lines):
    if _is_open():
        _window.line += lines
        print(_window.show(from_line=True)[0])


def scroll_down():
    """Moves the window 100 lines down."""
    _scroll(WINDOW)


def scroll_up():
    """Moves the window 100 lines up."""
    _scroll(-WINDOW)


def _files(folder):
    """The path and the name of every file below a folder, in an order that does not change."""
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            yield os.path.join(place, name), name


def _matching_lines(path, term):
    """The number and the text of every line that has the term; none of a file that cannot be read."""
    try:
        with open(path, errors='ignore') as file:
            return [(number, line.strip()) for number, line in enumerate(file, 1) if term in line]
    except OSError:
        return []


def search_dir(search_term, dir_path='./'):
    """Shows every line with a text, in all files below a folder.

    Args:
        search_term: str: The text.
        dir_path: str: The folder; the current one if none is named.
    """
    if not os.path.isdir(dir_path):
        _complain(f'Directory {dir_path} not found')
        return
    # A pipe would be waited for.
    candidates = (path for path, name in _files(dir_path) if not name.startswith('.') and os.path.isfile(path))
    found = {path: lines for path in candidates if (lines := _matching_lines(path, search_term))}
    if not found:
        print(f'No matches found for "{search_term}" in {dir_path}')
        return
    if len(found) > MAX_FILES:
        print(f'More than {len(found)} files matched for "{search_term}" in {dir_path}. Please narrow your search.')
        return
    count = sum(len(lines) for lines in found.values())
    print(f'[Found {count} matches for "{search_term}" in {dir_path}]')
    for path, lines in found.items():
        for number, line in lines:
            print(f'{path} (Line {number}): {line}')
    print(f'[End of matches for "{search_term}" in {dir_path}]')


def search_file(search_term, file_path=None):
    """Shows every line with a text in a file.

    Args:
        search_term: str: The text.
        file_path: str: The file; the open one if none is named.
    """
    path = _window.path if file_path is None else file_path
    if path is None:
        _complain('No file specified or open. Use the open_file function first.')
        return
    if not os.path.isfile(path):
        _complain(f'File {path} not found.')
        return
    lines = _matching_lines(path, search_term)
    if not lines:
        print(f'[No matches found for "{search_term}" in {path}]')
        return
    print(f'[Found {len(lines)} matches for "{search_term}" in {path}]')
    for number, line in lines:
        print(f'Line {number}: {line}')
    print(f'[End of matches for "{search_term}" in {path}]')


def find_file(file_name, dir_path='./'):
    """Shows every file below a folder whose name has a text in it.

    Args:
        file_name: str: The text.
        dir_path: str: The folder; the current one if none is named.
    """
    if not os.path.isdir(dir_path):
        _complain(f'Directory {dir_path} not found')
        return
    paths = [path for path, name in _files(dir_path) if file_name in name]
    if not paths:
        print(f'[No matches found for "{file_name}" in {dir_path}]')
        return
    print(f'[Found {len(paths)} matches for "{file_name}" in {dir_path}]')
    print('\n'.join(paths))
    print(f'[End of matches for "{file_name}" in {dir_path}]')
