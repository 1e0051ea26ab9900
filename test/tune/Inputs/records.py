"""records.py ACTION DATABASE [...]: looks into a database of tuning records, or changes it as a user might.

  choose DB SCHEDULE     writes SCHEDULE as what was found best for the first kernel, and prints its name
  machine DB NAME        writes NAME as the machine of all kernels
  kill DB COMMAND...     starts COMMAND, kills it with SIGKILL once the database has three measurements, runs it again to its
                         end, and checks that every measurement that was there at the kill is still there, unchanged
"""
import hashlib
import os
import signal
import sqlite3
import subprocess
import sys
import time


def measurements(path):
    if not os.path.exists(path):
        return []
    try:
        db = sqlite3.connect(path, timeout=10)
        rows = db.execute("SELECT k.digest, k.sizes, m.round, m.schedule, m.ms FROM measurement m JOIN kernel k ON k.id = m.kernel ORDER BY 1, 2, 3, 4").fetchall()
        db.close()
        return rows
    except sqlite3.OperationalError:  # not made yet
        return []


action, path = sys.argv[1:3]
if action == "choose":
    db = sqlite3.connect(path)
    first = db.execute("SELECT min(id) FROM kernel").fetchone()[0]
    db.execute("UPDATE kernel SET best_schedule = ? WHERE id = ?", (sys.argv[3], first))
    db.commit()
    with open(path + "-stamp", "w") as stamp:
        stamp.write(hashlib.sha256(sys.argv[3].encode()).hexdigest())
elif action == "machine":
    db = sqlite3.connect(path)
    db.execute("UPDATE kernel SET machine = ?", (sys.argv[3],))
    db.commit()
else:
    process = subprocess.Popen(sys.argv[3:], stdout=subprocess.DEVNULL)
    while len(measurements(path)) < 3 and process.poll() is None:
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = measurements(path)
    assert len(before) >= 3, before
    subprocess.run(sys.argv[3:], check=True, stdout=subprocess.DEVNULL)
    after = set(measurements(path))
    lost = [row for row in before if row not in after]
    print(f"{len(lost)} lost")
    db = sqlite3.connect(path)
    print("integrity", db.execute("PRAGMA integrity_check").fetchone()[0])
    print("unfinished", db.execute("SELECT count(*) FROM kernel WHERE finished = 0").fetchone()[0])
