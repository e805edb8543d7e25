package app

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"locktorture/cluster"
	"locktorture/harness"
)

// A scheme is how the address of a server of the user begins: its topology and its usual port.
type scheme struct{ topology, port string }

func schemes() map[string]scheme {
	return map[string]scheme{
		"redis": {"redis", "6379"}, "postgres": {"postgres", "5432"}, "postgresql": {"postgres", "5432"}, "mysql": {"mariadb", "3306"}, "mariadb": {"mariadb", "3306"},
		"etcd": {"etcd-3", "2379"}, "consul": {"consul-3", "8500"}, "memcached": {"memcached", "11211"}, "zookeeper": {"zookeeper-3", "2181"},
		"s3": {"s3", "9000"}, PlainHTTP: {PlainHTTP, "80"},
	}
}

// PlainHTTP is the topology of a server of the user that speaks HTTP, whatever it serves.
const PlainHTTP = "http"

// variable is the name of a variable in the address of a server.
var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// password is the password in an address.
var password = regexp.MustCompile(`://[^/@]*:([^@]*)@`)

// given reads the addresses of a server that the user runs.
func (r reader) given(n *yaml.Node, s *Server) error {
	list, err := r.List(n)
	if n.Kind == yaml.ScalarNode {
		list = []string{n.Value}
	}
	if err != nil {
		return err
	}
	for _, text := range list {
		missing := ""
		filled := variable.ReplaceAllStringFunc(text, func(m string) string {
			v, ok := os.LookupEnv(m[2 : len(m)-1])
			if !ok {
				missing = m
			}
			return url.PathEscape(v)
		})
		u, err := url.Parse(filled)
		if err != nil { // its text may have a password
			return r.Wrong(n, "servers: an address of %s cannot be read", s.Name)
		}
		kind, known := schemes()[u.Scheme]
		login := password.FindStringSubmatch(text)
		switch {
		case missing != "":
			return r.Wrong(n, "servers: %s is not in the environment of torture", missing)
		case !known && (u.Scheme == "rediss" || u.Scheme == "https"):
			return r.Wrong(n, "servers: %s uses TLS, through which torture sees nothing: name an address without TLS", s.Name)
		case !known:
			return r.Wrong(n, "servers: an address must begin with %s://", strings.Join(slices.Sorted(maps.Keys(schemes())), "://, "))
		case s.Topology != "" && s.Topology != kind.topology:
			return r.Wrong(n, "servers: the addresses of %s must be of servers of one kind", s.Name)
		case u.Hostname() == "":
			return r.Wrong(n, "servers: %s has no host", s.Name)
		case login != nil && variable.FindString(login[1]) != login[1]:
			return r.Wrong(n, "servers: torture copies this file into each run, and must not copy a password: write ${NAME} instead, and torture takes the password from its environment")
		}
		if u.Port() == "" {
			u.Host = net.JoinHostPort(u.Hostname(), kind.port)
		}
		s.Topology, s.Given = kind.topology, append(s.Given, u)
	}
	if len(s.Given) == 0 {
		return r.Wrong(n, "servers: %s has no address", s.Name)
	}
	return nil
}

// Endpoints returns the addresses of a server of the user as package external reads them.
func (s Server) Endpoints() (list []string) {
	for _, u := range s.Given {
		e := *u
		switch e.Scheme {
		case "etcd", "consul", "s3":
			e.Scheme = "http"
		case "memcached", "zookeeper":
			list = append(list, e.Host)
			continue
		}
		list = append(list, e.String())
	}
	return list
}

// Login returns the user and the password of a server of the user, or "".
func (s Server) Login() (user, secret string) {
	for _, u := range s.Given {
		if p, ok := u.User.Password(); ok {
			return u.User.Username(), p
		}
	}
	return "", ""
}

// Adopt makes a cluster of a server that speaks HTTP, with links to it.
func (s Server) Adopt(links int) (*cluster.Cluster, error) {
	a := cluster.Adoption{Topology: s.Topology, Provisioner: "external", Clients: links}
	for i, u := range s.Given {
		a.Nodes = append(a.Nodes, stranger{fmt.Sprintf("%s-%d", s.Topology, i+1), u.Host})
	}
	return cluster.Adopt(a)
}

// A stranger is a server of which nothing is known but that it accepts connections.
type stranger struct{ name, addr string }

var (
	_ cluster.Node    = stranger{}
	_ harness.Watched = stranger{}
)

func (s stranger) Name() string                   { return s.name }
func (s stranger) Addr() string                   { return s.addr }
func (s stranger) Version() string                { return "unknown" }
func (s stranger) Stop(context.Context) error     { return nil }
func (s stranger) Look(ctx context.Context) error { return askTCP(ctx, s.addr) }
