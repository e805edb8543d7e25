package kubernetes

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestEndlessAnswer: an API server whose answer never ends is given up.
func TestEndlessAnswer(t *testing.T) {
	const most = 1 << 20
	chunk := []byte(strings.Repeat("x", 1<<16))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}))
	defer server.Close()
	answer, err := (&http.Client{Transport: boundedTransport{http.DefaultTransport, most}}).Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, answer.Body)
	if n != most || err == nil || !strings.Contains(err.Error(), "longer than 1048576 bytes") {
		t.Errorf("%d bytes, %v", n, err)
	}
	if err := answer.Body.Close(); err != nil {
		t.Error(err)
	}
}
