// Package programs finds the programs of this repository that go with torture and are built when
// they are first asked for: drivers whose lock needs a large library, and others that few need.
// One that was installed beside this program, or is on the PATH, needs no source and no Go.
package programs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A Program is one that can be built.
type Program struct {
	Name    string // of its file
	What    string // what it is, for a message
	Dir     string // of its module, from the root of the source on; "": the root
	Package string // from there; "": the module itself
	Tags    string // of the build
	Link    string // further flags of the linker
}

// Path is the program's file. Where the source of torture is, that is one which was built from
// what the source is now; it is built if there is none, and progress is told so. Else it is the
// one that was installed.
func (p Program) Path(ctx context.Context) (string, error) {
	root, ok := Root()
	if !ok {
		return p.installed()
	}
	k, err := p.keep(root)
	if err != nil {
		return "", fmt.Errorf("%s: %w", p.Name, err)
	}
	defer k.release()
	if k.fresh() {
		return k.program(), nil
	}
	return p.build(ctx, k)
}

// ErrNotInstalled is returned where there is neither a program nor the source of it.
var ErrNotInstalled = errors.New("it is not installed, and it cannot be built, because torture's source code is not here")

// installed finds a program beside this one, or on the PATH.
func (p Program) installed() (string, error) {
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), p.Name)
		if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
			return beside, nil
		}
	}
	if path, err := exec.LookPath(p.Name); err == nil {
		return path, nil
	}
	return "", fmt.Errorf("%s (%s): %w", p.Name, p.What, ErrNotInstalled)
}

// There is the program's file, if it need not be built first. It does not wait for one that is being built.
func (p Program) There() (string, bool) {
	root, ok := Root()
	return p.there(root, ok)
}

func (p Program) there(root string, source bool) (string, bool) {
	if !source {
		path, err := p.installed()
		return path, err == nil
	}
	k, err := p.at(root)
	if err != nil {
		return "", false
	}
	return k.program(), k.fresh()
}

// Missing says why the program cannot be run at once, and what can be done about it; "" if it can.
func (p Program) Missing() string {
	root, ok := Root()
	return p.missing(root, ok)
}

func (p Program) missing(root string, source bool) string {
	if _, ok := p.there(root, source); ok {
		return ""
	}
	if source {
		return p.What + " is built at its first use (make drivers)"
	}
	_, err := p.installed()
	return err.Error()
}

// tell says every five seconds for how long a program has been built, until over is called.
func tell(what string, began time.Time) (over func()) {
	done, ticks := make(chan struct{}), time.NewTicker(5*time.Second)
	go func() {
		defer ticks.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticks.C:
				fmt.Fprintf(os.Stderr, "torture: building %s: %.0f s\n", what, time.Since(began).Seconds())
			}
		}
	}()
	return func() { close(done) }
}

// build makes the program, and notes what it was made of.
func (p Program) build(ctx context.Context, k *kept) (string, error) {
	began := time.Now()
	fmt.Fprintf(os.Stderr, "torture: building %s, once (a minute at most on two cores) ...\n", p.What)
	made := k.program() + ".new"
	args := []string{"build", "-buildvcs=false", "-ldflags", strings.TrimSpace("-s -w " + p.Link), "-tags", p.Tags, "-o", made, "./" + p.Package}
	over := tell(p.What, began)
	_, err := k.run(ctx, args...)
	over()
	if err != nil {
		return "", fmt.Errorf("build %s: %w", p.What, err)
	}
	const each = `{{if not .Standard}}{{$d := .Dir}}{{$d}}{{range .EmbedFiles}}{{"\n"}}{{$d}}/{{.}}{{end}}{{end}}`
	deps, err := k.run(ctx, "list", "-deps", "-tags", p.Tags, "-f", each, "./"+p.Package)
	if err != nil {
		return "", fmt.Errorf("build %s: %w", p.What, err)
	}
	err = os.Rename(made, k.program())
	if err == nil {
		err = k.note(strings.Split(strings.TrimSpace(deps), "\n")) // last: who does not wait believes it
	}
	if err != nil {
		return "", fmt.Errorf("build %s: %w", p.What, err)
	}
	fmt.Fprintf(os.Stderr, "torture: built %s in %.0f s\n", p.What, time.Since(began).Seconds())
	return k.program(), nil
}
