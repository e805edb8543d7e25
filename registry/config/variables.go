package config

import (
	"os"
	"slices"
	"strings"

	"locktorture/cluster/docker"
	"locktorture/internal/suggest"
)

// prefix begins the name of every environment variable that holds a setting.
const prefix = "TORTURE_"

// Variable returns the name of the environment variable that holds a setting.
func Variable(name string) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// imageVariable returns the name of the environment variable that holds the image of a server.
func imageVariable(server string) string { return prefix + "IMAGE_" + strings.ToUpper(server) }

// fromEnv returns the value of an environment variable as a Setting.
func fromEnv(variable, value string) Setting {
	return Setting{Value: value, Origin: "environment " + variable}
}

// Stray returns a warning for each environment variable whose name begins like a setting, but which
// is none. names lists the settings, and known the variables with another use.
func Stray(names, known []string) (warnings []string) {
	known = slices.Clone(known)
	for _, server := range docker.Servers() {
		known = append(known, imageVariable(server))
	}
	for _, name := range names {
		known = append(known, Variable(name))
	}
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if !strings.HasPrefix(name, prefix) || slices.Contains(known, name) || slices.ContainsFunc(
			[]string{prefix + "TEST_", prefix + "DRIVER_", prefix + "OPTION_"},
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
