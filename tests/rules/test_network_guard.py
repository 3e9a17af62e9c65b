"""The guard of tests/conftest.py itself."""

from __future__ import annotations

import socket

import pytest


def test_connecting_out_is_refused() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as sock, pytest.raises(pytest.fail.Exception):
        sock.connect(("192.0.2.1", 80))  # TEST-NET-1 of RFC 5737: nobody is there


def test_looking_a_name_up_is_refused() -> None:
    with pytest.raises(pytest.fail.Exception, match=r"example\.invalid"):
        socket.create_connection(("example.invalid", 80), timeout=1)


def test_loopback_is_open() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname(), timeout=5):
        accepted, _ = server.accept()
        accepted.close()
