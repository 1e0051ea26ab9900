"""spoil.py DIR HOW: spoils every file of packed weights below DIR: cut (shorter), zeros (a part is missing), header (a flipped bit), text."""
import os
import sys

for folder, _, names in os.walk(os.path.join(sys.argv[1], "packed")):
    for name in names:
        path = os.path.join(folder, name)
        with open(path, "r+b") as file:
            size = os.path.getsize(path)
            if sys.argv[2] == "cut":
                file.truncate(size - 5000)
            elif sys.argv[2] == "zeros":
                file.seek(size // 2)
                file.write(bytes(size // 4))
            elif sys.argv[2] == "header":
                file.seek(50)
                byte = file.read(1)[0]
                file.seek(50)
                file.write(bytes([byte ^ 4]))
            else:
                file.truncate(0)
                file.write(b"no entry")
