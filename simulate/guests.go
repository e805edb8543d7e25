package simulate

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"time"

	"locktorture/simulate/inside"
)

// A guestKind describes a kind of servers that are guests.
type guestKind struct {
	// args returns the arguments of the n-th of several servers.
	args func(n, nodes int) []string
	// health is the port and the path at which a server tells over HTTP whether it serves its
	// clients, and healthy is a part of its answer if it does.
	healthPort    int
	path, healthy string
	// leads returns a number above 0 if the server with this log leads, and 0 otherwise. The number
	// is higher for later leaders.
	leads func(log []byte) (term int)
	// informs reports whether a line of the log only informs, so that it cannot explain the end of a
	// server.
	informs func(line []byte) bool
}

// guestKinds returns the kinds of servers that are guests, by the name in an order.
func guestKinds() map[string]guestKind {
	return map[string]guestKind{
		inside.Etcd: {
			args: etcdArgs, healthPort: inside.Ports()[inside.Etcd], path: "/health", healthy: `"health":"true"`, leads: etcdLeads,
			informs: func(line []byte) bool {
				return bytes.HasPrefix(line, []byte(`{"level":"info"`)) || bytes.Contains(line, []byte(" I | ")) // etcd 3.4 and older
			},
		},
		inside.NATS: {
			args: natsArgs, healthPort: monitorPort, path: "/healthz", healthy: `"status":"ok"`, leads: natsLeads,
			informs: func(line []byte) bool { return bytes.Contains(line, []byte("[INF]")) },
		},
	}
}

// guestKind returns the kind of the servers of the cluster.
func (w *world) guestKind() guestKind { return guestKinds()[w.cfg.Order.Cluster()] }

// peers returns the names of the servers with their addresses for each other.
func peers(kind string, nodes int, each func(name, addr string) string) string {
	var all []string
	for i := range nodes {
		all = append(all, each(inside.ServerName(kind, i+1), netAddr(memberIP(i+1), inside.PeerPort)))
	}
	return strings.Join(all, ",")
}

// etcdArgs returns the arguments of a server of etcd. Its log says who leads. The heartbeat and the
// election timeout equal those of a real run. Unlike in a real run, the server calls fsync, so that
// faults can strike its disk.
func etcdArgs(n, nodes int) []string {
	client, peer := "http://"+netAddr(memberIP(n), inside.Ports()[inside.Etcd]), "http://"+netAddr(memberIP(n), inside.PeerPort)
	return []string{
		"etcd", "--name", inside.ServerName(inside.Etcd, n), "--data-dir", "/data/etcd",
		"--listen-client-urls", client, "--advertise-client-urls", client,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--log-level", "info",
		"--initial-cluster", peers(inside.Etcd, nodes, func(name, addr string) string { return name + "=http://" + addr }),
		"--initial-cluster-token", "torture", "--heartbeat-interval", "50", "--election-timeout", "500",
	}
}

// role matches what a server of etcd writes to its log when it changes its role in a term.
var role = regexp.MustCompile(` became (leader|follower|candidate|pre-candidate) at term (\d+)`)

func etcdLeads(log []byte) (term int) {
	all := role.FindAllSubmatch(log, -1)
	if len(all) == 0 || string(all[len(all)-1][1]) != "leader" {
		return 0
	}
	term, _ = strconv.Atoi(string(all[len(all)-1][2])) // a term too large for an int: 0
	return term
}

// monitorPort is the port at which a server of NATS answers over HTTP.
const monitorPort = 8222

// natsArgs returns the arguments of a server of NATS, as in a real run.
func natsArgs(n, nodes int) []string {
	ip := memberIP(n)
	host, _, _ := strings.Cut(netAddr(ip, 0), ":")
	return []string{
		"nats-server", "--name", inside.ServerName(inside.NATS, n), "--addr", host, "--port", strconv.Itoa(inside.Ports()[inside.NATS]),
		"--http_port", strconv.Itoa(monitorPort), "--jetstream", "--store_dir", "/data/jetstream", "--no_advertise",
		"--cluster_name", "torture", "--cluster", "nats://" + netAddr(ip, inside.PeerPort),
		"--routes", peers(inside.NATS, nodes, func(_, addr string) string { return "nats://" + addr }),
	}
}

// elected matches what a server of NATS writes to its log, with the time, when it begins to lead a
// stream.
var elected = regexp.MustCompile(`(?m)^\[\d+\] (\S+ \S+) \[INF\] JetStream cluster new stream leader for `)

// natsLeads returns the time at which the server last began to lead a stream, because the log does
// not name terms.
func natsLeads(log []byte) (since int) {
	all := elected.FindAllSubmatch(log, -1)
	if len(all) == 0 {
		return 0
	}
	at, _ := time.Parse("2006/01/02 15:04:05.000000", string(all[len(all)-1][1])) // not a time: the server does not lead
	return max(0, int(at.UnixMicro()))
}
