package docker

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"locktorture/cluster"
	"locktorture/internal/child"
)

// unknownKind is the kind of a server whose port does not reveal its protocol.
const unknownKind = "tcp"

// UsualPorts maps kinds of servers to the ports that clients expect.
func UsualPorts() map[string]int {
	return map[string]int{"redis": 6379, "postgres": 5432, "mariadb": 3306, "memcached": 11211, "etcd": 2379, "zookeeper": 2181, "consul": 8500}
}

// kindOf returns the kind of the server behind a port.
func kindOf(port int) string {
	for kind, usual := range UsualPorts() {
		if port == usual {
			return kind
		}
	}
	return unknownKind
}

// Open adds the ports that the image exposes, and moves the ports of known protocols to the front.
// It returns the kind of the server at the first port, or "" if there is no port.
func (b *Box) Open(ctx context.Context, s Site) (kind string, err error) {
	if b.Ports, err = s.Image(ctx, *b); err != nil || len(b.Ports) == 0 {
		return "", err
	}
	slices.SortStableFunc(b.Ports, func(a, b int) int {
		unknown := map[bool]int{true: 1}
		return unknown[kindOf(a) == unknownKind] - unknown[kindOf(b) == unknownKind]
	})
	return kindOf(b.Ports[0]), nil
}

// Limits bound the time until a service can be used, and until a task has ended.
type Limits struct{ Ready, Task time.Duration }

// Serve starts services in one network, one after another. It waits until each service can be used
// and each task has ended. Their logs go to dir/nodes. It returns all of them by name.
func Serve(ctx context.Context, s Site, services []Box, dir string, limits Limits) (map[string]Running, error) {
	served := map[string]Running{}
	if len(services) == 0 {
		return served, nil
	}
	network, err := s.Network(ctx, "services")
	if err != nil {
		return nil, err
	}
	for _, b := range services {
		path := filepath.Join(dir, "nodes", b.Name, b.Name+".log")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		log, err := os.Create(path)
		if err != nil {
			return nil, err
		}
		c, err := s.Add(ctx, b, nil, network)
		if err != nil {
			return nil, errors.Join(err, log.Close())
		}
		if served[b.Name], err = c.Start(ctx, log); err != nil {
			return nil, err
		}
		if err := b.await(ctx, served[b.Name], limits); err != nil {
			return nil, fmt.Errorf("service %s: %w; its output ends with: %s", b.Name, err, strings.TrimSpace(tail(path)))
		}
	}
	return served, nil
}

// await waits until a service can be used, or until a task has ended.
func (b Box) await(ctx context.Context, q Running, limits Limits) error {
	limit, why := limits.Ready, errors.New("it did not end")
	if b.Task {
		limit = limits.Task
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		select {
		case <-q.Done():
			if b.Task && errors.Is(q.Err(), child.ErrExited) {
				return nil
			}
			return fmt.Errorf("it ended: %w", q.Err())
		default:
		}
		if !b.Task {
			if why = b.Usable(ctx, q); why == nil {
				return nil
			}
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("it was not ready within %s: %w", limit, why)
		}
	}
}

// Usable returns nil if the container passes its health check. Without a health check, it returns
// nil if the first port accepts connections, or if there is no port.
func (b Box) Usable(ctx context.Context, q Running) error {
	if b.Health != nil {
		health, err := q.Health(ctx)
		if err == nil && health != "healthy" {
			err = fmt.Errorf("its health check says %q", health)
		}
		return err
	}
	if len(b.Ports) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(q.Addr(), strconv.Itoa(b.Ports[0])))
	if err != nil {
		return err
	}
	return c.Close()
}

// A port is an open port of a service, as a node of a cluster.
type port struct{ name, addr, image string }

var _ cluster.Node = port{}

// Name returns the kind of the server, followed by the name of the service.
func (p port) Name() string { return p.name }

// Addr returns the address in the network of the services.
func (p port) Addr() string { return p.addr }

// Version returns the image.
func (p port) Version() string { return "image " + p.image }

// Stop does nothing: the site removes the service.
func (p port) Stop(context.Context) error { return nil }

// Adopt gives clients links to the ports of a service.
func (b Box) Adopt(q Running, clients int) (*cluster.Cluster, error) {
	var nodes []cluster.Node
	for i, number := range b.Ports {
		name := kindOf(number) + "-" + b.Name
		if i > 0 {
			name += "-" + strconv.Itoa(number)
		}
		nodes = append(nodes, port{name, net.JoinHostPort(q.Addr(), strconv.Itoa(number)), b.Image})
	}
	// The name of the topology has no effect here, and is replaced below.
	c, err := cluster.Adopt(cluster.Adoption{Topology: "redis", Provisioner: Name, Nodes: nodes, Clients: clients})
	if err == nil {
		c.Topology = b.Name
	}
	return c, err
}

// tailSize is the number of bytes that an error quotes from the end of a log.
const tailSize = 2000

// tail returns the last bytes of a log.
func tail(file string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	return string(b[max(0, len(b)-tailSize):])
}
