"""Runs in the kernel at its start: what programs print is there before a cell ends.

Standard output of programs that a cell starts goes through a pipe that a thread of the kernel reads. That thread may still
have something to read when the cell is over, and the kernel would then call itself idle with output to come. So after each
cell a mark goes through the same pipe, and the cell is not over before the thread has seen it.
"""


def _settle():
    import os
    import sys
    import threading
    import uuid

    from IPython import get_ipython

    kernel = os.getpid()

    def settle(stream, descriptor):
        mark = f'\x01{uuid.uuid4().hex}\x02'
        seen = threading.Event()
        own = stream.__dict__.get('write')
        write = stream.write
        held = ''

        # In place only while the mark is on its way: IPython changes this attribute too, for as long as a cell runs.
        def marked_write(text):
            nonlocal held
            if seen.is_set() or not isinstance(text, str):
                return write(text)
            size = len(text)
            text, held = held + text, ''
            if mark in text:
                text = text.replace(mark, '')
                seen.set()
            else:
                # A mark may come in two pieces.
                for part in range(len(mark) - 1, 0, -1):
                    if text.endswith(mark[:part]):
                        text, held = text[:-part], mark[:part]
                        break
            if text:
                write(text)
            return size

        stream.write = marked_write
        try:
            os.write(descriptor, mark.encode())
            seen.wait(1)
        finally:
            if own is None:
                del stream.write
            else:
                stream.write = own

    def after_cell():
        # A child that was forked off has the callback too, but not the thread.
        if os.getpid() != kernel:
            return
        for stream, descriptor in ((sys.stdout, 1), (sys.stderr, 2)):
            if getattr(stream, '_should_watch', False):
                settle(stream, descriptor)

    get_ipython().events.register('post_execute', after_cell)


_settle()
del _settle
