//go:build !wasip1 && !simulated

package scenarios

import (
	"database/sql"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktorture/cluster"
	"locktorture/report"
)

// What scripts play on. In virtual time it is something else, simulated.go.
type (
	servers    = cluster.Cluster
	link       = cluster.Link
	etcdClient = *clientv3.Client
	connection = *sql.Conn
)

// A Measure is a figure that a script has measured.
type Measure = report.Measure

// The directions of a link.
const (
	requests = cluster.Requests
	replies  = cluster.Replies
)

// lookEvery is the time between two looks of a script that waits for something.
const lookEvery = time.Millisecond
