"""The one error of this package."""

from __future__ import annotations

from classinet.exceptions import InputError


class DatasetError(InputError):
    """A data set is not there, cannot be fetched, or is damaged; the message says what to do.

    Examples
    --------
    >>> issubclass(DatasetError, InputError)
    True
    """
