package server

import (
	"context"
	"fmt"
	"os"
	"path"
	"strings"

	"locktorture/cluster"
)

// PgBouncer is PgBouncer in front of one PostgreSQL, which listens on the second port of its spec.
// Additional arguments are lines of its settings: "pool_mode=session".
type PgBouncer struct{}

var _ Clockless = PgBouncer{}

// pgBouncerFile is the file of its settings.
const pgBouncerFile = "pgbouncer.ini"

// Args returns its arguments.
func (PgBouncer) Args(data string) []string { return []string{path.Join(data, pgBouncerFile)} }

// WriteConfig writes its settings. Every client may log in as the user of the database. A statement
// waits for a lock in PostgreSQL for at most ten seconds (lock_timeout), because it continues to
// wait after its client has disconnected.
func (PgBouncer) WriteConfig(s cluster.Spec, data string) error {
	lines := append([]string{
		"[databases]",
		fmt.Sprintf("* = host=127.0.0.1 port=%d user=%s connect_query='SET lock_timeout = 10000'", s.Ports[1], PostgresUser),
		"[pgbouncer]",
		"listen_addr = 127.0.0.1",
		fmt.Sprintf("listen_port = %d", s.Ports[0]),
		"unix_socket_dir =",
		"auth_type = any",
		"ignore_startup_parameters = extra_float_digits,lock_timeout",
		"max_client_conn = 1000",
		"server_login_retry = 0.1", // retry soon when PostgreSQL has restarted
	}, s.Args...)
	return os.WriteFile(path.Join(data, pgBouncerFile), []byte(strings.Join(lines, "\n")+"\n"), 0o644)
}

// Ready asks PgBouncer for its version, and sends one query through it to PostgreSQL.
func (PgBouncer) Ready(ctx context.Context, s cluster.Spec) (string, error) {
	version, err := askPostgres(ctx, Addr(s), "pgbouncer", "SHOW VERSION")
	if err != nil {
		return "", err
	}
	if _, err := askPostgres(ctx, Addr(s), "postgres", "SELECT 1"); err != nil {
		return "", err
	}
	return strings.ToLower(version), nil
}

// WhyNoClock implements Clockless: no lock depends on the clock of PgBouncer.
func (PgBouncer) WhyNoClock() string { return "PgBouncer keeps no lock, and ends none" }
