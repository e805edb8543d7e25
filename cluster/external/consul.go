package external

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// A consul is the client side of one Consul cluster.
type consul struct{ cfg Config }

func newConsul(cfg Config) service { return &consul{cfg} }

// ask sends one request. The password is used as the token.
func (c *consul) ask(ctx context.Context, method, addr, path string, into any) (int, error) {
	transport := &http.Transport{DialContext: c.cfg.Dial}
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, method, "http://"+addr+"/v1/"+path, nil)
	if err != nil {
		return 0, err
	}
	if c.cfg.Password != "" {
		req.Header.Set("X-Consul-Token", c.cfg.Password)
	}
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 16<<20))
	if err != nil {
		return 0, err
	}
	if resp.StatusCode != http.StatusOK {
		return resp.StatusCode, fmt.Errorf("%s %s: %d: %s", method, path, resp.StatusCode, bytes.TrimSpace(body))
	}
	return resp.StatusCode, json.Unmarshal(body, into)
}

func (c *consul) version(ctx context.Context, addr string) (string, error) {
	var self struct{ Config struct{ Version string } }
	status, err := c.ask(ctx, http.MethodGet, addr, "agent/self", &self)
	switch {
	case status == http.StatusForbidden:
		return unknown("the token may not read the agent"), nil
	case err != nil:
		return "", err
	}
	return self.Config.Version, nil
}

// prepare makes a session and a key, as locks do, and removes them again. Reads would prove
// nothing, because Consul answers a client without read permission as if the key did not exist.
func (c *consul) prepare(ctx context.Context) error {
	addr := c.cfg.Endpoints[0]
	var done bool
	var session struct{ ID string }
	if _, err := c.ask(ctx, http.MethodPut, addr, "kv/"+c.cfg.Prefix, &done); err != nil {
		return err
	}
	if _, err := c.ask(ctx, http.MethodDelete, addr, "kv/"+c.cfg.Prefix, &done); err != nil {
		return err
	}
	if _, err := c.ask(ctx, http.MethodPut, addr, "session/create", &session); err != nil {
		return err
	}
	_, err := c.ask(ctx, http.MethodPut, addr, "session/destroy/"+session.ID, &done)
	return err
}

func (c *consul) some(ctx context.Context) (string, error) {
	keys, err := c.keys(ctx)
	return first(keys), err
}

// keys lists the keys below the prefix.
func (c *consul) keys(ctx context.Context) (keys []string, err error) {
	status, err := c.ask(ctx, http.MethodGet, c.cfg.Endpoints[0], "kv/"+c.cfg.Prefix+"?keys", &keys)
	if status == http.StatusNotFound {
		return nil, nil
	}
	return keys, err
}

// sweep removes the keys below the prefix and the sessions whose name is the prefix.
func (c *consul) sweep(ctx context.Context) (int, error) {
	addr := c.cfg.Endpoints[0]
	keys, err := c.keys(ctx)
	if err != nil {
		return 0, err
	}
	var done bool
	if len(keys) > 0 {
		if _, err := c.ask(ctx, http.MethodDelete, addr, "kv/"+c.cfg.Prefix+"?recurse", &done); err != nil {
			return 0, err
		}
	}
	var sessions []struct{ ID, Name string }
	if _, err := c.ask(ctx, http.MethodGet, addr, "session/list", &sessions); err != nil {
		return len(keys), err
	}
	n := len(keys)
	for _, s := range sessions {
		if s.Name != c.cfg.Prefix {
			continue
		}
		if _, err := c.ask(ctx, http.MethodPut, addr, "session/destroy/"+s.ID, &done); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// looker deletes a missing key through the leader, which changes no data.
func (c *consul) looker(s server) looker {
	return &kept[struct{}]{
		open: func(context.Context) (struct{}, error) { return struct{}{}, nil },
		ask: func(ctx context.Context, _ struct{}) error {
			var done bool
			_, err := c.ask(ctx, http.MethodDelete, s.addr, "kv/"+c.cfg.Prefix+lookKey, &done)
			return err
		},
		shut: func(struct{}) {},
	}
}
