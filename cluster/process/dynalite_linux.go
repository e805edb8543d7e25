package process

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"locktorture/cluster"
	"locktorture/cluster/server"
)

// dynaliteServer runs dynalite. Its program is a Node script in the directory of its package.
type dynaliteServer struct{ server.Dynalite }

var _ teller = dynaliteServer{}

func (dynaliteServer) find(look lookup) (string, error) { return look.program("dynalite") }

func (d dynaliteServer) command(_ context.Context, s cluster.Spec, data string) ([]string, error) {
	return d.Args(s, data), nil
}

// version returns the version of the npm package that contains the program.
func (dynaliteServer) version(program string) string {
	const unknown = "dynalite (of unknown version)"
	script, err := filepath.EvalSymlinks(program)
	if err != nil {
		return unknown
	}
	b, err := os.ReadFile(filepath.Join(filepath.Dir(script), "package.json"))
	if err != nil {
		return unknown
	}
	var p struct{ Version string }
	if json.Unmarshal(b, &p) != nil || p.Version == "" {
		return unknown
	}
	return "dynalite " + p.Version
}
