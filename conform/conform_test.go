package conform_test

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"locktorture/conform"
)

// A server is an object store of one bucket. check decides how it treats conditions.
type server struct {
	mu      sync.Mutex
	objects map[string][]byte
	write   func(s *server, r *http.Request, key string, body []byte) int
	dir     string
	heeds   bool // the condition of a delete
	refuses bool // deletes with a condition
	mute    bool // no answer to a GET has an ETag
}

func etag(body []byte) string {
	sum := md5.Sum(body)
	return `"` + hex.EncodeToString(sum[:]) + `"`
}

// holds reports whether the condition of a request holds now. s.mu is held.
func (s *server) holds(r *http.Request, key string) bool {
	is, there := s.objects[key]
	if r.Header.Get("If-None-Match") == "*" {
		return !there
	}
	match := r.Header.Get("If-Match")
	return match == "" || there && match == etag(is)
}

// asOneStep is as it should be.
func asOneStep(s *server, r *http.Request, key string, body []byte) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.holds(r, key) {
		return http.StatusPreconditionFailed
	}
	s.objects[key] = body
	return http.StatusOK
}

// ignoring does not know the headers.
func ignoring(s *server, _ *http.Request, key string, body []byte) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects[key] = body
	return http.StatusOK
}

// checkingFirst checks, writes a file, and puts that in its place: as a gateway to a file
// system does that has no lock.
func checkingFirst(s *server, r *http.Request, key string, body []byte) int {
	s.mu.Lock()
	holds := s.holds(r, key)
	s.mu.Unlock()
	if !holds {
		return http.StatusPreconditionFailed
	}
	time.Sleep(20 * time.Millisecond) // on a busy machine the requests of a burst arrive one after the other
	f, err := os.CreateTemp(s.dir, "")
	if err != nil {
		return http.StatusInternalServerError
	}
	_, err = f.Write(body)
	f.Close()
	if err != nil || os.Rename(f.Name(), filepath.Join(s.dir, etag(body))) != nil {
		return http.StatusInternalServerError
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects[key] = body
	return http.StatusOK
}

// notSupporting says that it has no such thing.
func notSupporting(s *server, r *http.Request, key string, body []byte) int {
	if r.Header.Get("If-None-Match") != "" || r.Header.Get("If-Match") != "" {
		return http.StatusNotImplemented
	}
	return asOneStep(s, r, key, body)
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/torture"), "/")
	switch {
	case key == "":
		s.list(w, r.URL.Query().Get("prefix"))
	case r.Method == http.MethodPut:
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if status := s.write(s, r, key, body); status != http.StatusOK {
			w.WriteHeader(status)
			return
		}
		w.Header().Set("ETag", etag(body))
	case r.Method == http.MethodDelete:
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.refuses && r.Header.Get("If-Match") != "" {
			w.WriteHeader(http.StatusNotImplemented)
			return
		}
		if s.heeds && !s.holds(r, key) {
			w.WriteHeader(http.StatusPreconditionFailed)
			return
		}
		delete(s.objects, key)
		w.WriteHeader(http.StatusNoContent)
	default:
		s.mu.Lock()
		body, there := s.objects[key]
		s.mu.Unlock()
		if !there {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		if !s.mute {
			w.Header().Set("ETag", etag(body))
		}
		_, _ = w.Write(body)
	}
}

func (s *server) list(w io.Writer, prefix string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprint(w, "<ListBucketResult>")
	for key := range s.objects {
		if strings.HasPrefix(key, prefix) {
			fmt.Fprintf(w, "<Contents><Key>%s</Key></Contents>", key)
		}
	}
	fmt.Fprint(w, "</ListBucketResult>")
}

func serve(t *testing.T, write func(*server, *http.Request, string, []byte) int) (*server, string) {
	s := &server{objects: map[string][]byte{}, write: write, dir: t.TempDir()}
	at := httptest.NewServer(s)
	t.Cleanup(at.Close)
	return s, at.URL
}

func judged(t *testing.T, cfg conform.Config) conform.Verdict {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "history.edn"))
	if err != nil {
		t.Fatal(err)
	}
	run, err := conform.Do(context.Background(), cfg, f)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	v, err := conform.Judge(run, f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// times is how often each store is asked, each time with another seed.
var times = flag.Int("times", 3, "how often each store is asked")

// A store that does it as one step conforms each time; one that ignores the header, and one
// that checks first and writes then, are found each time; one that refuses is not called
// right.
func TestStores(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		write func(*server, *http.Request, string, []byte) int
		// keys have three bursts each, under each of three faults. In every other burst whose
		// links are cut the winner hears nothing, and a group without a winner says nothing.
		keys    int
		deletes bool
		heeds   bool
		want    string
	}{
		{"as one step", asOneStep, 12, false, false, conform.Conforms},
		{"ignores the header", ignoring, 1, false, false, conform.Broken},
		{"checks first", checkingFirst, 6, false, false, conform.Broken},
		{"not supported", notSupporting, 1, false, false, conform.Unknown},
		{"deletes as one step", asOneStep, 12, true, true, conform.Conforms},
		{"ignores the header of a delete", asOneStep, 1, true, false, conform.Broken},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(*times) {
				s, url := serve(t, row.write)
				s.heeds = row.heeds
				v := judged(t, conform.Config{Endpoints: []string{url, url}, Clients: 16, Keys: row.keys, Deletes: row.deletes, Seed: seed + 1, Prefix: "p-"})
				if v.Grade != row.want {
					t.Errorf("seed %d: %s, want %s: %q", seed+1, v.Grade, row.want, v.Why)
				}
				if len(s.objects) > 0 {
					t.Errorf("seed %d: %d objects are left behind", seed+1, len(s.objects))
				}
			}
		})
	}
}

// TestUntested: a kind of request that the store never let the test ask leaves the verdict unknown.
func TestUntested(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*server){
		"no client knew the present ETag": func(s *server) { s.mute = true },
		"refused for another reason":      func(s *server) { s.refuses = true },
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			s, url := serve(t, asOneStep)
			change(s)
			v := judged(t, conform.Config{Endpoints: []string{url}, Clients: 16, Keys: 6, Deletes: true, Faults: []string{conform.None}, Seed: 1, Prefix: "p-"})
			if why := strings.Join(v.Why, "; "); v.Grade != conform.Unknown || !strings.Contains(why, want) {
				t.Errorf("%s: %s", v.Grade, why)
			}
		})
	}
}

// TestPrefixInUse: objects that are there before the test are neither judged nor deleted.
func TestPrefixInUse(t *testing.T) {
	t.Parallel()
	s, url := serve(t, asOneStep)
	s.objects["p-plain"] = []byte("mine")
	_, err := conform.Do(t.Context(), conform.Config{Endpoints: []string{url}, Clients: 2, Keys: 1, Seed: 1, Prefix: "p-"}, io.Discard)
	if !errors.Is(err, conform.ErrUsage) || len(s.objects) != 1 {
		t.Errorf("%v, %d objects", err, len(s.objects))
	}
}
