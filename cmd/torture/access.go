package main

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	driver "github.com/go-sql-driver/mysql"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktorture/locks"
	"locktorture/report"
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

// The secrets that the environment may have.
const (
	userEnv     = "TORTURE_USER"
	passwordEnv = "TORTURE_PASSWORD"
)

// register adds the flags to those of a serverSpec.
func (a *accessSpec) register(f *pflag.FlagSet) {
	f.Lookup("cluster").Usage += ", " + externalCluster + " (see --endpoints)"
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
func (a *accessSpec) complete(cluster string, named bool) error {
	if cluster != externalCluster {
		if len(a.Endpoints) > 0 && named {
			return usage("--endpoints: only with --cluster %s", externalCluster)
		}
		return nil
	}
	if len(a.Endpoints) == 0 {
		return usage("--cluster %s needs --endpoints", externalCluster)
	}
	for _, s := range []struct {
		to        *string
		file, env string
	}{{&a.user, a.UserFile, userEnv}, {&a.password, a.PasswordFile, passwordEnv}} {
		*s.to = os.Getenv(s.env)
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
	user, password, database, addr, secured, err := splitDSN(text)
	if err != nil {
		return "", err
	}
	if password != "" && named {
		return "", fmt.Errorf("a password on the command line is seen by everybody on this machine; use %s or --password-file", passwordEnv)
	}
	for _, part := range []struct {
		what string
		to   *string
		is   string
	}{{"user", &a.user, user}, {"password", &a.password, password}, {"database", &a.Database, database}} {
		switch {
		case part.is == "" || *part.to == part.is:
		case *part.to != "":
			return "", fmt.Errorf("another %s than before: all endpoints have one login", part.what)
		default:
			*part.to = part.is
		}
	}
	a.TLS = a.TLS || secured
	if _, port, err := net.SplitHostPort(addr); err != nil || port == "" {
		return "", errors.New("not host:port")
	}
	return addr, nil
}

// defaultPorts are those of the schemes of a URL.
var defaultPorts = map[string]string{
	"redis": "6379", "rediss": "6379", "mysql": "3306", "mariadb": "3306", "postgres": "5432", "postgresql": "5432",
	"http": "8500", "https": "8500",
}

// splitDSN takes host:port, a URL, or a DSN of go-sql-driver apart. Its errors do not repeat the text.
func splitDSN(text string) (user, password, database, addr string, secured bool, err error) {
	if strings.Contains(text, "@tcp(") || strings.HasPrefix(text, "tcp(") {
		c, err := driver.ParseDSN(text)
		if err != nil {
			return "", "", "", "", false, errors.New("not a DSN of the MySQL driver: USER:PASSWORD@tcp(HOST:PORT)/DATABASE")
		}
		return c.User, c.Passwd, c.DBName, c.Addr, c.TLSConfig == "true", nil
	}
	scheme, _, ok := strings.Cut(text, "://")
	if !ok {
		if strings.Contains(text, "@") {
			return "", "", "", "", false, errors.New("neither host:port nor a DSN")
		}
		return "", "", "", text, false, nil
	}
	port, known := defaultPorts[scheme]
	u, err := url.Parse(text)
	if err != nil || !known {
		return "", "", "", "", false, errors.New("not a URL of redis, rediss, mysql, mariadb, postgres, http or https")
	}
	addr = u.Host
	if u.Port() == "" {
		addr = net.JoinHostPort(u.Hostname(), port)
	}
	password, _ = u.User.Password()
	secured = scheme == "rediss" || scheme == "https"
	for key, values := range u.Query() {
		switch v := strings.Join(values, ","); {
		case key == "sslmode" && (v == "require" || v == "verify-ca" || v == "verify-full"), key == "tls" && v == "true":
			secured = true
		case key == "sslmode" && v == "disable", key == "tls" && v == "false":
		default:
			return "", "", "", "", false, fmt.Errorf("parameter %s=… is not supported; sslmode=disable|require|verify-full or tls=true|false", key)
		}
	}
	return u.User.Username(), password, strings.Trim(u.Path, "/"), addr, secured, nil
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

// clean takes user and password out of a text that somebody else has written.
func (a *accessSpec) clean(text string) string {
	if a.password != "" {
		text = strings.ReplaceAll(text, a.password, "(password)")
		text = strings.ReplaceAll(text, url.QueryEscape(a.password), "(password)")
	}
	if len(a.user) > 2 {
		text = regexp.MustCompile(`\b`+regexp.QuoteMeta(a.user)+`\b`).ReplaceAllLiteralString(text, "(user)")
	}
	return text
}

// cleanError is an error whose text tells no secret.
func (a *accessSpec) cleanError(err error) error {
	if err == nil || a.user == "" && a.password == "" {
		return err
	}
	text := a.clean(err.Error())
	if text == err.Error() {
		return err
	}
	var e *exitError
	if errors.As(err, &e) {
		return &exitError{e.code, errors.New(text)}
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
