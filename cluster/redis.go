package cluster

import (
	"context"
	"fmt"
)

// onDisk returns the arguments with which a Redis keeps its data when its process is killed. A
// flush every second is enough, because written data is already in the kernel. A Redis without
// persistence is emulated by a start with a wiped directory.
func onDisk() []string { return []string{"--appendonly", "yes", "--appendfsync", "everysec"} }

// startRedis starts one Redis.
func startRedis(ctx context.Context, b *builder) error {
	specs, err := b.redisSpecs(1)
	if err != nil {
		return err
	}
	if err := b.start(ctx, specs...); err != nil {
		return err
	}
	return b.linkClients()
}

// startFive starts five independent Redis servers.
func startFive(ctx context.Context, b *builder) error {
	specs, err := b.redisSpecs(5)
	if err != nil {
		return err
	}
	b.cluster.Quorum = 3
	if err := b.start(ctx, specs...); err != nil {
		return err
	}
	return b.linkClients()
}

// redisSpecs returns the specs of n Redis servers, redis-1 to redis-n.
func (b *builder) redisSpecs(n int) ([]Spec, error) {
	ports, err := b.reserve(n)
	if err != nil {
		return nil, err
	}
	specs := make([]Spec, n)
	for i := range specs {
		specs[i] = Spec{Server: "redis", Name: fmt.Sprintf("redis-%d", i+1), Ports: ports[i : i+1], Args: onDisk()}
	}
	return specs, nil
}
