// Package stores_test holds every store to the same contract, on real servers.
package stores_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"locktorture/cluster"
	"locktorture/cluster/process"
	"locktorture/workloads"
	"locktorture/workloads/stores/file"
	"locktorture/workloads/stores/mysql"
	"locktorture/workloads/stores/postgres"
	"locktorture/workloads/stores/redis"
)

// each runs a test on every store, new for each test.
func each(t *testing.T, test func(t *testing.T, s workloads.Resource)) {
	for _, tt := range []struct {
		name string
		open func(t *testing.T) (workloads.Resource, error)
	}{
		{"memory", func(*testing.T) (workloads.Resource, error) { return &workloads.Memory{}, nil }},
		{"file", func(t *testing.T) (workloads.Resource, error) { return file.Open(t.TempDir()) }},
		{"redis", func(t *testing.T) (workloads.Resource, error) { return redis.Open(t.Context(), server(t, "redis")) }},
		{"mysql", func(t *testing.T) (workloads.Resource, error) { return mysql.Open(t.Context(), server(t, "mariadb")) }},
		{"postgres", func(t *testing.T) (workloads.Resource, error) {
			return postgres.Open(t.Context(), server(t, "postgres"))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := tt.open(t)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
			test(t, s)
		})
	}
}

// server starts a server of a topology and returns its address.
func server(t *testing.T, topology string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o711); err != nil { // PostgreSQL runs as another user
		t.Fatal(err)
	}
	c, err := cluster.Start(t.Context(), topology, process.New(), 1, dir)
	if err != nil {
		t.Fatalf("%v (make servers gets the servers)", err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c.Nodes[0].Addr()
}

func read(lock string, token uint64) workloads.Access {
	return workloads.Access{Lock: lock, Token: token, Fenced: true, Key: lock + "/k"}
}

func write(lock string, token uint64, value string) workloads.Access {
	op := read(lock, token)
	op.Write, op.Value = true, value
	return op
}

// TestContract goes through one life of a store: every row is an operation,
// applied in this order.
func TestContract(t *testing.T) {
	plain := func(op workloads.Access) workloads.Access { op.Fenced = false; return op }
	given := func(op workloads.Access, want string) workloads.Access {
		op.Guard, op.Want = op.Lock+"/owner", want
		return op
	}
	owner := write("l", 34, "me")
	owner.Key = "l/owner"
	const odd = `{"a": "ä%'\"\\;--"}`
	rows := []struct {
		name string
		op   workloads.Access
		want string
		err  error
	}{
		{"a key that was never written", read("l", 0), "", nil},
		{"plain and fenced keys", plain(write("l", 0, "plain")), "", nil},
		{"are different keys", read("l", 0), "", nil},
		{"a first token", write("l", 9, "nine"), "", nil},
		{"the same token goes on", read("l", 9), "nine", nil},
		{"10 is newer than 9, also where tokens are text", read("l", 10), "nine", nil},
		{"an older write after a read alone", write("l", 9, "old"), "", workloads.ErrStale},
		{"an older read", read("l", 9), "", workloads.ErrStale},
		{"nothing of a refused write stays", read("l", 10), "nine", nil},
		{"another lock has a mark of its own", write("m", 1, odd), "", nil},
		{"a value with odd characters", read("m", 1), odd, nil},
		{"the plain store asks no mark", plain(read("l", 1)), "plain", nil},
		{"nor moves it", plain(write("l", 99, "plain again")), "", nil},
		{"so that this is not stale", read("l", 10), "nine", nil},
		{"a guard", owner, "", nil},
		{"that holds what it must", given(write("l", 34, "guarded"), "me"), "", nil},
		{"and that does not", given(write("l", 34, "never"), "you"), "", workloads.ErrConflict},
		{"is kept", read("l", 34), "guarded", nil},
		{"a token above 2^53", write("l", 1<<60+1, "big"), "", nil},
		{"is newer than the one before it", write("l", 1<<60, "almost"), "", workloads.ErrStale},
		{"to the last digit", read("l", 1<<60+1), "big", nil},
	}
	each(t, func(t *testing.T, s workloads.Resource) {
		applied := int64(0)
		for _, row := range rows {
			value, n, err := s.Do(t.Context(), row.op)
			if !errors.Is(err, row.err) || (err != nil) != (row.err != nil) || value != row.want {
				t.Fatalf("%s: %q, error %v, want %q, %v", row.name, value, err, row.want, row.err)
			}
			if err == nil {
				applied++
				row.want = ""
			}
			if want := applied; err == nil && n != want || err != nil && n != 0 {
				t.Fatalf("%s: apply number %d, want %d (0 if refused)", row.name, n, want)
			}
		}
		done, cancel := context.WithCancel(t.Context())
		cancel()
		if _, _, err := s.Do(done, write("l", 1<<60+1, "late")); err == nil {
			t.Error("an operation was carried out although its context had ended")
		}
		if value, _, _ := s.Do(t.Context(), read("l", 1<<60+1)); value != "big" {
			t.Errorf("the operation of an ended context left %q", value)
		}
	})
}

// TestOrder lets clients read and write at the same time: the apply numbers are 1…n, each
// once, and in their order every read sees the write before it. First
// operations of a lock meet, too.
func TestOrder(t *testing.T) {
	const clients, rounds = 8, 25
	type done struct {
		op    workloads.Access
		value string
		n     int64
	}
	each(t, func(t *testing.T, s workloads.Resource) {
		var mu sync.Mutex
		var all []done
		var wg sync.WaitGroup
		for c := range clients {
			wg.Go(func() {
				for i := range rounds {
					op := write("l"+strconv.Itoa(i%3), uint64(i), strconv.Itoa(c*rounds+i))
					op.Write = (c+i)%2 == 0
					op.Fenced = c%4 > 0
					value, n, err := s.Do(t.Context(), op)
					if errors.Is(err, workloads.ErrStale) {
						continue
					}
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					all = append(all, done{op, value, n})
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		slices.SortFunc(all, func(a, b done) int { return int(a.n - b.n) })
		values, marks := map[string]string{}, map[string]uint64{}
		for i, d := range all {
			key := d.op.Key + strconv.FormatBool(d.op.Fenced)
			switch {
			case d.n != int64(i+1):
				t.Fatalf("apply number %d in place %d", d.n, i+1)
			case d.op.Fenced && d.op.Token < marks[d.op.Lock]:
				t.Fatalf("operation %d was applied with token %d, the mark was %d", d.n, d.op.Token, marks[d.op.Lock])
			case d.op.Write:
				values[key] = d.op.Value
			case values[key] != d.value:
				t.Fatalf("operation %d read %q, %q had been written", d.n, d.value, values[key])
			}
			if d.op.Fenced {
				marks[d.op.Lock] = d.op.Token
			}
		}
		if len(all) < clients*rounds/4 {
			t.Errorf("only %d operations were applied", len(all))
		}
	})
}

// The file store is a real file, which says what it holds.
func TestFileCanBeRead(t *testing.T) {
	dir := t.TempDir()
	s, err := file.Open(filepath.Join(dir, "store"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, _, err := s.Do(t.Context(), write("l", 7, "v")); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "store", "l.fenced"))
	if err != nil {
		t.Fatal(err)
	}
	if fields := strings.Fields(string(b)); !slices.Equal(fields, []string{"mark", "00000000000000000007", "l/k", "v"}) {
		t.Errorf("the file reads %q", fields)
	}
	long := write("l", 7, strings.Repeat("x", 600))
	if _, n, err := s.Do(t.Context(), long); err == nil || n != 0 {
		t.Errorf("a value longer than a record: apply %d, error %v", n, err)
	}
}
