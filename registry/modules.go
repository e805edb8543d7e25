package registry

import (
	"maps"
	"path"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"locktorture/cluster"
	"locktorture/registry/onredis"
)

// serverModules maps kinds of servers to the modules of their client libraries.
func serverModules() map[string]string {
	return map[string]string{
		"redis": goRedis, "memcached": "github.com/bradfitz/gomemcache",
		"mariadb": "github.com/go-sql-driver/mysql", "postgres": "github.com/jackc/pgx/v5",
		"zookeeper": "github.com/go-zookeeper/zk", "etcd": "go.etcd.io/etcd/client/v3",
	}
}

// Libraries that several locks use.
const (
	goRedis   = onredis.GoRedis
	consulAPI = "github.com/hashicorp/consul/api"
)

// Library returns the names and versions of the libraries in the lock. For a
// driver it returns the output of the version command.
func (b Backend) Library() string {
	if b.Driver != nil {
		return b.Driver.Library()
	}
	modules := slices.Clone(b.Modules)
	if modules == nil {
		for _, need := range cluster.Topologies()[b.Topology].Needs {
			if m, ok := serverModules()[need]; ok {
				modules = append(modules, m)
			}
		}
	}
	versions := Versions()
	if b.Program != "" {
		maps.Copy(versions, programVersions(b.Program))
	}
	for i, m := range modules {
		_, short, _ := strings.Cut(m, "/") // the module path without its host
		if v := path.Base(short); strings.TrimLeft(v, "v0123456789") == "" {
			short = path.Dir(short)
		}
		modules[i] = strings.TrimSpace(short + " " + versions[m])
	}
	return strings.Join(modules, ", ")
}

// Versions returns the versions of Go and of the libraries in this binary on which a verdict
// may depend, by module.
func Versions() map[string]string {
	versions := map[string]string{"go": runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return versions
	}
	wanted := []string{"github.com/Shopify/toxiproxy/v2", "github.com/anishathalye/porcupine"}
	wanted = append(wanted, slices.Collect(maps.Values(serverModules()))...)
	for _, b := range Locks() {
		wanted = append(wanted, b.Modules...)
	}
	for _, m := range info.Deps {
		if slices.Contains(wanted, m.Path) {
			versions[m.Path] = m.Version
		}
	}
	return versions
}
