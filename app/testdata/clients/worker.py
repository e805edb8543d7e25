"""A worker that does one key after another under a lock, or without one: worker.py locked|unlocked DIRECTORY"""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../examples/app"))
from torture import tell  # noqa: E402

how, lock = sys.argv[1:]
n = 0
while True:
    if how == "locked":
        try:
            os.mkdir(lock)
        except FileExistsError:
            time.sleep(0.005)
            continue
    n += 1
    key = f"{os.getpid()}-{n}"
    tell("begin", "payout", key)
    time.sleep(0.02)
    tell("end", "payout", key)
    if how == "locked":
        os.rmdir(lock)
    print("at work", flush=True)
    time.sleep(0.01)
