"""Roles of the columns of a source: the user, the identifiers, the attributes, and why.

Roles are proposed from names and from one pass over the data. Every decision has a reason, and a person can
overrule it.
"""

from __future__ import annotations

from duckrisk.roles.attributes import attributes_at_full_precision as attributes_at_full_precision
from duckrisk.roles.attributes import default_attributes as default_attributes
from duckrisk.roles.attributes import parse_attribute as parse_attribute
from duckrisk.roles.attributes import published_attribute as published_attribute
from duckrisk.roles.attributes import shown_type as shown_type
from duckrisk.roles.attributes import value_order as value_order
from duckrisk.roles.attributes import whole_attribute as whole_attribute
from duckrisk.roles.inference import infer as infer
from duckrisk.roles.model import DECLARED as DECLARED
from duckrisk.roles.model import FEW as FEW
from duckrisk.roles.model import KNOWN_ROLES as KNOWN_ROLES
from duckrisk.roles.model import ROLES as ROLES
from duckrisk.roles.model import Confidence as Confidence
from duckrisk.roles.model import Decision as Decision
from duckrisk.roles.model import Declared as Declared
from duckrisk.roles.model import Role as Role
from duckrisk.roles.model import Roles as Roles
from duckrisk.roles.model import append_reason as append_reason
from duckrisk.roles.model import known_columns as known_columns
from duckrisk.roles.overrides import RoleOverrides as RoleOverrides
