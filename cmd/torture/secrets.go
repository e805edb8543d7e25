package main

import (
	"context"
	"os"
)

// The secrets that the environment may have.
const (
	userEnv     = "TORTURE_USER"
	passwordEnv = "TORTURE_PASSWORD"
)

// secrets are the values of the environment that only this process is to know.
type secrets map[string]string

type secretsKey struct{}

// withSecrets takes the login out of the environment, so that no server, driver or compiler
// that is started later inherits it, and keeps it for accessSpec.read.
func withSecrets(ctx context.Context) context.Context {
	s := secrets{}
	for _, name := range []string{userEnv, passwordEnv} {
		s[name] = os.Getenv(name)
		_ = os.Unsetenv(name) // it fails for names that cannot be
	}
	return context.WithValue(ctx, secretsKey{}, s)
}

// secretsOf returns what withSecrets has taken.
func secretsOf(ctx context.Context) secrets {
	s, _ := ctx.Value(secretsKey{}).(secrets)
	return s
}
