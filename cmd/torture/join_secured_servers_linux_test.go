package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/jackc/pgx/v5"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"locktorture/cluster"
	"locktorture/cluster/clustertest"
)

// ownerTLS is how the owner of a server connects.
func ownerTLS(t *testing.T, ca, cert, key string) *tls.Config {
	t.Helper()
	text, err := os.ReadFile(ca)
	if err != nil {
		t.Fatal(err)
	}
	c := &tls.Config{RootCAs: x509.NewCertPool(), ServerName: "localhost"}
	c.RootCAs.AppendCertsFromPEM(text)
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	c.Certificates = []tls.Certificate{pair}
	return c
}

// theirEtcd is an etcd that wants a certificate of every client, and a login. The user may do
// what he likes with the keys that begin with "torture:".
func theirEtcd(t *testing.T) securedServer {
	ca, cert, key := ownAuthority(t)
	port, peer := aPort(t), aPort(t)
	theirProgram(t, "etcd", "--name", "theirs", "--data-dir", t.TempDir(), "--unsafe-no-fsync", "--log-level", "error",
		"--listen-client-urls", "https://127.0.0.1:"+port, "--advertise-client-urls", "https://localhost:"+port,
		"--listen-peer-urls", "http://127.0.0.1:"+peer, "--initial-advertise-peer-urls", "http://127.0.0.1:"+peer,
		"--initial-cluster", "theirs=http://127.0.0.1:"+peer,
		"--cert-file", cert, "--key-file", key, "--trusted-ca-file", ca, "--client-cert-auth")
	client := func(user string) *clientv3.Client {
		c, err := clientv3.New(clientv3.Config{
			Endpoints: []string{"localhost:" + port}, TLS: ownerTLS(t, ca, cert, key), Username: user, Password: user, DialTimeout: 20 * time.Second, Logger: zap.NewNop(),
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	c := client("")
	eventually(t, func(ctx context.Context) error { _, err := c.Put(ctx, "lock/counter/theirs", "1"); return err })
	onlyTheUser(t, c)
	owner := client("root")
	return securedServer{"localhost:" + port, []string{"--tls-ca", ca, "--tls-cert", cert, "--tls-key", key}, secretPassword, func() ([]string, error) {
		r, err := owner.Get(t.Context(), "", clientv3.WithPrefix(), clientv3.WithKeysOnly())
		if err != nil {
			return nil, err
		}
		var keys []string
		for _, kv := range r.Kvs {
			keys = append(keys, string(kv.Key))
		}
		return keys, nil
	}, 0}
}

// onlyTheUser lets nobody but the user touch the keys of an etcd that begin with "torture:".
func onlyTheUser(t *testing.T, c *clientv3.Client) {
	t.Helper()
	for _, do := range []func(ctx context.Context) error{
		func(ctx context.Context) error { _, err := c.UserAdd(ctx, "root", "root"); return err },
		func(ctx context.Context) error { _, err := c.UserGrantRole(ctx, "root", "root"); return err },
		func(ctx context.Context) error { _, err := c.RoleAdd(ctx, "locks"); return err },
		func(ctx context.Context) error {
			_, err := c.RoleGrantPermission(ctx, "locks", "torture:", clientv3.GetPrefixRangeEnd("torture:"), clientv3.PermissionType(clientv3.PermReadWrite))
			return err
		},
		func(ctx context.Context) error { _, err := c.UserAdd(ctx, secretUser, secretPassword); return err },
		func(ctx context.Context) error { _, err := c.UserGrantRole(ctx, secretUser, "locks"); return err },
		func(ctx context.Context) error { _, err := c.AuthEnable(ctx); return err },
	} {
		if err := do(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// startTheirs starts a server as its owner would, and returns its port.
func startTheirs(t *testing.T, topology string, args ...string) string {
	t.Helper()
	p := clustertest.Servers(filepath.Join("..", "..", "bin", "servers"))
	for _, need := range cluster.Topologies()[topology].Needs {
		if err := p.Serves(need); err != nil {
			t.Fatalf("%v; run: make servers", err)
		}
	}
	c, err := cluster.StartConfig(t.Context(), cluster.Config{
		Topology: topology, Provisioner: p, Clients: 1, Dir: t.TempDir(), Args: map[string][]string{topology: args},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	_, port, err := net.SplitHostPort(c.Nodes[0].Addr())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// theirPostgres is a PostgreSQL that takes the user over TLS only, with his password (SCRAM).
func theirPostgres(t *testing.T) securedServer {
	ca, cert, key := ownAuthority(t)
	dir, err := os.MkdirTemp("", "torture-theirs-") // a test's own directory is closed to the server's user
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	rules := fmt.Sprintf("hostnossl all postgres 127.0.0.1/32 trust\nhostssl theirs %s 127.0.0.1/32 scram-sha-256\n", secretUser)
	for name, from := range map[string]string{"cert.pem": cert, "key.pem": key, "rules": ""} {
		text := []byte(rules)
		if from != "" {
			if text, err = os.ReadFile(from); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	giveToPostgres(t, dir)
	port := startTheirs(t, "postgres", "-c", "ssl=on", "-c", "ssl_cert_file="+filepath.Join(dir, "cert.pem"),
		"-c", "ssl_key_file="+filepath.Join(dir, "key.pem"), "-c", "hba_file="+filepath.Join(dir, "rules"))
	owner, err := pgx.Connect(t.Context(), "postgres://postgres@127.0.0.1:"+port+"/postgres?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { owner.Close(context.Background()) })
	for _, statement := range []string{
		"CREATE DATABASE theirs", fmt.Sprintf(`CREATE ROLE "%s" LOGIN PASSWORD '%s'`, secretUser, secretPassword),
	} {
		if _, err := owner.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	return securedServer{"localhost:" + port, []string{"--tls-ca", ca, "--database", "theirs"}, secretPassword, func() ([]string, error) {
		rows, err := owner.Query(t.Context(), "SELECT 'lock ' || objid FROM pg_locks WHERE locktype = 'advisory'")
		if err != nil {
			return nil, err
		}
		return pgx.CollectRows(rows, pgx.RowTo[string])
	}, 0}
}

// giveToPostgres gives files to the user whom root runs PostgreSQL as.
func giveToPostgres(t *testing.T, dir string) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		t.Fatal(err)
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(files, dir) {
		if err := os.Chown(path, uid, gid); err != nil {
			t.Fatal(err)
		}
	}
}

// theirMariaDB is a MariaDB that takes the user over TLS only.
func theirMariaDB(t *testing.T) securedServer {
	ca, cert, key := ownAuthority(t)
	port := startTheirs(t, "mariadb", "--ssl-cert="+cert, "--ssl-key="+key, "--ssl-ca="+ca)
	addr := "127.0.0.1:" + port
	newDatabase(t, addr)
	owner := root(t, addr)
	if _, err := owner.ExecContext(t.Context(), fmt.Sprintf("ALTER USER '%s'@'127.0.0.1' REQUIRE SSL", secretUser)); err != nil {
		t.Fatal(err)
	}
	return securedServer{"localhost:" + port, []string{"--tls-ca", ca, "--database", "theirs"}, secretPassword, func() ([]string, error) { return tablesOf(t.Context(), owner) }, 0}
}

// theirConsul is a Consul that asks for a token, over TLS.
func theirConsul(t *testing.T) securedServer {
	ca, cert, key := ownAuthority(t)
	port := aPort(t)
	theirProgram(t, "consul", "agent", "-server", "-bootstrap-expect", "1", "-node", "theirs", "-data-dir", t.TempDir(), "-bind", "127.0.0.1", "-client", "127.0.0.1",
		"-http-port", "-1", "-https-port", port, "-server-port", aPort(t), "-serf-lan-port", gossipPort(t), "-serf-wan-port", "-1", "-dns-port", "-1", "-grpc-port", "-1", "-log-level", "warn",
		"-hcl", fmt.Sprintf(`disable_update_check = true connect { enabled = false } performance { raft_multiplier = 1 } session_ttl_min = "1s"
			tls { defaults { ca_file = %q cert_file = %q key_file = %q } }
			acl { enabled = true default_policy = "deny" tokens { initial_management = "8e8cd1e3-0c1d-4b8a-a6a1-6f1d2c3b4a59" agent = "8e8cd1e3-0c1d-4b8a-a6a1-6f1d2c3b4a59" } }`, ca, cert, key))
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: ownerTLS(t, ca, cert, key)}}
	ask := func(ctx context.Context, method, path, body string, into any) error {
		req, err := http.NewRequestWithContext(ctx, method, "https://localhost:"+port+"/v1/"+path, strings.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("X-Consul-Token", "8e8cd1e3-0c1d-4b8a-a6a1-6f1d2c3b4a59")
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode == http.StatusNotFound {
			return err
		}
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %d: %s", path, resp.StatusCode, text)
		}
		return json.Unmarshal(text, into)
	}
	var done any
	eventually(t, func(ctx context.Context) error { return ask(ctx, http.MethodPut, "kv/lock/counter", "theirs", &done) })
	rules, err := json.Marshal(map[string]string{"Name": "locks", "Rules": `key_prefix "torture:" { policy = "write" } session_prefix "" { policy = "write" } agent_prefix "" { policy = "read" }`})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, func(ctx context.Context) error { return ask(ctx, http.MethodPut, "acl/policy", string(rules), &done) })
	token := fmt.Sprintf(`{"SecretID": %q, "Policies": [{"Name": "locks"}]}`, secretToken)
	eventually(t, func(ctx context.Context) error { return ask(ctx, http.MethodPut, "acl/token", token, &done) })
	return securedServer{"localhost:" + port, []string{"--tls-ca", ca}, secretToken, func() ([]string, error) {
		var keys []string
		var sessions []struct{ ID string }
		if err := ask(t.Context(), http.MethodGet, "kv/?keys", "", &keys); err != nil {
			return nil, err
		}
		if err := ask(t.Context(), http.MethodGet, "session/list", "", &sessions); err != nil {
			return nil, err
		}
		for _, s := range sessions {
			keys = append(keys, "session "+s.ID)
		}
		return keys, nil
	}, 1}
}

// theirZooKeeper is a ZooKeeper below whose root only who logs in may make nodes.
func theirZooKeeper(t *testing.T) securedServer {
	port := startTheirs(t, "zookeeper-3")
	addr := "127.0.0.1:" + port
	owner, _, err := zk.Connect([]string{addr}, 5*time.Second, zk.WithLogger(unheard{}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(owner.Close)
	eventually(t, func(context.Context) error { return owner.AddAuth("digest", []byte("owner:owner")) })
	acl := append(zk.WorldACL(zk.PermRead), zk.DigestACL(zk.PermAll, "owner", "owner")...)
	acl = append(acl, zk.DigestACL(zk.PermCreate|zk.PermRead|zk.PermDelete, secretUser, secretPassword)...)
	eventually(t, func(context.Context) error { _, err := owner.SetACL("/", acl, -1); return err })
	return securedServer{addr, nil, secretPassword, func() ([]string, error) { return below(owner, "/") }, 1}
}

// below lists all nodes.
func below(c *zk.Conn, path string) ([]string, error) {
	names, _, err := c.Children(path)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var all []string
	for _, name := range names {
		child := strings.TrimSuffix(path, "/") + "/" + name
		deeper, err := below(c, child)
		if err != nil {
			return nil, err
		}
		all = append(append(all, child), deeper...)
	}
	return all, nil
}
