"""The text of documents. The libraries that read them are imported when they are needed, and may be missing."""

import functools


def _needs(package):
    """Says which package a function lacks."""

    def wrap(function):
        @functools.wraps(function)
        def called(*args, **kwargs):
            try:
                return function(*args, **kwargs)
            except ModuleNotFoundError as missing:
                print(
                    f'ERROR: {function.__name__} needs the Python module "{missing.name}". '
                    f'Install it with `%pip install {package}` and call it again.'
                )

        return called

    return wrap


@_needs('PyPDF2')
def parse_pdf(file_path):
    """Prints the text of a PDF file, page by page.

    Args:
        file_path: str: The file.
    """
    try:
        from pypdf import PdfReader
    except ModuleNotFoundError:
        from PyPDF2 import PdfReader
    print(f'[Reading PDF file from {file_path}]')
    pages = [page.extract_text() for page in PdfReader(file_path).pages]
    print('\n\n'.join(f'@@ Page {number} @@\n{text}' for number, text in enumerate(pages, 1)).strip())


@_needs('python-docx')
def parse_docx(file_path):
    """Prints the text of a Word document, paragraph by paragraph.

    Args:
        file_path: str: The file.
    """
    import docx

    print(f'[Reading DOCX file from {file_path}]')
    paragraphs = docx.Document(file_path).paragraphs
    print(''.join(f'@@ Page {number} @@\n{paragraph.text}\n\n' for number, paragraph in enumerate(paragraphs, 1)))


@_needs('pylatexenc')
def parse_latex(file_path):
    """Prints the text of a LaTeX file, without its commands.

    Args:
        file_path: str: The file.
    """
    from pylatexenc.latex2text import LatexNodes2Text

    print(f'[Reading LaTex file from {file_path}]')
    with open(file_path, errors='replace') as file:
        source = file.read()
    print(LatexNodes2Text().latex_to_text(source).strip())


@_needs('python-pptx')
def parse_pptx(file_path):
    """Prints the text of a presentation, slide by slide.

    Args:
        file_path: str: The file.
    """
    from pptx import Presentation

    print(f'[Reading PowerPoint file from {file_path}]')
    try:
        slides = Presentation(str(file_path)).slides
    except Exception as failure:
        print(f'Error reading PowerPoint file: {failure}')
        return
    for number, slide in enumerate(slides, 1):
        print(f'@@ Slide {number} @@')
        for shape in slide.shapes:
            if hasattr(shape, 'text'):
                print(shape.text)
