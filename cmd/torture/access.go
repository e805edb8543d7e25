package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktorture/internal/exit"
	"locktorture/locks"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/trial"
)

// An accessSpec is what the flags say about servers of the user's own. Its secrets are
// never a flag's value, and never written down.
type accessSpec struct {
	Endpoints      []string
	TLS            bool
	TLSCA          string
	TLSCert        string
	TLSKey         string
	TLSServerName  string
	UserFile       string
	PasswordFile   string
	Database       string
	KeyPrefix      string
	SentinelMaster string

	user, password string
	access         *locks.Access // once the cluster is joined
	prefix         string        // of every key, once the cluster is joined
}

// register adds the flags to those of a serverSpec.
func (a *accessSpec) register(f *pflag.FlagSet) {
	f.Lookup("cluster").Usage += ", " + registry.Theirs + " (see --endpoints)"
	f.StringSliceVar(&a.Endpoints, "endpoints", nil, "with --cluster external: host:port of your servers, comma separated, or DSNs (without password: docs/clusters.md)")
	f.BoolVar(&a.TLS, "tls", false, "the servers want TLS; implied by the flags below")
	f.StringVar(&a.TLSCA, "tls-ca", "", "PEM file of the CA that signed the servers' certificates (default: the system's)")
	f.StringVar(&a.TLSCert, "tls-cert", "", "PEM file of the client's certificate")
	f.StringVar(&a.TLSKey, "tls-key", "", "PEM file of its key")
	f.StringVar(&a.TLSServerName, "tls-server-name", "", "what the servers' certificates are checked for (default: the host of each endpoint)")
	f.StringVar(&a.UserFile, "user-file", "", "file with the user's name (or "+userEnv+")")
	f.StringVar(&a.PasswordFile, "password-file", "", "file with the password, or Consul's token (or "+passwordEnv+")")
	f.StringVar(&a.Database, "database", "", "of MariaDB and PostgreSQL; it must be there")
	f.StringVar(&a.KeyPrefix, "key-prefix", "", "begins every key (default: torture and the run's id); what is below it is removed in the end")
	f.StringVar(&a.SentinelMaster, "sentinel-master", "", "what the sentinels call their primary")
}

const longestPrefix = 64

// goodPrefix is what a prefix may be made of: no wildcard of any server.
var goodPrefix = regexp.MustCompile(`^[A-Za-z0-9_.:/-]{3,64}$`)

// check refuses what cannot be.
func (a *accessSpec) check() error {
	if a.KeyPrefix != "" && !goodPrefix.MatchString(a.KeyPrefix) {
		return usage("--key-prefix %q: 3 to 64 of A-Z a-z 0-9 _ . : / -", a.KeyPrefix)
	}
	return nil
}

// complete reads the secrets and takes DSNs apart. named tells that the endpoints stand on the
// command line, where everybody on the machine can read them.
func (a *accessSpec) complete(ctx context.Context, cluster string, named bool) error {
	if cluster != registry.Theirs {
		if len(a.Endpoints) > 0 && named {
			return usage("--endpoints: only with --cluster %s", registry.Theirs)
		}
		return nil
	}
	if len(a.Endpoints) == 0 {
		return usage("--cluster %s needs --endpoints", registry.Theirs)
	}
	for _, s := range []struct {
		to        *string
		file, env string
	}{{&a.user, a.UserFile, userEnv}, {&a.password, a.PasswordFile, passwordEnv}} {
		*s.to = secretsOf(ctx)[s.env]
		if s.file == "" {
			continue
		}
		text, err := os.ReadFile(s.file)
		if err != nil {
			return usage("%v", err)
		}
		*s.to = strings.TrimRight(string(text), "\r\n")
	}
	for i, e := range a.Endpoints {
		addr, err := a.take(e, named)
		if err != nil {
			return usage("endpoint %d of --endpoints: %v", i+1, err) // the text may have a secret
		}
		a.Endpoints[i] = addr
	}
	return nil
}

// take reads one endpoint and returns host:port.
func (a *accessSpec) take(text string, named bool) (string, error) {
	e, err := readEndpoint(text)
	if err != nil {
		return "", err
	}
	if e.password != "" && named {
		return "", fmt.Errorf("a password on the command line is seen by everybody on this machine; use %s or --password-file", passwordEnv)
	}
	for _, part := range []struct {
		what string
		to   *string
		is   string
	}{{"user", &a.user, e.user}, {"password", &a.password, e.password}, {"database", &a.Database, e.database}} {
		switch {
		case part.is == "" || *part.to == part.is:
		case *part.to != "":
			return "", fmt.Errorf("another %s than before: all endpoints have one login", part.what)
		default:
			*part.to = part.is
		}
	}
	a.TLS = a.TLS || e.secured
	return e.addr, nil
}

// wantsTLS tells whether connections are secured.
func (a *accessSpec) wantsTLS() bool {
	return a.TLS || a.TLSCA != "" || a.TLSCert != "" || a.TLSKey != "" || a.TLSServerName != ""
}

// open makes what clients are told. Paths become absolute: a client's process may run elsewhere.
func (a *accessSpec) open() (*locks.Access, error) {
	access := &locks.Access{User: a.user, Password: a.password, Database: a.Database, Master: a.SentinelMaster, Names: map[string]string{}}
	if !a.wantsTLS() {
		return access, nil
	}
	t := &locks.TLS{ServerName: a.TLSServerName}
	for _, f := range []struct {
		to   *string
		from string
	}{{&t.CA, a.TLSCA}, {&t.Cert, a.TLSCert}, {&t.Key, a.TLSKey}} {
		if f.from == "" {
			continue
		}
		path, err := filepath.Abs(f.from)
		if err != nil {
			return nil, err
		}
		*f.to = path
	}
	access.TLS = t
	if _, err := access.TLSConfig(a.Endpoints[0]); err != nil {
		return nil, usage("--tls: %v", err)
	}
	return access, nil
}

// secrets are the login.
func (a *accessSpec) secrets() trial.Secrets {
	return trial.Secrets{User: a.user, Password: a.password}
}

// cleanError is an error whose text tells no secret.
func (a *accessSpec) cleanError(err error) error {
	if err == nil || a.user == "" && a.password == "" {
		return err
	}
	text := a.secrets().Clean(err.Error())
	if text == err.Error() {
		return err
	}
	var e *exit.Error
	if errors.As(err, &e) {
		return exit.With(e.Code, errors.New(text))
	}
	return errors.New(text)
}

// flags lists the flags with their effective values, without secrets.
func (a *accessSpec) flags() []report.Flag {
	if len(a.Endpoints) == 0 {
		return nil
	}
	return []report.Flag{
		{Name: "endpoints", Value: strings.Join(a.Endpoints, ",")}, {Name: "tls", Value: fmt.Sprint(a.wantsTLS())},
		{Name: "tls-ca", Value: a.TLSCA}, {Name: "tls-cert", Value: a.TLSCert}, {Name: "tls-key", Value: a.TLSKey},
		{Name: "tls-server-name", Value: a.TLSServerName}, {Name: "database", Value: a.Database},
		{Name: "user-file", Value: a.UserFile}, {Name: "password-file", Value: a.PasswordFile},
		{Name: "key-prefix", Value: a.prefix}, {Name: "sentinel-master", Value: a.SentinelMaster},
	}
}

// words are the flags as on a command line; where the secrets came from must be given again.
func (a *accessSpec) words() []string {
	var words []string
	for _, f := range a.flags() {
		switch {
		case f.Value == "" || f.Value == "false" || f.Name == "key-prefix" && a.KeyPrefix == "":
		case f.Name == "tls":
			words = append(words, "--tls")
		default:
			words = append(words, "--"+f.Name, f.Value)
		}
	}
	return words
}

// onCommandLine tells whether a flag was given there, and not by the environment or a file.
func onCommandLine(cmd *cobra.Command, name string) bool {
	f := cmd.Flags().Lookup(name)
	return f != nil && f.Changed && originOf(f) == ""
}
