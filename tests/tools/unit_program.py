"""lit's test format of the unit tests. It is a module because lit sends formats to its worker processes, which is impossible with a class
of a configuration file."""
import os
import subprocess

import lit.formats
import lit.Test


class UnitProgram(lit.formats.FileBasedTest):
    """Runs BUILD/tests/NAME, which the Makefile has made of NAME.c; cmocka's last line must say PASSED."""

    def execute(self, test, lit_config):
        name = os.path.splitext(test.path_in_suite[-1])[0]
        program = os.path.join(lit_config.params["build"], "tests", name)
        directory = os.path.dirname(test.getSourcePath())
        run = subprocess.run([program], capture_output=True, text=True, errors="replace", cwd=directory)
        output = run.stdout + run.stderr
        good = run.returncode == 0 and "PASSED" in output and "FAILED" not in output
        return (lit.Test.PASS if good else lit.Test.FAIL), output
