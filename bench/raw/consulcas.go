package raw

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"locktorture/locks"
)

// openConsulCAS changes one key by compare-and-set: the list of who has a slot of a semaphore
// is one.
func openConsulCAS(_ context.Context, cfg Config) (locks.Locker, error) {
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	base := "http://" + cfg.Endpoints[0] + "/v1/kv/bare/"
	return pair{
		take: func(ctx context.Context, name string) (func(context.Context) error, error) {
			if err := replace(ctx, client, base+name, "", "taken"); err != nil {
				return nil, err
			}
			return func(ctx context.Context) error { return replace(ctx, client, base+name, "taken", "") }, nil
		},
		close: func() error { client.CloseIdleConnections(); return nil },
	}, nil
}

// replace reads a value, and writes another where it is the one that was expected.
func replace(ctx context.Context, client *http.Client, url, expected, value string) error {
	was, index, err := read(ctx, client, url)
	if err != nil {
		return err
	}
	if was != expected {
		return errTaken
	}
	got, err := put(ctx, client, fmt.Sprintf("%s?cas=%d", url, index), value)
	if err == nil && strings.TrimSpace(got) != "true" {
		err = errTaken
	}
	return err
}

// read returns a value and its index; "" and 0: there is none.
func read(ctx context.Context, client *http.Client, url string) (value string, index uint64, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", 0, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return "", 0, err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusNotFound:
		_, err := io.Copy(io.Discard, resp.Body)
		return "", 0, err
	case http.StatusOK:
	default:
		return "", 0, fmt.Errorf("read %s: %s", url, resp.Status)
	}
	var entries []struct {
		Value       []byte
		ModifyIndex uint64
	}
	if err := json.NewDecoder(resp.Body).Decode(&entries); err != nil {
		return "", 0, fmt.Errorf("read %s: %w", url, err)
	}
	if len(entries) != 1 {
		return "", 0, fmt.Errorf("read %s: %d entries", url, len(entries))
	}
	return string(entries[0].Value), entries[0].ModifyIndex, nil
}
