"""load.py says which reports are due, at the begin of each minute."""

import time

while True:
    minute = time.time() // 60 * 60 + 60
    while time.time() < minute:
        time.sleep(0.05)
    for n in range(1, 5):
        print("due report%d@%s" % (n, time.strftime("%H:%M", time.gmtime(minute))))
