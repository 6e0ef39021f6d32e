"""Which devices a fabric is built from, and what they cost and draw.

A price that nobody published for a device is derived from the nearest priced sibling by capacity (ports × port
rate), and the item says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from assistant.vocabulary.answers import Part, PricedItem
from assistant.vocabulary.catalog import Catalog, Device, Fabric, Fact

LARGEST_BREAKOUT = 4  # ports one switch port is split into: what 64×800G switches document (256 ports)
SLOWEST_PART_OF_PORT = 10  # a 100G port runs 10G lanes, an 800G port does not
# Gb/s of a part of a split port, one or more of its lanes; 40 Gb/s takes the four lanes of a whole port (802.3ba), and
# a socket for twisted pair (1, 2.5 and 5 Gb/s, 802.3bz) does not split.
PARTS_OF_PORT = frozenset({10, 25, 50, 100, 200, 400})
# Links up to this rate run over twisted pair (10GBASE-T, 802.3an: 100 m) or passive copper and take no optics.
COPPER = 10e9 / 8
# Assumed: a price derived by capacity may be that much too low. The two priced switches of 64 × 800 Gb/s are 1.8 apart.
DERIVED_MAY_BE = 2.0
# Assumed: beyond so many times the capacity the price of a device tells nothing of another one, as a switch of 51 Tb/s
# does not of one with 48 ports of 1 Gb/s.
FARTHEST_SIBLING = 16.0
GBPS = 1e9 / 8


@dataclass(frozen=True)
class Price:
    """US dollars for one device, with where and when the middle one was seen."""

    low: float
    mid: float
    high: float
    date: str
    source: str
    derived: str | None = None  # from which sibling, and how

    def scaled(self, factor: float, derived: str) -> Price:
        return Price(self.low * factor, self.mid * factor, self.high * factor, self.date, self.source, derived)

    def of(self, item: str, kind: Part, device: Device, count: int) -> PricedItem:
        """A line of the bill."""
        seen = {"date": self.date, "source": self.source, "derived": self.derived, "device": device.id}
        return PricedItem(item=item, kind=kind, count=count, usd=self.mid, usd_low=self.low, usd_high=self.high, **seen)


@dataclass(frozen=True)
class Switching:
    """A switch model as a fabric of one line rate uses it."""

    device: Device
    breakout: int  # links per switch port

    @property
    def radix(self) -> int:
        return self.device.ports * self.breakout

    @property
    def links_per_cage(self) -> int:
        """Links that one transceiver carries: of all ports of its cage, each split."""
        return self.device.ports_per_cage * self.breakout


def capacity(device: Device) -> float:
    """Bytes per second of all ports, one direction."""
    return device.ports * device.port_rate.si


def _speaking(kind: str, fabric: Fabric, catalog: Catalog) -> list[Device]:
    """The devices of a kind that can be part of this fabric today, speed aside."""
    wanted = "infiniband" if fabric.technology == "infiniband" else "ethernet", "both"
    known = [device for device in catalog.devices.values() if device.kind == kind and device.technology in wanted]
    return [device for device in known if device.maturity != "announced"]


def switches(fabric: Fabric, line_rate: float, catalog: Catalog) -> Iterable[Switching]:
    """Every switch of the catalog that this fabric can be built from at a line rate."""
    for device in _speaking("switch", fabric, catalog):
        if fabric.technology == "spectrum-x" and device.vendor != "NVIDIA":
            continue
        ratio = device.port_rate.si / line_rate
        if fabric.technology == "infiniband" and abs(ratio - 1) < 0.01:
            yield Switching(device, 1)
        elif fabric.technology != "infiniband" and 0.99 < ratio <= SLOWEST_PART_OF_PORT:
            parts = LARGEST_BREAKOUT if ratio >= LARGEST_BREAKOUT else 2 if ratio >= 2 else 1
            yield Switching(device, parts if round(line_rate / GBPS, 3) in PARTS_OF_PORT else 1)


def network_card(fabric: Fabric, line_rate: float, catalog: Catalog) -> Device | None:
    """The NIC whose port reaches the line rate: the nearest speed, then the fewest ports, then the least price."""
    cards = [card for card in _speaking("nic", fabric, catalog) if card.port_rate.si > 0.99 * line_rate]

    def order(device: Device) -> tuple[float, bool, int, float, str]:
        price = own_price(device)
        return device.port_rate.si, price is None, device.ports, price.mid if price else 0.0, device.id

    return min(cards, key=order, default=None)


def optic(fabric: Fabric, line_rate: float, links: int, catalog: Catalog) -> Device | None:
    """A transceiver for so many links of a line rate in one cage: of their rate together, or of the nearest, with as
    many ports or nearly; of several the hungriest."""

    def order(device: Device) -> tuple[float, int, float, str]:
        watts = device.power.si if device.power else 0.0
        return _apart(capacity(device), links * line_rate), abs(device.ports - links), -watts, device.id

    return min(_speaking("optic", fabric, catalog), key=order, default=None)


def link(line_rate: float, catalog: Catalog) -> tuple[Device, Price] | None:
    """A priced cable of the line rate with its optics, or the nearest one scaled to it; none for what runs over
    copper."""
    if line_rate <= COPPER:
        return None
    cables = [device for device in catalog.devices.values() if device.kind == "cable"]
    priced = [(device, price) for device in cables if (price := own_price(device)) is not None]
    if not priced:
        return None
    device, price = min(priced, key=lambda found: (_apart(found[0].port_rate.si, line_rate), found[0].id))
    ratio = line_rate / device.port_rate.si
    if abs(ratio - 1) < 0.01:
        return device, price
    return device, price.scaled(
        ratio, f"no price seen at {line_rate / GBPS:g} Gb/s; that of {device.port_rate.si / GBPS:g} Gb/s by line rate"
    )


def own_price(device: Device) -> Price | None:
    """The published price of a device; a single figure stands for low, mid and high."""
    facts = [fact for fact in (device.price_low, device.price, device.price_high) if fact is not None]
    if not facts:
        return None
    low, high = facts[0], facts[-1]
    mid = device.price or Fact(value=(low.value + high.value) / 2, unit="USD", source=low.source, date=low.date)
    return Price(low.value, mid.value, high.value, mid.date.isoformat(), mid.source)


def price_of(device: Device, catalog: Catalog) -> Price | None:
    """The device's price, or one derived by capacity from a priced sibling: the same vendor's first, then the
    nearest."""
    found = own_price(device)
    if found is not None:
        return found
    sibling = _sibling(device, catalog, own_price)
    priced = own_price(sibling) if sibling else None
    if sibling is None or priced is None:
        return None
    return priced.scaled(capacity(device) / capacity(sibling), f"no price seen; {sibling.name} by capacity")


def power_of(device: Device, catalog: Catalog) -> tuple[float, str | None]:
    """Watts of one device, and from which sibling they were derived when it has no figure of its own."""
    if device.power is not None:
        return device.power.si, None
    sibling = _sibling(device, catalog, lambda other: other.power)
    if sibling is None or sibling.power is None:
        return 0.0, "no figure seen, left out"
    return sibling.power.si * capacity(device) / capacity(sibling), f"no figure seen; {sibling.name} by capacity"


def _sibling(device: Device, catalog: Catalog, known: Callable[[Device], object]) -> Device | None:
    """The device of its kind and technology of which something is ``known`` that is nearest to it; none that is so far
    from it that its capacity tells nothing."""
    kin = (other for other in catalog.devices.values() if other.kind == device.kind)
    alike = (other for other in kin if other.technology == device.technology and known(other) is not None)
    apart = lambda other: (other.vendor != device.vendor, _apart(capacity(other), capacity(device)), other.id)
    near = (other for other in alike if _apart(capacity(other), capacity(device)) <= FARTHEST_SIBLING)
    return min(near, default=None, key=apart)


def _apart(one: float, other: float) -> float:
    return max(one, other) / min(one, other)
