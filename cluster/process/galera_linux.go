package process

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"locktorture/cluster"
	"locktorture/cluster/server"
)

// galeraServer is mariadbd with the library of Galera.
type galeraServer struct{ server.Galera }

func (g galeraServer) find(look lookup) (string, error) {
	if _, err := g.provider(); err != nil {
		return "", err
	}
	return mariadbServer{}.find(look)
}

// provider returns the path of the Galera library.
func (g galeraServer) provider() (string, error) {
	for _, file := range g.ProviderFiles() {
		if _, err := os.Stat(file); err == nil {
			return file, nil
		}
	}
	return "", fmt.Errorf("galera is not installed (no %s): %w", g.ProviderFiles()[0], errMissing)
}

func (g galeraServer) command(ctx context.Context, s cluster.Spec, data string) ([]string, error) {
	provider, err := g.provider()
	if err != nil {
		return nil, err
	}
	dir := g.Dir(data)
	if _, err := os.Stat(dir); err == nil { // the cluster was founded before
		s.Args = slices.DeleteFunc(slices.Clone(s.Args), func(arg string) bool { return arg == cluster.GaleraBegins })
		return g.Galera.Args(s, data, provider, os.Getuid() == 0), nil
	}
	if err := (mariadbServer{g.MariaDB}).install(ctx, dir); err != nil {
		return nil, err
	}
	name, content := g.FreshFile()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
		return nil, err
	}
	return g.Galera.Args(s, data, provider, os.Getuid() == 0), nil
}
