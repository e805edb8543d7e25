// Package docker starts nodes as containers, through testcontainers-go: servers in pinned versions,
// which need not be installed. The containers share the network of the host, so that every topology
// works as it does with processes. It therefore needs Linux and an engine on this machine.
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

// ErrNotCompiled is returned by a program that was built without the libraries for containers,
// which are slow to compile (build tag engine).
var ErrNotCompiled = errors.New("containers are started by another build of torture")

// Servers returns the kinds of server for which an image can be chosen.
func Servers() []string { return slices.Sorted(maps.Keys(Defaults())) }

// Local selects the image made by "make images" instead of a named one.
const Local = "local"

// Defaults returns the images of the servers: the official ones, in pinned versions.
func Defaults() map[string]string {
	return map[string]string{
		"redis":     "docker.io/library/redis:7.4.2-bookworm", // also for sentinels
		"mariadb":   "docker.io/library/mariadb:11.4.5",
		"postgres":  "docker.io/library/postgres:17.4-bookworm",
		"memcached": "docker.io/library/memcached:1.6.37-bookworm",
		"zookeeper": "docker.io/library/zookeeper:3.9.3",
		"etcd":      "quay.io/coreos/etcd:v3.5.21",
		// Later versions open a port that they cannot share on one host, and earlier versions have
		// no option for it.
		"consul": "docker.io/hashicorp/consul:1.13.9",
	}
}

// LocalImage returns the name of the image of a server made by "make images".
func LocalImage(server string) string { return "localhost/torture/" + server + ":local" }
