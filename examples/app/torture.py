"""Tells torture app of the runs of a job. Without TORTURE_EVENTS it does nothing."""
import json
import os
import urllib.request


def tell(what, job, key="", **more):
    """what: begin, try, effect or end. It waits for the answer, without a time limit of its own."""
    url = os.environ.get("TORTURE_EVENTS")
    if url:
        body = json.dumps({"job": job, "key": str(key), **more}).encode()
        with urllib.request.urlopen(urllib.request.Request(f"{url}/{what}", body, method="POST")) as answer:
            answer.read()
