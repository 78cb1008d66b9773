"""Who is there, and what may they do: admission, people and their roles, personal links."""

from core.access import people
from core.access.admission import WORDS, Access, Claim, DeniedError, Visit, access_of, admit
from core.access.invitations import DAYS, LinkTerms, invite, restore, revoke

__all__ = [
    "DAYS",
    "WORDS",
    "Access",
    "Claim",
    "DeniedError",
    "LinkTerms",
    "Visit",
    "access_of",
    "admit",
    "invite",
    "people",
    "restore",
    "revoke",
]
