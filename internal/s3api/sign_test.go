package s3api

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"
	"time"
)

// The examples of the documentation of Amazon S3 ("Signature Calculations for the Authorization
// Header") have these signatures.
func TestSignaturesOfDocumentation(t *testing.T) {
	l := login{key: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", region: "us-east-1"}
	for _, row := range []struct {
		method, path, query, body, signature string
		headers                              map[string]string
	}{
		{"GET", "/test.txt", "", "", "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41", map[string]string{"Range": "bytes=0-9"}},
		{"PUT", "/test$file.text", "", "Welcome to Amazon S3.", "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
			map[string]string{"Date": "Fri, 24 May 2013 00:00:00 GMT", "X-Amz-Storage-Class": "REDUCED_REDUNDANCY"}},
		{"GET", "/", "lifecycle=", "", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543", nil},
		{"GET", "/", "max-keys=2&prefix=J", "", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7", nil},
	} {
		r, err := http.NewRequest(row.method, "https://examplebucket.s3.amazonaws.com/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.URL.Path, r.URL.RawPath, r.URL.RawQuery = row.path, escaped(row.path), row.query
		for name, value := range row.headers {
			r.Header.Set(name, value)
		}
		sum := sha256.Sum256([]byte(row.body))
		l.sign(r, hex.EncodeToString(sum[:]), time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC))
		if got := r.Header.Get("Authorization"); !strings.HasSuffix(got, "Signature="+row.signature) {
			t.Errorf("%s %s?%s: %s, want %s", row.method, row.path, row.query, got, row.signature)
		}
	}
}
