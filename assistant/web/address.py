"""Where the server listens, and how a person reaches it."""

import errno
import ipaddress
import socket

from assistant.vocabulary.errors import InputError, Place

_WAITING = 64  # connections the kernel holds until they are accepted
_REASONS = {
    errno.EADDRINUSE: "is taken by another program; choose another with --port, or 0 for any that is free",
    errno.EACCES: "may not be used by this user; choose one from 1024 on",
}
# A name can stand for an IPv6 address where IPv6 is switched off: the others it stands for will do.
_NOT_HERE = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)


def listen(host: str, port: int) -> list[socket.socket]:
    """Sockets that listen on every address ``host`` stands for; port 0 takes one that is free.

    Raises :class:`InputError` when the host is not one of this machine or the port is taken.
    """
    opened: list[socket.socket] = []
    refused = OSError(errno.EADDRNOTAVAIL, "no address")
    for family, address in _addresses(host, port):
        try:
            opened.append(_socket(family, (address[0], opened[0].getsockname()[1] if opened else port, *address[2:])))
        except OSError as error:
            refused = error
            if error.errno not in _NOT_HERE:
                break
    else:
        if opened:
            return opened
    for one in opened:
        one.close()
    raise _refusal(refused, host, port) from None


def _addresses(host: str, port: int) -> list[tuple[int, tuple]]:
    try:
        # An empty name would stand for every address of the machine.
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM) if host.strip() else []
    except (OSError, UnicodeError):
        found = []
    if not found:
        raise InputError(f'expected a name or an address of this machine, got "{host}"', Place(field="--host"))
    return list(dict.fromkeys((family, address) for family, _, _, _, address in found))


def _socket(family: int, address: tuple) -> socket.socket:
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        # Without this a port stays taken for a minute after the server has ended.
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind(address)
        made.listen(_WAITING)
    except OSError:
        made.close()
        raise
    return made


def _refusal(error: OSError, host: str, port: int) -> InputError:
    if error.errno in _REASONS:
        return InputError(f"{port} on {host} {_REASONS[error.errno]}", Place(field="--port"))
    expected = "expected a name or an address of this machine"
    return InputError(f'{expected}, got "{host}" ({error.strerror})', Place(field="--host"))


def is_loopback(sockets: list[socket.socket]) -> bool:
    """Whether only programs on this machine can connect."""
    return all(ipaddress.ip_address(one.getsockname()[0]).is_loopback for one in sockets)


def url(host: str, sockets: list[socket.socket]) -> str:
    """What to type into a browser. An address that stands for all is shown as the name of the machine."""
    name, port = sockets[0].getsockname()[:2]
    if ipaddress.ip_address(name).is_unspecified:
        name = socket.gethostname()
    elif host == "localhost" or (not _is_address(host) and not is_loopback(sockets)):
        name = host
    return f"http://[{name}]:{port}/" if ":" in name else f"http://{name}:{port}/"


def _is_address(host: str) -> bool:
    try:
        return bool(ipaddress.ip_address(host))
    except ValueError:
        return False
