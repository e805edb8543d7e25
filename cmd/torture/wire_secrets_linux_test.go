package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

// TestWireSecrets runs locks on servers of every kind that ask for a login without TLS: the
// traffic is recorded, and no file of the run has a secret.
func TestWireSecrets(t *testing.T) {
	t.Parallel()
	for _, s := range []struct {
		backend string
		start   func(t *testing.T) securedServer
		lock    string // what its messages mention
	}{
		{"redis-set", openlyRedis, "counter"}, {"memcached", openlyMemcached, "counter"}, {"postgres-advisory", openlyPostgres, "pg_advisory_lock"},
		{"mysql-unique-ttl", openlyMariaDB, "counter"}, {"consul", openlyConsul, "counter"}, {"etcd-concurrency", openlyEtcd, "counter"},
		{"zookeeper", theirZooKeeper, "counter"}, {"s3-lease", openlyS3, "counter"},
	} {
		t.Run(s.backend, func(t *testing.T) {
			server, dir := s.start(t), t.TempDir()
			out, err := onTheirs(t, func() *exec.Cmd {
				return server.command(t.Context(), dir, s.backend, "--nemesis", "none", "--sections", "3", "--min-grants", "3", "--duration", "60s")
			})
			if err != nil && !tooBusy(out) {
				t.Fatalf("%v\n%s", err, out)
			}
			noSecretIn(t, filepath.Join(dir, "results"), out)
			trace, err := tortureCommand(t.Context(), dir, "wire", "results/runs/latest", "--lock", s.lock).Output()
			if n := bytes.Count(trace, []byte("\n")); err != nil || n < 6 {
				t.Errorf("the trace has %d lines: %v", n, err)
			}
			all, err := tortureCommand(t.Context(), dir, "wire", "results/runs/latest", "--control").Output()
			if err != nil || strings.Contains(string(all), secretUser) {
				t.Errorf("%v, or the user is in the trace", err)
			}
		})
	}
}

func openlyRedis(t *testing.T) securedServer {
	port := aPort(t)
	theirProgram(t, "redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--requirepass", "the-owner's",
		"--user", secretUser, "on", ">"+secretPassword, "~torture:*", "&torture:*", "+@all")
	return securedServer{addr: "127.0.0.1:" + port, password: secretPassword}
}

func openlyMemcached(t *testing.T) securedServer {
	logins := filepath.Join(t.TempDir(), "logins")
	if err := os.WriteFile(logins, []byte(secretUser+":"+secretPassword+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	port := aPort(t)
	theirProgram(t, "memcached", "-p", port, "-U", "0", "-l", "127.0.0.1", "-u", "root", "-Y", logins)
	return securedServer{addr: "127.0.0.1:" + port, password: secretPassword}
}

func openlyPostgres(t *testing.T) securedServer {
	dir, err := os.MkdirTemp("", "torture-theirs-") // a test's own directory is closed to the server's user
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	rules := fmt.Sprintf("host all postgres 127.0.0.1/32 trust\nhost theirs %s 127.0.0.1/32 scram-sha-256\n", secretUser)
	if err := os.WriteFile(filepath.Join(dir, "rules"), []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	giveToPostgres(t, dir)
	port := startTheirs(t, "postgres", "-c", "hba_file="+filepath.Join(dir, "rules"))
	owner, err := pgx.Connect(t.Context(), "postgres://postgres@127.0.0.1:"+port+"/postgres?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(context.Background())
	for _, statement := range []string{
		"CREATE DATABASE theirs", fmt.Sprintf(`CREATE ROLE "%s" LOGIN PASSWORD '%s'`, secretUser, secretPassword),
	} {
		if _, err := owner.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	return securedServer{addr: "127.0.0.1:" + port, flags: []string{"--database", "theirs"}, password: secretPassword}
}

func openlyMariaDB(t *testing.T) securedServer {
	addr := "127.0.0.1:" + startTheirs(t, "mariadb")
	newDatabase(t, addr)
	return securedServer{addr: addr, flags: []string{"--database", "theirs"}, password: secretPassword}
}

// openlyConsul is a Consul whose only token is the secret.
func openlyConsul(t *testing.T) securedServer {
	port := aPort(t)
	theirProgram(t, "consul", "agent", "-server", "-bootstrap-expect", "1", "-node", "theirs", "-data-dir", t.TempDir(), "-bind", "127.0.0.1", "-client", "127.0.0.1",
		"-http-port", port, "-server-port", aPort(t), "-serf-lan-port", gossipPort(t), "-serf-wan-port", "-1", "-dns-port", "-1", "-grpc-port", "-1", "-log-level", "warn",
		"-hcl", fmt.Sprintf(`disable_update_check = true connect { enabled = false } performance { raft_multiplier = 1 } session_ttl_min = "1s"
			acl { enabled = true default_policy = "deny" tokens { initial_management = %q agent = %q } }`, secretToken, secretToken))
	eventually(t, func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, "http://127.0.0.1:"+port+"/v1/kv/theirs", strings.NewReader("1"))
		if err != nil {
			return err
		}
		req.Header.Set("X-Consul-Token", secretToken)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("status %d", resp.StatusCode)
		}
		return nil
	})
	return securedServer{addr: "127.0.0.1:" + port, password: secretToken}
}

func openlyEtcd(t *testing.T) securedServer {
	port, peer := aPort(t), aPort(t)
	theirProgram(t, "etcd", "--name", "theirs", "--data-dir", t.TempDir(), "--unsafe-no-fsync", "--log-level", "error",
		"--listen-client-urls", "http://127.0.0.1:"+port, "--advertise-client-urls", "http://127.0.0.1:"+port,
		"--listen-peer-urls", "http://127.0.0.1:"+peer, "--initial-advertise-peer-urls", "http://127.0.0.1:"+peer,
		"--initial-cluster", "theirs=http://127.0.0.1:"+peer)
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{"127.0.0.1:" + port}, DialTimeout: 20 * time.Second, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	eventually(t, func(ctx context.Context) error { _, err := c.Put(ctx, "theirs", "1"); return err })
	onlyTheUser(t, c)
	return securedServer{addr: "127.0.0.1:" + port, password: secretPassword}
}

// openlyS3 is a versitygw with a bucket, and no TLS.
func openlyS3(t *testing.T) securedServer {
	objects, addr := t.TempDir(), "127.0.0.1:"+aPort(t)
	if err := os.Mkdir(filepath.Join(objects, "theirs"), 0o700); err != nil {
		t.Fatal(err)
	}
	theirProgram(t, "versitygw", "--port", addr, "--access", secretUser, "--secret", secretPassword, "--quiet", "posix", objects)
	eventually(t, func(ctx context.Context) error {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
		if err != nil {
			return err
		}
		return conn.Close()
	})
	return securedServer{addr: addr, password: secretPassword, flags: []string{"--database", "theirs"}}
}
