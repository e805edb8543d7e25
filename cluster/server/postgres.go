package server

import (
	"context"
	"path"
	"strconv"
	"time"

	"locktorture/cluster"
)

// PostgresUser is the user of the database. It is also the system user as which root runs
// PostgreSQL, because PostgreSQL refuses to run as root.
const PostgresUser = "postgres"

// Postgres is PostgreSQL. Committed data survives a kill: it is in the kernel, though not
// necessarily on the disk.
type Postgres struct{}

var _ Clocked = Postgres{}

// Dir returns its data directory below the node's data directory.
func (Postgres) Dir(data string) string { return path.Join(data, "pg") }

// InitArgs returns the arguments of initdb, which makes a data directory. The caller adds the
// directory.
func (Postgres) InitArgs() []string {
	return []string{"-A", "trust", "-U", PostgresUser, "--no-sync", "-E", "UTF8", "--locale=C", "--wal-segsize=4"}
}

// Args returns its arguments.
func (p Postgres) Args(s cluster.Spec, data string) []string {
	args := []string{
		"-D", p.Dir(data), "-p", strconv.Itoa(s.Ports[0]), "-h", "127.0.0.1", "-k", data,
		"-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=300", "-c", "shared_buffers=32MB",
		"-c", "autovacuum=off", "-c", "max_wal_size=64MB",
		"-c", "dynamic_shared_memory_type=mmap", // a file in its directory; the other kinds outlive a kill
	}
	return append(args, s.Args...)
}

// Ready asks for the version.
func (Postgres) Ready(ctx context.Context, s cluster.Spec) (string, error) {
	version, err := askPostgres(ctx, Addr(s), "postgres", "SELECT current_setting('server_version')")
	return "postgresql " + version, err
}

// Now implements Clocked with the SQL function clock_timestamp.
func (Postgres) Now(ctx context.Context, addr string) (time.Time, error) {
	text, err := askPostgres(ctx, addr, "postgres", "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint")
	if err != nil {
		return time.Time{}, err
	}
	micros, err := strconv.ParseInt(text, 10, 64)
	return time.UnixMicro(micros), err
}
