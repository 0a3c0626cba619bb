"""All functions for agents, to be imported with `*`."""

from .file_editor import file_editor
from .file_ops import find_file, goto_line, open_file, scroll_down, scroll_up, search_dir, search_file
from .file_reader import parse_docx, parse_latex, parse_pdf, parse_pptx
from .models import parse_audio, parse_image, parse_video

__all__ = [
    'open_file',
    'goto_line',
    'scroll_down',
    'scroll_up',
    'search_dir',
    'search_file',
    'find_file',
    'parse_pdf',
    'parse_docx',
    'parse_latex',
    'parse_pptx',
    'parse_audio',
    'parse_video',
    'parse_image',
    'file_editor',
]


def __getattr__(name):
    """`DOCUMENTATION` is made when somebody asks for it."""
    if name != 'DOCUMENTATION':
        raise AttributeError(name)
    import inspect

    entries = []
    for function in (globals()[known] for known in __all__):
        lines = [f'    {line}'.rstrip() for line in inspect.getdoc(function).splitlines() if line.strip()]
        entries.append('\n'.join([f'{function.__name__}{inspect.signature(function)}:', *lines]) + '\n\n')
    return ''.join(entries)
