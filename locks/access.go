package locks

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"sync"

	"locktorture/internal/dial"
	"locktorture/internal/plainfile"
)

// An Access holds the login and the certificates with which clients reach protected servers. It is
// plain data, so that it can be sent to a client in another process. It must not be copied after
// its first use. The nil Access stands for servers without login and TLS.
type Access struct {
	User string `json:"user,omitempty"`
	// Password is the password of User. For Consul it is the ACL token.
	Password string `json:"password,omitempty"`
	// SentinelAsks makes the client log in to the sentinels of a Redis, too, with the same user and
	// password.
	SentinelAsks bool `json:"sentinel_asks,omitempty"`
	// Master is the name of the primary in the configuration of the sentinels.
	Master string `json:"master,omitempty"`
	// Database is the database that SQL locks use; it must exist already.
	Database string `json:"database,omitempty"`

	// TLS is nil for connections without TLS.
	TLS *TLS `json:"tls,omitempty"`
	// Names maps each dialed address to the host name that the server's certificate must carry:
	// behind a proxy the dialed address is not the server's.
	Names map[string]string `json:"names,omitempty"`

	// The certificates are read once, at the first connection. A failure is kept and returned for
	// every connection.
	once   sync.Once
	loaded *tls.Config
	broken error
}

// A TLS holds the paths of the certificate files.
type TLS struct {
	// CA is a PEM file with the accepted authorities. "" means the authorities of the system.
	CA string `json:"ca,omitempty"`
	// Cert is a PEM file with the client's certificate. "" means that the client shows none.
	Cert string `json:"cert,omitempty"`
	Key  string `json:"key,omitempty"`
	// ServerName is the name in the certificate of every server. If it is "", Access.Names gives
	// the names.
	ServerName string `json:"server_name,omitempty"`
}

// String leaves out the secrets, so that an Access can be logged.
func (a *Access) String() string { return "access (not shown)" }

// GoString leaves out the secrets, as String does.
func (a *Access) GoString() string { return a.String() }

// Login returns the user and the password; both are "" if the servers ask for none.
func (a *Access) Login() (user, password string) {
	if a == nil {
		return "", ""
	}
	return a.User, a.Password
}

// MasterOr returns the name under which the sentinels know their primary, or otherwise if none
// is set.
func (a *Access) MasterOr(otherwise string) string {
	if a == nil || a.Master == "" {
		return otherwise
	}
	return a.Master
}

// InDatabase returns the database for SQL locks, or otherwise if none is set.
func (a *Access) InDatabase(otherwise string) string {
	if a == nil || a.Database == "" {
		return otherwise
	}
	return a.Database
}

// TLSConfig returns the TLS configuration for a connection to addr, or nil for plain TCP. It
// returns an error if a certificate file cannot be read or parsed.
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

// load reads and parses the certificate files.
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

// pair reads the client's certificate and its key.
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

// Dial connects, with TLS from the first byte if the servers want it. The nil Access dials
// plain TCP.
func (a *Access) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return a.dial(ctx, network, addr, nil)
}

// DialHTTP2 connects as Dial does, for protocols that are negotiated during the TLS handshake:
// HTTP/2, gRPC.
func (a *Access) DialHTTP2(ctx context.Context, network, addr string) (net.Conn, error) {
	return a.dial(ctx, network, addr, []string{"h2"})
}

// dial connects and, if TLS is configured, completes the handshake before it returns: a server with
// a wrong certificate must fail here, where the caller knows that nothing was sent.
func (a *Access) dial(ctx context.Context, network, addr string, protocols []string) (net.Conn, error) {
	cfg, err := a.TLSConfig(addr)
	if err != nil {
		return nil, err
	}
	conn, err := dial.Plain(ctx, network, addr)
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
