// Package server describes the kinds of servers, independent of the way in which they are started:
// their arguments, the requests for their readiness, version and time, and the faults that they do
// not support.
package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"locktorture/cluster"
)

// A Kind is a kind of server. A new kind gets a file of its own and an entry in Kinds.
type Kind interface {
	// Ready asks once for the version of the node of a spec, and fails if the node does not serve.
	Ready(ctx context.Context, s cluster.Spec) (version string, err error)
}

// A Clocked server reads the time of day through libc, and can report it.
type Clocked interface {
	// Now returns the time of the node's clock.
	Now(ctx context.Context, addr string) (time.Time, error)
}

// A Clockless server returns the reason why its clock cannot be moved.
type Clockless interface{ WhyNoClock() string }

// A Keeper is a server that cannot be started again without its data. WhyNoWipe returns the reason.
type Keeper interface{ WhyNoWipe() string }

// Kinds returns every kind of server by its name in a cluster.Spec.
func Kinds() map[string]Kind {
	return map[string]Kind{
		"redis":     Redis{},
		"sentinel":  Sentinel{},
		"etcd":      Etcd{},
		"zookeeper": ZooKeeper{},
		"consul":    Consul{},
		"mariadb":   MariaDB{},
		"galera":    Galera{},
		"postgres":  Postgres{},
		"pgbouncer": PgBouncer{},
		"memcached": Memcached{},
		"versitygw": VersityGW{},
		"gofakes3":  GoFakeS3{},
		"nats":      NATS{},
		"dynalite":  Dynalite{},

		"kube-apiserver": KubeAPIServer{},
	}
}

// Addr returns the address at which the node of a spec serves clients.
func Addr(s cluster.Spec) string { return "127.0.0.1:" + strconv.Itoa(s.Ports[0]) }

// WhyNoClock returns the reason why the clock of a kind cannot be moved, or "" if the kind reads
// the time through libc.
func WhyNoClock(k any) string {
	if _, ok := k.(Clocked); ok {
		return ""
	}
	if c, ok := k.(Clockless); ok {
		return c.WhyNoClock()
	}
	return "nothing is known of this server's clock"
}

// WhyNot returns the reason why a node of a kind lacks a capability ("clock", "wipe", "replace"), or ""
// if it has it. noClock is the reason why its clock cannot be moved.
func WhyNot(kind any, noClock, capability string) string {
	switch capability {
	case "clock":
		return noClock
	case "wipe", "replace":
		if k, ok := kind.(Keeper); ok {
			return k.WhyNoWipe()
		}
	}
	return ""
}

const (
	quorumTime = 2 * time.Second       // bound on the time in which a running node must find its cluster
	pollTime   = 10 * time.Millisecond // interval between checks
)

// pause waits for d or until ctx is done.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// listens returns nil if a process listens at an address. A client library would log every failed
// attempt.
func listens(ctx context.Context, addr string) error {
	c, err := new(net.Dialer).DialContext(ctx, "tcp4", addr)
	if err != nil {
		return err
	}
	return c.Close()
}

// getJSON requests a page over a connection of its own.
func getJSON[T any](ctx context.Context, url string, v *T) error {
	return getJSONWith(ctx, &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, url, v)
}

// getJSONWith requests a page with a client.
func getJSONWith[T any](ctx context.Context, client *http.Client, url string, v *T) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Close = true
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("get %s: %s", url, resp.Status)
	}
	return json.NewDecoder(resp.Body).Decode(v)
}
