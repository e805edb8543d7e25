package s3api

import (
	"context"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
)

// A Condition is what must hold of an object when a request is carried out. The zero value is
// none.
type Condition struct{ header, value string }

// IfAbsent asks that there is no object under the key.
func IfAbsent() Condition { return Condition{"If-None-Match", "*"} }

// IfMatch asks that the object is the one of that ETag.
func IfMatch(etag string) Condition { return Condition{"If-Match", etag} }

// An Object is what stands under a key.
type Object struct {
	Body []byte
	ETag string
}

// Put writes an object if the condition holds, and returns its ETag.
func (s *Store) Put(ctx context.Context, key string, body []byte, c Condition) (etag string, err error) {
	r, err := s.ask(ctx, request{method: http.MethodPut, key: key, body: body, cond: c})
	return r.etag, err
}

// Get reads an object. Absent tells the error of one that is not there.
func (s *Store) Get(ctx context.Context, key string) (Object, error) {
	r, err := s.ask(ctx, request{method: http.MethodGet, key: key})
	return Object{r.body, r.etag}, err
}

// Delete removes an object if the condition holds. Where there is none it succeeds.
func (s *Store) Delete(ctx context.Context, key string, c Condition) error {
	_, err := s.ask(ctx, request{method: http.MethodDelete, key: key, cond: c})
	return err
}

// MakeBucket makes the bucket, which may be there and ours already.
func (s *Store) MakeBucket(ctx context.Context) error {
	_, err := s.ask(ctx, request{method: http.MethodPut})
	if a, ok := answerOf(err); ok && (a.Code == "BucketAlreadyOwnedByYou" || a.Code == "BucketAlreadyExists") {
		return nil
	}
	return err
}

// Server asks for the bucket and returns what the server calls itself, which may be nothing.
func (s *Store) Server(ctx context.Context) (string, error) {
	r, err := s.ask(ctx, request{method: http.MethodGet, query: url.Values{"list-type": {"2"}, "max-keys": {"1"}}})
	return r.server, err
}

// List returns the keys that begin with a prefix.
func (s *Store) List(ctx context.Context, prefix string) (keys []string, err error) {
	query := url.Values{"list-type": {"2"}, "prefix": {prefix}}
	for {
		r, err := s.ask(ctx, request{method: http.MethodGet, query: query})
		if err != nil {
			return nil, err
		}
		var page struct {
			Contents []struct{ Key string }
			Next     string `xml:"NextContinuationToken"`
		}
		if err := xml.Unmarshal(r.body, &page); err != nil {
			return nil, fmt.Errorf("list %s: %w", prefix, err)
		}
		for _, c := range page.Contents {
			keys = append(keys, c.Key)
		}
		if page.Next == "" {
			return keys, nil
		}
		query.Set("continuation-token", page.Next)
	}
}
