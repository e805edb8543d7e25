package kubernetes

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestEndlessAnswer: an API server whose answer never ends is given up.
func TestEndlessAnswer(t *testing.T) {
	chunk := []byte(strings.Repeat("x", 1<<20))
	sent := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for ; sent < 2*mostAnswer; sent += len(chunk) {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	text := "clusters: [{name: c, cluster: {server: '" + server.URL + "'}}]\ncontexts: [{name: c, context: {cluster: c}}]\ncurrent-context: c\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, _, err := Connect(file, "n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Jobs.List(context.Background(), metav1.ListOptions{}); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("%.300v", err)
	}
	if sent >= 2*mostAnswer {
		t.Errorf("%d bytes were read", sent)
	}
}
