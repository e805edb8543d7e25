package cluster_test

import (
	"context"
	"io"
	"net"
	"testing"
	"time"

	"locktorture/cluster"
)

// answers listens as a ZooKeeper that gives one answer after another, the last of them for
// ever.
func answers(t *testing.T, all ...string) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for i := 0; ; i = min(i+1, len(all)-1) {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.ReadFull(conn, make([]byte, len("mntr")))
			_, _ = io.WriteString(conn, all[i])
			conn.Close()
		}
	}()
	return l.Addr().String()
}

// TestAskServing: who is not served just now asks again, and not for ever.
func TestAskServing(t *testing.T) {
	const not, count = "This ZooKeeper instance is not currently serving requests\n", "zk_packets_received\t7\n"
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if got, err := cluster.AskServing(ctx, answers(t, not, not, count), "mntr"); got != count || err != nil {
		t.Errorf("one that serves late answered %q, %v", got, err)
	}
	short, end := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer end()
	if got, err := cluster.AskServing(short, answers(t, not), "mntr"); err == nil {
		t.Errorf("one that never serves answered %q, %v", got, err)
	}
}
