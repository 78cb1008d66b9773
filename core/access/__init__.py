"""Visitors and their rights: admission, people and their roles, personal links."""

from . import people
from .admission import (
    WORDS,
    Access,
    Claim,
    CrowdSession,
    DeniedError,
    Session,
    access_of,
    authorize,
)
from .crowds import CROWD, PLATFORMS, CrowdTerms, close_crowd, open_crowd
from .invitations import (
    DAYS,
    EMAIL,
    LinkTerms,
    PersonalLink,
    invite,
    read_invited,
    renew,
    restore,
    revoke,
    write_personal_links,
)
from .links import ADDRESS, INVITATION, LOCAL_ADDRESS, check_address, find_address
from .people import Right, describe_roles, has_right
from .questionnaire import Field, check_answers, read_fields
