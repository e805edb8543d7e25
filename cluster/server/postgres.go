package server

import (
	"context"
	"path"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"locktorture/cluster"
)

// PostgresUser is the user of its database, and whom root runs PostgreSQL as: it
// refuses to run as root.
const PostgresUser = "postgres"

// Postgres is PostgreSQL. What was committed survives a kill: it has been handed to the
// kernel, though not to the disk.
type Postgres struct{}

var _ Clocked = Postgres{}

// Dir returns its data directory below that of the node.
func (Postgres) Dir(data string) string { return path.Join(data, "pg") }

// InitArgs returns the arguments of initdb, which makes a data directory; that itself is
// missing from them.
func (Postgres) InitArgs() []string {
	return []string{"-A", "trust", "-U", PostgresUser, "--no-sync", "-E", "UTF8", "--locale=C", "--wal-segsize=4"}
}

// Args returns its arguments.
func (p Postgres) Args(s cluster.Spec, data string) []string {
	args := []string{
		"-D", p.Dir(data), "-p", strconv.Itoa(s.Ports[0]), "-h", "127.0.0.1", "-k", data,
		"-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=300", "-c", "shared_buffers=32MB",
		"-c", "autovacuum=off", "-c", "max_wal_size=64MB",
		"-c", "dynamic_shared_memory_type=mmap", // a file of its directory; what else it takes outlives a kill
	}
	return append(args, s.Args...)
}

// Ready asks for the version.
func (Postgres) Ready(ctx context.Context, s cluster.Spec) (string, error) {
	var version string
	err := askPostgres(ctx, Addr(s), "SELECT current_setting('server_version')", &version)
	return "postgresql " + version, err
}

// Now asks clock_timestamp.
func (Postgres) Now(ctx context.Context, addr string) (t time.Time, err error) {
	err = askPostgres(ctx, addr, "SELECT clock_timestamp()", &t)
	return t, err
}

// askPostgres asks a node one question over a connection of its own.
func askPostgres[T any](ctx context.Context, addr, question string, answer *T) error {
	c, err := pgx.Connect(ctx, "postgres://"+PostgresUser+"@"+addr+"/postgres?sslmode=disable&connect_timeout=2")
	if err != nil {
		return err
	}
	defer c.Close(context.WithoutCancel(ctx))
	return c.QueryRow(ctx, question).Scan(answer)
}
