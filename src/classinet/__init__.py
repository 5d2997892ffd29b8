"""ClassiNet: predict the features a short text could have contained, and classify it with them."""

from classinet.exceptions import Cancelled, ClassiNetError
from classinet.expander import Expander
from classinet.model import ClassiNet
from classinet.net import Net

__version__ = "0.1.0"
__all__ = ["Cancelled", "ClassiNet", "ClassiNetError", "Expander", "Net", "__version__"]
