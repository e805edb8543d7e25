package registry

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"locktorture/cluster/external"
	"locktorture/internal/plainfile"
	"locktorture/locks"
)

// An ExternalSpec holds the user's settings for servers that the user runs.
type ExternalSpec struct {
	Endpoints []string // host:port, URLs or DSNs; all have one login
	// Public reports that others can read the endpoints, so that a password in them is refused.
	Public bool
	// User and Password may also be part of the endpoints. UserFile and PasswordFile take
	// precedence over User and Password; the end of the line in a file is ignored.
	User, Password         string
	UserFile, PasswordFile string
	Database               string
	Master                 string // name of the primary in the configuration of the sentinels
	Secured                bool   // the servers require TLS; any setting of TLS implies it
	TLS                    locks.TLS
}

// External describes servers that the user runs, and the access to them. The zero value means that
// there are none.
type External struct {
	Endpoints      []string // host:port
	schemes        []string // scheme of each endpoint; "" if it is no URL
	User, Password string
	// The files from which the login can be read again. They are "" if the user named no file, or
	// named a pipe, which can be read only once.
	UserFile, PasswordFile string

	Database string
	Master   string
	TLS      *locks.TLS // nil: plain TCP
}

// String leaves out the secrets.
func (x External) String() string { return "external (not shown)" }

// GoString leaves out the secrets.
func (x External) GoString() string { return x.String() }

// ErrPublicPassword is wrapped by the error about an endpoint that contains a password although
// others can read the endpoint.
var ErrPublicPassword = errors.New("a password where others can read it")

// An EndpointError says what is wrong with an endpoint. It does not contain the text of the
// endpoint, which may contain a secret.
type EndpointError struct {
	N   int // from 1
	Err error
}

func (e *EndpointError) Error() string { return fmt.Sprintf("endpoint %d: %v", e.N, e.Err) }

// Unwrap returns the wrapped error.
func (e *EndpointError) Unwrap() error { return e.Err }

// Read reads the files with secrets and parses the endpoints. Its error is an EndpointError, or the
// error of a file.
func (s ExternalSpec) Read(ctx context.Context) (x External, err error) {
	x = External{Database: s.Database, Master: s.Master}
	if x.User, x.UserFile, err = secret(ctx, s.UserFile, s.User); err != nil {
		return x, fmt.Errorf("user-file: %w", err)
	}
	if x.Password, x.PasswordFile, err = secret(ctx, s.PasswordFile, s.Password); err != nil {
		return x, fmt.Errorf("password-file: %w", err)
	}
	secured := s.Secured || s.TLS != locks.TLS{}
	for i, text := range s.Endpoints {
		e, err := external.ReadEndpoint(text)
		if err == nil && e.Password != "" && s.Public {
			err = ErrPublicPassword
		}
		if err == nil {
			x, err = x.with(e)
		}
		if err != nil {
			return x, &EndpointError{i + 1, err}
		}
		secured = secured || e.Secured
	}
	if secured {
		x.TLS = &s.TLS
	}
	return x, nil
}

// pipeTime bounds the time in which the writer of a pipe must write a secret.
const pipeTime = 10 * time.Second

// secret returns the text of file, or otherwise if file is "". again is the file if it can be read
// again, or "" if it is a pipe.
func secret(ctx context.Context, file, otherwise string) (text, again string, err error) {
	if file == "" {
		return otherwise, "", nil
	}
	b, piped, err := plainfile.ReadPiped(ctx, file, plainfile.Text, pipeTime)
	if piped {
		file = ""
	}
	return strings.TrimRight(string(b), "\r\n"), file, err
}

// with returns the servers with one more endpoint. Its user, password and database, if given, must
// equal the values of the other endpoints.
func (x External) with(e external.Endpoint) (External, error) {
	x.Endpoints, x.schemes = append(x.Endpoints, e.Addr), append(x.schemes, e.Scheme)
	for _, part := range []struct {
		what string
		to   *string
		is   string
	}{{"user", &x.User, e.User}, {"password", &x.Password, e.Password}, {"database", &x.Database, e.Database}} {
		switch {
		case part.is == "":
		case *part.to == "":
			*part.to = part.is
		case *part.to != part.is:
			return x, fmt.Errorf("another %s than before: all endpoints have one login", part.what)
		}
	}
	return x, nil
}
