package scenarios

// The libraries.
const (
	gozkModule    = "github.com/go-zookeeper/zk"
	etcdModule    = "go.etcd.io/etcd/client/v3"
	redsyncModule = "github.com/go-redsync/redsync/v4"
	bsmModule     = "github.com/bsm/redislock"
	rueidisModule = "github.com/redis/rueidis"
	consulModule  = "github.com/hashicorp/consul/api"
	kubeModule    = "k8s.io/client-go"
)

func foundGozkExpiredWaiter() *Finding {
	return &Finding{Library: gozkModule, Version: "v1.0.4",
		Failure:    "a waiter whose session expired while it was stopped is granted the lock beside another",
		Documented: "this failure not found; that a holder cannot learn of a loss is an open question there", Link: "https://github.com/samuel/go-zookeeper/issues/20"}
}

func foundGozkCut() *Finding {
	return &Finding{Library: gozkModule, Version: "v1.0.4",
		Failure:    "after a connection that broke between create and getChildren, the node stays as long as the session: deadlock",
		Documented: "an open pull request in the project that it was forked from", Link: "https://github.com/samuel/go-zookeeper/pull/237"}
}

func foundEtcdShared() *Finding {
	return &Finding{Library: etcdModule, Version: "v3.7.3",
		Failure:    "two mutexes of one session both acquire, with the same token",
		Documented: "by design: maintainers say so in a pull request, the package's page does not", Link: "https://github.com/etcd-io/etcd/pull/11364"}
}

func foundEtcdReply() *Finding {
	return &Finding{Library: etcdModule, Version: "v3.7.3",
		Failure:    "a lost reply to the transaction leaves an entry that nobody owns as long as the session lives: deadlock",
		Documented: "the way out only: the same session may ask again and takes its old place", Link: "https://github.com/etcd-io/etcd/pull/5199"}
}

func foundRedislockToken() *Finding {
	return &Finding{Library: bsmModule, Version: "v0.9.4",
		Failure:    "two calls of Obtain with the same Token both succeed",
		Documented: "by design, in the changelog; a maintainer had objected to it before", Link: "https://github.com/bsm/redislock/pull/71"}
}

func foundRedsyncExtend() *Finding {
	return &Finding{Library: redsyncModule, Version: "v4.18.1",
		Failure:    "with WithSetNXOnExtend a lease that was over is extended, although another had the lock meanwhile",
		Documented: "that it sets the key anew: yes; that another may have had the lock: no", Link: "https://github.com/go-redsync/redsync/pull/149"}
}

func foundRedsyncOrphan() *Finding {
	return &Finding{Library: redsyncModule, Version: "v4.18.1",
		Failure:    "a SET that arrives after the clean-up holds the lock for a whole TTL in nobody's name",
		Documented: "not found"}
}

func foundRueidisClock() *Finding {
	return &Finding{Library: rueidisModule, Version: "v1.0.79",
		Failure:    "with the server's clock ahead by a validity SET … PXAT leaves no key: two clients hold",
		Documented: "that PXAT is the default and how to choose PX: yes; what it means for clocks: no", Link: "https://pkg.go.dev/github.com/redis/rueidis/rueidislock"}
}

func foundRueidisSilence() *Finding {
	return &Finding{Library: rueidisModule, Version: "v1.0.79",
		Failure:    "on a silent link the context is cancelled after another was granted the lock",
		Documented: "the contrary: it is said to be cancelled at once", Link: "https://pkg.go.dev/github.com/redis/rueidis/rueidislock"}
}

func foundConsulSilence() *Finding {
	return &Finding{Library: consulModule, Version: "v1.34.5",
		Failure:    "on a silent link the leader channel is still open 5 s after another was granted the lock",
		Documented: "an open issue", Link: "https://github.com/hashicorp/consul/issues/18271"}
}
