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

// sum returns a hash of the sources of a program: each file of each imported package, and the
// version of Go. It leaves out the standard library and the generated main of a test. An edit of
// another file does not change it.
func (t target) sum(ctx context.Context) (sum [sha256.Size]byte, err error) {
	version, err := t.said(ctx, "env", "GOVERSION", "GOFLAGS", "GOEXPERIMENT")
	if err != nil {
		return sum, err
	}
	const each = `{{if not .Standard}}{{.ImportPath}}{{"\t"}}{{.Dir}}{{"\t"}}{{join .GoFiles "\t"}}{{"\t"}}{{join .EmbedFiles "\t"}}{{end}}`
	args := append([]string{"list", "-deps", "-f", each}, t.flags...)
	packages, err := t.said(ctx, append(args, t.list...)...)
	if err != nil {
		return sum, err
	}
	h := sha256.New()
	fmt.Fprintln(h, t.name, version)
	if t.closed {
		fmt.Fprint(h, listensTold, hostListen)
	}
	for line := range strings.Lines(packages) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if err := add(h, f[0], f[1], f[2:]); err != nil {
			return sum, fmt.Errorf("source of guest: %w", err)
		}
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}

// add adds the files of a package to a hash, without their directory.
func add(h hash.Hash, pkg, dir string, files []string) error {
	fmt.Fprintln(h, pkg)
	for _, name := range files {
		if name == "" || filepath.IsAbs(name) { // a file of the generated main of a test
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

// said returns the output of a go command. It fails where Go or the source is missing.
func (t target) said(ctx context.Context, args ...string) (string, error) {
	cmd := t.tool(ctx, args...)
	var out, complaint strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return "", &CompileError{Listing: true, Output: complaint.String(), Err: fmt.Errorf("go %s: %w", args[0], err)}
	}
	return out.String(), nil
}
