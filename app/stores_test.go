package app_test

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	_ "github.com/go-sql-driver/mysql"
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktorture/internal/s3api"
	"locktorture/trial"
)

// paidKeys is how many keys each replica pays in each way.
const paidKeys = 10

// TestStores: of every store, effects are seen on the wire, with nothing changed in the replicas. Where
// the store says no to the second of two, once is all that is seen of it.
func TestStores(t *testing.T) {
	t.Parallel()
	var taken sync.Map
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, there := taken.LoadOrStore(r.URL.Path, true); there && strings.HasPrefix(r.URL.Path, "/once") {
			w.WriteHeader(http.StatusConflict)
		}
	}))
	t.Cleanup(hook.Close) // after the subtests
	for how, c := range map[string]struct{ server, twice, once string }{
		"etcd": {"etcd-3", `^Put key=twice/(?P<key>\d+) `, `^Txn .*request_put=\{key=once/(?P<key>\d+) `},
		"gateway": {
			"etcd-3", `^POST /v3/kv/put .*"key":"twice/(?P<key>\d+)"`, `^POST /v3/kv/txn .*"request_put":\{"key":"once/(?P<key>\d+)"`,
		},
		"mariadb":   {"mariadb", `^execute INSERT INTO twice .*\[(?P<key>\d+)\]`, `^execute INSERT IGNORE INTO once .*\[(?P<key>\d+)\]`},
		"memcached": {"memcached", `^set twice:(?P<key>\d+)`, `^add once:(?P<key>\d+)`},
		"s3":        {"s3", `^PUT /torture/twice/(?P<key>\d+)`, `^PUT /torture/once/(?P<key>\d+) if-none-match`},
		"http":      {hook.URL, `^POST /twice/(?P<key>\d+)`, `^POST /once/(?P<key>\d+)`},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			f := written(t, fmt.Sprintf(`command: [%q]
env: {%s: stores %s, STORE: "${store}"}
servers: {store: %q}
jobs:
  twice: {seen: {effect: {store: '%s'}}, promises: {once_per_key: true}}
  once: {seen: {effect: {store: '%s'}}, promises: {once_per_key: true}}
ttl: 500ms
duration: 2s
limits: {stop: 500ms}
`, os.Args[0], asReplica, how, c.server, c.twice, c.once))
			o, err := torture(t.Context(), t, f)
			if err != nil {
				t.Fatal(err)
			}
			twice := 0
			for _, p := range o.Result.Properties {
				for _, a := range p.Anomalies {
					if a.Kind != "ran-twice" || a.Lock != "twice" {
						t.Error(a.Sentence)
					}
					twice++
				}
			}
			found, want := o.Result.Counts.Anomalies["ran-twice"], paidKeys
			if !allPaid(t, o) { // a busy machine
				want = min(found, paidKeys)
			}
			if o.Failure != nil || found != want || twice == 0 {
				t.Errorf("%d of %d keys twice in %d runs: %s, failure %v", found, paidKeys, o.Result.Counts.Grants, o.Result.Sentence, o.Failure)
			}
		})
	}
}

// paidAll is what a replica says once it has paid all of its keys.
const paidAll = "all is paid"

// allPaid reports whether both replicas had the time to pay all.
func allPaid(t *testing.T, o *trial.Outcome) bool {
	t.Helper()
	for n := range 2 {
		log, err := os.ReadFile(o.Dir.File(fmt.Sprintf("client-%d.log", n+1)))
		if err != nil || !strings.Contains(string(log), paidAll) {
			return false
		}
	}
	return true
}

// A till pays keys at a store: in a way that it takes from everybody, and in one that it takes once.
type till struct {
	twice, once func(key string) error
}

// payAt pays the same keys as the other replica, without a word about it.
func payAt(how string) int {
	t, err := tillAt(context.Background(), how, os.Getenv("STORE"))
	for i := range paidKeys {
		key := fmt.Sprint(i)
		if err == nil {
			err = errors.Join(t.twice(key), t.once(key))
		}
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(paidAll)
	select {}
}

func tillAt(ctx context.Context, how, addr string) (till, error) {
	switch how {
	case "etcd":
		c, err := clientv3.New(clientv3.Config{Endpoints: strings.Split(addr, ",")})
		return till{
			func(key string) error { _, err := c.Put(ctx, "twice/"+key, "x"); return err },
			func(key string) error {
				_, err := c.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision("once/"+key), "=", 0)).Then(clientv3.OpPut("once/"+key, "x")).Commit()
				return err
			},
		}, err
	case "gateway":
		first, _, _ := strings.Cut(addr, ",")
		b64 := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
		return till{
			func(key string) error {
				return post(first+"/v3/kv/put", fmt.Sprintf(`{"key":%q,"value":"eA=="}`, b64("twice/"+key)))
			},
			func(key string) error {
				return post(first+"/v3/kv/txn", fmt.Sprintf(`{"compare":[{"key":%[1]q,"target":"CREATE","create_revision":"0"}],"success":[{"request_put":{"key":%[1]q,"value":"eA=="}}]}`, b64("once/"+key)))
			},
		}, nil
	case "mariadb":
		db, err := sql.Open("mysql", "root@tcp("+addr+")/mysql")
		if err != nil {
			return till{}, err
		}
		for _, table := range []string{"twice (k VARCHAR(9))", "once (k VARCHAR(9) PRIMARY KEY)"} {
			if _, err := db.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS "+table); err != nil {
				return till{}, err
			}
		}
		return till{
			func(key string) error {
				return errors.Join(inTransaction(ctx, db, key, true), inTransaction(ctx, db, key, false))
			},
			func(key string) error {
				_, err := db.ExecContext(ctx, "INSERT IGNORE INTO once VALUES (?)", key)
				return err
			},
		}, nil
	case "memcached":
		c, err := net.Dial("tcp", addr)
		if err != nil {
			return till{}, err
		}
		in := bufio.NewReader(c)
		say := func(verb, key string) error {
			fmt.Fprintf(c, "%s:%s 0 0 1\r\nx\r\n", verb, key)
			_, err := in.ReadString('\n')
			return err
		}
		return till{func(key string) error { return say("set twice", key) }, func(key string) error { return say("add once", key) }}, nil
	case "s3":
		s := s3api.Open(s3api.Config{Addr: addr})
		return till{
			func(key string) error { _, err := s.Put(ctx, "twice/"+key, []byte("x"), s3api.Condition{}); return err },
			func(key string) error {
				if _, err := s.Put(ctx, "once/"+key, []byte("x"), s3api.IfAbsent()); err != nil && !s3api.NotSo(err) {
					return err
				}
				return nil
			},
		}, nil
	}
	return till{
		func(key string) error { return post(addr+"/twice/"+key, "") }, func(key string) error { return post(addr+"/once/"+key, "") },
	}, nil
}

// inTransaction pays a key, or begins to and takes it back.
func inTransaction(ctx context.Context, db *sql.DB, key string, back bool) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if back {
		key = "0" + key
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO twice VALUES (?)", key); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if back {
		return tx.Rollback()
	}
	return tx.Commit()
}

// post sends a request, whatever the answer.
func post(addr, body string) error {
	answer, err := http.Post("http://"+addr, "application/json", strings.NewReader(body))
	if err != nil {
		return err
	}
	return answer.Body.Close()
}
