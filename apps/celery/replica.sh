#!/bin/sh
# replica.sh is a replica of the service: a beat and a worker.
/usr/bin/python3 -m celery -A tasks beat --schedule "$DIR/schedule" --pidfile "$DIR/beat.pid" --loglevel warning &
exec /usr/bin/python3 -m celery -A tasks worker --concurrency 1 --hostname "worker$REPLICA@%h" --loglevel info
