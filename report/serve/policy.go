package serve

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// NewServer returns a server of a Handler that waits for nobody without end: a reader who sends
// nothing more is let go.
func NewServer(dir string, judge func(dir string) error) *http.Server {
	return &http.Server{
		Handler: Handler(dir, judge), MaxHeaderBytes: 64 << 10,
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 20 * time.Second, IdleTimeout: time.Minute,
	}
}

// Until answers on a listener until the context is over, which is the regular end. What is
// under way two seconds after that is cut off.
func Until(ctx context.Context, server *http.Server, l net.Listener) error {
	stop := context.AfterFunc(ctx, func() {
		limit, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		_ = server.Shutdown(limit)
	})
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// pageOfRun is the one file of a run that a browser shows as a page, with its scripts.
const pageOfRun = "report.html"

// PageOfMatrix is the score card in the directory of a matrix, whose links lead to runs/
// beside it.
const PageOfMatrix = "index.html"

// A run directory may be a stranger's, and so may be its report. What the server sends of it
// gets an origin of its own from the browser (sandbox): its scripts can draw its own page, and
// can neither read another run nor ask this server for anything. The policies stand in
// headers, because a page writes its own meta elements itself.
const (
	// noPage is the policy of whatever is no page: also XML and what a browser makes of an
	// error.
	noPage = "default-src 'none'; sandbox; frame-ancestors 'none'"
	// runPolicy lets a report run what stands in it.
	runPolicy = "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	// ownPolicy is the content security policy of the pages that the server itself makes. They
	// have no script.
	ownPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)

// trustNothing sets the headers that every answer has; pages put a policy of their own over
// the strictest.
func trustNothing(h http.Header) {
	for name, value := range map[string]string{
		"Content-Security-Policy":      noPage,
		"X-Content-Type-Options":       "nosniff",
		"X-Frame-Options":              "DENY",
		"Referrer-Policy":              "no-referrer",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cache-Control":                "no-cache",
	} {
		h.Set(name, value)
	}
}
