package runs

import (
	"context"
	"os"
)

// The secrets that the environment may have.
const (
	UserEnv     = "TORTURE_USER"
	PasswordEnv = "TORTURE_PASSWORD"
)

// Secrets are the values of the environment that only this process is to know.
type Secrets map[string]string

type secretsKey struct{}

// WithSecrets takes the login out of the environment, so that no server, driver or compiler
// that is started later inherits it, and keeps it for AccessSpec.read.
func WithSecrets(ctx context.Context) context.Context {
	s := Secrets{}
	for _, name := range []string{UserEnv, PasswordEnv} {
		s[name] = os.Getenv(name)
		_ = os.Unsetenv(name) // it fails for names that cannot be
	}
	return context.WithValue(ctx, secretsKey{}, s)
}

// SecretsOf returns what WithSecrets has taken.
func SecretsOf(ctx context.Context) Secrets {
	s, _ := ctx.Value(secretsKey{}).(Secrets)
	return s
}
