"""A proxy with https on this machine: it passes on what it is asked, and says so in headers."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

OPENSSL = shutil.which("openssl")
WITHOUT = "openssl is not installed"
FORWARDED = b"X-Forwarded-For: 203.0.113.7\r\nX-Forwarded-Proto: https\r\n"


@contextmanager
def behind_https(url: str, folder: Path) -> Iterator[str]:
    """The https address of a proxy before a server, until the block ends."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*_make_certificate(folder))
    parts = urlsplit(url)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(
            target=_accept, args=(listener, context, (parts.hostname, parts.port)), daemon=True
        ).start()
        yield f"https://localhost:{listener.getsockname()[1]}{parts.path}"
        listener.shutdown(socket.SHUT_RDWR)


def _make_certificate(folder: Path) -> tuple[Path, Path]:
    assert OPENSSL, WITHOUT
    files = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        [OPENSSL, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
         "-days", "2", "-subj", "/CN=localhost", "-out", files[0], "-keyout", files[1]],
        check=True,
        capture_output=True,
    )  # fmt: skip
    return files


def _accept(listener: socket.socket, context: ssl.SSLContext, target: tuple[str, int]) -> None:
    with suppress(OSError):  # the listener was closed
        while True:
            client, _ = listener.accept()
            threading.Thread(target=_forward, args=(client, context, target), daemon=True).start()


def _forward(plain: socket.socket, context: ssl.SSLContext, target: tuple[str, int]) -> None:
    """Pass on a connection, with the headers of its first request."""
    with (
        suppress(OSError),
        context.wrap_socket(plain, server_side=True) as client,
        socket.create_connection(target) as server,
    ):
        request = b""
        while b"\r\n" not in request and (data := client.recv(65536)):
            request += data
        line, _, rest = request.partition(b"\r\n")
        server.sendall(line + b"\r\n" + FORWARDED + rest)
        back = threading.Thread(target=_pump, args=(server, client), daemon=True)
        back.start()
        _pump(client, server)
        back.join()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_WR)
