"""Devices, of which there is one: OrtDevice and the like in onnxruntime's shape."""

from __future__ import annotations

from .errors import InvalidArgument


class OrtDevice:
    """Where a value lives: always the CPU."""

    def __init__(self, device_id: int = 0) -> None:
        self._id = device_id

    @staticmethod
    def make(ort_device_name: str, device_id: int, vendor_id: int = -1) -> OrtDevice:
        """The device of a name; "cpu" is the only one. Raises InvalidArgument."""
        need_cpu(ort_device_name)
        return OrtDevice(device_id)

    @staticmethod
    def cpu() -> int:
        """The number of the device type."""
        return 0

    @staticmethod
    def default_memory() -> int:
        """The number of the memory type."""
        return 0

    def device_type(self) -> int:
        return self.cpu()

    def device_id(self) -> int:
        return self._id

    def device_mem_type(self) -> int:
        return self.default_memory()

    def device_vendor_id(self) -> int:
        return 0


def need_cpu(device_type: str) -> None:
    """Raises InvalidArgument for any device but the CPU."""
    if str(device_type).lower() != "cpu":
        raise InvalidArgument(f"values are on device 'cpu'; there is no device {device_type!r}")
