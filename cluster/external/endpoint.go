package external

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	driver "github.com/go-sql-driver/mysql"
)

// defaultPorts maps each URL scheme to its default port.
var defaultPorts = map[string]string{
	"redis": "6379", "rediss": "6379", "mysql": "3306", "mariadb": "3306", "postgres": "5432", "postgresql": "5432",
	"http": "8500", "https": "8500",
}

// Schemes returns the URL schemes that are accepted for servers of a topology, or nil if there are
// none.
func Schemes(topology string) []string {
	switch family, _, _ := strings.Cut(topology, "-"); family {
	case "redis":
		return []string{"redis", "rediss"}
	case "mariadb":
		return []string{"mysql", "mariadb"}
	case "postgres":
		return []string{"postgres", "postgresql"}
	case "etcd", "consul", "s3":
		return []string{"http", "https"}
	}
	return nil
}

var (
	errNoAddress = errors.New("not host:port")
	errNoDSN     = errors.New("not a DSN of the MySQL driver: USER:PASSWORD@tcp(HOST:PORT)/DATABASE")
	errNoURL     = errors.New("not a URL of redis, rediss, mysql, mariadb, postgres, http or https")
)

// An Endpoint is the parsed address of a server.
type Endpoint struct {
	Addr           string // host:port
	User, Password string
	Database       string
	Secured        bool   // the scheme or a parameter requires TLS
	Scheme         string // scheme of a URL; "mysql" for a DSN, "" for host:port
}

// WithoutLogins returns endpoints without secrets, in the syntax of ReadEndpoint.
func WithoutLogins(endpoints []string) string {
	var shown []string
	for _, e := range endpoints {
		is, err := ReadEndpoint(e)
		switch {
		case err != nil:
			is.Addr = "(unreadable)"
		case is.User != "" || is.Password != "":
			is.Addr += " (with login)"
		}
		shown = append(shown, is.Addr)
	}
	return strings.Join(shown, ",")
}

// ReadEndpoint parses host:port, a URL, or a DSN of go-sql-driver. It rejects every part that it
// does not understand, because the parsed address is written into files and must not contain a
// secret. For the same reason its errors do not repeat the text.
func ReadEndpoint(text string) (Endpoint, error) {
	read := plainEndpoint
	switch {
	case strings.Contains(text, "@tcp(") || strings.HasPrefix(text, "tcp("):
		read = mysqlEndpoint
	case strings.Contains(text, "://"):
		read = urlEndpoint
	}
	e, err := read(text)
	if err == nil {
		err = checkAddress(e.Addr)
	}
	if err == nil && !goodDatabase.MatchString(e.Database) {
		err = errors.New("the name of the database has unsupported characters")
	}
	if err != nil {
		return Endpoint{}, err
	}
	return e, nil
}

func plainEndpoint(text string) (Endpoint, error) {
	if strings.Contains(text, "@") {
		return Endpoint{}, errors.New("neither host:port nor a DSN")
	}
	return Endpoint{Addr: text}, nil
}

func mysqlEndpoint(text string) (Endpoint, error) {
	c, err := driver.ParseDSN(text)
	switch {
	case err != nil:
		return Endpoint{}, errNoDSN
	case len(c.Params) > 0:
		return Endpoint{}, errors.New("parameters are not supported; tls=true|false")
	case c.TLSConfig != "" && c.TLSConfig != "true" && c.TLSConfig != "false":
		return Endpoint{}, errors.New("tls must be true or false; skipping the check of certificates is not supported")
	}
	return Endpoint{c.Addr, c.User, c.Passwd, c.DBName, c.TLSConfig == "true", "mysql"}, nil
}

func urlEndpoint(text string) (Endpoint, error) {
	scheme, _, _ := strings.Cut(text, "://")
	port, known := defaultPorts[scheme]
	u, err := url.Parse(text)
	if err != nil || !known || u.Fragment != "" || u.Opaque != "" {
		return Endpoint{}, errNoURL
	}
	e := Endpoint{Addr: u.Host, Scheme: scheme, User: u.User.Username(), Database: strings.Trim(u.Path, "/"), Secured: scheme == "rediss" || scheme == "https"}
	if u.Port() == "" {
		e.Addr = net.JoinHostPort(u.Hostname(), port)
	}
	e.Password, _ = u.User.Password()
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Endpoint{}, errNoURL
	}
	for key, values := range query {
		switch v := strings.Join(values, ","); {
		case key == "sslmode" && (v == "require" || v == "verify-ca" || v == "verify-full"), key == "tls" && v == "true":
			e.Secured = true
		case key == "sslmode" && v == "disable", key == "tls" && v == "false":
		default:
			what := "a parameter" // its name might contain a secret
			if goodKey.MatchString(key) && v != "" {
				what = "parameter " + key + "=…"
			}
			return Endpoint{}, fmt.Errorf("%s is not supported; sslmode=disable|require|verify-full or tls=true|false", what)
		}
	}
	return e, nil
}

var (
	goodKey      = regexp.MustCompile(`^[a-z_]{1,30}$`)
	goodHost     = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,253}$`)
	goodDatabase = regexp.MustCompile(`^[^?&=:@/#\x00-\x1f]*$`)
)

// checkAddress returns an error if addr is not a host and a port.
func checkAddress(addr string) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return errNoAddress
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return errNoAddress
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		host = "0" + ip.Zone() // only the zone of an IP address is free text
	}
	if !goodHost.MatchString(host) {
		return errNoAddress
	}
	return nil
}
