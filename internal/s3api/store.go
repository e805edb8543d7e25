// Package s3api asks object stores by the requests that a lock needs: conditional puts, gets,
// deletes and lists of small objects. Each call sends one request and never repeats it, so
// that an error says what is known of it. The client of the AWS SDK would repeat requests, and is
// slow to compile.
package s3api

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"time"
)

// What stores that torture starts itself are given.
const (
	OurKey    = "torture"
	OurSecret = "torture-secret"
	OurBucket = "torture"
	OurRegion = "us-east-1"
)

// A Config says where a store is. Only Addr is needed.
type Config struct {
	Addr   string // host:port
	Bucket string // default OurBucket
	Region string // default OurRegion
	// Key and Secret sign the requests; default: OurKey and OurSecret. Session is the token of
	// credentials that last for a while.
	Key, Secret, Session string

	TLS  bool   // Dial makes connections that are secured already
	Host string // sent as the name of the host; default Addr
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// Conns is how many idle connections are kept; default 16.
	Conns int
}

// A Store is one bucket of an object store. Its methods may be called from several
// goroutines.
type Store struct {
	cfg   Config
	http  *http.Client
	login login
}

// Open returns a store; it connects with its first request.
func Open(cfg Config) *Store {
	cfg.Bucket, cfg.Region = cmp.Or(cfg.Bucket, OurBucket), cmp.Or(cfg.Region, OurRegion)
	cfg.Host, cfg.Conns = cmp.Or(cfg.Host, cfg.Addr), cmp.Or(cfg.Conns, 16)
	if cfg.Key == "" {
		cfg.Key, cfg.Secret = OurKey, OurSecret
	}
	if cfg.Dial == nil {
		cfg.Dial = new(net.Dialer).DialContext
	}
	dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := cfg.Dial(ctx, network, addr)
		if err != nil {
			return nil, &unsent{err}
		}
		return conn, nil
	}
	return &Store{
		cfg: cfg,
		http: &http.Client{
			Transport: &http.Transport{
				DialContext: dial, DialTLSContext: dial, DisableCompression: true,
				MaxIdleConns: cfg.Conns, MaxIdleConnsPerHost: cfg.Conns, IdleConnTimeout: time.Minute,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		login: login{cfg.Key, cfg.Secret, cfg.Session, cfg.Region},
	}
}

// Close drops the connections that are idle.
func (s *Store) Close() error {
	s.http.CloseIdleConnections()
	return nil
}
