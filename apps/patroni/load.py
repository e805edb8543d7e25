"""load.py ADDRESS... writes to every node, 20 rows a second each, whichever of them leads, over one connection as long as that lasts."""

import sys
import threading
import time

import psycopg2


def write(node, address):
    host, port = address.split(":")
    conn, n = None, 0
    while True:
        time.sleep(0.05)
        try:
            if conn is None:
                conn = psycopg2.connect(host=host, port=port, user="postgres", dbname="postgres", connect_timeout=2)
                conn.autocommit = True
            n += 1
            conn.cursor().execute("INSERT INTO writes VALUES ('%d-%d')" % (node, n))
        except psycopg2.errors.UndefinedTable:
            try:
                conn.cursor().execute("CREATE TABLE writes (key text PRIMARY KEY)")
            except psycopg2.Error:
                pass  # this node does not lead
        except psycopg2.errors.ReadOnlySqlTransaction:
            pass
        except psycopg2.Error:
            conn = None  # it is restarted


threads = [threading.Thread(target=write, args=(i + 1, a), daemon=True) for i, a in enumerate(sys.argv[1:])]
for t in threads:
    t.start()
for t in threads:
    t.join()
