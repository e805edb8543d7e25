package process

import (
	"context"
	"os"
	"path/filepath"

	"locktorture/cluster"
	"locktorture/cluster/server"
)

// pgbouncerServer runs PgBouncer, which refuses to run as root. Root runs it as the user postgres.
type pgbouncerServer struct{ server.PgBouncer }

func (pgbouncerServer) find(look lookup) (string, error) {
	program, err := look.sbin("pgbouncer")
	if err != nil {
		return "", err
	}
	return look.toBecome(postgresUser, program)
}

func (p pgbouncerServer) command(_ context.Context, s cluster.Spec, data string) ([]string, error) {
	if err := p.WriteConfig(s, data); err != nil {
		return nil, err
	}
	args := p.Args(data)
	if os.Getuid() != 0 {
		return args, nil
	}
	program, err := lookup(nil).sbin("pgbouncer")
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(filepath.Dir(data), 0o711); err != nil {
		return nil, err
	}
	if err := give(data); err != nil {
		return nil, err
	}
	return append(asPostgres(), append([]string{program}, args...)...), nil
}
