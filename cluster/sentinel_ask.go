package cluster

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// sentinelTime bounds the time in which a sentinel must answer.
const sentinelTime = 200 * time.Millisecond

// A sentinelClient asks one sentinel.
type sentinelClient struct {
	addr   string
	client *redis.SentinelClient
}

func newSentinelClient(addr string) *sentinelClient {
	return &sentinelClient{addr, redis.NewSentinelClient(&redis.Options{
		Addr: addr, Protocol: 2, DisableIdentity: true, MaxRetries: -1, DialerRetries: 1, PoolSize: 2,
		ContextTimeoutEnabled: true,
	})}
}

func (c *sentinelClient) close() { _ = c.client.Close() } // an error has no consequence

// master returns the address of the primary that the sentinel reports to clients, or "" if it does
// not answer.
func (c *sentinelClient) master(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, sentinelTime)
	defer cancel()
	a, err := c.client.GetMasterAddrByName(ctx, sentinelMaster).Result()
	if err != nil || len(a) != 2 {
		return ""
	}
	return net.JoinHostPort(a[0], a[1])
}

// knows reports whether the sentinel sees a running primary with the given numbers of replicas and
// of other sentinels. After a jump of its clock a sentinel acts on no observation for half a
// minute. knows does not wait for that time to end, and returns true.
func (c *sentinelClient) knows(ctx context.Context, sentinels, replicas int) bool {
	ctx, cancel := context.WithTimeout(ctx, sentinelTime)
	defer cancel()
	if c.tilted(ctx) {
		return true
	}
	m, err := c.client.Master(ctx, sentinelMaster).Result()
	if err != nil || m["flags"] != "master" || m["num-other-sentinels"] != strconv.Itoa(sentinels) {
		return false
	}
	list, err := c.client.Replicas(ctx, sentinelMaster).Result()
	if err != nil || len(list) != replicas {
		return false
	}
	for _, r := range list {
		if r["flags"] != "slave" || r["master-link-status"] != "ok" {
			return false
		}
	}
	return true
}

// tilted reports whether the sentinel distrusts its own clock.
func (c *sentinelClient) tilted(ctx context.Context) bool {
	plain := redisClient(c.addr)
	defer plain.Close()
	info, err := plain.Info(ctx, "sentinel").Result()
	return err == nil && fields(info)["sentinel_tilt"] == "1"
}

// hurry makes a sentinel check the servers, and share its view with the other sentinels, ten times
// a second instead of once in ten seconds.
func hurry(ctx context.Context, addr string) error {
	c := redisClient(addr)
	defer c.Close()
	if err := c.Do(ctx, "SENTINEL", "DEBUG", "info-period", "100", "publish-period", "100").Err(); err != nil {
		return fmt.Errorf("set the periods of a sentinel: %w", err)
	}
	return nil
}
