package ledger

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"locktorture/registry"
)

// appFile describes an app, in its folder.
const appFile = "app.yaml"

// AppFolders are the folders in which each app has one of its own.
func AppFolders() []string { return []string{"apps", "apps/control"} }

// AppFolder returns the folder of an app, from the root of the checkout; "" if it has none.
func (t *Sources) AppFolder(name string) string {
	for _, in := range AppFolders() {
		folder := path.Join(in, name)
		if _, err := os.Stat(filepath.Join(t.root, folder, appFile)); IsName(name) && err == nil {
			return folder
		}
	}
	return ""
}

// app returns the sums of a run of an app.
func (t *Sources) app(name, faults string) (s Sums, err error) {
	folder := t.AppFolder(name)
	if folder == "" {
		return Sums{}, nil // it is gone: stale
	}
	if s.Lock, err = t.appSources(folder); err != nil {
		return Sums{}, err
	}
	if s.Fault, err = t.fault(faults); err != nil {
		return Sums{}, err
	}
	s.Checker, err = t.jobs()
	return s, err
}

// beside matches what app.yaml names in the folder above its own.
var beside = regexp.MustCompile(`\.\./([\w.-]+)`)

// appSources sums up the folder of an app, the sources beside it that its app.yaml names, and its servers.
func (t *Sources) appSources(folder string) (string, error) {
	d := &digest{}
	source := func(name string) bool { return !strings.HasPrefix(name, ".") }
	if err := d.files(t, folder, source); err != nil {
		return "", err
	}
	file, err := t.read(path.Join(folder, appFile))
	if err != nil {
		return "", err
	}
	for _, m := range beside.FindAllStringSubmatch(string(file.text), -1) {
		named := path.Join(path.Dir(folder), m[1])
		switch info, err := os.Stat(filepath.Join(t.root, named)); {
		case err != nil || m[1] == "bin": // it is made when the app runs
		case info.IsDir():
			if err := d.files(t, named, source); err != nil {
				return "", err
			}
		default:
			f, err := t.read(named)
			if err != nil {
				return "", err
			}
			d.text(named, string(f.text))
		}
	}
	var of struct{ Servers map[string]string }
	if err := yaml.Unmarshal(file.text, &of); err != nil {
		return "", err
	}
	for _, topology := range of.Servers {
		if err := t.servers(d, registry.Backend{Topology: topology}); err != nil {
			return "", err
		}
	}
	return d.sum(), nil
}

// jobs sums up what runs an app, and what judges its jobs.
func (t *Sources) jobs() (string, error) {
	packages, _, err := t.closure("checker/app", "wire/protocols")
	if err != nil {
		return "", err
	}
	return t.whole(append(packages, "checker", "harness", "app")...)
}
