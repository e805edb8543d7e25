package wire

import "strings"

// ProtocolOf returns the protocol in which a server, by the name of its node ("redis-1"), is
// asked; "" if that is not known.
func ProtocolOf(node string) string {
	kind, _, _ := strings.Cut(node, "-")
	switch kind {
	case "redis", "sentinel":
		return "redis"
	case "etcd", "zookeeper", "mariadb", "postgres", "consul", "memcached":
		return kind
	case "pgbouncer":
		return "postgres"
	case "versitygw", "gofakes3", "s3":
		return "s3"
	}
	return ""
}
