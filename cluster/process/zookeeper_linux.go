package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"locktorture/cluster"
)

// zooKeeperServer is ZooKeeper as Debian installs it, and any Java. Ports[0] is
// for clients. Further arguments are lines of its configuration; "myid=N" is
// its number. Its sessions are measured with a monotonic clock.
type zooKeeperServer struct{}

var (
	_ clockless = zooKeeperServer{}
	_ keeper    = zooKeeperServer{}
)

// jars are what a server needs; they name what they need themselves.
var jars = [...]string{"slf4j-simple.jar", "zookeeper.jar"}

// jarDir is where Debian puts them.
const jarDir = "/usr/share/java"

func (zooKeeperServer) find(look lookup) (string, error) {
	for _, jar := range jars {
		if _, err := os.Stat(filepath.Join(jarDir, jar)); err != nil {
			return "", fmt.Errorf("zookeeper is not installed (no %s in %s): %w", jar, jarDir, errMissing)
		}
	}
	return look.program("java")
}

func (zooKeeperServer) command(_ context.Context, s cluster.Spec, data string) ([]string, error) {
	dir := filepath.Join(data, "zookeeper")
	lines := []string{
		"dataDir=" + dir, fmt.Sprintf("clientPort=%d", s.Ports[0]), "clientPortAddress=127.0.0.1",
		"admin.enableServer=false", "4lw.commands.whitelist=*", "maxClientCnxns=0",
	}
	myid := ""
	for _, a := range s.Args {
		if id, ok := strings.CutPrefix(a, "myid="); ok {
			myid = id
			continue
		}
		lines = append(lines, a)
	}
	cfg := filepath.Join(data, "zoo.cfg")
	err := errors.Join(
		os.MkdirAll(dir, 0o755),
		os.WriteFile(filepath.Join(dir, "myid"), []byte(myid+"\n"), 0o644),
		os.WriteFile(cfg, []byte(strings.Join(lines, "\n")+"\n"), 0o644),
	)
	var path []string
	for _, jar := range jars {
		path = append(path, filepath.Join(jarDir, jar))
	}
	return []string{
		"-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
		"-XX:-UsePerfData", // would leave files outside its directory
		"-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
		"-Dzookeeper.forceSync=no", "-Dzookeeper.cnxTimeout=500",
		"-cp", strings.Join(path, ":"), "org.apache.zookeeper.server.quorum.QuorumPeerMain", cfg,
	}, err
}

// ready waits until the node answers and then, for a while, until it serves: it
// does not as long as too few of its cluster are up, and that is not its fault.
func (zooKeeperServer) ready(ctx context.Context, spec cluster.Spec) (string, error) {
	env, err := cluster.AskZooKeeper(ctx, addrOf(spec), "envi")
	if err != nil {
		return "", err
	}
	_, version, _ := strings.Cut(env, "zookeeper.version=")
	version, _, _ = strings.Cut(version, "-")
	ctx, cancel := context.WithTimeout(ctx, quorumTime)
	defer cancel()
	for ctx.Err() == nil {
		if s, err := cluster.AskZooKeeper(ctx, addrOf(spec), "srvr"); err == nil && strings.Contains(s, "\nMode: ") {
			break
		}
		pause(ctx, pollTime)
	}
	return "zookeeper " + version, nil
}

func (zooKeeperServer) whyNoClock() string {
	return "ZooKeeper's sessions run on the monotonic clock, which stays true"
}

func (zooKeeperServer) whyNoWipe() string {
	return "a ZooKeeper that has lost its data could elect a leader that lacks what it had acknowledged"
}
