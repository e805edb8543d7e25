// certmagic is one of several servers that share a directory of certmagic's FileStorage: now and
// then each takes the same lock, does something for half a second, and lets go.
package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/caddyserver/certmagic"
)

func main() {
	storage := &certmagic.FileStorage{Path: os.Args[1]}
	ctx := context.Background()
	for {
		if err := storage.Lock(ctx, "renew"); err != nil {
			fmt.Println("lock:", err)
			os.Exit(1)
		}
		fmt.Println("begin")
		time.Sleep(500 * time.Millisecond)
		fmt.Println("end")
		if err := storage.Unlock(ctx, "renew"); err != nil {
			fmt.Println("unlock:", err)
		}
		time.Sleep(time.Duration(rand.IntN(2000)) * time.Millisecond)
	}
}
