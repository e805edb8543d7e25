package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"locktorture/checker"
	"locktorture/cluster"
)

// A configuration is what a configuration file says.
type configuration struct {
	settings map[string]setting     // by the name of a flag of torture run
	images   map[string]string      // of containers, by server
	drivers  map[string]driverEntry // by name
}

// A setting is the value of a flag, and where it stands.
type setting struct {
	value  string
	origin string // file:line
}

// The sections of a file, beside the flags of torture run.
const (
	driversSection = "drivers"
	imagesSection  = "images"
	tlsSection     = "tls"
)

// runFlags are the flags of torture run, without a command.
func runFlags() *pflag.FlagSet {
	var s runSpec
	f := pflag.NewFlagSet("run", pflag.ContinueOnError)
	s.register(f)
	return f
}

// readConfig reads a configuration file. One that is not there says nothing.
func readConfig(path string) (*configuration, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &configuration{}, nil
	}
	if err != nil {
		return nil, err
	}
	return parseConfig(path, text)
}

// parseConfig reads the text of a configuration file.
func parseConfig(path string, text []byte) (*configuration, error) {
	c := &configuration{settings: map[string]setting{}, images: map[string]string{}, drivers: map[string]driverEntry{}}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("%s: %s", path, strings.TrimPrefix(err.Error(), "yaml: ")) // it names the line
	}
	if len(doc.Content) == 0 {
		return c, nil
	}
	f, flags := configReader{path}, runFlags()
	known := []string{driversSection, imagesSection, tlsSection}
	flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Name != tlsSection && flag.Name != "image" { // sections of a file
			known = append(known, flag.Name)
		}
	})
	slices.Sort(known)
	err := f.each(doc.Content[0], known, func(key string, v *yaml.Node) error {
		switch key {
		case driversSection:
			return f.each(v, nil, func(name string, v *yaml.Node) (err error) {
				c.drivers[name], err = f.entry(name, v)
				return err
			})
		case imagesSection:
			return f.each(v, serverKinds(), func(server string, v *yaml.Node) (err error) {
				c.images[server], err = f.text(v)
				return err
			})
		case tlsSection:
			return c.readTLS(f, flags, v)
		}
		return c.set(f, flags, key, v)
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// readTLS reads the files of certificates, which are flags of their own.
func (c *configuration) readTLS(f configReader, flags *pflag.FlagSet, n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode { // tls: true
		return c.set(f, flags, tlsSection, n)
	}
	return f.each(n, []string{"ca", "cert", "key", "server-name"}, func(key string, v *yaml.Node) error {
		return c.set(f, flags, "tls-"+key, v)
	})
}

// set keeps the value of a flag that takes it.
func (c *configuration) set(f configReader, flags *pflag.FlagSet, name string, n *yaml.Node) error {
	flag := flags.Lookup(name)
	value, err := f.flagValue(flag.Value.Type(), n)
	if err != nil {
		return err
	}
	if err := flag.Value.Set(value); err != nil {
		return f.wrong(n, "%s: %q is not a %s", name, value, flag.Value.Type())
	}
	if err := knownValue(name, value); err != nil {
		return f.wrong(n, "%s: %v", name, err)
	}
	c.settings[name] = setting{value, fmt.Sprintf("%s:%d", f.path, n.Line)}
	return nil
}

// knownValue checks the settings that name something. Backends are checked when all
// files were read: drivers are backends too.
func knownValue(name, value string) error {
	var known []string
	switch name {
	case "workload":
		known = append(slices.Collect(maps.Keys(workloadsByName())), allWorkloads)
	case "nemesis":
		known = append(slices.Collect(maps.Keys(nemeses())), "all", "none")
	case "store":
		known = slices.Collect(maps.Keys(stores()))
	case "cluster":
		known = []string{"auto", "process", "docker", "embedded", externalCluster}
	case "fencing":
		known = []string{"off", "on", "both"}
	case "topology":
		return knownTopology(value)
	case "expect":
		_, err := checker.ParseExpectation(value)
		return err
	default:
		return nil
	}
	for _, v := range strings.Split(value, ",") {
		if err := among(v, known); err != nil {
			return err
		}
	}
	return nil
}

// among is an error that tells the nearest name.
func among(name string, known []string) error {
	if slices.Contains(known, name) {
		return nil
	}
	if near := nearest(name, known); near != "" {
		return fmt.Errorf("there is no %q; did you mean %s?", name, near)
	}
	slices.Sort(known)
	return fmt.Errorf("there is no %q; there are %s", name, strings.Join(known, ", "))
}

// serverKinds are the kinds of servers that topologies are made of.
func serverKinds() []string {
	kinds := map[string]bool{}
	for _, t := range cluster.Topologies() {
		for _, need := range t.Needs {
			if !strings.Contains(need, ":") {
				kinds[need] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(kinds))
}
