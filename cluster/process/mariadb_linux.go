package process

import (
	"context"
	"os"

	"locktorture/cluster"
	"locktorture/cluster/server"
)

// mariadbServer is mariadbd.
type mariadbServer struct{ server.MariaDB }

func (mariadbServer) find(look lookup) (string, error) {
	if _, err := look.sbin("mariadb-install-db"); err != nil {
		return "", err
	}
	return look.sbin("mariadbd")
}

func (m mariadbServer) command(ctx context.Context, s cluster.Spec, data string) ([]string, error) {
	dir := m.Dir(data)
	if _, err := os.Stat(dir); err != nil {
		if err := m.install(ctx, dir); err != nil {
			return nil, err
		}
	}
	return m.Args(s, data, os.Getuid() == 0), nil
}

// install creates a new data directory.
func (m mariadbServer) install(ctx context.Context, dir string) error {
	program, err := lookup(nil).sbin("mariadbd")
	if err != nil {
		return err
	}
	version, err := tell(program)
	if err != nil {
		return err
	}
	t := template{kind: "mariadb", made: append(m.InstallArgs(), version), fill: func(ctx context.Context, dir string) error {
		installer, err := lookup(nil).sbin("mariadb-install-db")
		if err != nil {
			return err
		}
		return run(ctx, installer, append(append(m.InstallArgs(), m.AsRoot(os.Getuid() == 0)...), "--datadir="+dir)...)
	}}
	return t.copyTo(ctx, dir)
}

// sbin returns the path of an executable. It also searches directories that are only on root's
// PATH.
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
