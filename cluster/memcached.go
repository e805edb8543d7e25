package cluster

import "context"

// startMemcached starts one memcached.
func startMemcached(ctx context.Context, b *builder) error {
	return b.single(ctx, Spec{Server: "memcached", Name: "memcached-1"})
}

// single starts independent servers, each on one port of its own, and links the clients to all of
// them.
func (b *builder) single(ctx context.Context, specs ...Spec) error {
	ports, err := b.reserve(len(specs))
	if err != nil {
		return err
	}
	for i := range specs {
		specs[i].Ports = ports[i : i+1]
	}
	if err := b.start(ctx, specs...); err != nil {
		return err
	}
	return b.linkClients()
}
