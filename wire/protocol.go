package wire

import "strings"

// ProtocolOf returns the protocol of a server, given the name of its node ("redis-1"), or "" if it
// is unknown.
func ProtocolOf(node string) string {
	kind, _, _ := strings.Cut(node, "-")
	switch kind {
	case "redis", "sentinel":
		return "redis"
	case "etcd", "zookeeper", "mariadb", "postgres", "consul", "memcached", "http":
		return kind
	case "pgbouncer":
		return "postgres"
	case "versitygw", "gofakes3", "s3":
		return "s3"
	}
	return ""
}
