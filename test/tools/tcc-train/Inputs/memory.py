"""memory.py MEGABYTES COMMAND...: runs it; exit 1 if it held more memory at once."""
import resource
import subprocess
import sys

subprocess.run(sys.argv[2:], check=True)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
if peak > int(sys.argv[1]):
    sys.exit(f"{peak} MB were held")
