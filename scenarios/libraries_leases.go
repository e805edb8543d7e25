package scenarios

// The findings about client-go's leader election.

func foundLateRenewal() *Finding {
	return &Finding{Library: kubeModule, Version: "v0.35.4",
		Failure:    "a leader that heard late of a renewal and is cut off is notified of its loss after another leads",
		Documented: "that the package does not guarantee that one client alone acts as a leader", Link: "https://pkg.go.dev/k8s.io/client-go/tools/leaderelection"}
}

func foundResignAtWork() *Finding {
	return &Finding{Library: kubeModule, Version: "v0.35.4",
		Failure:    "with ReleaseOnCancel the lease is given back while OnStartedLeading still runs: two at work",
		Documented: "that the work must be over before; an open pull request waits for it", Link: "https://github.com/kubernetes/kubernetes/pull/139991"}
}

func foundReleaseOfNext() *Finding {
	return &Finding{Library: kubeModule, Version: "v0.35.4",
		Failure:    "a leader that was stopped while it could not renew gives back the lease of the next: a third leads beside that",
		Documented: "not found"}
}

func foundHealthyLeader() *Finding {
	return &Finding{Library: kubeModule, Version: "v0.35.4",
		Failure:    "renewals within one second look alike to others, so that a lease of a second is taken from a leader that renews it",
		Documented: "not found"}
}
