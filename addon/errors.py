"""What can go wrong for a user, as exceptions.

Every message is one sentence that names the bone, object or option at fault and says what to do about it.
Operators show it as a report; the command line prints it as one line and exits with code 2.
"""

from typing import Any


class AmbleError(Exception):
    """Base of every error that the user can mend."""


class NotAnArmature(AmbleError):
    """The object given is no armature, or the file holds none."""


class TooFewBones(AmbleError):
    """The armature has no bones, or too few for what was asked."""


class NoLegsFound(AmbleError):
    """No legs were recognised; the message lists the candidates looked at and the role to set."""


class MissingRole(AmbleError):
    """A role that the call needs (pelvis, foot, ...) was not recognised and not given."""


class BadSetting(AmbleError):
    """A setting is outside its range or contradicts another; the message names it with unit and range."""


class BadFile(AmbleError):
    """A file cannot be read as what it is, or the output cannot be written."""


class ActionExists(AmbleError):
    """An action of that name is there already and may not be overwritten."""


class CoreMismatch(AmbleError):
    """The native core is missing or of another version than the Python part."""


def is_gone(thing: Any) -> bool:
    """Whether something of Blender's was removed from the file after a script had got hold of it."""
    try:
        _ = thing.name
    except ReferenceError:
        return True
    except AttributeError:
        pass
    return False


def check_there(armature_object: Any) -> None:
    """Refuse, with NotAnArmature, an object that was removed from the file."""
    if is_gone(armature_object):
        raise NotAnArmature(
            "The armature object is gone: it was removed from the file; give one that is there."
        )
