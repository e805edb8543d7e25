package main

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"locktorture/checker"
	"locktorture/cluster/docker"
	"locktorture/internal/strictyaml"
	"locktorture/internal/suggest"
	"locktorture/registry"
)

// A configuration is what a configuration file says.
type configuration struct {
	settings map[string]setting              // by the name of a flag of torture run
	images   map[string]setting              // of containers, by server
	drivers  map[string]registry.DriverEntry // by name
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

// readConfig reads a configuration file. One that is not there says nothing. Its error is all
// that is wrong; what is right is read all the same.
func readConfig(path string) (*configuration, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &configuration{}, nil
	}
	if err != nil {
		return &configuration{}, err
	}
	return parseConfig(path, text)
}

// parseConfig reads the text of a configuration file.
func parseConfig(path string, text []byte) (*configuration, error) {
	c := &configuration{settings: map[string]setting{}, images: map[string]setting{}, drivers: map[string]registry.DriverEntry{}}
	doc, err := strictyaml.Parse(path, text)
	if err != nil || doc == nil {
		return c, err
	}
	f, flags := configReader{strictyaml.Reader{Path: path}}, runFlags()
	known := []string{driversSection, imagesSection, tlsSection}
	flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Name != tlsSection && flag.Name != "image" { // sections of a file
			known = append(known, flag.Name)
		}
	})
	slices.Sort(known)
	return c, f.Each(doc, known, func(key, v *yaml.Node) error {
		switch key.Value {
		case driversSection:
			return f.Each(v, nil, func(name, v *yaml.Node) (err error) {
				c.drivers[name.Value], err = f.entry(name, v)
				return err
			})
		case imagesSection:
			return f.Each(v, docker.Servers(), func(server, v *yaml.Node) error {
				image, err := f.Text(v)
				c.images[server.Value] = setting{image, f.At(v)}
				return err
			})
		case tlsSection:
			return c.readTLS(f, flags, v)
		}
		return c.set(f, flags, key.Value, v)
	})
}

// readTLS reads the files of certificates, which are flags of their own.
func (c *configuration) readTLS(f configReader, flags *pflag.FlagSet, n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode { // tls: true
		return c.set(f, flags, tlsSection, n)
	}
	return f.Each(n, []string{"ca", "cert", "key", "server-name"}, func(key, v *yaml.Node) error {
		return c.set(f, flags, "tls-"+key.Value, v)
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
		if name == "endpoints" { // they may have a login
			return f.Wrong(n, "%s: not a %s", name, flag.Value.Type())
		}
		return f.Wrong(n, "%s: %q is not a %s", name, suggest.Short(value, suggest.Shown), flag.Value.Type())
	}
	c.settings[name] = setting{value, f.At(n)}
	if err := possible(name, value); err != nil {
		return f.Wrong(n, "%v", err)
	}
	parts := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		parts = n.Content
	}
	var errs []error
	for _, part := range parts {
		if err := knownValue(name, part.Value); err != nil {
			errs = append(errs, f.Wrong(part, "%s: %v", name, err))
		}
	}
	return errors.Join(errs...)
}

// possible checks a value as torture run does that is given nothing else.
func possible(name, value string) error {
	switch name {
	case "workload", "store", "cluster": // knownValue says it in fewer words
		return nil
	}
	var s runSpec
	f := pflag.NewFlagSet("run", pflag.ContinueOnError)
	s.register(f)
	if err := f.Set(name, value); err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "--"))
	}
	return nil
}

// knownValue checks the settings that name something. Backends are checked when all
// files were read: drivers are backends too.
func knownValue(name, value string) error {
	var known []string
	switch name {
	case "workload":
		known = append(slices.Collect(maps.Keys(registry.Workloads())), allWorkloads)
	case "nemesis":
		known = append(slices.Collect(maps.Keys(registry.Nemeses())), "all", "none")
	case "store":
		known = slices.Collect(maps.Keys(registry.Stores()))
	case "cluster":
		known = registry.Clusters()
	case "fencing":
		known = []string{"off", "on", "both"}
	case "topology":
		return registry.KnownTopology(value)
	case "expect":
		_, err := checker.ParseExpectation(value)
		return err
	default:
		return nil
	}
	for _, v := range strings.Split(value, ",") {
		if err := suggest.Among(v, known); err != nil {
			return err
		}
	}
	return nil
}
