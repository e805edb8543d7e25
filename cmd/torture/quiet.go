package main

import (
	"context"

	goredis "github.com/redis/go-redis/v9"
)

// noLog drops what go-redis logs on its own: that a server is down is what a
// run is about, and stands in its history.
type noLog struct{}

// Printf drops a line.
func (noLog) Printf(context.Context, string, ...any) {}

// quietLibraries silences the libraries that would write to stderr.
func quietLibraries() {
	goredis.SetLogger(noLog{})
}
