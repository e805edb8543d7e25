package process

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/go-sql-driver/mysql"

	"locktorture/cluster"
)

// mariadbServer is mariadbd with InnoDB. Its root has no password and it
// listens on loopback only. What was committed survives a kill: it has been handed to the
// kernel, though not to the disk.
type mariadbServer struct{}

var _ clocked = mariadbServer{}

// mariadbInstall is how a data directory is made.
func mariadbInstall() []string {
	return []string{"--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db", "--innodb-log-file-size=8M"}
}

func (mariadbServer) find(look lookup) (string, error) {
	if _, err := look.sbin("mariadb-install-db"); err != nil {
		return "", err
	}
	return look.sbin("mariadbd")
}

func (m mariadbServer) command(ctx context.Context, s cluster.Spec, data string) ([]string, error) {
	dir := filepath.Join(data, "mysql")
	if _, err := os.Stat(dir); err != nil {
		if err := m.install(ctx, dir); err != nil {
			return nil, err
		}
	}
	args := []string{"--no-defaults"}
	args = append(args, asRoot()...)
	args = append(args,
		"--datadir="+dir, "--port="+strconv.Itoa(s.Ports[0]), "--bind-address=127.0.0.1",
		"--socket="+filepath.Join(data, "s"), "--pid-file="+filepath.Join(data, "pid"),
		"--skip-name-resolve", "--performance-schema=OFF", "--skip-log-bin", "--max-connections=500",
		"--innodb-buffer-pool-size=32M", "--innodb-log-file-size=8M", "--innodb-flush-log-at-trx-commit=2")
	return append(args, s.Args...), nil
}

// install puts a fresh data directory in place.
func (mariadbServer) install(ctx context.Context, dir string) error {
	program, err := lookup(nil).sbin("mariadbd")
	if err != nil {
		return err
	}
	version, err := tell(program)
	if err != nil {
		return err
	}
	t := template{kind: "mariadb", made: append(mariadbInstall(), version), fill: func(ctx context.Context, dir string) error {
		installer, err := lookup(nil).sbin("mariadb-install-db")
		if err != nil {
			return err
		}
		return run(ctx, installer, append(append(mariadbInstall(), asRoot()...), "--datadir="+dir)...)
	}}
	return t.copyTo(ctx, dir)
}

// asRoot is what the server wants to hear from root.
func asRoot() []string {
	if os.Getuid() == 0 {
		return []string{"--user=root"}
	}
	return nil
}

func (mariadbServer) ready(ctx context.Context, s cluster.Spec) (string, error) {
	var version string
	err := askMariaDB(ctx, addrOf(s), "SELECT VERSION()", &version)
	return "mariadb " + version, err
}

func (mariadbServer) now(ctx context.Context, addr string) (time.Time, error) {
	var micros int64
	err := askMariaDB(ctx, addr, "SELECT CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED)", &micros)
	return time.UnixMicro(micros), err
}

// askMariaDB asks a node one question over a connection of its own.
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

// sbin returns the path of an executable that may be where only root looks.
func (l lookup) sbin(name string) (string, error) {
	path, err := l.program(name)
	if err == nil {
		return path, nil
	}
	for _, dir := range []string{"/usr/local/sbin", "/usr/sbin"} {
		if path, err := (lookup{dir}).program(name); err == nil {
			return path, nil
		}
	}
	return "", err
}
