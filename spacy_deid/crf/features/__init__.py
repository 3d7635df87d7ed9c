"""The feature groups: small functions, enabled by name in the config.

To add one, write a function in the module where it belongs (`forms`, `context`, `characters`) and
decorate it with `@feature_group("name", ...)`.
"""

from . import characters as characters
from . import context as context
from . import forms as forms
from .group import FEATURE_GROUPS as FEATURE_GROUPS
from .group import FeatureGroup as FeatureGroup
from .group import Knowledge as Knowledge
from .group import feature_group as feature_group
