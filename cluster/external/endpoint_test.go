package external

import (
	"strings"
	"testing"
)

// Endpoints are taken apart. What is not understood is refused, because the address and the
// database are written into files, and no error repeats what may be a secret.
func TestReadEndpoint(t *testing.T) {
	for text, want := range map[string]Endpoint{
		"h:1":                     {Addr: "h:1"},
		"10.0.0.1:65535":          {Addr: "10.0.0.1:65535"},
		"[::1]:6379":              {Addr: "[::1]:6379"},
		"[fe80::1%eth0]:6379":     {Addr: "[fe80::1%eth0]:6379"},
		"my_redis.staging-2:6379": {Addr: "my_redis.staging-2:6379"},
		"rediss://u:p@h":          {"h:6379", "u", "p", "", true, "rediss"},
		"redis://:p@[::1]/":       {"[::1]:6379", "", "p", "", false, "redis"},
		"postgres://u:p%40x@h:5/d?sslmode=verify-full": {"h:5", "u", "p@x", "d", true, "postgres"},
		"mysql://u@h/d":              {"h:3306", "u", "", "d", false, "mysql"},
		"u:p@tcp(h:3306)/d?tls=true": {"h:3306", "u", "p", "d", true, "mysql"},
		"u:p?q=@tcp(h:3306)/d":       {"h:3306", "u", "p?q=", "d", false, "mysql"},
		"https://consul":             {Addr: "consul:8500", Secured: true, Scheme: "https"},
	} {
		if got, err := ReadEndpoint(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"", "h", "h:", ":1", "h:0", "h:65536", "h:1/x", "u:hush@h:1", "ftp://u:hush@h", "u:hush@tcp(h", "redis://u:hush@h?x=hush2", "redis://u:hush@h:%zz",
		"h:1?password=hush", "h:1#hush", "h:1 hush", "h:hush", "h?password=hush:1", "password=hush:1", "h:1\nhush", "[fe80::1%?password=hush]:1",
		"redis://h?hush", "redis://h#hush", "redis://h?HUSH=", "redis://h/0?password=hush;x", "postgres://h/d%3Fpassword=hush", "postgres://h/d/password=hush", "redis://h:1:hush", "redis://h%20hush:1",
		"tcp(h:1)/d?password=hush", "u:p@tcp(h:1)/d?tls=skip-verify", "u:p@tcp(h:1?password=hush)/d", "u@tcp(h)/d=hush",
	} {
		got, err := ReadEndpoint(text)
		if err == nil {
			t.Errorf("%q is read as %+v", text, got)
		} else if strings.Contains(strings.ToLower(err.Error()), "hush") || strings.Contains(err.Error(), "word") && strings.Contains(text, "hush") && !strings.Contains(err.Error(), "USER:PASSWORD") && !strings.Contains(err.Error(), "parameter password=…") {
			t.Errorf("%q: the error tells it: %v", text, err)
		}
	}
}

// FuzzEndpoint: what is accepted is an address and nothing else, and is accepted again; errors
// tell nothing.
func FuzzEndpoint(f *testing.F) {
	for _, text := range []string{"h:1", "[::1%a]:1", "rediss://u:p@h", "postgres://u:p@h:5/d?sslmode=require", "u:p@tcp(h:3306)/d?tls=true", "tcp(h)/", "h:1?password=x", "redis://@/?", "u:p@unix(/x)/d"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := ReadEndpoint(text)
		if err != nil {
			if len(text) > 12 && strings.Contains(err.Error(), text) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if again, err := ReadEndpoint(e.Addr); err != nil || again.Addr != e.Addr || again.User+again.Password+again.Database != "" {
			t.Errorf("%q has the address %q, which is read as %+v, %v", text, e.Addr, again, err)
		}
		if strings.ContainsAny(e.Addr, "?=&/@# \n\x00") || strings.ContainsAny(e.Database, "?=&/@#\n\x00") {
			t.Errorf("%q: %+v", text, e)
		}
	})
}
