package config

import (
	"maps"
	"os"
	"path/filepath"
	"slices"

	"locktorture/internal/suggest"
	"locktorture/registry"
)

// Name is the file name of a configuration file.
const Name = "torture.yaml"

// Files are the configuration files in use.
type Files struct {
	Own       File // the file in the working directory
	Catalogue File // the file with the repository's own drivers
}

// ReadFiles reads the configuration files. Its error describes the first wrong file. A wrong
// file is treated as empty.
func ReadFiles(keys []Key) (Files, error) {
	own, wrong := ReadFile(Name, keys)
	if wrong != nil {
		own = File{}
	}
	path := catalogue()
	if path == "" {
		return Files{Own: own}, wrong
	}
	drivers, err := ReadFile(path, keys)
	if err != nil {
		drivers = File{}
	}
	if wrong == nil {
		wrong = err
	}
	return Files{own, drivers}, wrong
}

// catalogue returns the path of the file with the repository's own drivers. It looks below the
// working directory, and then below the parent of the folder of this program; "" if that folder is
// unknown.
func catalogue() string {
	path := filepath.Join("drivers", Name)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	return filepath.Join(filepath.Dir(self), "..", path)
}

// Backends returns the locks of this repository, and the drivers of the files whose runtimes are
// installed. If both files have a driver of the same name, the file in the working directory wins.
func (f Files) Backends() map[string]registry.Backend {
	return f.backends(func(e registry.DriverEntry) bool { return e.Missing() == "" })
}

// Known returns the same locks as Backends, and the drivers whose runtimes are not installed.
func (f Files) Known() map[string]registry.Backend {
	return f.backends(func(registry.DriverEntry) bool { return true })
}

func (f Files) backends(counts func(registry.DriverEntry) bool) map[string]registry.Backend {
	all := registry.Locks()
	for _, file := range []File{f.Own, f.Catalogue} {
		for name, e := range file.Drivers {
			if _, taken := all[name]; !taken && counts(e) {
				all[name] = e.Backend(name)
			}
		}
	}
	return all
}

// Absent returns rows for the drivers of the files whose runtimes are not installed, by name. Each
// row says what is missing.
func (f Files) Absent() map[string]registry.Row {
	here, all := f.Backends(), map[string]registry.Row{}
	for _, of := range []struct {
		File
		how string
	}{{f.Own, ""}, {f.Catalogue, " (torture servers install drivers)"}} {
		for name, e := range of.Drivers {
			_, ok := here[name]
			if _, twice := all[name]; !ok && !twice {
				all[name] = e.Absent(name, e.Missing()+of.how)
			}
		}
	}
	return all
}

// Names returns the sorted names of all locks, including drivers whose runtimes are not installed.
func (f Files) Names() []string {
	names := slices.Collect(maps.Keys(registry.Locks()))
	names = slices.AppendSeq(names, maps.Keys(f.Own.Drivers))
	names = slices.AppendSeq(names, maps.Keys(f.Catalogue.Drivers))
	slices.Sort(names)
	return slices.Compact(names)
}

// CheckBackend returns an error if the setting "backend" of a file names neither a known
// backend nor a driver of the file.
func (c File) CheckBackend(known map[string]registry.Backend) error {
	s, ok := c.Settings["backend"]
	if !ok {
		return nil
	}
	names := slices.AppendSeq(slices.Collect(maps.Keys(known)), maps.Keys(c.Drivers))
	if err := suggest.Among(s.Value, names); err != nil {
		wrong := s.at
		wrong.What = "backend: " + err.Error()
		return &wrong
	}
	return nil
}
