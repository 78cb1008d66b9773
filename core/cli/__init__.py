"""The command line: one module per subject, each with its commands and their options. Only this
package may write to the terminal.
"""

from .command_line import COMMANDS, ENTRIES, parse, parser
from .output import BrokenError, print_output, warn
from .settings import flag
