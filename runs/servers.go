package runs

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"

	"locktorture/cluster"
	"locktorture/cluster/external"
	"locktorture/internal/exit"
	"locktorture/nemesis"
	"locktorture/registry"
	"locktorture/trial"
)

// topologyOf picks the topology of a run: the one that is named, else the
// backend's own, or its replicated one where a fail-over is wanted.
func topologyOf(s Spec, b registry.Backend) (string, error) {
	if s.Topology != "" {
		return s.TopologyOn(b)
	}
	wantsFailover := registry.AnyFault(s.Nemesis, func(t nemesis.Traits) bool { return t.NeedsReplicas })
	if slices.Contains(s.Nemesis, "all") && b.Replicated != "" {
		_, _, err := s.For(b.Replicated)
		wantsFailover = err == nil
	}
	if wantsFailover && b.Replicated != "" {
		return b.Replicated, nil
	}
	return b.Topology, nil
}

// TopologyOn is the topology that is named, if it is one of the backend's, else the backend's
// own.
func (s LockSpec) TopologyOn(b registry.Backend) (string, error) {
	switch {
	case s.Topology == "":
		return b.Topology, nil
	case s.Topology == b.Topology, s.Topology == b.Replicated, slices.Contains(b.Elsewhere, s.Topology):
		return s.Topology, nil
	}
	return "", exit.Usage("--topology %s: %s runs on %s", s.Topology, s.Name(), b.RunsOn())
}

// roomFor are arguments for servers that admit few connections of their own
// accord (MariaDB 151, PostgreSQL 100), so that every client gets one or two.
func roomFor(clients int) map[string][]string {
	if clients <= 40 {
		return nil
	}
	n := strconv.Itoa(2*clients + 50)
	return map[string][]string{"mariadb": {"--max-connections=" + n}, "postgres": {"-c", "max_connections=" + n}}
}

// servers starts, or joins, the servers of a run. Their logs go below dir.
func (s Run) servers(ctx context.Context, dir string) (trial.Servers, error) {
	b, topology, links := s.Lock, "", s.Clients
	if s.direct() {
		links = 1
	}
	if b.Serve == nil {
		if s.Cluster == registry.Theirs && b.Driver != nil {
			return trial.Servers{}, exit.Usage("--cluster %s: %s", registry.Theirs, registry.NotForDrivers)
		}
		var err error
		if topology, err = topologyOf(s.Spec, b); err != nil {
			return trial.Servers{}, err
		}
		if s.Cluster == registry.Theirs {
			return s.join(ctx, dir, topology, links)
		}
	}
	c, why, err := s.Start(ctx, b, cluster.Config{Topology: topology, Clients: links, Dir: dir, Args: roomFor(s.Clients)})
	if err != nil {
		return trial.Servers{}, ServedNot(err, "--cluster "+s.Cluster)
	}
	return trial.Servers{Cluster: c, Why: why, Leave: func(bool) error { return c.Close() }}, nil
}

// join joins the user's servers.
func (s Run) join(ctx context.Context, dir, topology string, links int) (trial.Servers, error) {
	j, err := s.Theirs.Join(ctx, topology, s.KeyPrefix, links)
	if err != nil {
		return trial.Servers{}, joinedNot(err)
	}
	forget, err := noteKeys(dir, topology, j.Prefix, s.AccessSpec, s.Theirs)
	if err != nil {
		return trial.Servers{}, errors.Join(Broken(fmt.Errorf("write the note about the run's keys: %w; XDG_STATE_HOME can name another directory", err)), j.Close())
	}
	leave := func(bool) error {
		if err := j.Close(); err != nil {
			return err
		}
		return forget()
	}
	return trial.Servers{
		Cluster: j.Cluster, Access: j.Access, Prefix: j.Prefix, Leave: leave,
		Why: topology + " on cluster external: the servers that --endpoints names; keys begin with " + j.Prefix,
	}, nil
}

// joinedNot is an error of joining servers, which are the user's.
func joinedNot(err error) error {
	needs, files := new(registry.NeedsError), new(registry.TLSError)
	switch {
	case errors.As(err, &needs):
		return exit.Usage("--cluster external: %s needs --%s", needs.Topology, needs.Setting)
	case errors.As(err, &files):
		return exit.Usage("--tls: %v", files.Err)
	case errors.Is(err, external.ErrTaken):
		return exit.Usage("--key-prefix: %v: at its end the run would remove all keys with this prefix; if a killed run left these keys: torture clean --keys RUNDIR", err)
	}
	if dial := new(net.OpError); errors.As(err, &dial) && dial.Op == "dial" {
		return exit.Usage("--endpoints: %v; do servers listen there?", err)
	}
	if no := new(registry.NotServedError); errors.As(err, &no) {
		return ServedNot(err, "--cluster external")
	}
	return exit.Usage("--endpoints: %v; docs/clusters.md says what the servers must allow", err)
}

// ServedNot is an error of starting servers: the user's if nothing can serve what the flag
// asks for.
func ServedNot(err error, flag string) error {
	var e *registry.NotServedError
	if errors.As(err, &e) {
		return exit.Usage("%s: %v", flag, e)
	}
	return Broken(err)
}
