package server

import (
	"context"
	"database/sql"
	"fmt"
	"path"
	"strconv"
	"time"

	"github.com/go-sql-driver/mysql"

	"locktorture/cluster"
)

// MariaDB is mariadbd with InnoDB. Its root has no password, and it listens only on loopback.
// Committed data survives a kill: it is in the kernel, though not necessarily on the disk.
type MariaDB struct{}

var _ Clocked = MariaDB{}

// Dir returns its data directory below the node's data directory.
func (MariaDB) Dir(data string) string { return path.Join(data, "mysql") }

// InstallArgs returns the arguments of mariadb-install-db, which makes a data directory. The caller
// adds the directory.
func (MariaDB) InstallArgs() []string {
	return []string{"--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db", "--innodb-log-file-size=8M"}
}

// Args returns its arguments. root reports whether it runs as root, see AsRoot.
func (m MariaDB) Args(s cluster.Spec, data string, root bool) []string {
	args := append([]string{"--no-defaults"}, m.AsRoot(root)...)
	args = append(args,
		"--datadir="+m.Dir(data), "--port="+strconv.Itoa(s.Ports[0]), "--bind-address=127.0.0.1",
		"--socket="+path.Join(data, "s"), "--pid-file="+path.Join(data, "pid"),
		"--skip-name-resolve", "--performance-schema=OFF", "--skip-log-bin", "--max-connections=500",
		"--innodb-buffer-pool-size=32M", "--innodb-log-file-size=8M", "--innodb-flush-log-at-trx-commit=2")
	return append(args, s.Args...)
}

// AsRoot returns the argument without which the server refuses to run as root; nil for other users.
func (MariaDB) AsRoot(root bool) []string {
	if root {
		return []string{"--user=root"}
	}
	return nil
}

// Ready asks for the version.
func (MariaDB) Ready(ctx context.Context, s cluster.Spec) (string, error) {
	var version string
	err := askMariaDB(ctx, Addr(s), "SELECT VERSION()", &version)
	return "mariadb " + version, err
}

// Now implements Clocked with the SQL function NOW.
func (MariaDB) Now(ctx context.Context, addr string) (time.Time, error) {
	var micros int64
	err := askMariaDB(ctx, addr, "SELECT CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED)", &micros)
	return time.UnixMicro(micros), err
}

// askMariaDB sends a node one query over a connection of its own.
func askMariaDB[T any](ctx context.Context, addr, question string, answer *T) error {
	cfg := mysql.NewConfig()
	cfg.Net, cfg.Addr, cfg.User, cfg.Logger = "tcp", addr, "root", &mysql.NopLogger{}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	if err := db.QueryRowContext(ctx, question).Scan(answer); err != nil {
		return fmt.Errorf("ask %s: %w", addr, err)
	}
	return nil
}
