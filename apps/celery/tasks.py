"""tasks.py has the tasks of a service; run as a program, it asks for a payout every half second."""

import os
import time

import celery
import redis
from celery.signals import before_task_publish

PERIOD = 4
app = celery.Celery("tasks", broker=os.environ["REDIS_URL"])
app.conf.beat_schedule = {"report": {"task": "tasks.report", "schedule": float(PERIOD)}}
db = redis.Redis.from_url(os.environ["REDIS_URL"])


@app.task
def report():
    pass


@app.task
def payout(key):
    print("begin " + key)
    time.sleep(0.3)
    db.rpush("paid", key)
    print("done " + key)


@before_task_publish.connect(sender="tasks.report")
def sent(**_):
    print("sent in period %d" % (time.time() // PERIOD), flush=True)


if __name__ == "__main__":
    for n in range(10**6):
        payout.delay("p%d" % n)
        print("queued p%d" % n)
        time.sleep(0.5)
