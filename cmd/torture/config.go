package main

import (
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktorture/cluster/docker"
	"locktorture/internal/cli"
	"locktorture/internal/suggest"
	"locktorture/registry/config"
)

// originKey is the annotation of a flag that says where its value came from.
const originKey = "origin"

// originOf says where a flag got its value, if neither from the command line nor by default.
func originOf(f *pflag.Flag) string {
	if a := f.Annotations[originKey]; len(a) > 0 {
		return a[0]
	}
	return ""
}

// envName is the variable that stands for a flag.
func envName(flag string) string {
	return "TORTURE_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// noConfig is the flag of every command that leaves both out.
const noConfig = "no-config"

// sharedFlags are those that a file and the environment set for every command that has them: they
// say where servers come from. All the others they set for torture run.
func sharedFlags() []string {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(serverSpec).register(f)
	new(accessSpec).register(f)
	var names []string
	f.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

// configure gives a command's flags what the environment says, and then what the file of the
// working directory says, unless they were given already.
func (e environment) configure(cmd *cobra.Command) error {
	if without, err := cmd.Flags().GetBool(noConfig); err == nil && without {
		return nil
	}
	own := e.files.Own
	if err := own.CheckBackend(e.locks); err != nil {
		return wrongConfig(err)
	}
	if err := fill(cmd, func(name string) (config.Setting, bool) {
		v, ok := os.LookupEnv(envName(name))
		return fromEnv(envName(name), v), ok && v != ""
	}); err != nil {
		return err
	}
	if err := fill(cmd, func(name string) (config.Setting, bool) {
		s, ok := own.Settings[name]
		return s, ok
	}); err != nil {
		return err
	}
	return fillImages(cmd, own)
}

// fromEnv is a setting that a variable has.
func fromEnv(variable, value string) config.Setting {
	return config.Setting{Value: value, Origin: "environment " + variable}
}

// fillImages adds the images of servers that the flag does not name: from the environment, else from the file.
func fillImages(cmd *cobra.Command, c config.File) error {
	image := cmd.Flags().Lookup("image")
	if image == nil {
		return nil
	}
	given, err := cmd.Flags().GetStringToString("image")
	if err != nil {
		return broken(err)
	}
	given = maps.Clone(given)
	var origins []string
	if image.Changed {
		origins = append(origins, "flag")
	}
	for _, server := range docker.Servers() {
		s, ok := c.Images[server]
		if v := os.Getenv(imageEnv(server)); v != "" {
			s, ok = fromEnv(imageEnv(server), v), true
		}
		if !ok || given[server] != "" {
			continue
		}
		if err := cmd.Flags().Set("image", server+"="+s.Value); err != nil {
			return usage("%s: image of %s: %v", s.Origin, server, err)
		}
		origins = append(origins, s.Origin)
		note(image, strings.Join(origins, ", "))
	}
	return nil
}

// fill sets the flags that were not given from one source.
func fill(cmd *cobra.Command, from func(name string) (config.Setting, bool)) error {
	flags, shared := cmd.Flags(), sharedFlags()
	// A driver is a backend of its own: who names one does not mean the other.
	driver, backend := flags.Changed("driver"), flags.Changed("backend")
	var first error
	runFlags().VisitAll(func(known *pflag.Flag) {
		f := flags.Lookup(known.Name)
		s, ok := from(known.Name)
		switch {
		case first != nil, f == nil, !ok, f.Changed, f.Name == "image": // see fillImages
			return
		case !takesAll(cmd) && !slices.Contains(shared, f.Name):
			return
		case f.Name == "backend" && driver, f.Name == "driver" && backend:
			return
		}
		if err := flags.Set(f.Name, s.Value); err != nil {
			first = usage("%s: %s %q: %s", s.Origin, f.Name, suggest.Short(s.Value, suggest.Shown), cli.Needed(f))
			return
		}
		note(f, s.Origin)
	})
	return first
}

// note says where a flag's value came from.
func note(f *pflag.Flag, origin string) {
	if f.Annotations == nil {
		f.Annotations = map[string][]string{}
	}
	f.Annotations[originKey] = []string{origin}
}

// takesAll tells whether a command is torture run, or shows what that would take.
func takesAll(cmd *cobra.Command) bool {
	return cmd.CommandPath() == "torture run" || cmd.CommandPath() == "torture config show"
}

// strayVariables are warnings of variables that look like settings and are none.
func strayVariables() (warnings []string) {
	known := []string{userEnv, passwordEnv}
	for _, server := range docker.Servers() {
		known = append(known, imageEnv(server))
	}
	runFlags().VisitAll(func(f *pflag.Flag) { known = append(known, envName(f.Name)) })
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if !strings.HasPrefix(name, "TORTURE_") || slices.Contains(known, name) || slices.ContainsFunc(
			[]string{"TORTURE_TEST_", "TORTURE_DRIVER_", "TORTURE_OPTION_"},
			func(p string) bool { return strings.HasPrefix(name, p) }) {
			continue
		}
		hint := ""
		if near := suggest.Nearest(name, known); near != "" {
			hint = "; did you mean " + near + "?"
		}
		warnings = append(warnings, name+" in the environment is no setting"+hint)
	}
	slices.Sort(warnings)
	return warnings
}
