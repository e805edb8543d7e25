// Package config reads configuration files (docs/configuration.md): settings, images of
// containers, and drivers. It is strict: an unknown key or an impossible value is an error that
// names the line.
//
// The caller defines the settings: they are the flags of a command, and Fill sets these flags
// from the file and the environment. Package registry defines the names that values may contain
// and the keys of a driver's entry.
//
// # Reading order
//
// file.go (one file), drivers.go (an entry of its drivers), files.go (the files in use, and the
// locks that they add), names.go, wrong.go; then flags.go (from files and the environment into
// flags), variables.go.
package config
