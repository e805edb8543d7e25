package scenarios

// The findings about elections and read–write locks; libraries_upstream.go has the libraries.

func foundZombieCandidate() *Finding {
	return &Finding{Library: etcdModule, Version: "v3.7.3",
		Failure:    "a candidate whose session has ended is granted the leadership beside the next",
		Documented: "a question of 2019 that was closed as stale", Link: "https://github.com/etcd-io/etcd/issues/11051"}
}

func foundEndedWriter() *Finding {
	return &Finding{Library: etcdModule, Version: "v3.7.3",
		Failure:    "a writer whose session has ended while it waited is granted the lock, beside the next",
		Documented: "a closed issue of 2023", Link: "https://github.com/etcd-io/etcd/issues/16221"}
}

func foundOneMutex() *Finding {
	return &Finding{Library: etcdModule, Version: "v3.7.3",
		Failure:    "RLock twice on one RWMutex leaves the first key as long as the session lives, after RUnlock twice too: deadlock",
		Documented: "not found"}
}

func foundReaderBetweenWriters() *Finding {
	return &Finding{Library: "kazoo", Version: "2.8.0",
		Failure:    "a reader and the writer behind it wait for each other: deadlock",
		Documented: "an issue, fixed in 2.9.0", Link: "https://github.com/python-zk/kazoo/issues/649"}
}

func foundResignAgain() *Finding {
	return &Finding{Library: etcdModule, Version: "v3.7.3",
		Failure:    "after a Resign that failed the next says yes and asks nobody; the key stays as long as the session lives: deadlock",
		Documented: "an open issue", Link: "https://github.com/etcd-io/etcd/issues/22123"}
}

func foundCompactedCampaign() *Finding {
	return &Finding{Library: etcdModule, Version: "v3.7.3",
		Failure:    "a Campaign that a compaction has ended with an error leaves its key as long as the session lives: deadlock",
		Documented: "an open issue", Link: "https://github.com/etcd-io/etcd/issues/21128"}
}
