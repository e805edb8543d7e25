package cluster

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// A differ compares the data of a Redis primary with that of its replicas.
type differ struct {
	primary  *redis.Client
	replicas []*redis.Client
	changes  string // the primary's counter of changes at the last comparison
}

func newDiffer(primary string, replicas []string) *differ {
	d := &differ{primary: redisClient(primary)}
	for _, a := range replicas {
		d.replicas = append(d.replicas, redisClient(a))
	}
	return d
}

func (d *differ) close() {
	for _, c := range append(d.replicas, d.primary) {
		_ = c.Close() // an error has no consequence
	}
}

// ahead reports whether the primary holds a value that no replica has. It compares the keys only if
// the primary has changed data since the last call.
func (d *differ) ahead(ctx context.Context) (bool, error) {
	info, err := d.primary.Info(ctx, "persistence").Result()
	if err != nil {
		return false, fmt.Errorf("ask primary: %w", err)
	}
	changes := fields(info)["rdb_changes_since_last_save"]
	if changes == d.changes {
		return false, nil
	}
	d.changes = changes
	keys := d.primary.Scan(ctx, 0, "", 1000).Iterator()
	for keys.Next(ctx) {
		if missing, err := d.missing(ctx, keys.Val()); missing || err != nil {
			return missing, err
		}
	}
	return false, keys.Err()
}

// missing reports whether no replica has the primary's value of a key. A key that expires during
// the comparison is not missing.
func (d *differ) missing(ctx context.Context, key string) (bool, error) {
	value, err := dump(ctx, d.primary, key)
	if err != nil || value == "" {
		return false, err
	}
	for _, r := range d.replicas {
		other, err := dump(ctx, r, key)
		if err != nil || other == value {
			return false, err
		}
	}
	again, err := dump(ctx, d.primary, key)
	return again == value, err
}

// dump returns the serialized value of a key without its expiry, or "" if the key does not exist.
func dump(ctx context.Context, c *redis.Client, key string) (string, error) {
	v, err := c.Dump(ctx, key).Result()
	if errors.Is(err, redis.Nil) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("look at %s: %w", key, err)
	}
	return v, nil
}
