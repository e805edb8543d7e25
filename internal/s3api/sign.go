package s3api

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A login signs requests by AWS Signature Version 4.
type login struct{ key, secret, session, region string }

// sign puts the signature of a request on it, at a time. All headers that it has are signed,
// and its host. sum is the SHA-256 of the body, in hex; its path and its query are written as
// S3 wants them.
func (l login) sign(r *http.Request, sum string, at time.Time) {
	stamp := at.UTC().Format("20060102T150405Z")
	r.Header.Set("X-Amz-Content-Sha256", sum)
	r.Header.Set("X-Amz-Date", stamp)
	if l.session != "" {
		r.Header.Set("X-Amz-Security-Token", l.session)
	}
	headers := map[string]string{"host": r.Host}
	for name, values := range r.Header {
		headers[strings.ToLower(name)] = strings.TrimSpace(strings.Join(values, ","))
	}
	names := slices.Sorted(maps.Keys(headers))
	var canonical strings.Builder
	fmt.Fprintf(&canonical, "%s\n%s\n%s\n", r.Method, r.URL.EscapedPath(), r.URL.RawQuery)
	for _, name := range names {
		fmt.Fprintf(&canonical, "%s:%s\n", name, headers[name])
	}
	signed := strings.Join(names, ";")
	fmt.Fprintf(&canonical, "\n%s\n%s", signed, sum)
	scope := stamp[:8] + "/" + l.region + "/s3/aws4_request"
	whole := sha256.Sum256([]byte(canonical.String()))
	text := "AWS4-HMAC-SHA256\n" + stamp + "\n" + scope + "\n" + hex.EncodeToString(whole[:])
	key := []byte("AWS4" + l.secret)
	for _, part := range []string{stamp[:8], l.region, "s3", "aws4_request", text} {
		h := hmac.New(sha256.New, key)
		h.Write([]byte(part))
		key = h.Sum(nil)
	}
	r.Header.Set("Authorization", fmt.Sprintf("AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, Signature=%x", l.key, scope, signed, key))
}

// escaped is a path as S3 signs it: all but letters, digits and -._~/ as % and two digits.
func escaped(path string) string {
	var b strings.Builder
	for _, c := range []byte(path) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~/", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
