"""Where the page is served: a port in use, or a host that isn't this machine, gets one message before all else."""

import socket

import pytest

from unseen.deploy.play.serving import LOCAL, PORTS, free_port
from unseen.errors import InputError


@pytest.fixture
def taken():
    with socket.socket() as listening:
        listening.bind((LOCAL, 0))
        listening.listen()
        yield listening.getsockname()[1]


def test_a_port_in_use_gets_one_message_and_the_exit_code_of_bad_input(shell, taken):
    code, text = shell("play", "runs/nowhere", "--port", str(taken))
    assert code == 2
    assert (
        text.split()
        == (
            f"error: --port {taken} on 127.0.0.1 is in use; name another, or leave --port out and a free one is found"
        ).split()
    )


def test_without_a_port_the_first_free_one_is_taken(monkeypatch, taken):
    monkeypatch.setattr("unseen.deploy.play.serving.PORTS", [taken, PORTS[-1]])
    assert free_port(LOCAL, None) == PORTS[-1]
    monkeypatch.setattr("unseen.deploy.play.serving.PORTS", [taken])
    with pytest.raises(InputError, match=f"every port from {taken} to {taken} on 127.0.0.1 is in use"):
        free_port(LOCAL, None)


@pytest.mark.parametrize(
    ("host", "port", "words"),
    [
        (LOCAL, 70000, "--port 70000: expected a number from 1 to 65535"),
        ("192.0.2.1", 7860, "--host 192.0.2.1: .*expected an address of this machine"),
    ],
)
def test_what_no_server_can_listen_at_is_refused(host, port, words):
    with pytest.raises(InputError, match=words):
        free_port(host, port)


def test_a_gradio_that_is_too_old_is_named(monkeypatch):
    monkeypatch.setattr("unseen.deploy.play.serving.version", lambda _: "3.18.0")
    monkeypatch.setattr("importlib.util.find_spec", lambda _: object())
    from unseen.deploy.play.serving import _need_gradio

    with pytest.raises(InputError, match=r"gradio 3.18.0 is installed, expected 6.0 or newer: pip install"):
        _need_gradio()
