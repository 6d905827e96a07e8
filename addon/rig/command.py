"""`amble rig`."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..command import BELOW_BAR, DONE, Command, Job, add_quiet, add_rig, named, rig_of, source_of
from ..errors import BadFile


def _rig_options(parser: argparse.ArgumentParser) -> None:
    from .. import formats

    kinds = formats.either(formats.suffixes(still=True))
    add_rig(parser)
    add = parser.add_argument_group("results").add_argument
    add(
        "--save-roles", metavar="PATH", help="save the roles as a .toml file for --roles (default: not saved)"
    )
    add(
        "--output",
        metavar="PATH",
        help=f"save the file as {kinds}, with the roles of --roles kept on the rig (default: not saved)",
    )
    add(
        "--picture", metavar="PATH", help="draw the rig with its roles coloured, as .png (default: not drawn)"
    )
    add("--json", action="store_true", help="print the roles as JSON (default: as a table)")
    add("--strict", action="store_true", help="exit with 1 where a role is missing (default: with 0)")
    add_quiet(add)


def _show_rig(job: Job) -> int:
    """Recognise, show, draw, save."""
    arguments = job.arguments
    from .. import formats
    from .. import outputs as out

    picture = named(arguments, "picture", ".png")
    saved = named(arguments, "save_roles", ".toml")
    read = Path(arguments.roles) if arguments.roles is not None else None
    if saved is not None and read is not None and saved.resolve() == read.resolve():
        raise BadFile(f"--save-roles {saved} would replace the file of --roles: name another one.")
    scene = Path(arguments.output) if arguments.output is not None else None
    if scene is not None:
        formats.check_format(scene, still=True)
    targets = [path for path in (saved, picture, scene) if path is not None]
    with out.Outputs(targets, source_of(arguments)) as outputs:
        armature = rig_of(job, None)
        from . import read_skeleton, roles
        from .table import as_dict, headline, table

        skeleton, found = read_skeleton(armature), roles(armature)
        head = headline(armature.name, skeleton, found)
        if saved is not None:
            from . import save_roles

            with outputs.writing(saved) as temporary:
                save_roles(armature, temporary)
        if picture is not None:
            from ..picture import rig_picture

            job.say(f"drawing {picture}")
            with outputs.writing(picture) as temporary:
                rig_picture(armature, temporary, roles=found, title=head)
        if scene is not None:
            job.say(f"writing {scene}")
            with outputs.writing(scene) as temporary:
                formats.save_rig(temporary, armature)
        outputs.commit()
    if arguments.json:
        shown = {"file": arguments.file, "armature": armature.name, **as_dict(skeleton, found)}
        job.show_json(shown)
    elif not arguments.quiet:
        job.show(f"{head}\n\n{table(skeleton, found)}")
    return BELOW_BAR if arguments.strict and found.missing else DONE


COMMAND = Command(
    name="rig",
    summary="show which bones were recognised as what, and set what is wrong",
    examples="""examples:
  python -m amble rig character.glb
  python -m amble rig character.glb --picture roles.png --save-roles roles.toml
  python -m amble rig character.glb --roles roles.toml          after correcting roles.toml in an editor
  blender -b rig.blend -c amble rig --roles roles.toml --output rig.blend""",
    options=_rig_options,
    run=_show_rig,
)
