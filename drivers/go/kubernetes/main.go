// Command kubernetes is the driver of kubernetes-lease: one candidate of an election of client-go.
package main

import (
	"context"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"locktorture/locks"
	"locktorture/locks/driver"
)

func main() {
	klog.SetLogger(logr.Discard())
	driver.Main(map[string]driver.Opener{
		"kubernetes-lease": func(_ context.Context, o driver.Open, _ *locks.SkewedClock) (locks.Locker, error) {
			return NewKubernetesLease(KubernetesConfig{
				Endpoints: o.Endpoints, TTL: o.TTL, Owner: o.Owner(),
				KeepOnCancel: o.Options["release"] == "kept", Settle: o.Options["release"] == "settled",
			})
		},
	})
}
