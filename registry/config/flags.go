package config

import (
	"maps"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"locktorture/cluster/docker"
	"locktorture/internal/cli"
	"locktorture/internal/exit"
)

// Fill sets the named flags that the user did not give: from the environment, else from the
// file. It skips names without a flag.
func (c File) Fill(flags *pflag.FlagSet, names []string) error {
	if err := fill(flags, names, func(name string) (Setting, bool) {
		v, ok := os.LookupEnv(Variable(name))
		return fromEnv(Variable(name), v), ok && v != ""
	}); err != nil {
		return err
	}
	if err := fill(flags, names, func(name string) (Setting, bool) {
		s, ok := c.Settings[name]
		return s, ok
	}); err != nil {
		return err
	}
	return c.fillImages(flags)
}

// fill sets the named flags that are not set yet from one source.
func fill(flags *pflag.FlagSet, names []string, from func(name string) (Setting, bool)) error {
	// A driver is a backend of its own, so naming a driver excludes naming a backend.
	driver, backend := flags.Changed("driver"), flags.Changed("backend")
	for _, name := range names {
		f := flags.Lookup(name)
		s, ok := from(name)
		switch {
		case f == nil, !ok, f.Changed, name == imageKey: // see fillImages
			continue
		case name == "backend" && driver, name == "driver" && backend:
			continue
		}
		if err := flags.Set(name, s.Value); err != nil {
			return exit.Usage("%v", cli.WrongValue(s.Origin+": "+name, f, s.Value))
		}
		note(f, s.Origin)
	}
	return nil
}

// fillImages adds an image for each server that the flag does not name: from the environment, else
// from the file.
func (c File) fillImages(flags *pflag.FlagSet) error {
	image := flags.Lookup(imageKey)
	if image == nil {
		return nil
	}
	given, err := flags.GetStringToString(imageKey)
	if err != nil {
		return exit.Broken(err)
	}
	given = maps.Clone(given)
	var origins []string
	if image.Changed {
		origins = append(origins, "flag")
	}
	for _, server := range docker.Servers() {
		s, ok := c.Images[server]
		if v := os.Getenv(imageVariable(server)); v != "" {
			s, ok = fromEnv(imageVariable(server), v), true
		}
		if !ok || given[server] != "" {
			continue
		}
		if err := flags.Set(imageKey, server+"="+s.Value); err != nil {
			return exit.Usage("%s: image of %s: %v", s.Origin, server, err)
		}
		origins = append(origins, s.Origin)
		note(image, strings.Join(origins, ", "))
	}
	return nil
}

// originKey is the annotation of a flag that holds the origin of its value.
const originKey = "origin"

// Origin returns the place where Fill found a flag's value; "" if the user gave the flag or if
// it has its default.
func Origin(f *pflag.Flag) string {
	if a := f.Annotations[originKey]; len(a) > 0 {
		return a[0]
	}
	return ""
}

// note stores the origin of a flag's value.
func note(f *pflag.Flag, origin string) {
	if f.Annotations == nil {
		f.Annotations = map[string][]string{}
	}
	f.Annotations[originKey] = []string{origin}
}
