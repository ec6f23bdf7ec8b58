"""The first thing that runs: it only asks whether this Python will do, so it must parse on any."""

import os
import sys

NEEDED = (3, 11)

if sys.version_info < NEEDED:
    # A newer one often lies beside an old default. Some are only shims that fail, so each is tried.
    folders = os.environ.get("PATH", "").split(os.pathsep)
    names = [os.path.join(folder, "python3.%d" % minor) for minor in range(20, 10, -1) for folder in folders]
    for newer in names:
        if os.access(newer, os.X_OK) and os.system('"%s" -c "" >/dev/null 2>&1' % newer) == 0:
            os.execv(newer, [newer, "-E", "-m", "tools.boot"] + sys.argv[1:])
    numbers = NEEDED + sys.version_info[:2]
    message = (
        "error: Python {}.{} or newer is needed and this is {}.{}; name another: PYTHON=python3.12 ./run\n"
    )
    sys.stderr.write(message.format(*numbers))
    sys.exit(2)

from tools.commands import main  # noqa: E402

sys.exit(main(sys.argv[1:]))
