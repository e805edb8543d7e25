"""load.py says when a report is due: every five seconds, once the pollers look, 10 to 15 s after the start of their processes."""

import time

time.sleep(20)
while True:
    period = time.time() // 5 + 1
    while time.time() < period * 5:
        time.sleep(0.05)
    print("due %d" % period)
