"""unit_format.py: lit's format for RUN lines, extended by .c files: there the program that the build made is the test."""
import os

import lit.formats
import lit.Test
import lit.util


class Tests(lit.formats.ShTest):
    def __init__(self, root, build):
        super().__init__(execute_external=False)
        self.root, self.build = root, build

    def execute(self, test, litConfig):
        source = test.getSourcePath()
        if not source.endswith(".c"):
            return super().execute(test, litConfig)
        program = os.path.join(self.build, os.path.relpath(source, self.root))[:-2]
        if not os.path.exists(program):
            return lit.Test.FAIL, f"{program} was not built"
        try:
            out, err, code = lit.util.executeCommand([program], env=test.config.environment, timeout=300)
        except lit.util.ExecuteCommandTimeoutException as e:
            return lit.Test.TIMEOUT, f"{e.out}{e.err}"
        return (lit.Test.UNSUPPORTED if code == 77 else lit.Test.FAIL if code else lit.Test.PASS), f"exit {code}\n{out}{err}"
