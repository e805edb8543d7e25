# One replica of a service whose report is due every five seconds: a scheduler on the job store of all
# replicas. APScheduler skips a run that would begin more than a second late.
import os
import time

import psycopg2
from apscheduler.schedulers.blocking import BlockingScheduler

url = os.environ["DATABASE_URL"]


def report():
    key = "due-%d" % (time.time() // 5 * 5)
    print("begin", key)
    db = psycopg2.connect(url)
    with db, db.cursor() as cursor:
        cursor.execute("INSERT INTO reports VALUES (%s)", (key,))
    db.close()
    print("done", key)


def main():
    db = psycopg2.connect(url)
    with db, db.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(1); CREATE TABLE IF NOT EXISTS reports (due text)")
    db.close()
    scheduler = BlockingScheduler()
    scheduler.add_jobstore("sqlalchemy", url=url)
    scheduler.add_job(report, "cron", second="*/5", id="report", replace_existing=True)
    print("started")
    scheduler.start()


time.sleep(int(os.environ["REPLICA"]))
main()
