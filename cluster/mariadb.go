package cluster

import (
	"context"
	"fmt"
)

// startMariaDB starts one MariaDB.
func startMariaDB(ctx context.Context, b *builder) error {
	return b.single(ctx, mariadbSpec(1))
}

// startMariaDBThree starts three independent MariaDB servers.
func startMariaDBThree(ctx context.Context, b *builder) error {
	b.cluster.Quorum = 2
	return b.single(ctx, mariadbSpec(1), mariadbSpec(2), mariadbSpec(3))
}

// startRedisMariaDB starts a Redis and a MariaDB, for locks that use both. The first endpoint is
// the Redis.
func startRedisMariaDB(ctx context.Context, b *builder) error {
	b.cluster.Quorum = 2
	return b.single(ctx, Spec{Server: "redis", Name: "redis-1", Args: onDisk()}, mariadbSpec(1))
}

func mariadbSpec(n int) Spec { return Spec{Server: "mariadb", Name: fmt.Sprintf("mariadb-%d", n)} }
