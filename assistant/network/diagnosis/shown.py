"""The network that a log shows, against the one that it is held against."""

from assistant.vocabulary.catalog import Fabric

from .signatures import read

_VERBS = {"infiniband", "roce"}  # as logs call them: without the list of adapters NCCL prints IB for both


def of_another(transport: str, fabric: Fabric) -> bool:
    """Whether a log of this transport is of another network than the fabric, whichever adapters carried it."""
    shown = next((one for one in read("transports") if one["transport"] == transport), None)
    either = {transport, fabric.technology} == _VERBS or (shown is not None and shown.get("of_any_adapter"))
    return shown is not None and fabric.technology not in shown["networks"] and not either


def differs(transport: str, fabric: Fabric) -> str:
    """What a log of this transport shows in place of the fabric, in a sentence; empty where it is the same, or where
    the log does not say."""
    known = read("transports")
    shown = next((one for one in known if one["transport"] == transport), None)
    if shown is None or fabric.technology in shown["networks"]:
        return ""
    meant = next((one["says"] for one in known if fabric.technology in one["networks"]), fabric.name)
    said = f"the log shows {shown['says']}, not {meant}"
    if shown.get("of_any_adapter"):
        how = f"{shown['says']}, over whichever adapter these took"
        return f"{said}: what was measured is {fabric.name} as it is now, with {how}"
    if {transport, fabric.technology} == _VERBS:
        return f"{said}, if it lists its adapters: NCCL calls both IB, and without the list it may be either"
    return f"{said}: it is another network, and says nothing of {fabric.name}"
