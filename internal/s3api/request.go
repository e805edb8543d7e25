package s3api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// largest is how much of an answer is read.
const largest = 1 << 20

// A request is what is sent.
type request struct {
	method string
	key    string // "": of the bucket itself
	query  url.Values
	body   []byte
	cond   Condition
}

// A response is an answer that granted what was asked for.
type response struct {
	etag   string
	server string
	body   []byte
}

// ask sends a request once. See Certain for what its errors tell.
func (s *Store) ask(ctx context.Context, r request) (response, error) {
	req, err := s.sign(ctx, r)
	if err != nil {
		return response{}, &unsent{err}
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return response{}, fmt.Errorf("%s %s: %w", r.method, r.key, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, largest))
	if err != nil {
		return response{}, fmt.Errorf("%s %s: %w", r.method, r.key, err)
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		a := &Answer{Status: resp.StatusCode, Said: resp.Status}
		_ = xml.Unmarshal(body, a) // what is no XML has no code
		return response{}, fmt.Errorf("%s %s: %w", r.method, r.key, a)
	}
	return response{resp.Header.Get("ETag"), resp.Header.Get("Server"), body}, nil
}

// sign makes the request with its signature.
func (s *Store) sign(ctx context.Context, r request) (*http.Request, error) {
	u := &url.URL{Scheme: "http", Host: s.cfg.Addr, Path: "/" + s.cfg.Bucket, RawQuery: strings.ReplaceAll(r.query.Encode(), "+", "%20")}
	if s.cfg.TLS {
		u.Scheme = "https"
	}
	if r.key != "" {
		u.Path += "/" + r.key
	}
	u.RawPath = escaped(u.Path)
	req, err := http.NewRequestWithContext(ctx, r.method, u.String(), bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	req.URL, req.Host = u, s.cfg.Host
	if r.cond.header != "" {
		req.Header.Set(r.cond.header, r.cond.value)
	}
	sum := sha256.Sum256(r.body)
	s.login.sign(req, hex.EncodeToString(sum[:]), time.Now())
	return req, nil
}
