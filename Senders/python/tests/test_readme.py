import os
import re
import unittest

FOLDER = os.path.join(os.path.dirname(__file__), "..")


class Readme(unittest.TestCase):
    def test_its_examples_are_the_files(self):
        with open(os.path.join(FOLDER, "README.md")) as file:
            blocks = re.findall(r"```python\n(.*?)```\n", file.read(), re.DOTALL)
        for name in ("seal.py", "send.py"):
            with open(os.path.join(FOLDER, "examples", name)) as file:
                self.assertIn(file.read(), blocks, f"README.md does not have examples/{name} byte for byte")
