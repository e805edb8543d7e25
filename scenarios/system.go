//go:build !wasip1 && !simulated

package scenarios

import (
	"database/sql"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktorture/cluster"
	"locktorture/report"
)

// The servers on which scripts play. In virtual time, simulated.go replaces this file.
type (
	system     = cluster.Cluster
	link       = cluster.Link
	etcdClient = *clientv3.Client
	connection = *sql.Conn
)

// A Measure is a value that a script has measured.
type Measure = report.Measure

// The directions of a link.
const (
	requests = cluster.Requests
	replies  = cluster.Replies
)

// lookEvery is the interval between two checks of a script that waits.
const lookEvery = time.Millisecond
