package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"locktorture/cluster"
)

// ZooKeeper is ZooKeeper. Ports[0] is for clients. Additional arguments are lines of its
// configuration; "myid=N" is its number. Its sessions are measured with a monotonic clock.
type ZooKeeper struct{}

var (
	_ Clockless = ZooKeeper{}
	_ Keeper    = ZooKeeper{}
)

// JVM returns the arguments of its Java.
func (ZooKeeper) JVM() []string {
	return []string{
		"-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
		"-XX:-UsePerfData", // performance data would be files outside its directory
		"-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
		"-Dzookeeper.forceSync=no", "-Dzookeeper.cnxTimeout=500",
		// While there is no leader, a vote that was lost with its connection is sent again at
		// intervals that double up to a minute.
		"-Dzookeeper.fastleader.maxNotificationInterval=1000",
	}
}

// ConfigFile is the name of its configuration in the directory of the node.
const ConfigFile = "zoo.cfg"

// WriteConfig writes its configuration and its number into the directory dir. data is the path of
// this directory as the server sees it.
func (ZooKeeper) WriteConfig(s cluster.Spec, dir, data string) error {
	lines := []string{
		"dataDir=" + path.Join(data, "zookeeper"), fmt.Sprintf("clientPort=%d", s.Ports[0]), "clientPortAddress=127.0.0.1",
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
	return errors.Join(
		os.MkdirAll(filepath.Join(dir, "zookeeper"), 0o755),
		os.WriteFile(filepath.Join(dir, "zookeeper", "myid"), []byte(myid+"\n"), 0o644),
		os.WriteFile(filepath.Join(dir, ConfigFile), []byte(strings.Join(lines, "\n")+"\n"), 0o644),
	)
}

// Ready waits until the node answers, and then for a limited time until it serves. While too few
// servers of its ensemble are up, no node serves.
func (ZooKeeper) Ready(ctx context.Context, s cluster.Spec) (string, error) {
	env, err := cluster.AskZooKeeper(ctx, Addr(s), "envi")
	if err != nil {
		return "", err
	}
	_, version, _ := strings.Cut(env, "zookeeper.version=")
	version, _, _ = strings.Cut(version, "-")
	ctx, cancel := context.WithTimeout(ctx, quorumTime)
	defer cancel()
	for ctx.Err() == nil {
		if s, err := cluster.AskZooKeeper(ctx, Addr(s), "srvr"); err == nil && strings.Contains(s, "\nMode: ") {
			break
		}
		pause(ctx, pollTime)
	}
	return "zookeeper " + version, nil
}

// WhyNoClock implements Clockless: ZooKeeper measures sessions with the monotonic clock.
func (ZooKeeper) WhyNoClock() string {
	return "ZooKeeper's sessions run on the monotonic clock, which stays true"
}

// WhyNoWipe implements Keeper: a server without its data may elect a leader that lacks
// transactions.
func (ZooKeeper) WhyNoWipe() string {
	return "a ZooKeeper that has lost its data could elect a leader that lacks what it had acknowledged"
}
