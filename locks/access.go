package locks

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"sync"

	"locktorture/internal/plainfile"
)

// An Access is how clients get into servers that are not open to everybody. It is plain data,
// so that a client in another process can be told, and must not be copied once it is in use.
// The nil Access is that of servers that ask for nothing.
type Access struct {
	User     string `json:"user,omitempty"`
	Password string `json:"password,omitempty"` // for Consul: the token
	// SentinelAsks tells that the sentinels of a Redis ask for the same user and password.
	SentinelAsks bool   `json:"sentinel_asks,omitempty"`
	Master       string `json:"master,omitempty"` // what the sentinels call their primary
	// Database is the one that locks in SQL use; it is there already.
	Database string `json:"database,omitempty"`

	TLS *TLS `json:"tls,omitempty"` // nil: plain TCP
	// Names are what the certificates of servers are checked for, by the address that
	// is dialed: a proxy's is not the server's.
	Names map[string]string `json:"names,omitempty"`

	once   sync.Once
	loaded *tls.Config
	broken error
}

// A TLS says where the files of certificates are.
type TLS struct {
	CA         string `json:"ca,omitempty"`   // PEM file; "": the system's
	Cert       string `json:"cert,omitempty"` // PEM file of the client; "": it shows none
	Key        string `json:"key,omitempty"`
	ServerName string `json:"server_name,omitempty"` // of every server; "": see Access.Names
}

// String does not tell the secrets.
func (a *Access) String() string { return "access (not shown)" }

// GoString does not tell the secrets.
func (a *Access) GoString() string { return a.String() }

// Login returns user and password, "" for none.
func (a *Access) Login() (user, password string) {
	if a == nil {
		return "", ""
	}
	return a.User, a.Password
}

// MasterOr returns what the sentinels call their primary, or the name that is given.
func (a *Access) MasterOr(otherwise string) string {
	if a == nil || a.Master == "" {
		return otherwise
	}
	return a.Master
}

// InDatabase returns the database of SQL locks, or the one that is given.
func (a *Access) InDatabase(otherwise string) string {
	if a == nil || a.Database == "" {
		return otherwise
	}
	return a.Database
}

// TLSConfig returns what a connection to an address is made with, nil for plain
// TCP. Errors are those of the files.
func (a *Access) TLSConfig(addr string) (*tls.Config, error) {
	if a == nil || a.TLS == nil {
		return nil, nil
	}
	a.once.Do(func() { a.loaded, a.broken = a.TLS.load() })
	if a.broken != nil {
		return nil, a.broken
	}
	c := a.loaded.Clone()
	if c.ServerName == "" {
		c.ServerName = a.Names[addr]
	}
	if c.ServerName == "" {
		host, _, err := net.SplitHostPort(addr)
		if err != nil {
			return nil, fmt.Errorf("server name: %w", err)
		}
		c.ServerName = host
	}
	return c, nil
}

// load reads the files.
func (t *TLS) load() (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.ServerName}
	if t.CA != "" {
		pem, err := plainfile.Read(t.CA, plainfile.Text)
		if err != nil {
			return nil, fmt.Errorf("certificates of the CA: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("certificates of the CA: %s has none in PEM", t.CA)
		}
	}
	if t.Cert == "" && t.Key == "" {
		return c, nil
	}
	if t.Cert == "" || t.Key == "" {
		return nil, errors.New("certificate of the client: certificate and key are needed")
	}
	pair, err := t.pair()
	if err != nil {
		return nil, fmt.Errorf("certificate of the client: %w", err)
	}
	c.Certificates = []tls.Certificate{pair}
	return c, nil
}

func (t *TLS) pair() (tls.Certificate, error) {
	cert, err := plainfile.Read(t.Cert, plainfile.Text)
	if err != nil {
		return tls.Certificate{}, err
	}
	key, err := plainfile.Read(t.Key, plainfile.Text)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(cert, key)
}

// Dial connects, with TLS from the first byte on if the servers want that. The nil Access
// dials plainly.
func (a *Access) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return a.dial(ctx, network, addr, nil)
}

// DialHTTP2 is Dial for protocols that are chosen during the handshake: HTTP/2, gRPC.
func (a *Access) DialHTTP2(ctx context.Context, network, addr string) (net.Conn, error) {
	return a.dial(ctx, network, addr, []string{"h2"})
}

func (a *Access) dial(ctx context.Context, network, addr string, protocols []string) (net.Conn, error) {
	cfg, err := a.TLSConfig(addr)
	if err != nil {
		return nil, err
	}
	conn, err := dial(ctx, network, addr)
	if err != nil || cfg == nil {
		return conn, err
	}
	cfg.NextProtos = protocols
	secured := tls.Client(conn, cfg)
	if err := secured.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, fmt.Errorf("TLS with %s: %w", cfg.ServerName, err)
	}
	return secured, nil
}
