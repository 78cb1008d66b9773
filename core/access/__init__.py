"""Visitors and their rights: admission, people and their roles, personal links."""

from . import people
from .addresses import ADDRESS, INVITATION, LOCAL_ADDRESS, check_address, find_address
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
from .invitation_lists import EMAIL, Invitee, read_invited, write_email
from .invitations import DAYS, LinkTerms, invite, renew, restore, revoke, write_personal_links
from .questionnaire import Field, check_answers, read_fields
from .rights import Right, describe_roles, has_right
