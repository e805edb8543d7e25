"""load.py fires five alerts a second at all Alertmanagers, as Prometheus does, and receives their notifications."""

import http.server
import json
import os
import threading
import time
import urllib.request

peers = ["http://127.0.0.1:%s/api/v2/alerts" % os.environ["PORT_%d" % n] for n in (1, 2, 3)]


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


def fire(peer, name):
    """Tells one Alertmanager of an alert, until it has it."""
    body = json.dumps([{"labels": {"alertname": name}}]).encode()
    request = urllib.request.Request(peer, body, {"Content-Type": "application/json"})
    while True:
        try:
            urllib.request.urlopen(request, timeout=2).close()
            return
        except OSError:
            time.sleep(0.5)


server = http.server.ThreadingHTTPServer(("127.0.0.3", int(os.environ["PORT_1"])), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
for n in range(45 * 5):  # 20 s are left, in which the last notifications are sent
    for peer in peers:
        threading.Thread(target=fire, args=(peer, "a%d" % n), daemon=True).start()
    print("asked a%d" % n)
    time.sleep(0.2)
threading.Event().wait()
