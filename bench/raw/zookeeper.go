package raw

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/go-zookeeper/zk"

	"locktorture/locks"
)

// sessionTime bounds the opening of a session. A server that has just started refuses some.
const sessionTime = 20 * time.Second

// openZooKeeper opens a session and waits for it: the library fails what is asked of it
// before. The parents are made when they are missing.
func openZooKeeper(ctx context.Context, cfg Config) (locks.Locker, error) {
	conn, events, err := zk.Connect(cfg.Endpoints, cfg.TTL, zk.WithLogInfo(false), zk.WithLogger(silent{}))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, sessionTime)
	defer cancel()
	for conn.State() != zk.StateHasSession {
		select {
		case <-events:
		case <-ctx.Done():
			conn.Close()
			return nil, fmt.Errorf("open a session: %w", ctx.Err())
		}
	}
	everybody := zk.WorldACL(zk.PermAll)
	create := func(parent string) (string, error) {
		return conn.Create(parent+"/n-", []byte(rand.Text()), zk.FlagEphemeral|zk.FlagSequence, everybody)
	}
	return pair{
		take: func(_ context.Context, name string) (func(context.Context) error, error) {
			parent := "/bare/" + url.PathEscape(name)
			path, err := create(parent)
			if errors.Is(err, zk.ErrNoNode) {
				for _, p := range []string{"/bare", parent} {
					if _, err := conn.Create(p, nil, 0, everybody); err != nil && !errors.Is(err, zk.ErrNodeExists) {
						return nil, err
					}
				}
				path, err = create(parent)
			}
			if err != nil {
				return nil, err
			}
			return func(context.Context) error { return conn.Delete(path, -1) }, nil
		},
		close: func() error { conn.Close(); return nil },
	}, nil
}

// silent is a logger for a library that logs what its caller is told anyway.
type silent struct{}

func (silent) Printf(string, ...any) {}
