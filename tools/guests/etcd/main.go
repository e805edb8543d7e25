// Command etcd is the server of etcd as a guest of a simulation (simulate). It runs nowhere else.
package main

import (
	"go.etcd.io/etcd/server/v3/etcdmain"

	"locktorture/tools/guests/host"
)

func main() {
	host.Main(func(args []string) error {
		etcdmain.Main(args)
		return nil
	})
}
