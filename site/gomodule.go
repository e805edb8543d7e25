package site

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// goModules has the released versions of Go modules. required are the versions with which the
// programs of findings/ are kept.
type goModules struct{ required map[string]string }

// goEnv lets a module of one build find what it lacks, with the Go that is here.
func goEnv() []string {
	return []string{"GOFLAGS=" + strings.TrimSpace(os.Getenv("GOFLAGS")+" -mod=mod"), "GOWORK=off", "GOTOOLCHAIN=local"}
}

func (goModules) releases(ctx context.Context, library string) ([]string, error) {
	out, err := call(ctx, os.TempDir(), goEnv(), "go", "list", "-m", "-versions", "-json", library)
	if err != nil {
		return nil, fmt.Errorf("the versions of %s: %w", library, err)
	}
	var m struct{ Versions []string }
	if err := json.Unmarshal([]byte(out), &m); err != nil {
		return nil, fmt.Errorf("the versions of %s: %w", library, err)
	}
	return m.Versions, nil
}

func (g goModules) build(ctx context.Context, f Finding, version, dir string) (program, error) {
	p := program{command: []string{filepath.Join(dir, "program")}, dir: dir}
	text, err := os.ReadFile(filepath.Join(f.Dir, "main.go"))
	if err != nil {
		return p, err
	}
	others := g.others(f, string(text))
	if err := g.write(f, version, others, dir, text); err != nil {
		return p, err
	}
	if _, err := call(ctx, dir, goEnv(), "go", "build", "-o", p.command[0], "."); err != nil {
		return p, err
	}
	return p, p.madeOf(ctx, f, version, others)
}

var imported = regexp.MustCompile(`(?m)^\s*(?:\w+ )?"([\w.-]+\.[\w.-]+/[\w./-]+)"$`)

// others are the modules that a program imports, without the library that it is about.
func (g goModules) others(f Finding, text string) (list []string) {
	found := map[string]bool{}
	for _, m := range imported.FindAllStringSubmatch(text, -1) {
		if module := moduleOf(m[1], g.required); module != "" && module != f.Library {
			found[module] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// write writes a module that has the program, and requires the version.
func (g goModules) write(f Finding, version string, others []string, dir string, text []byte) error {
	mod := fmt.Sprintf("module tried\n\ngo %s\n\nrequire %s %s\n", goVersion(filepath.Dir(f.Dir)), f.Library, version)
	for _, m := range others {
		mod += fmt.Sprintf("require %s %s\n", m, g.required[m])
	}
	sums, err := os.ReadFile(filepath.Join(filepath.Dir(f.Dir), "go.sum"))
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{"go.mod": []byte(mod), "go.sum": sums, "main.go": text} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// goVersion is that which the module of the findings needs.
func goVersion(dir string) string {
	text, _ := os.ReadFile(filepath.Join(dir, "go.mod")) // it was read before
	if m := regexp.MustCompile(`(?m)^go (\S+)$`).FindSubmatch(text); m != nil {
		return string(m[1])
	}
	return "1.24"
}

// madeOf looks what the program was made of: another library may require a newer version.
func (p *program) madeOf(ctx context.Context, f Finding, version string, others []string) error {
	out, err := call(ctx, p.dir, goEnv(), append([]string{"go", "list", "-m", "-json", f.Library}, others...)...)
	if err != nil {
		return err
	}
	var names []string
	for d := json.NewDecoder(strings.NewReader(out)); d.More(); {
		var m struct {
			Path, Version string
			Time          *time.Time
		}
		if err := d.Decode(&m); err != nil {
			return err
		}
		switch {
		case m.Path != f.Library:
			names = append(names, m.Path+" "+m.Version)
		case m.Version != version:
			return &notBuiltError{fmt.Sprintf("a library of the program requires %s %s", m.Path, m.Version)}
		case m.Time != nil:
			p.day = m.Time.UTC().Format(time.DateOnly)
		}
	}
	p.others = strings.Join(names, ", ")
	return nil
}
