"""Which devices a fabric is built from, and what they cost and draw.

A price that nobody published for a device is derived from the nearest priced sibling by capacity (ports × port
rate), and the item says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assistant.vocabulary.catalog import Catalog, Device, Fabric, Fact

LARGEST_BREAKOUT = 4  # ports one switch port is split into: what 64×800G switches document (256 ports)
SLOWEST_PART_OF_PORT = 10  # a 100G port runs 10G lanes, an 800G port does not
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


@dataclass(frozen=True)
class Switching:
    """A switch model as a fabric of one line rate uses it."""

    device: Device
    breakout: int  # links per switch port

    @property
    def radix(self) -> int:
        return self.device.ports * self.breakout


def capacity(device: Device) -> float:
    """Bytes per second of all ports, one direction."""
    return device.ports * device.port_rate.si


def speaks(device: Device, fabric: Fabric) -> bool:
    """Whether the device can be part of this fabric, speed aside."""
    wanted = "infiniband" if fabric.technology == "infiniband" else "ethernet"
    if fabric.technology == "spectrum-x" and device.vendor.lower() != "nvidia":
        return False
    return device.technology in (wanted, "both")


def switching(fabric: Fabric, line_rate: float, catalog: Catalog, wanted: str | None = None) -> Switching | None:
    """The switch to plan with: the named one, else the one with the least cost per link among those of a fitting speed.

    Switches whose port is at most twice the line rate come first, then those with a price of their own.
    """
    fitting = [found for found in _switches(fabric, line_rate, catalog) if wanted in (None, found.device.id)]
    if not fitting:
        return None

    def order(found: Switching) -> tuple[bool, bool, float, str]:
        price = price_of(found.device, catalog)
        per_link = price.mid / found.radix if price else float("inf")
        return found.device.port_rate.si > 2 * line_rate, own_price(found.device) is None, per_link, found.device.id

    return min(fitting, key=order)


def _switches(fabric: Fabric, line_rate: float, catalog: Catalog) -> Iterable[Switching]:
    for device in catalog.devices.values():
        if device.kind != "switch" or not speaks(device, fabric):
            continue
        ratio = device.port_rate.si / line_rate
        if fabric.technology == "infiniband" and abs(ratio - 1) < 0.01:
            yield Switching(device, 1)
        elif fabric.technology != "infiniband" and 0.99 < ratio <= SLOWEST_PART_OF_PORT:
            yield Switching(device, 4 if ratio >= LARGEST_BREAKOUT else 2 if ratio >= 2 else 1)


def network_card(fabric: Fabric, line_rate: float, catalog: Catalog) -> Device | None:
    """The NIC with the least price that reaches the line rate, the nearest speed first."""
    cards = [device for device in catalog.devices.values()
             if device.kind == "nic" and speaks(device, fabric) and capacity(device) > 0.99 * line_rate]

    def order(device: Device) -> tuple[float, bool, float, str]:
        price = own_price(device)
        return capacity(device), price is None, price.mid if price else 0.0, device.id

    return min(cards, key=order) if cards else None


def optic(line_rate: float, catalog: Catalog) -> Device | None:
    """A switch-side transceiver whose ports run at the line rate; one with more ports and a known power first."""
    fitting = [device for device in catalog.devices.values()
               if device.kind == "optic" and abs(device.port_rate.si / line_rate - 1) < 0.01]
    return min(fitting, key=lambda device: (device.power is None, -device.ports, device.id)) if fitting else None


def link(line_rate: float, catalog: Catalog) -> tuple[Device, Price] | None:
    """A priced cable of the line rate, or the nearest one scaled to it."""
    priced = [(device, price) for device in catalog.devices.values()
              if device.kind == "cable" and (price := own_price(device)) is not None]
    if not priced:
        return None
    device, price = min(priced, key=lambda found: (abs(found[0].port_rate.si - line_rate), found[0].id))
    ratio = line_rate / device.port_rate.si
    if abs(ratio - 1) < 0.01:
        return device, price
    return device, price.scaled(ratio, f"{device.name} scaled by the line rate, ×{ratio:.2g}")


def own_price(device: Device) -> Price | None:
    """The published price of a device; a single figure stands for low, mid and high."""
    facts = [fact for fact in (device.price_low, device.price, device.price_high) if fact is not None]
    if not facts:
        return None
    low, high = facts[0], facts[-1]
    mid = device.price or Fact(value=(low.value + high.value) / 2, unit="USD", source=low.source, date=low.date)
    return Price(low.value, mid.value, high.value, mid.date.isoformat(), mid.source)


def price_of(device: Device, catalog: Catalog) -> Price | None:
    """The device's price, or one derived from its nearest priced sibling by capacity."""
    found = own_price(device)
    if found is not None:
        return found
    siblings = [(other, price) for other in catalog.devices.values()
                if other.kind == device.kind and other.technology == device.technology and (price := own_price(other))]
    if not siblings:
        return None
    nearest, price = min(siblings, key=lambda pair: (_apart(capacity(pair[0]), capacity(device)), pair[1].mid, pair[0].id))
    return price.scaled(capacity(device) / capacity(nearest), f"no price seen; {nearest.name} by capacity")


def power_of(device: Device, catalog: Catalog) -> tuple[float, str | None]:
    """Watts of one device, and from which sibling they were derived when it has no figure of its own."""
    if device.power is not None:
        return device.power.si, None
    siblings = [other for other in catalog.devices.values()
                if other.kind == device.kind and other.technology == device.technology and other.power is not None]
    if not siblings:
        return 0.0, "no power figure seen"
    nearest = min(siblings, key=lambda other: (_apart(capacity(other), capacity(device)), other.id))
    return nearest.power.si * capacity(device) / capacity(nearest), f"{nearest.name} by capacity"


def _apart(one: float, other: float) -> float:
    return max(one, other) / min(one, other)
