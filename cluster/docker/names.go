// Package docker makes nodes out of containers, through testcontainers-go: servers in pinned
// versions, which need not be installed. The containers share the network of the host, so that
// every topology works as it does with processes; hence it needs Linux and an engine on this
// machine.
package docker

import (
	"errors"
	"maps"
	"slices"
)

// Name is the provisioner's name on the command line.
const Name = "docker"

// String returns Name.
func (p *Provisioner) String() string { return Name }

// ErrNotCompiled is returned where a container is to be started by a program without the
// libraries for that (the build tag engine), which are slow to compile.
var ErrNotCompiled = errors.New("containers are started by another build of torture")

// Servers returns the names by which images are chosen.
func Servers() []string { return slices.Sorted(maps.Keys(Defaults())) }

// Local, given as an image, is the one that "make images" has made.
const Local = "local"

// Defaults returns the images of the servers: the official ones, in pinned versions.
func Defaults() map[string]string {
	return map[string]string{
		"redis":     "docker.io/library/redis:7.4.2-bookworm", // sentinels too
		"mariadb":   "docker.io/library/mariadb:11.4.5",
		"postgres":  "docker.io/library/postgres:17.4-bookworm",
		"memcached": "docker.io/library/memcached:1.6.37-bookworm",
		"zookeeper": "docker.io/library/zookeeper:3.9.3",
		"etcd":      "quay.io/coreos/etcd:v3.5.21",
		// Later ones open a port that they cannot share on one host, and earlier ones have no
		// name for it.
		"consul": "docker.io/hashicorp/consul:1.13.9",
	}
}

// LocalImage returns the name of the image that "make images" makes of a server.
func LocalImage(server string) string { return "localhost/torture/" + server + ":local" }
