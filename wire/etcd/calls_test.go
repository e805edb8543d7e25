package etcd_test

import (
	"path/filepath"
	"strings"
	"testing"

	"locktorture/wire/etcd"
	"locktorture/wire/wiretest"
)

// TestCalls names the messages of a recorded run of a lock.
func TestCalls(t *testing.T) {
	names := map[int]func(bool, []byte) []string{}
	seen := map[bool]map[string]bool{false: {}, true: {}}
	for _, c := range wiretest.Read(t, filepath.Join("..", "protocols", "testdata", "real.txt")) {
		if names[c.Conn] == nil {
			names[c.Conn] = etcd.Calls()
		}
		for _, n := range names[c.Conn](c.Reply, c.Data) {
			seen[c.Reply][n] = true
		}
	}
	for reply, want := range map[bool][]string{
		false: {"Txn", "LeaseGrant"},
		true:  {"Txn=yes", "LeaseGrant=ok"},
	} {
		for _, n := range want {
			if !seen[reply][n] {
				t.Errorf("no %q in %v", n, seen[reply])
			}
		}
		for n := range seen[reply] {
			if strings.Contains(n, "=") != reply {
				t.Errorf("%q, reply %v", n, reply)
			}
		}
	}
}
