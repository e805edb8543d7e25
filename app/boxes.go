package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"

	"locktorture/cluster"
	"locktorture/cluster/docker"
)

// A box is the container of a replica. Its environment is the same for all processes of the replica.
type box struct {
	replica *replica
	doors   []*door
	hosts   []string // name:address
	events  string
	spans   *collector // nil: nothing is seen by spans

	container docker.Container // nil: not made yet
	inside    string           // address of its PORT, for this machine
	front     *cluster.Link    // nil: it listens on no port
}

// A door is the address of this machine in a network of a replica.
type door struct {
	docker.Network
	taken []int // ports on which links listen
}

// boxes gives each replica the networks in which the names of the servers are its links.
func (s *stage) boxes(ctx context.Context) error {
	if !s.file.Boxed() {
		return nil
	}
	for _, r := range s.replicas {
		b := &box{replica: r}
		r.box = b
		for i := range s.file.Servers {
			if err := b.server(ctx, i); err != nil {
				return err
			}
		}
		if err := b.hear(ctx); err != nil {
			return err
		}
		delete(r.values, varDir)
	}
	return nil
}

// server puts the links to a server where the replica expects the server: at its name and its ports.
func (b *box) server(ctx context.Context, i int) error {
	s, r := b.replica.stage, b.replica
	server, c := s.file.Servers[i], s.act.clusters[i]
	links := c.Endpoints(r.number)
	d, err := b.door(ctx, s.ports(server, links))
	if err != nil {
		return err
	}
	var names []string
	for j, port := range s.ports(server, links) {
		l, err := cluster.NewLink(cluster.Plain, net.JoinHostPort(d.Gateway, strconv.Itoa(port)), links[j], uint64(r.number))
		if err != nil {
			return fmt.Errorf("%w; the Docker engine must run on this machine itself, and torture must not run in a container", err)
		}
		s.links = append(s.links, l)
		names = append(names, net.JoinHostPort(server.Name, strconv.Itoa(port)))
	}
	hosts := []string{server.Name}
	if of := s.file.service(server.Name); of != nil {
		hosts = of.Names()
	}
	for _, name := range hosts {
		b.hosts = append(b.hosts, name+":"+d.Gateway)
	}
	r.values.server(server.Name, c.Nodes[0].Name(), names)
	r.values.given(server)
	return nil
}

// ports returns the port for each link to a server. Several servers of a topology have one name, so
// that each needs a port of its own.
func (s *stage) ports(server Server, links []string) (list []int) {
	if b := s.file.service(server.Name); b != nil {
		return b.Ports
	}
	kind, _, _ := strings.Cut(server.Topology, "-")
	if usual := docker.UsualPorts()[kind]; usual > 0 && len(links) == 1 {
		return []int{usual}
	}
	for _, addr := range links {
		_, port, _ := net.SplitHostPort(addr)
		n, _ := strconv.Atoi(port) // the address of a listener
		list = append(list, n)
	}
	return list
}

// door returns the first network of the replica in which ports are free.
func (b *box) door(ctx context.Context, ports []int) (*door, error) {
	for _, d := range b.doors {
		if !slices.ContainsFunc(ports, func(p int) bool { return slices.Contains(d.taken, p) }) {
			d.taken = append(d.taken, ports...)
			return d, nil
		}
	}
	name := fmt.Sprintf("replica-%d-%d", b.replica.number, len(b.doors)+1)
	n, err := b.replica.stage.act.site.Network(ctx, name)
	if err != nil {
		return nil, err
	}
	d := &door{n, slices.Clone(ports)}
	b.doors = append(b.doors, d)
	return d, nil
}

// hear listens for events and spans of the replica.
func (b *box) hear(ctx context.Context) (err error) {
	s, r := b.replica.stage, b.replica
	d, err := b.door(ctx, nil)
	if err != nil {
		return err
	}
	if b.events, err = s.events.also(d.Gateway, r.number); err != nil {
		return err
	}
	if s.file.spans() {
		b.spans, err = s.collectAt(d.Gateway, r.number, r.number0)
	}
	return err
}

// starter returns what starts the container of a replica. The container is made on its first start,
// with a command of these words.
func (b *box) starter(words []string) starter {
	return func(env []string, out *os.File) (body, error) { return b.start(words, env, out) }
}

func (b *box) start(words, env []string, out *os.File) (body, error) {
	s, ctx := b.replica.stage, b.replica.stage.life
	if b.container == nil {
		var in []docker.Network
		for _, d := range b.doors {
			in = append(in, d.Network)
		}
		of := s.file.Box
		of.Env = slices.Concat(of.Env, env)
		if len(words) > 0 {
			of.Command = words
		}
		var err error
		if b.container, err = s.act.site.Add(ctx, of, b.hosts, in...); err != nil {
			_ = out.Close()
			return nil, err
		}
	}
	q, err := b.container.Start(ctx, out)
	if err != nil {
		return nil, err
	}
	if err := b.open(q); err != nil { // nobody else can end q, and it must not run beside the next process
		ctx, cancel := context.WithTimeout(context.Background(), killLimit)
		defer cancel()
		return nil, errors.Join(err, q.Kill(ctx))
	}
	return q, nil
}

// open lets this machine reach the port of a replica at 127.0.0.1:${PORT}.
func (b *box) open(q docker.Running) error {
	port := b.replica.values[varPort]
	inner := port
	if b.replica.stage.file.Compose != "" {
		if len(b.replica.stage.file.Box.Ports) == 0 {
			return nil
		}
		inner = strconv.Itoa(b.replica.stage.file.Box.Ports[0])
	}
	if addr := net.JoinHostPort(q.Addr(), inner); q.Addr() != "" && addr != b.inside {
		if b.front != nil {
			b.front.Close()
		}
		b.front, b.inside = nil, ""
		l, err := cluster.NewLink(cluster.Plain, "127.0.0.1:"+port, addr, 0)
		if err != nil {
			return fmt.Errorf("let this machine reach replica %d at port %s: %w", b.replica.number, port, err)
		}
		b.front, b.inside = l, addr
	}
	return nil
}

// close ends what listens for the container.
func (b *box) close() {
	if b.front != nil {
		b.front.Close()
	}
	b.spans.close()
}

// env returns the values that a replica in a container finds in its environment. Of a compose file
// nothing changes.
func (b *box) env(v values) values {
	v = maps.Clone(v)
	if b.replica.stage.file.Compose != "" {
		delete(v, varPort)
	}
	return v
}

// reach inserts values into an address. A link accepts connections to a replica that does not
// listen yet, so this is the address in its network.
func (r *replica) reach(text string) string {
	text = r.values.in(text)
	if r.box == nil {
		return text
	}
	r.mu.Lock() // the next process may be on its way
	inside := r.box.inside
	r.mu.Unlock()
	if inside == "" {
		return text
	}
	return strings.ReplaceAll(text, "127.0.0.1:"+r.values[varPort], inside)
}

// unhealthy reports whether a container has a check of its health that has not passed.
func (r *replica) unhealthy(ctx context.Context, q *process) bool {
	running, ok := q.body.(docker.Running)
	return ok && r.stage.file.Box.Health != nil && r.stage.file.Box.Usable(ctx, running) != nil
}
