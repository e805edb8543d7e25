"""kept.py ADDRESS... prints the rows of the node that leads, once there is exactly one."""

import sys
import time

import psycopg2


def rows(address):
    host, port = address.split(":")
    try:
        conn = psycopg2.connect(host=host, port=port, user="postgres", dbname="postgres", connect_timeout=2)
        cursor = conn.cursor()
        cursor.execute("SELECT pg_is_in_recovery()")
        if cursor.fetchone()[0]:
            return None
        cursor.execute("SELECT key FROM writes")
        return [row[0] for row in cursor.fetchall()]
    except psycopg2.Error:
        return None


for _ in range(60):
    leaders = [r for r in map(rows, sys.argv[1:]) if r is not None]
    if len(leaders) == 1:
        for key in leaders[0]:
            print("kept", key)
        sys.exit(0)
    time.sleep(0.5)
sys.exit("there is not one node that leads, but %d" % len(leaders))
