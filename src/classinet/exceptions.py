"""The error tree: everything this library raises on purpose is a `ClassiNetError`."""

from __future__ import annotations


class ClassiNetError(Exception):
    """Base of all errors raised on purpose by this library."""


class InputError(ClassiNetError, ValueError):
    """The data cannot be used; the message names the row, column or value."""


class ParameterError(ClassiNetError, ValueError):
    """A parameter has a value that cannot work; the message names it."""


class DivergenceError(ClassiNetError, ValueError):
    """An infinite propagation would not converge."""


class MissingExtraError(ClassiNetError, ImportError):
    """An optional dependency is not installed; the message names the pip command."""


class StorageError(ClassiNetError, OSError):
    """A saved model cannot be written or read; the message names the file, what is wrong and what to do."""


class ClusterError(ClassiNetError, RuntimeError):
    """A cluster cannot be used or was lost; the message names its address or worker, and what to check."""


class Cancelled(ClassiNetError):
    """Raise this from a progress callback to stop a fit; nothing half-fitted remains."""


class DivergenceWarning(UserWarning):
    """A finite propagation grows with every hop."""


class EmptyNetWarning(UserWarning):
    """No vertex could be learnt, so nothing will be expanded."""


class LeftBehindWarning(UserWarning):
    """A part of a model cannot be stored without executing code on loading, so it is not saved."""


class UnknownTextWarning(UserWarning):
    """Some texts hold no feature that is known, so their labels are not read from them."""
