"""Made-up WebSocket traffic: broken handshakes, parameters, frames and orders of frames."""

import base64
import os
import random
import socket
import struct
import time

OPCODES = [0x0, 0x1, 0x2, 0x8, 0x9, 0xA, 0x3, 0xF]
LINE_NOISE = [b"", b"\r\n", b"\r\n\r\n", b"\0" * 64, b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\x00" * 20]
VALUES = [
    "", "true", "yes", "-1", "0", "1", "9223372036854775808", "99999999999999999999", "null", "[]", "%00", "%ff",
    "2026-01-01T00:00:00", "2026-13-99", "all", "since", "x" * 5000, "%F0%9F%92%A9", "1;2", "'\"<>",
]
PARAMETERS = [
    "session_api_key", "resend_mode", "resend_all", "after_timestamp", "after_seq", "kind", "include_deltas", "unknown",
]
TEXTS = [
    b"", b"{}", b"[]", b"null", b"5", b'"x"', b"{", b'{"type":"auth"}', b'{"type":"auth","session_api_key":5}',
    b'{"role":"user","content":"hi"}', b'{"role":"robot","content":[]}', b'{"role":"user","content":[{"type":"zz"}]}',
    b'{"command":"true"}', b'{"command":5}', b'{"command":"true","timeout":"x"}', b'{"type":"ping"}',
    b'{"type":"message","content":[]}', b"[" * 20000, b'{"a":' * 500, b"\xff\xfe", "\U0001f4a9".encode() * 1000,
]


def frame(opcode, payload, final=True, masked=True, length=None, reserved=0):
    head = bytes([(0x80 if final else 0) | (reserved << 4) | opcode])
    size = len(payload) if length is None else length
    mask_bit = 0x80 if masked else 0
    if size < 126:
        head += bytes([mask_bit | size])
    elif size < 1 << 16:
        head += bytes([mask_bit | 126]) + struct.pack(">H", size)
    else:
        head += bytes([mask_bit | 127]) + struct.pack(">Q", size & (2**64 - 1))
    if not masked:
        return head + payload
    mask = os.urandom(4)
    key = (mask * (len(payload) // 4 + 1))[: len(payload)]
    hidden = int.from_bytes(payload) ^ int.from_bytes(key)
    return head + mask + hidden.to_bytes(len(payload))


class Fuzzer:
    def __init__(self, port, paths, seed):
        self.port = port
        self.paths = paths
        self.random = random.Random(seed)
        self.count = 0

    def handshake(self, path, breakage=None):
        query = "&".join(
            f"{self.random.choice(PARAMETERS)}={self.random.choice(VALUES)}" for _ in range(self.random.randrange(4))
        )
        mark = "&" if "?" in path else "?"
        lines = [
            f"GET {path}{mark}{query} HTTP/1.1",
            f"Host: 127.0.0.1:{self.port}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: " + base64.b64encode(os.urandom(16)).decode(),
        ]
        if breakage == "missing":
            lines.pop(self.random.randrange(1, len(lines)))
        elif breakage == "changed":
            place = self.random.randrange(2, len(lines))
            lines[place] = lines[place].split(":")[0] + ": " + self.random.choice(["", "x", "0", "\u00e9", "a" * 9000])
        elif breakage == "extra":
            lines += [f"X-{number}: {'y' * 300}" for number in range(self.random.randrange(200))]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")

    def frames(self):
        """What a connection says after its handshake."""
        for _ in range(self.random.randrange(1, 12)):
            shape = self.random.randrange(8)
            text = self.random.choice(TEXTS)
            if shape <= 2:
                yield frame(0x1, text)
            elif shape == 3:
                yield frame(self.random.choice(OPCODES), os.urandom(self.random.randrange(200)))
            elif shape == 4:
                yield frame(0x1, text[: len(text) // 2], final=False)
                if self.random.random() < 0.5:
                    yield frame(0x0, text[len(text) // 2 :])
            elif shape == 5:
                yield frame(0x1, text, masked=False)
            elif shape == 6:
                # A length that is not kept, up to the largest there is.
                yield frame(0x2, b"abc", length=self.random.choice([4, 1 << 15, 1 << 31, 1 << 40, 2**63 - 1, 2**64 - 1]))
            else:
                yield frame(0x1, text, reserved=self.random.randrange(1, 8))

    def huge(self, stream):
        """One text of more than any client sends."""
        chunk = b"x" * (1 << 16)
        for number in range(300):
            stream.sendall(frame(0x1 if number == 0 else 0x0, chunk, final=number == 299))

    def once(self):
        self.count += 1
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as stream:
            stream.settimeout(2)
            kind = self.random.randrange(12)
            path = self.random.choice(self.paths)
            try:
                if kind == 0:
                    stream.sendall(self.random.choice(LINE_NOISE))
                    return
                if kind == 1:
                    whole = self.handshake(path)
                    stream.sendall(whole[: self.random.randrange(len(whole))])
                    return
                breakage = self.random.choice(["missing", "changed", "extra"]) if kind == 2 else None
                stream.sendall(self.handshake(path, breakage))
                answer = stream.recv(4096)
                if not answer.startswith(b"HTTP/1.1 101"):
                    status = answer.split(b" ")[1:2]
                    if status and status[0].startswith(b"5"):
                        raise AssertionError(f"{path}: {answer[:300]!r}")
                    return
                if kind == 3:
                    self.huge(stream)
                for sent in self.frames():
                    stream.sendall(sent)
                if kind % 2:
                    stream.sendall(frame(0x8, struct.pack(">H", self.random.choice([1000, 1001, 0, 999, 5000, 65535]))))
                    stream.settimeout(0.2)
                    stream.recv(1 << 16)
            except (BrokenPipeError, ConnectionResetError, TimeoutError):
                pass  # The server may hang up on nonsense.

    def run(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.once()
        return self.count
