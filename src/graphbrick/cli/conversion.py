"""Values of the command line that need no conversion are taken as they are.

typer converts every parameter, also those that nobody gave, by pydantic, whose import and schemas take a seventh of the
time of a question in a new process.
"""

from __future__ import annotations

from functools import partial
from typing import Any, get_args


def spare_conversions(command: Any) -> Any:
    """Let the parameters of a command take values as they are where a conversion would not change them.

    Returns:
        The command.
    """
    command.get_params = partial(_parameters, command.get_params)
    return command


def _parameters(listed: Any, context: Any) -> Any:
    """Return the parameters of a command, the one for help among them."""
    parameters = listed(context)
    for parameter in parameters:
        # Versions of typer without this attribute convert without pydantic.
        if hasattr(parameter, "type_descriptor") and "process_value" not in vars(parameter):
            parameter.process_value = partial(_processed, parameter, parameter.process_value)
    return parameters


def _processed(parameter: Any, convert: Any, context: Any, value: Any) -> Any:
    """Return the value of a parameter as the command gets it."""
    described, is_list = parameter.type_descriptor, parameter.multiple or parameter.nargs == -1
    kind, parser = described.annotation, described.parameter_info.parser
    is_default = context.get_parameter_source(parameter.name).name == "DEFAULT"
    if value is None and not parameter.required:
        value = () if is_list else None
    elif is_list or parameter.nargs != 1:
        return convert(context, value)
    elif parser is not None and type(value) is str:
        try:
            value = parser(value)
        except (ValueError, AssertionError):
            return convert(context, value)  # raises the error that names the parameter
    elif parser is not None or not ((kind is str or is_default) and (type(value) is kind or value in get_args(kind))):
        return convert(context, value)
    return value if parameter.callback is None else parameter.callback(context, parameter, value)
