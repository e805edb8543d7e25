// Package config reads configuration files (docs/configuration.md): settings, images of
// containers, and drivers. It is strict: what it does not know, or what cannot be, is an error
// that names the line.
//
// Which settings there are it is told: they are the flags of a command, which it gives what
// the file and the environment say. What their values may name, and what a driver's entry may
// say, it knows from package registry.
//
// # Reading order
//
// file.go (one file), drivers.go (an entry of its drivers), files.go (those that count, and
// the locks that they add), names.go, wrong.go; then flags.go (from files and the environment
// into flags), variables.go.
package config
