package main

import (
	"bytes"
	"context"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"locktorture/cluster"
)

// versionTime bounds the question for a driver's version.
const versionTime = 5 * time.Second

// serverModules are the client libraries by the kind of server.
var serverModules = map[string]string{
	"redis": "github.com/redis/go-redis/v9", "memcached": "github.com/bradfitz/gomemcache",
	"mariadb": "github.com/go-sql-driver/mysql", "postgres": "github.com/jackc/pgx/v5",
	"zookeeper": "github.com/go-zookeeper/zk", "etcd": "go.etcd.io/etcd/client/v3", "consul": "github.com/hashicorp/consul/api",
}

// lockModules are those of the backends that are a library's lock.
var lockModules = map[string][]string{
	"redsync":   {"github.com/go-redsync/redsync/v4", serverModules["redis"]},
	"redislock": {"github.com/bsm/redislock", serverModules["redis"]}, "rueidislock": {"github.com/redis/rueidis"},
}

// askLibraries completes the rows of backends. What a file names is run only where the user wants
// that, because a list is looked at before one trusts the folder; programs are then asked at the same time.
func askLibraries(rows []listRow, all map[string]backend, run bool) {
	var wg sync.WaitGroup
	for i := range rows {
		wg.Go(func() {
			if b := all[rows[i].Name]; run || b.External == nil {
				rows[i].Library = library(rows[i].Name, b)
			}
		})
	}
	wg.Wait()
}

// library names the libraries of a lock and their versions: those of this
// binary, or what the version command of a driver prints.
func library(name string, b backend) string {
	if b.External != nil {
		return b.External.version()
	}
	modules := slices.Clone(lockModules[name])
	if modules == nil {
		for _, need := range cluster.Topologies()[b.Topology].Needs {
			if m, ok := serverModules[need]; ok {
				modules = append(modules, m)
			}
		}
	}
	versions := moduleVersions()
	for i, m := range modules {
		_, short, _ := strings.Cut(m, "/") // without its host
		if v := path.Base(short); strings.TrimLeft(v, "v0123456789") == "" {
			short = path.Dir(short)
		}
		modules[i] = strings.TrimSpace(short + " " + versions[m])
	}
	return strings.Join(modules, ", ")
}

// version is the first line that the version command of a driver prints; "" where it has none.
func (e external) version() string {
	if len(e.Version) == 0 {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), versionTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, e.Version[0], e.Version[1:]...)
	cmd.Dir, cmd.WaitDelay = e.Dir, time.Second
	out, err := cmd.Output()
	if err != nil {
		return "version not told: " + err.Error()
	}
	line, _, _ := bytes.Cut(out, []byte("\n"))
	return strings.ToValidUTF8(string(bytes.TrimSpace(line)), "?")
}
