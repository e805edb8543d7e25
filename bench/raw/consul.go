package raw

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"locktorture/locks"
)

// openConsul makes a session that does not end by itself and goes with Close.
func openConsul(ctx context.Context, cfg Config) (locks.Locker, error) {
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	base := "http://" + cfg.Endpoints[0] + "/v1/"
	answer, err := put(ctx, client, base+"session/create", `{"Name": "bare", "NodeChecks": []}`)
	if err != nil {
		return nil, err
	}
	var session struct{ ID string }
	if err := json.Unmarshal([]byte(answer), &session); err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	return pair{
		take: func(ctx context.Context, name string) (func(context.Context) error, error) {
			url := base + "kv/bare/" + name
			got, err := put(ctx, client, url+"?acquire="+session.ID, rand.Text())
			if err != nil {
				return nil, err
			}
			if strings.TrimSpace(got) != "true" {
				return nil, errTaken
			}
			return func(ctx context.Context) error {
				_, err := put(ctx, client, url+"?release="+session.ID, "")
				return err
			}, nil
		},
		close: func() error {
			_, err := put(context.WithoutCancel(ctx), client, base+"session/destroy/"+session.ID, "")
			client.CloseIdleConnections()
			return err
		},
	}, nil
}

func put(ctx context.Context, client *http.Client, url, body string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 16<<20))
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", resp.Status, answer)
	}
	return string(answer), err
}
