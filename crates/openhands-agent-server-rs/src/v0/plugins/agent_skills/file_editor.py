"""The file editor: the one of the agent server, which runs as a child of the kernel and keeps the history of edits."""

import json
import threading
import uuid

from .settings import EDITOR

_lock = threading.Lock()
_child = None


def _running():
    """The editor's process; started by the first call."""
    global _child
    if _child is None or _child.poll() is not None:
        import subprocess

        # In a session of its own: an interrupt of a cell is not meant for it.
        _child = subprocess.Popen(
            EDITOR,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    return _child


def _ask(request):
    global _child
    with _lock:
        child = _running()
        try:
            child.stdin.write(json.dumps(request).encode() + b'\n')
            child.stdin.flush()
            answer = child.stdout.readline()
            if not answer:
                raise EOFError('the file editor has ended')
            return json.loads(answer)
        except BaseException:
            # An answer that nobody has read would be taken for that of the next request.
            child.kill()
            child.wait()
            child.stdin.close()
            child.stdout.close()
            _child = None
            raise


def file_editor(
    command,
    path,
    file_text=None,
    view_range=None,
    old_str=None,
    new_str=None,
    insert_line=None,
    enable_linting=False,
):
    """Views, creates and edits a file, or takes back the last edit.

    Args:
        command: One of `view`, `create`, `str_replace`, `insert`, `undo_edit`.
        path: An absolute path.
        file_text: The text of a file that is created.
        view_range: The first and the last line to view; -1 is the last one of the file.
        old_str: The text to replace, which must be in the file exactly once.
        new_str: The text to put in its place, or to insert.
        insert_line: The line after which to insert.
        enable_linting: Without effect.
    """
    request = {
        'command': command,
        'path': str(path),
        'file_text': file_text,
        'view_range': view_range,
        'old_str': old_str,
        'new_str': new_str,
        'insert_line': insert_line,
    }
    try:
        result = _ask(request)
    except (OSError, EOFError, ValueError, TypeError) as failure:
        result = {'output': None, 'error': f'The file editor cannot be used: {failure}'}
    formatted = f'ERROR:\n{result["error"]}' if result['error'] else result['output']
    fields = ','.join(f'"{name}": {json.dumps(value)}' for name, value in result.items())
    marker = f'oh_aci_output_{uuid.uuid4().hex}'
    return f'<{marker}>\n{{{fields}, "formatted_output_and_error": {json.dumps(formatted)}}}\n</{marker}>'
