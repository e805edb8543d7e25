package runs

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/pflag"

	"locktorture/internal/cli"
	"locktorture/internal/exit"
	"locktorture/locks"
	"locktorture/registry"
	"locktorture/registry/config"
	"locktorture/report"
	"locktorture/trial"
)

// An AccessSpec is what the flags say about servers of the user's own. Secrets are
// never a flag's value, and never written down.
type AccessSpec struct {
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
}

// Register adds the flags to those of a ServerSpec.
func (a *AccessSpec) Register(f *pflag.FlagSet) {
	f.Lookup("cluster").Usage += ", " + registry.Theirs + " (see --endpoints)"
	f.StringSliceVar(&a.Endpoints, "endpoints", nil, "`addresses` of your servers, with --cluster external: host:port, comma separated, or DSNs without password (docs/clusters.md)")
	cli.MarkSecret(f.Lookup("endpoints"))
	f.BoolVar(&a.TLS, "tls", false, "use TLS; implied by the other --tls flags")
	f.StringVar(&a.TLSCA, "tls-ca", "", "PEM `file` of the CA that signed the servers' certificates (default: the system's CAs)")
	f.StringVar(&a.TLSCert, "tls-cert", "", "PEM `file` of the client's certificate")
	f.StringVar(&a.TLSKey, "tls-key", "", "PEM `file` of the client's private key")
	f.StringVar(&a.TLSServerName, "tls-server-name", "", "`name` that the servers' certificates must have (default: the host of each endpoint)")
	f.StringVar(&a.UserFile, "user-file", "", "`file` or pipe with the user name; without this flag, "+UserEnv+" is used")
	f.StringVar(&a.PasswordFile, "password-file", "", "`file` or pipe with the password (for Consul: the token); without this flag, "+PasswordEnv+" is used")
	f.StringVar(&a.Database, "database", "", "`name` of an existing database of MariaDB or PostgreSQL")
	f.StringVar(&a.KeyPrefix, "key-prefix", "", "prefix of every key (default: torture:, the time and four random letters); the run removes these keys at its end")
	f.StringVar(&a.SentinelMaster, "sentinel-master", "", "`name` of the primary in the configuration of the Sentinels")
}

// LongestPrefix is the most characters that --key-prefix may have.
const LongestPrefix = 64

// goodPrefix is what a prefix may be made of: no wildcard of any server.
var goodPrefix = regexp.MustCompile(`^[A-Za-z0-9_.:/-]{3,64}$`)

// Check refuses what cannot be.
func (a AccessSpec) Check() error {
	if a.KeyPrefix != "" && !goodPrefix.MatchString(a.KeyPrefix) {
		return exit.Usage("--key-prefix %q: must be 3 to 64 characters of A-Z a-z 0-9 _ . : / -", a.KeyPrefix)
	}
	return nil
}

// Read is how one gets into the servers that the flags name: none, if they are not those of
// the cluster. public tells that the endpoints stand on the command line, where everybody on
// the machine can read them.
func (a AccessSpec) Read(ctx context.Context, cluster string, public bool) (registry.External, error) {
	switch {
	case cluster != registry.Theirs && len(a.Endpoints) > 0 && public:
		return registry.External{}, exit.Usage("--endpoints: only with --cluster %s", registry.Theirs)
	case cluster != registry.Theirs:
		return registry.External{}, nil
	case len(a.Endpoints) == 0:
		return registry.External{}, exit.Usage("--cluster %s needs --endpoints", registry.Theirs)
	}
	known := SecretsOf(ctx)
	x, err := registry.ExternalSpec{
		Endpoints: a.Endpoints, Public: public, User: known[UserEnv], Password: known[PasswordEnv],
		UserFile: a.UserFile, PasswordFile: a.PasswordFile, Database: a.Database, Master: a.SentinelMaster,
		Secured: a.TLS, TLS: locks.TLS{CA: a.TLSCA, Cert: a.TLSCert, Key: a.TLSKey, ServerName: a.TLSServerName},
	}.Read(ctx)
	e := new(registry.EndpointError)
	switch {
	case errors.Is(err, registry.ErrPublicPassword):
		errors.As(err, &e)
		return x, exit.Usage("endpoint %d of --endpoints: everybody on this machine can see a password on the command line; use %s or --password-file", e.N, PasswordEnv)
	case errors.As(err, &e):
		return x, exit.Usage("endpoint %d of --endpoints: %v", e.N, e.Err)
	case err != nil:
		return x, exit.Usage("--%v", err)
	}
	return x, nil
}

// secretsIn are the login.
func secretsIn(x registry.External) trial.Secrets {
	return trial.Secrets{User: x.User, Password: x.Password}
}

// flags lists the flags with their effective values, without secrets.
func (a AccessSpec) flags(x registry.External, prefix string) []report.Flag {
	if len(x.Endpoints) == 0 {
		return nil
	}
	return []report.Flag{
		{Name: "endpoints", Value: strings.Join(x.Endpoints, ",")}, {Name: "tls", Value: fmt.Sprint(x.TLS != nil)},
		{Name: "tls-ca", Value: a.TLSCA}, {Name: "tls-cert", Value: a.TLSCert}, {Name: "tls-key", Value: a.TLSKey},
		{Name: "tls-server-name", Value: a.TLSServerName}, {Name: "database", Value: x.Database},
		{Name: "user-file", Value: x.UserFile}, {Name: "password-file", Value: x.PasswordFile},
		{Name: "key-prefix", Value: prefix}, {Name: "sentinel-master", Value: a.SentinelMaster},
	}
}

// Words are the flags as on a command line; where the secrets came from must be given again.
func (a AccessSpec) Words(x registry.External) []string {
	var words []string
	for _, f := range a.flags(x, a.KeyPrefix) {
		switch {
		case f.Value == "" || f.Value == "false":
		case f.Name == "tls":
			words = append(words, "--tls")
		default:
			words = append(words, "--"+f.Name, f.Value)
		}
	}
	return words
}

// OnCommandLine reports whether a flag was given there, and not by the environment or a file.
func OnCommandLine(cmd Command, name string) bool {
	f := cmd.Flags().Lookup(name)
	return f != nil && f.Changed && config.Origin(f) == ""
}
