package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordination "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"

	"locktorture/internal/dial"
	endpoint "locktorture/internal/wire"
	"locktorture/locks"
	"locktorture/locks/attempt"
	"locktorture/locks/kubernetes"
)

// A KubernetesConfig says where the API servers are. Only Endpoints is needed.
type KubernetesConfig struct {
	Endpoints []string // of API servers, as Secured of internal/wire writes them; the first one is used
	// TTL is the LeaseDuration, rounded up to whole seconds, because a Lease knows no others;
	// at least 1 s, default 2 s. RenewDeadline and RetryPeriod are 2/3 and 2/15 of it, as those
	// of Kubernetes' own components are of their 15 s.
	TTL   time.Duration
	Owner string // begins every identity
	// KeepOnCancel leaves ReleaseOnCancel false, which is the library's default: who resigns
	// leads no longer, and nobody else does until its Lease has expired.
	KeepOnCancel bool
	// Settle lets a resignation wait for the answer to a renewal that is on its way. The library
	// gives that up and releases beside it: if the renewal is carried out in between, the
	// release is refused, and nobody leads until the Lease has expired.
	Settle bool
}

// A KubernetesLease is k8s.io/client-go/tools/leaderelection over a Lease object.
//
// Algorithm: the holder's identity, a duration and a count of transitions in a Lease object,
// whose resourceVersion guards each write. The holder writes it again each RetryPeriod. Others
// read it, in pauses of 1 to 2.2 RetryPeriods, and take it when they have seen it unchanged for
// the duration, or without a holder. The term is leaseTransitions + 1: each campaign has an
// identity of its own, and whoever takes the Lease from another counts one more; who creates it
// begins at 0. Source: Kubernetes' documentation and the library's. Clock: the waiters'
// monotonic clocks end a Lease, each from when it saw the last write; the holder's own ends its
// belief, from when it heard of its last write.
//
// It does not promise that there is one leader, and says so: a holder that is stopped goes on
// when it wakes; one whose writes are answered late believes for longer than the others wait.
// It tries to release a Lease that it could not renew before it tells its loss, and that takes
// up to another RenewDeadline. A release asks who has the Lease and looks at what it knew
// before instead: it ends the leadership of a successor of which it had not heard. A release
// right after a grant may be refused, see Settle. The term is none of the library's: it is
// looked at when the Lease is written.
type KubernetesLease struct {
	locks.NotExclusive
	cfg    KubernetesConfig
	wires  *dial.Wires
	client coordination.CoordinationV1Interface
}

var (
	_ locks.Locker   = (*KubernetesLease)(nil)
	_ locks.Elector  = (*KubernetesLease)(nil)
	_ locks.Observer = (*KubernetesLease)(nil)
)

// NewKubernetesLease returns a client; it connects when it is first used.
func NewKubernetesLease(cfg KubernetesConfig) (*KubernetesLease, error) {
	if cfg.TTL <= 0 {
		cfg.TTL = 2 * time.Second
	}
	cfg.TTL = kubernetes.WholeSeconds(cfg.TTL)
	w := dial.NewWires(nil)
	c, err := kubeClient(cfg, w)
	if err != nil {
		return nil, err
	}
	return &KubernetesLease{cfg: cfg, wires: w, client: c}, nil
}

// kubeClient returns a client of the first endpoint. A request gets as long as the library's
// own clients give it (resourcelock.NewFromKubeconfig), and none is kept back to spare the
// server.
func kubeClient(cfg KubernetesConfig, w *dial.Wires) (coordination.CoordinationV1Interface, error) {
	if len(cfg.Endpoints) == 0 {
		return nil, errors.New("kubernetes client: no endpoint")
	}
	server, err := endpoint.ParseSecured(cfg.Endpoints[0])
	if err != nil {
		return nil, fmt.Errorf("kubernetes client: %w", err)
	}
	c, err := coordination.NewForConfig(&rest.Config{
		Host: "https://" + server.Addr, BearerToken: server.Token, TLSClientConfig: rest.TLSClientConfig{CAFile: server.CA},
		QPS: -1, Timeout: max(time.Second, cfg.renewDeadline()/2), Dial: w.Dial, UserAgent: "torture",
	})
	if err != nil {
		return nil, fmt.Errorf("kubernetes client: %w", err)
	}
	return c, nil
}

func (c KubernetesConfig) renewDeadline() time.Duration { return c.TTL * 2 / 3 }
func (c KubernetesConfig) retryPeriod() time.Duration   { return c.TTL * 2 / 15 }

// Campaign runs a LeaderElector until it leads.
func (k *KubernetesLease) Campaign(ctx context.Context, name, value string) (locks.Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
	}
	identity := attempt.Owner(k.cfg.Owner) + "/" + value
	inner, err := resourcelock.New(resourcelock.LeasesResourceLock, kubernetes.Namespace, kubernetes.Name(name), nil, k.client,
		resourcelock.ResourceLockConfig{Identity: identity})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
	}
	l := &kubeLeader{record: &kubeRecord{Interface: inner}, settle: k.cfg.Settle, owner: identity, lost: make(chan struct{}), done: make(chan struct{})}
	started := make(chan struct{})
	l.elector, err = leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: l.record, Name: name, ReleaseOnCancel: !k.cfg.KeepOnCancel,
		LeaseDuration: k.cfg.TTL, RenewDeadline: k.cfg.renewDeadline(), RetryPeriod: k.cfg.retryPeriod(),
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { close(started) }, OnStoppedLeading: l.stopped,
		},
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
	}
	// What it would log is told by what it returns, or not at all.
	run, cancel := context.WithCancel(klog.NewContext(context.WithoutCancel(ctx), logr.Discard()))
	l.cancel = cancel
	go func() {
		defer close(l.done)
		l.elector.Run(run)
	}()
	select {
	case <-started:
		return l, nil
	case <-ctx.Done():
	}
	return nil, l.giveUp(ctx, 2*k.cfg.TTL)
}

// Leader reads the Lease.
func (k *KubernetesLease) Leader(ctx context.Context, name string) (value string, term uint64, err error) {
	lease, err := k.client.Leases(kubernetes.Namespace).Get(ctx, kubernetes.Name(name), metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return "", 0, nil
	case err != nil:
		return "", 0, fmt.Errorf("ask for the leader: %w", err)
	}
	r := resourcelock.LeaseSpecToLeaderElectionRecord(&lease.Spec)
	if r.HolderIdentity == "" {
		return "", 0, nil
	}
	_, value, _ = strings.Cut(r.HolderIdentity, "/")
	return value, kubeTerm(r), nil
}

// Close drops the connections. A leader's Lease expires.
func (k *KubernetesLease) Close() error {
	k.wires.Cut()
	return nil
}

// kubeTerm returns the term of a record with a holder.
func kubeTerm(r *resourcelock.LeaderElectionRecord) uint64 { return uint64(r.LeaderTransitions) + 1 }
