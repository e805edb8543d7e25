package ledger

import (
	"bytes"
	"strings"
	"testing"

	"locktorture/registry"
)

// edited sums a lock and faults up as they are in a checkout where one file has another text.
func edited(t *testing.T, tree *Sources, lock, faults, path string, edit func(text []byte) []byte) Sums {
	t.Helper()
	was, err := tree.read(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { tree.files[path] = was }()
	text := edit(bytes.Clone(was.text))
	if bytes.Equal(text, was.text) {
		t.Fatalf("the edit of %s changes nothing", path)
	}
	tree.files[path] = newFile(path, text)
	return sums(t, tree, lock, faults)
}

func sums(t *testing.T, tree *Sources, lock, faults string) Sums {
	t.Helper()
	sums, err := tree.Sums(registry.Locks()[lock], faults)
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

// checkout opens this one.
func checkout(t *testing.T) *Sources {
	t.Helper()
	tree, err := OpenSources("..")
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// more adds a declaration, comment a comment, to the end of a file.
func more(text []byte) []byte { return append(text, "\nconst addedByATest = 1\n"...) }
func comment(text []byte) []byte {
	return append(text, "\n// A comment, as those who polish sentences add it.\n"...)
}

// TestChanged edits one file of this checkout at a time, and looks for whom results are stale.
func TestChanged(t *testing.T) {
	tree := checkout(t)
	replace := func(old, new string) func([]byte) []byte {
		return func(text []byte) []byte { return []byte(strings.Replace(string(text), old, new, 1)) }
	}
	for _, tt := range []struct {
		path         string
		edit         func([]byte) []byte
		lock, faults string
		want         string
	}{
		{"checker/judge.go", comment, "redis-set", "pause", ""},
		{"checker/judge.go", more, "redis-set", "pause", "the checker"},
		{"timeline/counts.go", more, "zookeeper", "hold", "the checker"},
		{"harness/section.go", more, "zookeeper", "hold", "the checker"},
		{"locks/redis/set.go", more, "redis-set", "pause", "the lock"},
		{"locks/redis/set.go", more, "zookeeper", "pause", ""},
		{"locks/mysql/uniquettl.go", more, "mysql-unique-ttl", "pause", "the lock"},
		{"locks/mysql/uniquettl.go", more, "etcd-concurrency", "pause", ""},
		{"locks/attempt/grant.go", more, "redis-set", "pause", "the lock"},
		{"locks/redislib/client.go", more, "redsync", "pause", "the lock"},
		{"locks/redsync/redsync.go", more, "redsync", "pause", "the lock"},
		{"locks/redsync/redsync.go", more, "redlock", "pause", ""},
		{"drivers/go/kubernetes/go.mod", comment, "kubernetes-lease", "pause", "the lock"},
		{"drivers/go/kubernetes/go.mod", comment, "redlock", "pause", ""},
		{"cluster/server/consul.go", more, "consul", "pause", "the lock"},
		{"cluster/server/consul.go", more, "redis-set", "pause", ""},
		{"cluster/s3.go", more, "s3-lock", "pause", "the lock"},
		{"cluster/s3.go", more, "redis-set", "pause", ""},
		{"cluster/process/kubernetes_linux.go", more, "kubernetes-lease", "pause", "the lock"},
		{"cluster/server/kubernetes.go", more, "redis-set", "pause", ""},
		{"cluster/server/server.go", more, "redis-set", "pause", "the fault"},
		{"cluster/process/clock/clock_linux.go", more, "redis-set", "pause", "the fault"},
		{"cluster/process/clock/src/clock.c", more, "redis-set", "pause", "the fault"},
		{"cluster/toxiproxy/forward.go", more, "redis-set", "pause", "the fault"},
		{"cluster/link.go", more, "redis-set", "pause", "the fault"},
		{"nemesis/pause.go", more, "redis-set", "pause", "the fault"},
		{"nemesis/pause.go", more, "redis-set", "clock+pause", "the fault"},
		{"nemesis/pause.go", more, "redis-set", "kill-client", ""},
		{"nemesis/kill_client.go", more, "redis-set", "kill-client", "the fault"},
		{"nemesis/schedule.go", more, "redis-set", "kill-client", "the fault"},
		{"scenarios/gc_pause.go", more, "redis-set", "", "the fault"},
		{"scenarios/gc_pause.go", more, "redis-set", "pause", ""},
		{"registry/onredis/locks.go", replace(`redis.NewSet).`, `redis.NewLua).`), "redis-set", "pause", "the lock"},
		{"registry/onredis/locks.go", replace(`redis.NewSet).`, `redis.NewLua).`), "redis-watchdog", "pause", ""},
		{"registry/onredis/locks.go", replace(`OnOne("SET NX PX`, `OnOne("SET PX NX`), "redis-set", "pause", ""}, // what it says to people
		{"checker/grade.go", replace(`"cause not identified"`, `"the cause is not known"`), "redis-set", "pause", ""},
		{"checker/grade.go", replace(`case broken:`, `case !broken:`), "redis-set", "pause", "the checker"},
		{"checker/app/judge.go", more, "redis-set", "pause", ""},
		{"checker/apps.go", more, "redis-set", "pause", ""},
		{"checker/headline.go", more, "redis-set", "pause", ""},
		{"harness/theirs.go", more, "redis-set", "pause", ""},
		{"nemesis/all.go", more, "redis-set", "pause", ""},
		{"nemesis/restart.go", more, "redis-set", "restart-empty", "the fault"},
		{"nemesis/restart.go", more, "redis-set", "pause", ""},
		{"cluster/process/node_linux.go", more, "redis-set", "restart-empty", "the fault"},
		{"cluster/topology.go", more, "redis-set", "pause", ""},
		{"cluster/topology.go", replace(`start: startRedis,`, `start: startFive,`), "redis-set", "pause", "the lock"},
		{"cluster/topology.go", replace(`start: startRedis,`, `start: startFive,`), "zookeeper", "pause", ""},
		{"registry/locks_consensus.go", replace("Retry: 20 * time.Millisecond", "Retry: 30 * time.Millisecond"), "consul", "pause", "the lock"},
		{"report/text.go", more, "redis-set", "pause", ""},
	} {
		was, now := sums(t, tree, tt.lock, tt.faults), edited(t, tree, tt.lock, tt.faults, tt.path, tt.edit)
		if got := strings.Join(was.Changed(now), ", "); got != tt.want {
			t.Errorf("%s, %s under %q: %q has changed, want %q", tt.path, tt.lock, tt.faults, got, tt.want)
		}
	}
}

// TestFindings: a line about releases and one of a finding have the same sum of its program, and a change of
// its library's version makes the second stale alone.
func TestFindings(t *testing.T) {
	tree := checkout(t)
	of := func() (Sums, string) {
		s, err := tree.Of(Finding, registry.Backend{Name: "redis-semaphore-permit-leak"}, "")
		if err != nil {
			t.Fatal(err)
		}
		program, err := tree.Program("redis-semaphore-permit-leak")
		if err != nil || program == "" || program != s.Lock {
			t.Errorf("the program has the sums %q and %q: %v", program, s.Lock, err)
		}
		return s, program
	}
	was, program := of()
	const lock = "findings/redis-semaphore-permit-leak/package-lock.json"
	f, err := tree.read(lock)
	if err != nil {
		t.Fatal(err)
	}
	tree.files[lock] = newFile(lock, append(bytes.Clone(f.text), ' '))
	if now, same := of(); now == was || same != program {
		t.Errorf("another version of the library: %v, as before", now)
	}
}

// TestEveryLock finds the packages, or the program, of every lock of the registry.
func TestEveryLock(t *testing.T) {
	tree := checkout(t)
	sums := map[string]string{}
	for name, b := range registry.Locks() {
		s, err := tree.Sums(b, "pause")
		if err != nil {
			t.Error(err)
			continue
		}
		if twin, ok := sums[s.Lock]; ok {
			t.Errorf("%s and %s have the same sum", name, twin)
		}
		sums[s.Lock] = name
		if e, err := tree.entry(name); err != nil || len(e.texts) == 0 || len(e.packages) == 0 && b.Program == "" {
			t.Errorf("%s: %d texts, packages %q: %v", name, len(e.texts), e.packages, err)
		}
	}
}

// TestStrangers refuses a directory that is no checkout, and a lock that nothing is known of.
func TestStrangers(t *testing.T) {
	if _, err := OpenSources(t.TempDir()); err == nil {
		t.Error("an empty directory is a checkout")
	}
	if s, err := checkout(t).Sums(registry.Backend{Name: "lock-of-nobody"}, "pause"); err == nil {
		t.Errorf("a lock of nobody has the sums %v", s)
	}
}
