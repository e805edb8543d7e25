package process

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"locktorture/cluster"
	"locktorture/cluster/server"
)

// zooKeeperServer runs ZooKeeper as packaged by Debian, with any Java.
type zooKeeperServer struct{ server.ZooKeeper }

// jars are the files that a server needs. Their manifests name the other files that they need.
var jars = [...]string{"slf4j-simple.jar", "zookeeper.jar"}

// jarDir is the directory of these files in Debian.
const jarDir = "/usr/share/java"

func (zooKeeperServer) find(look lookup) (string, error) {
	for _, jar := range jars {
		if _, err := os.Stat(filepath.Join(jarDir, jar)); err != nil {
			return "", fmt.Errorf("zookeeper is not installed (no %s in %s): %w", jar, jarDir, errMissing)
		}
	}
	return look.program("java")
}

func (z zooKeeperServer) command(_ context.Context, s cluster.Spec, data string) ([]string, error) {
	var path []string
	for _, jar := range jars {
		path = append(path, filepath.Join(jarDir, jar))
	}
	args := append(z.JVM(), "-cp", strings.Join(path, ":"),
		"org.apache.zookeeper.server.quorum.QuorumPeerMain", filepath.Join(data, server.ConfigFile))
	return args, z.WriteConfig(s, data, data)
}
