package serve_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"locktorture/report/serve"
)

const secretFile = "the text outside"

// strangeRuns returns a directory of runs beside a secret, with all that leads out of it or is
// no file.
func strangeRuns(t *testing.T) (dir, secret string) {
	t.Helper()
	dir = runs(t)
	secret = filepath.Join(filepath.Dir(dir), "secret.txt")
	if err := os.WriteFile(secret, []byte(secretFile), 0o644); err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(dir, "20260101-redlock-1")
	for link, to := range map[string]string{
		filepath.Join(run, "absolute.txt"):      secret,
		filepath.Join(run, "up"):                "../..",
		filepath.Join(run, "loop"):              "loop",
		filepath.Join(run, "passwd.json"):       "/etc/passwd",
		filepath.Join(run, "self"):              "/proc/self",
		filepath.Join(run, "inside.txt"):        "../notes/readme.txt",
		filepath.Join(run, "nodes", "redis.d"):  "../../..",
		filepath.Join(dir, "out"):               filepath.Dir(dir),
		filepath.Join(dir, "20260105-linked-5"): filepath.Join(dir, "..", "elsewhere"),
	} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "..", "elsewhere"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "..", "elsewhere", "run.json"), []byte(`{"backend":"`+secretFile+`"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, pipe := range []string{filepath.Join(run, "pipe.txt"), filepath.Join(dir, "20260104-broken-4", "result.json"), filepath.Join(dir, "20260104-broken-4", "report.html"), filepath.Join(dir, "20260104-broken-4", "history.jsonl")} {
		if err := syscall.Mkfifo(pipe, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	socket, err := net.Listen("unix", filepath.Join(t.TempDir(), "s")) // a short path
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	if err := os.Rename(socket.Addr().String(), filepath.Join(run, "socket.txt")); err != nil {
		t.Fatal(err)
	}
	return dir, secret
}

// serveStrange serves as the command does.
func serveStrange(t *testing.T, dir string) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	server.Config = serve.NewServer(dir, func(string) error { t.Error("a run was judged"); return nil })
	server.Start()
	t.Cleanup(server.Close)
	return server
}

// TestRequestsOfEveryKind: whatever is asked for, byte by byte as it stands here, the server
// answers at once, shows nothing from outside of its directory, and judges nothing.
func TestRequestsOfEveryKind(t *testing.T) {
	dir, secret := strangeRuns(t)
	server := serveStrange(t, dir)
	const run = "/runs/20260101-redlock-1"
	good := map[string]int{run + "/report.html": 200, run + "/inside.txt": 200, "/": 200, "/?q=%00%ff": 200, run + "/%6eodes/redis-1/redis.log": 200, "/runs/latest/run.json": 200, "/compare?run=out&run=20260105-linked-5": 200}
	// None of these names a readable file of a run.
	paths := []string{
		// upwards, in every spelling
		"/../secret.txt", "/runs/../secret.txt", "/runs/../../secret.txt", run + "/../../secret.txt", run + "/..", run + "/../..", "/runs/..", "/runs/%2e%2e/secret.txt", "/runs/%2E%2E%2Fsecret.txt",
		"/runs/..%2fsecret.txt", "/runs/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "/runs/..%252fsecret.txt", "/runs/%252e%252e/secret.txt", "/runs/..%c0%afsecret.txt", "/runs/%c0%ae%c0%ae/secret.txt", "/runs/..%5csecret.txt",
		"/runs/..\\secret.txt", run + "\\..\\..\\secret.txt", "/runs/....//secret.txt", "/runs/...//secret.txt", "/runs/..;/secret.txt", "/runs/.%00./secret.txt", "/runs/%uff0e%uff0e/secret.txt", "/runs/\u2025/secret.txt", "/runs/..%0d%0a/secret.txt",
		// absolute, empty, dotted
		"/runs//etc/passwd", "/runs/" + url.PathEscape(secret), "/runs/" + secret, "//etc/passwd", "/runs/file:///etc/passwd", "/etc/passwd", "/runs/", "/runs", "/runs/.", "/runs/./", "/runs//", "/runs/%2f", "/runs/C:%5cWindows%5cwin.ini", "/runs/~/secret.txt", "/secret.txt",
		// links that lead out, or nowhere
		run + "/link.txt", run + "/absolute.txt", run + "/up/secret.txt", run + "/up", run + "/loop", run + "/loop/x", run + "/passwd.json", run + "/self/environ", run + "/self/root/etc/passwd", run + "/nodes/redis.d/secret.txt",
		"/runs/out/secret.txt", "/runs/out", "/runs/20260105-linked-5/run.json", run + "/link.txt/", run + "/link.txt%00.html",
		// what is there and is no file
		run, run + "/", run + "/nodes", run + "/nodes/redis-1/", run + "/pipe.txt", run + "/socket.txt", "/runs/20260104-broken-4/report.html", "/runs/20260104-broken-4/history.jsonl",
		// names with what no name has
		run + "/report.html%00", run + "/report.html%00.txt", run + "/report.html/", run + "/report.html/x", run + "/report.html%20", run + "/report.html.", run + "/REPORT.HTML", run + "/report.html%0a", run + "/" + strings.Repeat("a", 5000), "/runs/" + strings.Repeat("a/", 2000) + "x",
		"/runs/%", "/runs/%zz", "/runs/%f", run + "/nodes/*", run + "/nodes/?x", "/compare", "/compare?run=..&run=.", "/compare?run=/etc&run=/etc", "/compare?run=20260101-redlock-1%00&run=x",
		"/check", "/check?check=20260101-redlock-1", "/runs/20260101-redlock-1/run.json/../../../secret.txt", "/%2e%2e/%2e%2e/etc/passwd", "/.git/config", "/debug/pprof/", "/favicon.ico",
	}
	for _, p := range paths {
		good[p] = 0
	}
	if len(good) < 94 {
		t.Errorf("%d paths only", len(good))
	}
	for path, want := range good {
		status, body := sendRaw(t, server, "GET "+path+" HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
		if want == 0 && status == http.StatusOK || want != 0 && status != want {
			t.Errorf("%.80q: %d, want %d", path, status, want)
		}
		if strings.Contains(body, secretFile) || strings.Contains(body, "root:x:0") {
			t.Errorf("%.80q shows what is outside: %.80q", path, body)
		}
	}
}

// TestOddRequests: methods, headers and bodies that no browser sends.
func TestOddRequests(t *testing.T) {
	dir, _ := strangeRuns(t)
	server := serveStrange(t, dir)
	const file, run = "/runs/20260101-redlock-1/run.json", "20260101-redlock-1"
	head := " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
	form := "Content-Type: application/x-www-form-urlencoded\r\n"
	for _, c := range []struct {
		why, request string
		want         int // 0: any refusal, or no answer
	}{
		{"the file itself", "GET " + file + head + "\r\n", 200},
		{"its head", "HEAD " + file + head + "\r\n", 200},
		{"a part of it", "GET " + file + head + "Range: bytes=0-3\r\n\r\n", 206},
		{"a part beyond it", "GET " + file + head + "Range: bytes=999999999-\r\n\r\n", 416},
		{"ten thousand parts of it", "GET " + file + head + "Range: bytes=" + strings.Repeat("0-0,", 10_000) + "1-1\r\n\r\n", 200},
		{"another method", "PUT " + file + head + "Content-Length: 1\r\n\r\nx", 405},
		{"removal", "DELETE " + file + head + "\r\n", 405},
		{"a change of a part", "PATCH " + file + head + "\r\n", 405},
		{"the options", "OPTIONS *" + head + "\r\n", 0},
		{"a trace", "TRACE " + file + head + "\r\n", 405},
		{"a proxy's word", "CONNECT example.org:443" + head + "\r\n", 0},
		{"a method of its own", "PROPFIND " + file + head + "\r\n", 405},
		{"an override by header", "GET /check" + head + "X-HTTP-Method-Override: POST\r\n\r\n", 405},
		{"a whole address of another host", "GET http://attacker.example" + file + head + "\r\n", 0},
		{"no host", "GET " + file + " HTTP/1.1\r\nConnection: close\r\n\r\n", 400},
		{"two hosts", "GET " + file + head + "Host: attacker.example\r\n\r\n", 400},
		{"a foreign host", "GET " + file + " HTTP/1.1\r\nHost: attacker.example\r\nConnection: close\r\n\r\n", 403},
		{"a host that begins like an address", "GET " + file + " HTTP/1.1\r\nHost: 127.0.0.1.attacker.example\r\nConnection: close\r\n\r\n", 403},
		{"HTTP/1.0 without a host", "GET " + file + " HTTP/1.0\r\n\r\n", 403},
		{"HTTP/0.9", "GET " + file + "\r\n\r\n", 0},
		{"HTTP/9.9", "GET " + file + " HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n", 0},
		{"the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 0},
		{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 0},
		{"nonsense", "\x00\x01\x02\x03\r\n\r\n", 0},
		{"a header of 2 MB", "GET " + file + head + "X: " + strings.Repeat("a", 2<<20) + "\r\n\r\n", 0},
		{"100,000 headers", "GET " + file + head + strings.Repeat("X: a\r\n", 100_000) + "\r\n", 0},
		{"an address of 2 MB", "GET /" + strings.Repeat("a", 2<<20) + head + "\r\n", 0},
		{"a folded header", "GET " + file + head + "X: a\r\n b\r\n\r\n", 200},
		{"a header with a NUL", "GET " + file + head + "X: a\x00b\r\n\r\n", 400},
		{"two lengths", "POST /check" + head + form + "Content-Length: 5\r\nContent-Length: 6\r\n\r\ncheck=", 400},
		{"a length and chunks", "POST /check" + head + form + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", 0},
		{"a chunk of a negative size", "POST /check" + head + form + "Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n", 0},
		{"a form of 100 kB", "POST /check" + head + form + "Content-Length: 100000\r\n\r\ncheck=" + strings.Repeat("a", 99_994), 0},
		{"a name with a path", "POST /check" + head + form + "Content-Length: 15\r\n\r\ncheck=../out/xyz", 404},
		{"a run that is a link", "POST /check" + head + form + "Content-Length: 23\r\n\r\ncheck=20260105-linked-5", 404},
		{"a run with pipes", "POST /check" + head + form + "Content-Length: 23\r\n\r\ncheck=20260104-broken-4", 404},
		{"a page of another site", "POST /check" + head + form + "Origin: http://attacker.example\r\nContent-Length: 24\r\n\r\ncheck=" + run, 403},
		{"a page of no site", "POST /check" + head + form + "Origin: null\r\nContent-Length: 24\r\n\r\ncheck=" + run, 403},
		{"a browser that says so", "POST /check" + head + form + "Sec-Fetch-Site: same-site\r\nContent-Length: 24\r\n\r\ncheck=" + run, 403},
	} {
		status, body := sendRaw(t, server, c.request)
		if c.want != 0 && status != c.want || c.want == 0 && status == http.StatusOK && strings.Contains(body, "redlock") {
			t.Errorf("%s: %d %.60q, want %d", c.why, status, body, c.want)
		}
	}
}

// TestEveryAnswerHasItsPolicy: also errors and what is not there.
func TestEveryAnswerHasItsPolicy(t *testing.T) {
	h := serve.Handler(runs(t), func(string) error { return nil })
	for path, want := range map[string]string{
		"/": "form-action 'self'", "/compare?run=20260101-redlock-1&run=20260102-etcd-2": "form-action 'self'", "/compare": "sandbox;",
		"/runs/20260101-redlock-1/report.html": "sandbox allow-scripts;", "/runs/20260101-redlock-1/run.json": "sandbox;", "/runs/20260101-redlock-1/nodes/redis-1/redis.log": "sandbox;", "/no": "sandbox;", "/runs/no": "sandbox;",
	} {
		_, _, header := ask(t, h, path)
		policy := header.Get("Content-Security-Policy")
		if !strings.Contains(policy, want) || !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "allow-same-origin") {
			t.Errorf("%s: policy %q, want %s", path, policy, want)
		}
		if own := strings.Contains(policy, "script-src"); own != strings.HasSuffix(path, "report.html") {
			t.Errorf("%s: policy %q", path, policy)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin"} {
			if got := header.Get(name); got != want {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
	}
}

// sendRaw sends bytes and reads the answer, 0 if there is none. A server that is still silent
// after a while fails the test.
func sendRaw(t *testing.T, server *httptest.Server, request string) (status int, body string) {
	t.Helper()
	c, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	go func() { _, _ = io.WriteString(c, request); _ = c.(*net.TCPConn).CloseWrite() }() // it may hang up before it has read all
	method, _, _ := strings.Cut(request, " ")
	answer, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
	if err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("no answer to %.80q: %v", request, err)
		}
		return 0, fmt.Sprint(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the answer to %.80q does not end: %v", request, err)
	}
	return answer.StatusCode, string(b)
}
