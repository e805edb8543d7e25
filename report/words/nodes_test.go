package words_test

import (
	"testing"

	"locktorture/report/words"
)

// TestNodes: lists can be broken between names, and a row of servers is told by its ends.
func TestNodes(t *testing.T) {
	for want, names := range map[string][]string{
		"redis-1 to redis-5":        {"redis-1", "redis-2", "redis-3", "redis-4", "redis-5"},
		"redis-1, redis-2":          {"redis-1", "redis-2"},
		"redis-1, redis-3, redis-4": {"redis-1", "redis-3", "redis-4"},
		"redis-1, etcd-2, c3":       {"redis-1", "etcd-2", "c3"},
		"redis":                     {"redis"}, "": nil,
	} {
		if got := words.Nodes(names); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
