package machine

import (
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"strings"
)

// sumOf sums up what a command is made of: each file of each package that it imports, the
// standard library aside, and the version of Go. An edit elsewhere makes no new guest.
func sumOf(ctx context.Context, command string) (sum [sha256.Size]byte, err error) {
	version, err := said(ctx, "env", "GOVERSION", "GOFLAGS", "GOEXPERIMENT")
	if err != nil {
		return sum, err
	}
	const each = `{{if not .Standard}}{{.ImportPath}}{{"\t"}}{{.Dir}}{{"\t"}}{{join .GoFiles "\t"}}{{"\t"}}{{join .EmbedFiles "\t"}}{{end}}`
	packages, err := said(ctx, "list", "-deps", "-f", each, module+"/"+command)
	if err != nil {
		return sum, err
	}
	h := sha256.New()
	fmt.Fprintln(h, command, version)
	for line := range strings.Lines(packages) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if err := add(h, f[0], f[1], f[2:]); err != nil {
			return sum, fmt.Errorf("source of guest: %w", err)
		}
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}

// add adds the files of a package to a sum, but not where they lie.
func add(h hash.Hash, pkg, dir string, files []string) error {
	fmt.Fprintln(h, pkg)
	for _, name := range files {
		if name == "" {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		fmt.Fprintln(h, name, len(b))
		h.Write(b)
	}
	return nil
}

// said is what a command of Go says. It fails where there is no Go, or where the source of
// this module is not.
func said(ctx context.Context, args ...string) (string, error) {
	cmd := goTool(ctx, args...)
	var out, complaint strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%w: go %s: %w: %s", ErrNoSource, args[0], err, complaint.String())
	}
	return out.String(), nil
}
