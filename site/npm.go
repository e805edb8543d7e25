package site

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// npm has the released versions of packages of npm. It does not say when they were released: mirrors of the
// registry have days of their own.
type npm struct{}

func (npm) releases(ctx context.Context, library string) ([]string, error) {
	out, err := call(ctx, os.TempDir(), nil, "npm", "view", library, "versions", "--json")
	if err != nil {
		return nil, fmt.Errorf("the versions of %s: %w", library, err)
	}
	var list []string
	if json.Unmarshal([]byte(out), &list) == nil {
		return list, nil
	}
	var one string // npm writes no list of one
	err = json.Unmarshal([]byte(out), &one)
	return []string{one}, err
}

func (npm) build(ctx context.Context, f Finding, version, dir string) (program, error) {
	p := program{command: []string{"node", "main.js"}, dir: dir}
	others, err := writePackage(f, version, dir)
	if err != nil {
		return p, err
	}
	p.others = others
	if _, err := call(ctx, dir, nil, "npm", "install", "--no-package-lock", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund", "--loglevel=error"); err != nil {
		return p, err
	}
	if err := has(dir, f.Library, version); err != nil {
		return p, err
	}
	// A program whose library cannot be loaded would end as one that shows a failure.
	if _, err := call(ctx, dir, nil, "node", "--eval", "require("+quoted(f.Library)+")"); err != nil {
		if why := new(notBuiltError); errors.As(err, &why) {
			return p, &notBuiltError{"node cannot load it: " + why.why}
		}
		return p, err
	}
	return p, nil
}

// writePackage writes the program and its package.json, which names the version. It returns the
// further packages.
func writePackage(f Finding, version, dir string) (others string, err error) {
	var p struct {
		Private      bool              `json:"private"`
		Dependencies map[string]string `json:"dependencies"`
	}
	text, err := os.ReadFile(filepath.Join(f.Dir, "package.json"))
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return "", err
	}
	var names []string
	for name, v := range p.Dependencies {
		if name != f.Library {
			names = append(names, name+" "+v)
		}
	}
	slices.Sort(names)
	p.Dependencies[f.Library] = version
	if text, err = json.Marshal(p); err != nil {
		return "", err
	}
	main, err := os.ReadFile(filepath.Join(f.Dir, "main.js"))
	if err != nil {
		return "", err
	}
	return strings.Join(names, ", "), errors.Join(
		os.WriteFile(filepath.Join(dir, "package.json"), text, 0o644), os.WriteFile(filepath.Join(dir, "main.js"), main, 0o644))
}

// has reports an error unless a package is there in a version.
func has(dir, library, version string) error {
	var p struct{ Version string }
	text, err := os.ReadFile(filepath.Join(dir, "node_modules", library, "package.json"))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &p); err != nil || strings.TrimPrefix(p.Version, "v") != version {
		return fmt.Errorf("npm has installed %s %s instead of %s (%v)", library, p.Version, version, err)
	}
	return nil
}

func quoted(s string) string {
	text, _ := json.Marshal(s) // a string has a form
	return string(text)
}
