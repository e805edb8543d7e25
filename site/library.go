package site

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"locktorture/internal/suggest"
)

// A Finding is a program that shows a failure of a library.
type Finding struct {
	Name    string
	Dir     string
	Library string // a Go module, or a package of npm; "" where there is none
	Version string // with which the program is kept
	from    source // nil: its library has no registry that can be asked
}

// Fixed says why a finding's program runs with one version only; "" if it runs with others.
func (f Finding) Fixed() string {
	if f.from != nil {
		return ""
	}
	return "the library is a package or a server of this system, which has only one version of it"
}

// about is what a report says first: its library and version.
var about = regexp.MustCompile(`(?m)^\*\*Versions\.\*\* (@?[\w./-]+) v?(\d+\.\d+\.\d+)`)

// Findings returns those of a checkout, by name.
func Findings(root string) ([]Finding, error) {
	reports, err := filepath.Glob(filepath.Join(root, "findings", "*", "REPORT.md"))
	if err != nil {
		return nil, err
	}
	mod, err := os.ReadFile(filepath.Join(root, "findings", "go.mod"))
	if err != nil {
		return nil, err
	}
	var all []Finding
	for _, report := range reports {
		text, err := os.ReadFile(report)
		if err != nil {
			return nil, err
		}
		f := Finding{Dir: filepath.Dir(report)}
		f.Name = filepath.Base(f.Dir)
		if m := about.FindStringSubmatch(string(text)); m != nil {
			f.Library, f.Version = m[1], m[2]
		}
		f.find(requirements(string(mod)))
		all = append(all, f)
	}
	return all, nil
}

// find finds out where other versions of the library come from.
func (f *Finding) find(required map[string]string) {
	has := func(name string) bool {
		_, err := os.Stat(filepath.Join(f.Dir, name))
		return err == nil
	}
	switch module := moduleOf(f.Library, required); {
	case has("main.go") && module != "":
		f.Library, f.Version, f.from = module, required[module], goModules{required}
	case has("package.json"):
		f.from = npm{}
	}
}

// requirements are the modules that a go.mod names, with their versions.
func requirements(mod string) map[string]string {
	required := map[string]string{}
	for line := range strings.Lines(mod) {
		words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(words) >= 2 && strings.HasPrefix(words[1], "v") {
			required[words[0]] = words[1]
		}
	}
	return required
}

// moduleOf returns the module of a package; "" if none is required.
func moduleOf(imported string, required map[string]string) string {
	for m := imported; m != "." && m != "/"; m = filepath.Dir(m) {
		if required[m] != "" {
			return m
		}
	}
	return ""
}

// Short is a library as locks name theirs: without the host and the major version of its path.
func (f Finding) Short() string {
	if _, npm := f.from.(npm); npm {
		return f.Library
	}
	_, short, _ := strings.Cut(f.Library, "/")
	if v := filepath.Base(short); strings.TrimLeft(v, "v0123456789") == "" {
		short = filepath.Dir(short)
	}
	return short
}

// Named returns the findings that an argument names: one by its name, or those about a library or
// about those of a lock. libraries returns the names and versions of a lock's libraries, and whether
// there is such a lock.
func Named(all []Finding, arg string, libraries func(lock string) (string, bool)) ([]Finding, error) {
	if i := slices.IndexFunc(all, func(f Finding) bool { return f.Name == arg }); i >= 0 {
		if why := all[i].Fixed(); why != "" {
			return nil, fmt.Errorf("%s cannot be run with other versions: %s", arg, why)
		}
		return all[i : i+1], nil
	}
	made, ok := arg, slices.ContainsFunc(all, func(f Finding) bool { return f.Library == arg })
	if !ok {
		made, ok = libraries(arg)
	}
	if !ok {
		var names []string
		for _, f := range all {
			names = append(names, f.Name)
		}
		return nil, fmt.Errorf("neither a finding nor a library or a lock: %w", suggest.Among(arg, names))
	}
	var found []Finding
	for _, f := range all {
		if f.from != nil && slices.ContainsFunc(strings.Split(made, ", "), func(l string) bool {
			name, _, _ := strings.Cut(l, " ")
			return name == f.Library || name == f.Short()
		}) {
			found = append(found, f)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no program of findings/ is about the libraries of %s: %s", arg, made)
	}
	return found, nil
}
