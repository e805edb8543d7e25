package app

import (
	"net"
	"regexp"
	"strconv"
	"strings"

	"locktorture/wire"
)

// placeholder is ${name} in a command or a variable; $${ stands for ${ itself.
var placeholder = regexp.MustCompile(`\$?\$\{([^}]*)\}`)

// The variables of a replica's environment besides those in the file.
const (
	varPort     = "PORT"           // a free port of this replica's own
	varReplica  = "REPLICA"        // number of the replica, from 1
	varReplicas = "REPLICAS"       // number of replicas
	varDir      = "DIR"            // a directory of this replica's own
	varEvents   = "TORTURE_EVENTS" // address for events of its jobs
	varSpans    = "OTEL_EXPORTER_OTLP_ENDPOINT"
)

// placeholders lists the names that are allowed in ${…} for a replica.
func (f *File) placeholders() []string {
	list := append(f.shared(), varPort)
	if !f.Boxed() { // a container has a file system of its own
		list = append(list, varDir)
	}
	if f.spans() {
		list = append(list, varSpans)
	}
	return list
}

// shared lists the names that are allowed in ${…} for any program, such as the load.
func (f *File) shared() []string {
	list := []string{varReplica, varReplicas, varEvents}
	for n := range f.Replicas {
		list = append(list, portOf(n+1))
		for _, s := range f.Serves {
			name := s.Protocol + "_" + strconv.Itoa(n+1)
			list = append(list, name, name+".url", name+".host", name+".port")
		}
	}
	for _, s := range f.Servers {
		list = append(list, s.Name, s.Name+".url", s.Name+".host", s.Name+".port")
	}
	return list
}

// portOf names the port of a replica for others: PORT_2.
func portOf(replica int) string { return varPort + "_" + strconv.Itoa(replica) }

// values maps placeholders to their values.
type values map[string]string

// in inserts the values into a text.
func (v values) in(text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(m string) string {
		if strings.HasPrefix(m, "$$") {
			return m[1:]
		}
		return v[m[2:len(m)-1]]
	})
}

// has reports whether all placeholders of a text have a value.
func (v values) has(text string) bool {
	for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
		if _, ok := v[m[1]]; !ok && !strings.HasPrefix(m[0], "$$") {
			return false
		}
	}
	return true
}

func (v values) all(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = v.in(w)
	}
	return out
}

// server adds the addresses of a server, by the name of its first node.
func (v values) server(name, node string, endpoints []string) {
	if len(endpoints) == 0 {
		return
	}
	host, port, _ := net.SplitHostPort(endpoints[0])
	v[name], v[name+".host"], v[name+".port"] = strings.Join(endpoints, ","), host, port
	v[name+".url"] = urlOf(wire.ProtocolOf(node), endpoints)
}

// given sets the address of a server of the user to what it is for others, but through a link.
func (v values) given(s Server) {
	if len(s.Given) == 1 {
		u := *s.Given[0]
		u.Host = net.JoinHostPort(v[s.Name+".host"], v[s.Name+".port"])
		v[s.Name+".url"] = u.String()
	}
}

// urlOf returns the address of a server in the usual form of its clients.
func urlOf(protocol string, endpoints []string) string {
	first := endpoints[0]
	switch protocol {
	case "redis":
		return "redis://" + first + "/0"
	case "postgres":
		return "postgres://postgres@" + first + "/postgres?sslmode=disable"
	case "mariadb":
		return "mysql://root@" + first + "/mysql"
	case "memcached", "zookeeper":
		return strings.Join(endpoints, ",")
	}
	return "http://" + strings.Join(endpoints, ",http://")
}
