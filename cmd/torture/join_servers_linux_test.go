package main

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"
	"github.com/go-zookeeper/zk"
	goredis "github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"locktorture/cluster"
	"locktorture/cluster/clustertest"
	"locktorture/internal/s3api"
	"locktorture/internal/testenv"
	"locktorture/runs"
)

// An othersServers is a kind of servers as somebody else would run them.
type othersServers struct {
	topology string
	kind     string   // of the nodes that are endpoints
	backends []string // that run there; the first one is sound, also where an answer is lost
	flags    []string
	prepare  func(t *testing.T, addr string)          // nil: there is nobody to log in
	left     func(t *testing.T, addr string) []string // what one server keeps
}

// everyKind is servers of every kind that a cluster can have as somebody else would.
func everyKind() []othersServers {
	return []othersServers{
		{"redis-5", "redis", []string{"redlock", "redsync"}, nil, nil, redisKeys},
		{"redis", "redis", []string{"redis-set", "redis-fair", "redis-reentrant", "redislock", "rueidislock"}, nil, nil, redisKeys},
		{"etcd-3", "etcd", []string{"etcd", "etcd-concurrency", "etcd-api"}, nil, nil, etcdKeys},
		{"zookeeper-3", "zookeeper", []string{"zookeeper", "gozk"}, nil, nil, zooKeeperNodes},
		{"consul-3", "consul", []string{"consul", "consul-api"}, nil, nil, consulKeys},
		{"mariadb", "mariadb", []string{"mysql-unique-ttl", "mysql-get-lock"}, []string{"--database", "theirs"}, newDatabase, tables},
		{"postgres", "postgres", []string{"postgres-advisory"}, []string{"--database", "postgres"}, nil, nil},
		{"memcached", "memcached", []string{"memcached"}, nil, nil, items},
		{"s3", "s3", []string{"s3-lease", "s3-lock"}, []string{"--database", "torture"}, nil, objects}, // with the login that is the default
	}
}

// TestExternalServers runs locks on servers of every kind that they did not start: what they
// keep afterwards must be what they kept before.
func TestExternalServers(t *testing.T) {
	t.Parallel()
	for _, s := range everyKind() {
		t.Run(s.topology, func(t *testing.T) {
			t.Parallel()
			p := clustertest.Servers(filepath.Join("..", "..", "bin", "servers"))
			for _, need := range cluster.Topologies()[s.topology].Needs {
				if err := p.Serves(need); err != nil {
					t.Fatalf("%v; run: make servers", err)
				}
			}
			c, err := cluster.Start(t.Context(), s.topology, p, 1, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			})
			s.run(t, c)
		})
	}
}

func (s othersServers) run(t *testing.T, c *cluster.Cluster) {
	var addrs []string
	for _, n := range c.Nodes {
		if strings.HasPrefix(n.Name(), s.kind) {
			addrs = append(addrs, n.Addr())
		}
	}
	s.runOn(t, addrs)
}

// runOn runs every backend.
func (s othersServers) runOn(t *testing.T, addrs []string) {
	t.Helper()
	if s.prepare != nil {
		s.prepare(t, addrs[0])
	}
	before := s.kept(t, addrs)
	for _, backend := range s.backends {
		dir := t.TempDir()
		out, err := onTheirs(t, func() *exec.Cmd {
			cmd := exec.CommandContext(t.Context(), "torture", append([]string{
				"run", "--cluster", "external", "--endpoints", strings.Join(addrs, ","), "--backend", backend, "--workload", "counter",
				"--nemesis", "none", "--sections", "5", "--clients", "2", "--min-grants", "5", "--duration", "60s", "--quiet",
			}, s.flags...)...)
			cmd.Dir = dir
			if s.prepare != nil {
				cmd.Env = append(os.Environ(), runs.UserEnv+"="+secretUser, runs.PasswordEnv+"="+secretPassword)
			}
			return cmd
		})
		if err != nil && !tooBusy(out) {
			t.Errorf("%s: %v\n%s", backend, err, out)
		} else if s.prepare != nil {
			noSecretIn(t, filepath.Join(dir, "results"), out)
		}
		// A session or a lease that nobody holds any more may take a moment to go.
		for deadline := time.Now().Add(testenv.Patience); ; time.Sleep(50 * time.Millisecond) {
			after := s.kept(t, addrs)
			if slices.Equal(before, after) {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s: the servers keep %q, and kept %q before", backend, after, before)
			}
		}
	}
}

// kept is what all servers keep.
func (s othersServers) kept(t *testing.T, addrs []string) []string {
	t.Helper()
	var all []string
	if s.left == nil {
		return nil
	}
	for _, addr := range addrs {
		all = append(all, s.left(t, addr)...)
	}
	slices.Sort(all)
	return all
}

// objects lists what the bucket of an object store has.
func objects(t *testing.T, addr string) []string {
	t.Helper()
	s := s3api.Open(s3api.Config{Addr: addr})
	defer s.Close()
	keys, err := s.List(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// plainRedis starts a Redis, or a sentinel, and returns its address.
func plainRedis(t *testing.T, args ...string) string {
	t.Helper()
	port := aPort(t)
	cmd := exec.Command("redis-server", append(args, "--port", port, "--bind", "127.0.0.1", "--dir", t.TempDir())...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v; run: make servers", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return "127.0.0.1:" + port
}

// answers waits until a command is answered with OK.
func answers(t *testing.T, addr, password string, command ...any) {
	t.Helper()
	c := goredis.NewClient(&goredis.Options{Addr: addr, Password: password})
	defer c.Close()
	for deadline := time.Now().Add(testenv.Patience); ; time.Sleep(20 * time.Millisecond) {
		err := c.Do(t.Context(), command...).Err()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// TestExternalSentinel runs on a primary with a password that a sentinel without one knows.
func TestExternalSentinel(t *testing.T) {
	primary := plainRedis(t, "--save", "", "--requirepass", secretPassword)
	answers(t, primary, secretPassword, "PING")
	host, port, err := net.SplitHostPort(primary)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "sentinel.conf")
	text := fmt.Sprintf("sentinel monitor mymaster %s %s 1\nsentinel auth-pass mymaster %s\n", host, port, secretPassword)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	sentinel := plainRedis(t, file, "--sentinel")
	answers(t, sentinel, "", "SENTINEL", "get-master-addr-by-name", "mymaster")
	keys := func(t *testing.T, _ string) []string {
		c := goredis.NewClient(&goredis.Options{Addr: primary, Password: secretPassword})
		defer c.Close()
		return c.Keys(t.Context(), "*").Val()
	}
	t.Setenv(runs.PasswordEnv, secretPassword)
	othersServers{"redis-sentinel", "sentinel", []string{"redis-sentinel"}, []string{"--sentinel-master", "mymaster"}, nil, keys}.runOn(t, []string{sentinel})
}

// TestExternalCluster runs on a Redis Cluster of one node.
func TestExternalCluster(t *testing.T) {
	addr := plainRedis(t, "--save", "", "--cluster-enabled", "yes", "--cluster-port", aPort(t)) // else 10,000 above, where others draw theirs
	answers(t, addr, "", "CLUSTER", "ADDSLOTSRANGE", 0, 16383)
	answers(t, addr, "", "SET", "theirs", "1") // once the cluster is up
	othersServers{"redis-cluster", "redis", []string{"redis-cluster"}, nil, nil, redisKeys}.runOn(t, []string{addr})
}

func redisKeys(t *testing.T, addr string) []string {
	t.Helper()
	c := goredis.NewClient(&goredis.Options{Addr: addr})
	defer c.Close()
	keys, err := c.Keys(t.Context(), "*").Result()
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func etcdKeys(t *testing.T, addr string) []string {
	t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{addr}, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	r, err := c.Get(t.Context(), "", clientv3.WithPrefix(), clientv3.WithKeysOnly())
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, kv := range r.Kvs {
		keys = append(keys, string(kv.Key))
	}
	return keys
}

// unheard is a logger for a library.
type unheard struct{}

func (unheard) Printf(string, ...any) {}

func zooKeeperNodes(t *testing.T, addr string) []string {
	t.Helper()
	c, _, err := zk.Connect([]string{addr}, 5*time.Second, zk.WithLogger(unheard{}))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	// A server that misses its quorum for a moment refuses connections, and the client gives
	// up what it was asked as soon as its only server has refused one.
	for deadline := time.Now().Add(testenv.Patience); ; time.Sleep(50 * time.Millisecond) {
		names, _, err := c.Children("/")
		if err == nil {
			return names
		}
		if !errors.Is(err, zk.ErrNoServer) && !errors.Is(err, zk.ErrConnectionClosed) || time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

func consulKeys(t *testing.T, addr string) []string {
	t.Helper()
	var all []string
	for _, path := range []string{"kv/?keys", "session/list"} {
		resp, err := http.Get("http://" + addr + "/v1/" + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != http.StatusNotFound && string(body) != "[]" {
			all = append(all, string(body))
		}
	}
	return all
}

func root(t *testing.T, addr string) *sql.DB {
	t.Helper()
	c := driver.NewConfig()
	c.Net, c.Addr, c.User = "tcp", addr, "root"
	connector, err := driver.NewConnector(c)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() { db.Close() })
	return db
}

// newDatabase makes a database with a table, and a user who may do there what locks need.
func newDatabase(t *testing.T, addr string) {
	t.Helper()
	db := root(t, addr)
	for _, statement := range []string{
		"CREATE DATABASE theirs", "CREATE TABLE theirs.lock_ttl (theirs INT)",
		fmt.Sprintf("CREATE USER '%s'@'127.0.0.1' IDENTIFIED BY '%s'", secretUser, secretPassword),
		fmt.Sprintf("GRANT CREATE, DROP, SELECT, INSERT, UPDATE, DELETE ON theirs.* TO '%s'@'127.0.0.1'", secretUser),
	} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
}

func tables(t *testing.T, addr string) []string {
	t.Helper()
	all, err := tablesOf(t.Context(), root(t, addr))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func tablesOf(ctx context.Context, db *sql.DB) (all []string, err error) {
	rows, err := db.QueryContext(ctx, "SELECT CONCAT(table_schema, '.', table_name) FROM information_schema.tables")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		all = append(all, name)
	}
	return all, rows.Err()
}

// items are the keys of a memcached. It lists them for one at a time.
func items(t *testing.T, addr string) []string {
	t.Helper()
	for deadline := time.Now().Add(testenv.Patience); ; time.Sleep(20 * time.Millisecond) {
		all, busy, err := listItems(addr)
		if err == nil && !busy {
			return all
		}
		if time.Now().After(deadline) {
			t.Fatalf("list the items: busy %v, %v", busy, err)
		}
	}
}

func listItems(addr string) (all []string, busy bool, err error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, false, err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(testenv.Patience))
	if _, err := io.WriteString(conn, "lru_crawler metadump all\r\n"); err != nil {
		return nil, false, err
	}
	in := bufio.NewScanner(conn)
	for in.Scan() && in.Text() != "END" {
		if strings.HasPrefix(in.Text(), "BUSY") { // and nothing comes after it
			return nil, true, nil
		}
		all = append(all, strings.Fields(in.Text())[0])
	}
	return all, false, in.Err()
}
