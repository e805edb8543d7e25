package conform

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"locktorture/internal/s3api"
)

// The faults that strike the requests of a burst.
const (
	None    = "none"
	Latency = "latency" // each message of a client takes 0 to 20 ms longer
	Cut     = "cut"     // the links of half of the clients lose everything, for 20 to 60 ms
)

// Faults returns all of them, in the order in which they are played.
func Faults() []string { return []string{None, Latency, Cut} }

// ErrUsage is wrapped by errors of a configuration.
var ErrUsage = errors.New("usage")

// A Config says which store is tested, and how.
type Config struct {
	Endpoints []string // URLs of one store: http://host:port
	Bucket    string   // it must exist already
	Region    string
	Key       string // access key; "" means the key of torture's own servers
	Secret    string
	Session   string // token of credentials that last for a while; "" for others

	Clients int      // that send at once; default 16
	Keys    int      // under each fault, with three bursts each; default 30
	Deletes bool     // also a burst in which one client deletes with If-Match while the others put
	Faults  []string // default all
	Seed    uint64
	Prefix  string // begins every key; what is below it is deleted in the end
	Timeout time.Duration
}

func (c Config) withDefaults() (Config, error) {
	c.Clients, c.Keys = cmp.Or(c.Clients, 16), cmp.Or(c.Keys, 30)
	c.Timeout = cmp.Or(c.Timeout, 5*time.Second)
	if len(c.Faults) == 0 {
		c.Faults = Faults()
	}
	for _, f := range c.Faults {
		if !slices.Contains(Faults(), f) {
			return c, fmt.Errorf("%w: no fault is called %q; there are %s", ErrUsage, f, strings.Join(Faults(), ", "))
		}
	}
	switch {
	case len(c.Endpoints) == 0:
		return c, fmt.Errorf("%w: no endpoint is named", ErrUsage)
	case c.Clients < 2 || c.Keys < 1:
		return c, fmt.Errorf("%w: a burst has two clients at least, and there is one key at least", ErrUsage)
	case c.Clients < len(c.Endpoints):
		return c, fmt.Errorf("%w: %d clients cannot ask %d endpoints", ErrUsage, c.Clients, len(c.Endpoints))
	}
	return c, nil
}

// An endpoint is a parsed URL.
type endpoint struct {
	addr   string // host:port
	host   string // for the certificate, and for the server to know its name
	secure bool
}

func readEndpoint(text string) (endpoint, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || (u.Scheme != "http" && u.Scheme != "https") {
		return endpoint{}, fmt.Errorf("%w: an endpoint is http://HOST:PORT or https://HOST, without login and path", ErrUsage)
	}
	e := endpoint{addr: u.Host, host: u.Host, secure: u.Scheme == "https"}
	if u.Port() == "" {
		e.addr = net.JoinHostPort(u.Hostname(), map[bool]string{true: "443", false: "80"}[e.secure])
	}
	return e, nil
}

// store opens the bucket by an address, which may be that of a link to the endpoint.
func (c Config) store(e endpoint, addr string) *s3api.Store {
	to := s3api.Config{
		Addr: addr, Bucket: c.Bucket, Region: c.Region, Key: c.Key, Secret: c.Secret, Session: c.Session,
		TLS: e.secure, Host: e.host, Conns: 1,
	}
	if e.secure {
		name, _, err := net.SplitHostPort(e.host)
		if err != nil {
			name = e.host
		}
		to.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
			d := tls.Dialer{Config: &tls.Config{ServerName: name, MinVersion: tls.VersionTLS12}}
			return d.DialContext(ctx, network, addr)
		}
	}
	return s3api.Open(to)
}
